//! The full binary, which runs more kinds of hooks than the small one.

/// Replaces this process by the full binary.
///
/// Duties: `exec` returns only if that was not possible. The full binary finds everything as this one did, because
/// nothing was claimed, run or recorded yet.
pub trait FullBinary: Send + Sync {
    /// Runs the full binary with the payload.
    fn exec(&self, payload: &[u8]);

    /// Why `exec` returned.
    fn unavailable_reason(&self) -> String;
}
