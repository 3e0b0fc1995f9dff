//! The types of tenter, and the ports to the outside world.
//!
//! Every other crate depends on this one; this one depends on none of them. It contains no I/O and no clock. Formats
//! that other programs or later releases read are written out in `protocol`. The feature `cache` derives serde for
//! files and pipes that the same build writes and reads: compiled hooks, cached replies, background jobs and shared
//! decisions. These formats are no promise. Each has a build id or a format number, or names all its fields, so that
//! another build discards it.
//!
//! # Glossary
//!
//! | word | meaning |
//! |---|---|
//! | **payload** | the bytes that an agent sends |
//! | **event** | something that happened in an agent's session (`tool:pre`) |
//! | **hook** | what a user registered to run at an event |
//! | **matcher** | the condition under which a hook runs |
//! | **handler** | what a hook does: run a command, call a server, inject a text, … |
//! | **report** | the result of one run: a reply, a failure, or why it was skipped |
//! | **reply** | one verdict and any number of effects of a hook |
//! | **verdict** | abstain, allow, ask or deny |
//! | **effect** | inject, rewrite, notify, suppress output, stop the agent |
//! | **outcome** | all replies to an event folded into one |
//! | **capabilities** | what an agent supports at an event |
//! | **degradation** | a part of an outcome that the agent does not support, and the alternative |
//! | **answer** | the response to the agent: its output and exit code |
//! | **record** | one line of the audit trail |
//! | **notice** | a message of tenter itself for the user |
//! | **context** | what one model reads from beginning to end; a compaction begins the next one |
//! | **injection** | a text that a hook puts into the context |
//! | **ledger** | the injections of a session with their cost in tokens |
//! | **shared decision** | the decision for all requests about one call |
//! | **approver** | asks a person |
//! | **approval request** | a question to a person, with everything that is needed to answer it |
//! | **grant** | a saved answer that applies until its session ends |
//! | **rule** | a saved answer that applies until it is revoked |
//! | **layer** | the origin of a hook file: managed, user, profile, project, local |
//! | **background job** | hooks that run in the background, in a worker process |
//!
//! Agents' own names (`PreToolUse`, `beforeShellExecution`) occur in their adapter and, as aliases, in
//! [`event_names`].

mod spelling;
pub mod timestamp;
pub mod session;
pub mod agent_names;
pub mod event_names;
pub mod event;
pub mod path_text;
pub mod canonical_path;
pub mod facts;
mod diff_text;
pub mod file_patch;
mod file_access;
mod input_keys;
mod command_line;
pub mod tool_call;
pub mod similar;
pub mod negation;
pub mod pattern;
pub mod template;
pub mod matcher;
pub mod secret_names;
pub mod builtin_names;
pub mod handler;
pub mod hook;
pub mod hook_id;
mod definition;
pub mod approver_name;
pub mod hook_set;
pub mod effect;
pub mod injection;
pub mod terminal;
pub mod json_text;
#[cfg(feature = "cache")]
mod json_field;
pub mod limits;
pub mod verdict;
pub mod reply;
pub mod approval_question;
pub mod grant_scope;
pub mod approval_request;
pub mod saved_answers;
pub mod outcome;
pub mod capabilities;
pub mod ledger;
pub mod agent_outcome;
pub mod degradation;
pub mod record;
pub mod notice;
pub mod session_claim;
pub mod ports;

pub use agent_outcome::{AgentOutcome, AgentOutcomeParts, AgentVerdict, Answer};
pub use approval_question::{
    Approval, ApprovalAnswer, ApprovalPrompt, ApprovalQuestion, Choice, Grant, HookQuestion,
};
pub use approval_request::{ApprovalRecord, ApprovalRequest, ApprovalStep};
pub use approver_name::ApproverName;
pub use canonical_path::{CanonicalPath, PathBase, PathQuery, PathText, PathUse};
pub use capabilities::{
    AskUser, Capabilities, ContextChannel, RewriteInput, RewriteOutput, StopLoop, Support,
};
pub use degradation::Degradation;
pub use effect::{Effect, Level, Message, OutputPatch, Patch, Rewrite, Role, Strategy};
pub use event::{Event, EventError};
pub use event_names::EventKind;
pub use facts::{Facts, WantedFacts};
pub use grant_scope::GrantScope;
pub use handler::{
    Arguments, Ask, Builtin, Command, Handler, Http, Mcp, McpServer, McpTransport, McpWanted, Method, Python,
};
pub use hook::{
    Cache, Dialect, EnvInheritance, Examples, ExecutionMode, FailureClass, HookSource, HookSpec,
    InjectOutput, LeftoverProcesses, OnFailure, Once, Pin, Policy, ReplyDefaults,
};
pub use hook_id::{HookId, Layer};
pub use hook_set::{HookSet, Override};
pub use injection::{ContextMessage, Form, Injection, Origin, Repeat, Shortened, WholeText};
pub use ledger::{ContextId, InjectionStatus, LedgerEntry, Moment, Spent};
pub use limits::{BudgetCategory, Limits, OverBudget, OverLimit, TokenEstimate};
pub use matcher::{Matcher, Selector, When};
pub use negation::Negation;
pub use notice::{Cause, Diagnostics, Notice, NoticeLimit};
pub use outcome::{Decision, HookRun, Outcome, Round, Source};
pub use pattern::{Pattern, PatternError};
pub use record::{EventRecord, HookChange, Reach, RecordBody};
pub use reply::{HookFailure, HookOutput, HookReply, HookReport, Transcript};
pub use saved_answers::{Rule, SavedAnswers, SessionGrant};
pub use session::{AgentName, Session, SessionId};
pub use session_claim::{RunPeriod, SessionClaim, SessionCounter, TurnId};
pub use template::{NoValue, Placeholder, Template, TemplateError};
pub use timestamp::Timestamp;
pub use tool_call::{ToolCall, ToolKind};
pub use verdict::Verdict;
