//! Stop 3: somebody who watches while hooks run together.

/// Is told how far the hooks of a parallel group have come.
///
/// Duties: be quick, and never write where an agent reads or draws.
pub trait Onlooker: Send + Sync {
    /// So many of them have finished.
    fn finished(&self, finished: usize, of: usize);
}
