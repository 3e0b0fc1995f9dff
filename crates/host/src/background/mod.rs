//! Hooks that nobody waits for, and who runs them.
//!
//! ```text
//! tenter-hook claude ── order, in memory ──▶ tenter-hook --background     the keeper: a session of its own,
//!         │◀── one byte: it is in good hands ──────┘                      nothing of the agent's in its hands
//!         ▼                                        ▼
//!       answer                         run · record · leave for the next event · end
//! ```
//!
//! The keeper is this program again, from the very file that runs, so it runs what we would have run. It is handed the
//! hook and the event in a file that lies on no disk; of its arguments and of its name in a list of processes nobody
//! learns anything. It ends with its hooks, or when their time is up, or with the agent; at the end of a session,
//! when the agent is about to go, the first two alone.
//!
//! On Linux alone: elsewhere a process cannot find what its hooks leave behind, nor hear of the agent's end, so there
//! hooks with `background` are waited for, which their record says.

#[cfg(target_os = "linux")]
mod order;
#[cfg(target_os = "linux")]
mod wire;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod keep;

#[cfg(target_os = "linux")]
pub use keep::keep;
#[cfg(target_os = "linux")]
pub(crate) use start::Keepers;

/// How the keeper is told from other calls of the same program.
pub const ARGUMENT: &str = "--background";
