//! The content of audit records. `protocol` gives it its JSON form, `store` its place in the chain.

use std::sync::Arc;
use std::time::Duration;

use crate::{
    ApprovalRecord, Decision, Degradation, Event, HookFailure, HookId, HookRun, LedgerEntry, Outcome, Policy,
    Rule, SessionGrant, SessionId, Timestamp,
};

/// One record, before it has its place in the chain.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum RecordBody {
    /// An event and its outcome.
    Event(Box<EventRecord>),
    /// A text that was put into an agent's context.
    Injection { event: Arc<Event>, entry: Box<LedgerEntry> },
    /// A hook that failed.
    Failure { event: Arc<Event>, hook: HookId, failure: HookFailure, policy: Policy, stderr_tail: String },
    /// A hook that ran in the background has ended.
    Background { event: Arc<Event>, at: Timestamp, run: Box<HookRun>, degraded: Vec<Degradation> },
    /// A payload that could not be understood.
    Undecodable { agent: String, at: Timestamp, problem: String, bytes: usize, decision: Decision },
    /// A step of an approval request.
    Approval(Box<ApprovalRecord>),
    /// A person changed which hooks are active.
    Change { at: Timestamp, change: HookChange },
}

/// A change that a person made to the active hooks, to trust or to saved answers.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum HookChange {
    /// This content of a project is trusted from now on.
    Trusted { project: String, content: String, runners: Vec<String> },
    /// All trust in a project was taken back.
    Revoked { project: String, contents: usize },
    /// A hook was switched off.
    Disabled { hook: HookId, reach: Reach },
    /// A change of a protected file was accepted.
    Accepted { file: String, content: Option<String> },
    /// Another profile is active from now on.
    Profile { name: Option<String> },
    /// A rule was made.
    RuleMade(Box<Rule>),
    /// A rule was revoked.
    RuleRevoked(Box<Rule>),
    /// A grant was revoked.
    GrantRevoked(Box<SessionGrant>),
    /// A hook was switched on again.
    Enabled { hook: HookId, reach: Reach },
}

/// Where a hook is switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everywhere, for good.
    Everywhere,
    /// In one project.
    Project(String),
    /// In one session.
    Session(SessionId),
}

/// An event and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// The outcome, with the event after every rewrite, all runs and all degradations.
    pub outcome: Outcome,
    /// Problems of the hook files, so that a hook that is off is reported.
    pub problems: Vec<String>,
    /// From arrival to this record.
    pub took: Duration,
}
