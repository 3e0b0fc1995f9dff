//! The reply of a hook, its report and its failures.

use std::fmt;
use std::time::Duration;

use crate::{ApprovalPrompt, Effect, FailureClass, Injection, Level, Message, Rewrite, Timestamp, Verdict};

/// The reply of a hook: one verdict and any number of effects.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookReply {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its effects, in order.
    pub effects: Vec<Effect>,
}

/// For hooks that are functions: `HookReply::deny("…")`, `HookReply::default().inject("…")`.
impl HookReply {
    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Deny { reason: reason.into() }, effects: Vec::new() }
    }

    /// Asks a person: allow or deny, and deny if no answer comes.
    pub fn ask(prompt: impl Into<String>) -> Self {
        Self::query(ApprovalPrompt::new(prompt))
    }

    /// Asks a person: allow once, allow always (the same until the session ends) or deny, and deny if no answer
    /// comes.
    pub fn ask_or_always(prompt: impl Into<String>) -> Self {
        Self::query(ApprovalPrompt::new(prompt).offering(["Allow once", "Allow always", "Deny"]))
    }

    /// Asks a person with options, a time and a default.
    pub fn query(query: ApprovalPrompt) -> Self {
        Self { verdict: Verdict::Ask(query), effects: Vec::new() }
    }

    /// Also injects a text in the default role and place.
    #[must_use]
    pub fn inject(self, content: impl Into<String>) -> Self {
        self.and(Effect::Inject(Injection::text(content)))
    }

    /// Also shows a message to the user. The model never sees it.
    #[must_use]
    pub fn notify(self, level: Level, text: impl Into<String>) -> Self {
        self.and(Effect::Notify(Message { text: text.into(), level }))
    }

    /// Also rewrites a part of the event.
    #[must_use]
    pub fn rewrite(self, rewrite: Rewrite) -> Self {
        self.and(Effect::Rewrite(rewrite))
    }

    /// Adds an effect.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// The result of a run, and how it went.
#[derive(Clone, Debug, PartialEq)]
pub struct HookReport {
    /// The result.
    pub output: HookOutput,
    /// How it went.
    pub transcript: Transcript,
}

impl HookReport {
    /// A report without a transcript, for hooks that are no processes.
    pub fn new(output: HookOutput) -> Self {
        Self { output, transcript: Transcript::default() }
    }
}

/// The reply of a hook, its report and its failures.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum HookOutput {
    /// It replied.
    Reply(HookReply),
    /// It failed; its `on_failure` says what that means.
    Failure(HookFailure),
    /// It was not run.
    Skipped {
        /// Why.
        why: String,
    },
    /// It runs in the background. Its output goes to a later event, its end to the audit trail.
    Started,
}

/// How a run went: kept in the record, shown by `hooks test`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Transcript {
    /// The hash of the hook ([`HookSpec::definition`](crate::HookSpec::definition)), unless its reply is fixed.
    pub definition: Option<String>,
    /// When it started, if an event started it.
    pub began: Option<Timestamp>,
    /// How long it took.
    pub took: Duration,
    /// The command line, as it was run.
    pub command: Option<String>,
    /// The bytes that it got: on stdin, as the body of a request, or as the parameters of an MCP call. Not kept in
    /// records.
    pub sent: Vec<u8>,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Its standard output, up to the limit.
    pub stdout: String,
    /// Its standard error, up to the limit.
    pub stderr: String,
    /// The bytes of its output beyond the limit.
    pub cut: u64,
    /// Whether the reply came from the cache.
    pub cached: bool,
    /// Remarks that do not change the reply: unused output, text that was cut.
    pub notices: Vec<String>,
}

/// Why a hook did not reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum HookFailure {
    /// It was still running when its time was up, and was ended.
    TimedOut { after: Duration },
    /// The agent's time limit for hooks was over before it started.
    NotReached { within: Duration },
    /// It ended with a code that means nothing, or by a signal.
    Crashed { exit_code: Option<i32>, signal: Option<i32> },
    /// It could not reply: a server that cannot be reached, or that reports a failure.
    Failed { detail: String },
    /// Its output is not a valid reply.
    Garbled { detail: String },
    /// It could not be started.
    Missing { detail: String },
    /// tenter failed while running it.
    Panicked { detail: String },
}

/// The failure of a hook whose agent the user stopped.
const STOPPED: &str = "it was ended because the user stopped the agent";

impl HookFailure {
    /// It was ended because the user stopped the agent.
    pub fn stopped() -> Self {
        Self::Failed { detail: STOPPED.to_owned() }
    }

    /// Whether the user stopped it. Then the call ends too.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Failed { detail } if detail == STOPPED)
    }

    /// The class its policy is looked up by.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::TimedOut { .. } | Self::NotReached { .. } => FailureClass::Timeout,
            Self::Crashed { .. } | Self::Failed { .. } | Self::Garbled { .. } | Self::Panicked { .. } => {
                FailureClass::Error
            }
            Self::Missing { .. } => FailureClass::Missing,
        }
    }
}

impl fmt::Display for HookFailure {
    /// Reads on after "the hook …".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { after } => write!(f, "timed out after {}", seconds(*after)),
            Self::NotReached { within } => {
                write!(f, "was not reached within the {} the agent waits for its hooks", seconds(*within))
            }
            Self::Crashed { exit_code: Some(code), .. } => write!(f, "failed with exit code {code}"),
            Self::Crashed { signal: Some(signal), .. } => write!(f, "was killed by signal {signal}"),
            Self::Crashed { exit_code: None, signal: None } => f.write_str("ended without an exit code"),
            Self::Failed { detail } => write!(f, "failed: {detail}"),
            Self::Garbled { detail } => write!(f, "gave an answer that cannot be read: {detail}"),
            Self::Missing { detail } => write!(f, "could not be started: {detail}"),
            Self::Panicked { detail } => write!(f, "hit a bug in tenter: {detail}"),
        }
    }
}

/// `30 s`, `0.2 s`.
pub fn seconds(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}
