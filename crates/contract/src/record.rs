//! What the trail keeps. `protocol` gives it its JSON form, `store` its place in the chain.

use std::sync::Arc;
use std::time::Duration;

use crate::{
    ApprovalRecord, Decision, Degradation, Event, HookFailure, HookId, HookRun, LedgerEntry, Outcome, Policy,
    Rule, SessionGrant, SessionId, Timestamp,
};

/// One line of the trail, before it has its place in the chain.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordBody {
    /// An event and everything that came of it.
    Event(Box<EventRecord>),
    /// A text that was put into an agent's context.
    Injection {
        /// The event at which it happened.
        event: Arc<Event>,
        /// The text, whose it is, and what became of it.
        entry: Box<LedgerEntry>,
    },
    /// A hook that failed.
    Failure {
        /// The event at which it happened.
        event: Arc<Event>,
        /// Which hook.
        hook: HookId,
        /// How.
        failure: HookFailure,
        /// What that meant.
        policy: Policy,
        /// The end of what it wrote to standard error.
        stderr_tail: String,
    },
    /// A hook that ran in the background has ended.
    Background {
        /// The event at which it was started.
        event: Arc<Event>,
        /// When it ended.
        at: Timestamp,
        /// What came of it.
        run: Box<HookRun>,
        /// What of it waits for a later event, and what reaches nobody.
        degraded: Vec<Degradation>,
    },
    /// A payload that could not be understood.
    Undecodable {
        /// The agent it was addressed to.
        agent: String,
        /// When.
        at: Timestamp,
        /// What is wrong with it.
        problem: String,
        /// Its size.
        bytes: usize,
        /// What was answered.
        decision: Decision,
    },
    /// A question to a person, on its way.
    Approval(Box<ApprovalRecord>),
    /// Somebody changed which hooks are in force.
    Change {
        /// When.
        at: Timestamp,
        /// What.
        change: HookChange,
    },
}

/// A change in which hooks are in force, or in what they may count on, made by a person.
#[derive(Clone, Debug, PartialEq)]
pub enum HookChange {
    /// This content of a project is trusted from now on.
    Trusted {
        /// The project.
        project: String,
        /// The hash of the content.
        content: String,
        /// Commands that do what the project says at the time, agreed to nevertheless.
        runners: Vec<String>,
    },
    /// All trust in a project was taken back.
    Revoked {
        /// The project.
        project: String,
        /// How many contents that were.
        contents: usize,
    },
    /// A hook was switched off.
    Disabled {
        /// Which.
        hook: HookId,
        /// Where.
        reach: Reach,
    },
    /// A change of a protected file was taken over.
    Accepted {
        /// The file.
        file: String,
        /// The hash of its text; none if it is gone.
        content: Option<String>,
    },
    /// Another profile is active from now on.
    Profile {
        /// Which; none goes without.
        name: Option<String>,
    },
    /// An answer stands from now on.
    RuleMade(Box<Rule>),
    /// A rule does not stand any more.
    RuleRevoked(Box<Rule>),
    /// A grant does not stand any more.
    GrantRevoked(Box<SessionGrant>),
    /// A hook was switched on again.
    Enabled {
        /// Which.
        hook: HookId,
        /// Where.
        reach: Reach,
    },
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

/// An event and everything that came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// The outcome, with the event as it stood in the end, every run, and what did not fit.
    pub outcome: Outcome,
    /// Problems of the hook files, so that a hook that is off is never off in silence.
    pub problems: Vec<String>,
    /// From arrival to this record.
    pub took: Duration,
}
