//! The steps of an append between which a writer can be stopped.

/// A completed step. After each of them the next writer continues without losing a record; the tests stop a process at
/// every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The head is locked.
    Locked,
    /// The head of an empty trail exists.
    Begun,
    /// A damaged trail is in quarantine; the head still names its end.
    MovedAway,
    /// The head names the end that a power cut left.
    LossKept,
    /// The records of a spill file are in the trail.
    Merged,
    /// A merged spill file is removed.
    SpillRemoved,
    /// The full file is renamed, and the new one does not exist yet.
    Renamed,
    /// The head names the new, empty file.
    Rotated,
    /// The lines are in the trail, and the head does not name them yet.
    Written,
    /// The head names the lines.
    HeadWritten,
    /// The spill file is written and has no name yet.
    SpillWritten,
    /// The spill file has its name.
    Spilled,
}

/// A function that is called after each step.
pub(crate) type Watch = fn(Step);
