//! What a run leaves behind, found and ended, wherever it went.
//!
//! A process that leaves the group of its hook (`setsid`, a double fork) loses its parents sooner or later. As
//! *subreaper* we become its parent then, so that it stays in sight; see `prctl(2)`.

use super::Household;
use super::tag::Tag;

/// What was found when a run was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// So many processes still ran and were ended.
    pub ended: usize,
    /// So many could not be ended: they belong to someone else, or sleep in the kernel.
    pub stuck: usize,
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Sweep;
#[cfg(target_os = "linux")]
pub(super) use linux::{Sweep, unmarked};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Household, Swept, Tag};
    use rustix::process::Pid;

    /// Here only the group of a hook can be found again; see `group`.
    pub(in crate::supervise) struct Sweep;

    impl Sweep {
        pub(in crate::supervise) fn prepare(_: &Tag, _: Household) -> Self {
            Self
        }

        pub(in crate::supervise) fn of_group(&mut self, _: Pid) {}

        pub(in crate::supervise) fn finish(self) -> Swept {
            Swept::default()
        }

        pub(in crate::supervise) fn leave(self) -> Swept {
            Swept::default()
        }
    }
}

#[cfg(target_os = "linux")]
mod linux;
