//! Background hooks: the worker process that runs hooks with `background: true`.
//!
//! ```text
//! tenter-hook claude ── job request, in memory ──▶ tenter-hook --background   the worker: a session of its own,
//!         │◀── one byte: the worker has the job ────────┘                     no descriptor of the agent
//!         ▼                                             ▼
//!       answer                          run · record · defer texts to the next event · end
//! ```
//!
//! The worker is started from the very file that runs, so it runs the same code. The job comes in an anonymous file,
//! so neither its arguments nor a list of processes reveal it. It ends with its hooks, or when their time is
//! up, or with the agent; at the end of a session, when the agent is about to go, only the first two apply.
//!
//! Linux only: elsewhere a process can find neither the leftover processes of its hooks nor the agent's end. There
//! tenter waits for hooks with `background`, and their record says so.

#[cfg(target_os = "linux")]
mod request;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod worker;

#[cfg(target_os = "linux")]
pub(crate) use launcher::WorkerLauncher;
#[cfg(target_os = "linux")]
pub use worker::run_worker;

/// The argument that makes a process a worker.
pub const ARGUMENT: &str = "--background";
