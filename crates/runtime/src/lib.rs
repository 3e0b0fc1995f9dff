//! The pipeline: one function that shows all stages of an event, and the owners of its parts.
//!
//! Open [`handle`] first. Everything outside comes in through the ports of `contract`, so two runtimes can live in one
//! process.

pub mod handle;
pub mod runtime;
pub mod event_context;
mod receive;
mod evaluate;
mod call_identity;
mod collect;
mod limit;
mod adapt;
mod commit;
mod respond;
pub mod hooks;
pub mod runner;
pub mod session;
pub mod approvals;
pub mod audit;
pub mod internal_error;
pub mod kit;

pub use adapt::Handled;
pub use approvals::{ApiApprover, ApprovalService, Approvers, MemoryRegister};
pub use audit::AuditLog;
pub use hooks::{ActiveHooks, HookCatalog};
pub use receive::Request;
pub use runner::{DryRun, HookRunner};
pub use runtime::Runtime;
pub use session::{OuterHook, SessionService};
