//! Finds and ends the processes that a run leaves behind.
//!
//! A process that leaves the group of its hook (`setsid`, a double fork) loses its parents sooner or later. As
//! *subreaper* tenter becomes its parent then and can find it; see `prctl(2)`.

/// The processes that a run left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// The number of processes that still ran and were ended.
    pub ended: usize,
    /// The number that could not be ended: they belong to another user, or sleep in the kernel.
    pub stuck: usize,
}

#[cfg(target_os = "linux")]
pub(super) use linux::{Reaper, untagged};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::Reaper;

#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
mod portable {
    use super::Leftovers;
    use crate::supervise::{ProcessTree, RunTag};
    use rustix::process::Pid;

    /// Without `/proc` only the group of a hook can be found; see `process_group`.
    pub(in crate::supervise) struct Reaper;

    impl Reaper {
        pub(in crate::supervise) fn prepare(_: &RunTag, _: ProcessTree) -> Self {
            Self
        }

        pub(in crate::supervise) fn set_group(&mut self, _: Pid) {}

        pub(in crate::supervise) fn finish(self) -> Leftovers {
            Leftovers::default()
        }

        pub(in crate::supervise) fn leave(self) -> Leftovers {
            Leftovers::default()
        }
    }
}
