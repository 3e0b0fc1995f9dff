//! Between stops 1 and 2: a program that can run more kinds of hooks than this one.

/// Takes a payload over from a program that was built small.
///
/// Duties: the process *becomes* the other program, so `exec` returns only if that was not possible;
/// the other program finds everything as this one did, because nothing was claimed, run or recorded yet.
pub trait FullBinary: Send + Sync {
    /// Leaves the payload to the other program.
    fn exec(&self, payload: &[u8]);

    /// Why it did not take over.
    fn unavailable_reason(&self) -> String;
}
