//! A session for programs that embed tenter: an agent of your own, in one crate.
//!
//! [`SessionCoordinator`] runs hooks at events and applies their replies:
//!
//! | effect | where it goes | set with |
//! |---|---|---|
//! | context | a [`ContextStore`], as a message that names its hook | [`Builder::context`] |
//! | a question | an [`Approver`] | [`Builder::approver`] |
//! | a message | a [`UserDisplay`] | [`Builder::display`] |
//! | a rewrite | the event that [`SessionCoordinator::emit`] returns | |
//! | a deny | [`Denied`], the error of [`SessionCoordinator::emit`] | |
//! | all of it | an [`AuditTrail`] | [`Builder::trail`] |
//!
//! Everything that you do not set stays in memory; a question without an approver is denied. The rules (order,
//! limits, batches, approvals, records) are those of every other hook: the coordinator runs on the same [`Runtime`]
//! as `tenter` itself, and can be given one that also has the user's hook files ([`Builder::runtime`]).
//!
//! ```
//! use tenter_coordinator::{EventKind, HookReply, SessionCoordinator};
//!
//! let session = SessionCoordinator::builder("my-agent").build();
//! session.register(EventKind::PromptSubmit, "date", 0, |_| HookReply::default().inject("It is Monday."))?;
//! session.emit(session.event(EventKind::PromptSubmit))?;
//! assert_eq!(session.messages()[0].content, "It is Monday.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!

mod session;
mod builder;
mod functions;
mod place;
mod context;
mod display;
mod approver;
mod emitted;
mod denied;
mod panic_safe;
mod clock;

pub use approver::FunctionApprover;
pub use builder::Builder;
pub use context::{ContextMessage, ContextStore, MemoryContext, Part, Provenance, StoreError};
pub use denied::{Denial, Denied};
pub use display::{Lines, MemoryDisplay, Shown, UserDisplay};
pub use emitted::{Emitted, Rejected};
pub use functions::{NotRegistered, Registration, in_process};
pub use session::SessionCoordinator;

pub use tenter_contract::event_names::constants;
pub use tenter_contract::ports::{
    Acceptance, ApprovalRegister, Approver, AuditTrail, CallIdentity, ClaimOutcome, Clock, CountOp,
    CrashNotice, DedupLock, Deferred, DeferredText, DuplicateCheck, EnteredRequest, HookExecutor, HookSource,
    LedgerPage, SessionStore, SharedDecision, StateError, TrailError, Waiting, Wanted,
};
pub use tenter_contract::{
    AgentName, ApprovalAnswer, ApprovalPrompt, ApprovalQuestion, ApprovalRequest, ApproverName, Cause,
    Choice, Decision, Degradation, Diagnostics, Effect, Event, EventKind, Grant, HookId, HookReply,
    HookReport, HookSet, HookSpec, Injection, LedgerEntry, Level, Limits, Matcher, Message, Moment, Notice,
    OnFailure, Once, Outcome, OverBudget, OverLimit, Patch, Pattern, Policy, RecordBody, Rewrite, Role, Rule,
    SavedAnswers, Selector, Session, SessionClaim, SessionCounter, SessionGrant, SessionId, Source, Spent,
    Strategy, Timestamp, TokenEstimate, ToolCall, ToolKind, Verdict, When,
};
pub use tenter_runtime::kit::{MemorySessions, MemoryTrail};
pub use tenter_runtime::{ApiApprover, MemoryRegister, Runtime};

/// Compiles and runs the examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/embedding.md")]
struct Guide;
