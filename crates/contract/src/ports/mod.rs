//! The ports to the outside world: small synchronous traits, one per file.

pub mod agent;
pub mod install;
pub mod hook_files;
pub mod hooks;
pub mod facts;
pub mod full_binary;
pub mod executor;
pub mod background;
pub mod approvals;
pub mod audit;
pub mod progress_observer;
pub mod replies;
pub mod sessions;
pub mod clock;

pub use agent::{AgentAdapter, Claim, DecodeError, Decoded, Proof, Surroundings};
pub use approvals::{Acceptance, ApprovalRegister, Approver, EnteredRequest, Waiting};
pub use audit::{AuditTrail, TrailError};
pub use background::{Background, BackgroundJob, Work};
pub use clock::Clock;
pub use executor::HookExecutor;
pub use facts::FactFinder;
pub use full_binary::FullBinary;
pub use hooks::HookSource;
pub use install::{
    AgentInstaller, Agreement, Consent, Entry, IfGone, Installed, Reading, ReadsToo, Scope, SettingsError,
    SettingsPlace, Switch, Uninstalled, Wiring,
};
pub use progress_observer::ProgressObserver;
pub use replies::ReplyCache;
pub use sessions::{
    CallIdentity, ClaimOutcome, CountOp, CrashNotice, DedupLock, Deferred, DeferredText, DuplicateCheck,
    LedgerPage, SessionStore, SharedDecision, StateError, Wanted,
};
