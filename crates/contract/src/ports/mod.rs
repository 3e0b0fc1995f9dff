//! The ports: small synchronous traits, one per file, behind which the outside world stands.

pub mod agent;
pub mod install;
pub mod hook_files;
pub mod hooks;
pub mod facts;
pub mod fuller_build;
pub mod executor;
pub mod background;
pub mod approvals;
pub mod audit;
pub mod onlooker;
pub mod replies;
pub mod sessions;
pub mod clock;

pub use agent::{AgentAdapter, Claim, DecodeError, Decoded, Proof, Surroundings};
pub use approvals::{ApprovalDesk, ApprovalRegister, EnteredInquiry, Takes, Waiting};
pub use audit::{AuditTrail, TrailError, UNUSABLE};
pub use background::{Background, Errand, Work};
pub use clock::Clock;
pub use executor::HookExecutor;
pub use facts::FactFinder;
pub use fuller_build::FullerBuild;
pub use hooks::HookSource;
pub use install::{
    AgentInstaller, Agreement, Consent, Entry, IfGone, Installed, Reading, ReadsToo, Scope, SettingsError,
    SettingsPlace, Switch, Uninstalled, Wiring,
};
pub use onlooker::Onlooker;
pub use replies::ReplyCache;
pub use sessions::{
    CONTEXTS, Carried, CarriedText, ClaimOutcome, Delivery, Docket, LastWords, LedgerPage, Mark, Ruling,
    SessionShelf, ShelfError, Wanted,
};
