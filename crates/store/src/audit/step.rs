//! The steps of an append between which a writer can be stopped.

/// A step that has just been taken. After each of them the files are such that the next writer goes on
/// without losing a record; the tests stop a process at every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The head is locked.
    Locked,
    /// There is a head, of an empty trail.
    Begun,
    /// A damaged trail lies in its folder; the head still speaks of it.
    MovedAway,
    /// What a power cut left is known to the head again.
    LossKept,
    /// The records of a spill file are in the trail.
    Merged,
    /// A spill file that was merged is gone.
    SpillRemoved,
    /// The trail has the name of a full one, and there is no other yet.
    Renamed,
    /// The head speaks of the new, empty file.
    TurnedOver,
    /// The lines are in the trail, but not in the head.
    Written,
    /// The head knows the lines.
    HeadWritten,
    /// The spill file is written, but has not its name yet.
    SpillWritten,
    /// The spill file has its name.
    Spilled,
}

/// What is called after each step.
pub(crate) type Watch = fn(Step);
