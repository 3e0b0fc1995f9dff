//! The words of tenter, and the ports behind which the outside world stands.
//!
//! Every other crate points here; this one points nowhere. It contains no I/O and no clock. Formats that other
//! programs or later releases read are written out in `protocol`. The feature `cache` derives serde for files and
//! pipes that the same build writes and reads: compiled hooks, cached replies, background jobs and shared
//! decisions. These formats are no promise. Each carries a build id or a format number, or names all its fields,
//! so that another build discards it.
//!
//! # Glossary
//!
//! | word | meaning | not called |
//! |---|---|---|
//! | **payload** | the bytes an agent hands to us | input, request |
//! | **event** | a fact in an agent's session, in our words (`tool:pre`) | hook, trigger |
//! | **hook** | something a user registered that wants to be asked about events | handler, plugin, callback |
//! | **matcher** | the condition under which a hook is asked | filter, selector |
//! | **invocation** | one hook, to be run for one event | task, job |
//! | **report** | what came of an invocation: a reply, a failure, or a reason why it was skipped | result |
//! | **reply** | what a hook said: one verdict and any number of effects | output, decision |
//! | **verdict** | abstain, allow, ask, deny | action, status |
//! | **effect** | something to happen besides the verdict: inject, rewrite, tell, suppress | side effect |
//! | **job** | hooks that run in the background, beside the answer | job, task |
//! | **keeper** | a process that outlives an event, and ends with its job or with the agent | daemon, worker |
//! | **outcome** | all replies folded into one | final decision |
//! | **adapted** outcome | an outcome this agent can carry at this event | adapted |
//! | **degraded** | a part of an outcome that could not be deferred, and what was done instead | dropped |
//! | **answer** | the bytes and exit code handed back to the agent | response |
//! | **record** | one line of the audit trail | log entry |
//! | **trail** | the append-only chain of records | log |
//! | **context** | what one model reads from beginning to end; a compaction begins another one | history |
//! | **ledger** | what was injected into a session's contexts, by whom, and what it cost | budget file |
//! | **status** | what became of an injected text: given, one line, left out, … | status |
//! | **delivery** | a payload on its way to us; one call may have several, by several routes | duplicate |
//! | **shared decision** | the verdict and rewrites of a call, for all its deliveries | cache entry |
//! | **approver** | where a question to a person is put | prompt, dialog |
//! | **request** | a question on its way to a person, with everything it takes to answer it | request, ticket |
//! | **grant** | an answer that stands until its session ends | permission |
//! | **rule** | an answer that stands until it is revoked | policy |
//! | **layer** | where a hook file comes from: managed, user, profile, project, local | scope |
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
