//! What came of asking a hook.

use std::fmt;
use std::time::Duration;

use crate::{ApprovalPrompt, Effect, FailureClass, Injection, Level, Message, Rewrite, Timestamp, Verdict};

/// What a hook said: one verdict and any number of effects.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookReply {
    /// What it thinks of the event.
    pub verdict: Verdict,
    /// What else shall happen, in the order it was said.
    pub effects: Vec<Effect>,
}

/// For hooks that are functions: `HookReply::deny("…")`, `HookReply::default().inject("…")`.
impl HookReply {
    /// It must not happen.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Deny { reason: reason.into() }, effects: Vec::new() }
    }

    /// A person shall decide: allow or deny, deny if nobody answers.
    pub fn ask(prompt: impl Into<String>) -> Self {
        Self::query(ApprovalPrompt::new(prompt))
    }

    /// A person shall decide, and need not be asked again: allow once, allow always (the same until the session ends)
    /// or deny, deny if nobody answers.
    pub fn ask_or_always(prompt: impl Into<String>) -> Self {
        Self::query(ApprovalPrompt::new(prompt).offering(["Allow once", "Allow always", "Deny"]))
    }

    /// A person shall decide, with options, a time and a default.
    pub fn query(query: ApprovalPrompt) -> Self {
        Self { verdict: Verdict::Ask(query), effects: Vec::new() }
    }

    /// And this text goes into the agent's context, in the default role and place.
    #[must_use]
    pub fn inject(self, content: impl Into<String>) -> Self {
        self.and(Effect::Inject(Injection::text(content)))
    }

    /// And the user is told this; the model never sees it.
    #[must_use]
    pub fn notify(self, level: Level, text: impl Into<String>) -> Self {
        self.and(Effect::Notify(Message { text: text.into(), level }))
    }

    /// And what is about to happen, or has happened, is changed.
    #[must_use]
    pub fn rewrite(self, rewrite: Rewrite) -> Self {
        self.and(Effect::Rewrite(rewrite))
    }

    /// And something else happens too.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// What came of asking a hook, and how it went.
#[derive(Clone, Debug, PartialEq)]
pub struct HookReport {
    /// What came of it.
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

/// What came of asking a hook.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum HookOutput {
    /// It answered.
    Reply(HookReply),
    /// It failed; its `on_failure` says what that means.
    Failure(HookFailure),
    /// It was not run.
    Skipped {
        /// Why.
        why: String,
    },
    /// It goes on in the background. What it says comes to a later event, and how it ended to the trail.
    Started,
}

/// How a run went: kept in the record, shown by `hooks test`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Transcript {
    /// What the hook was, in short ([`HookSpec::definition`](crate::HookSpec::definition)), if that is not all it says.
    pub definition: Option<String>,
    /// When it was asked, if it was an event's hook.
    pub began: Option<Timestamp>,
    /// How long it took.
    pub took: Duration,
    /// The command line, as it was run.
    pub command: Option<String>,
    /// What it was given, byte for byte: on stdin, as the body of a request, or as the parameters of a question to an
    /// MCP server. Not kept in records.
    pub sent: Vec<u8>,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// What it wrote, up to the cap.
    pub stdout: String,
    /// What it complained about, up to the cap.
    pub stderr: String,
    /// Bytes it wrote that are not in `stdout`.
    pub cut: u64,
    /// Whether nothing was run, because it had said so before.
    pub cached: bool,
    /// What was noticed and does not change the reply: output that nobody uses, text that was cut.
    pub notices: Vec<String>,
}

/// Why a hook did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum HookFailure {
    /// It was still running when its time was up, and was ended.
    TimedOut { after: Duration },
    /// The agent's own time for us was over before its turn came.
    NotReached { within: Duration },
    /// It ended with a code that means nothing, or by a signal.
    Crashed { exit_code: Option<i32>, signal: Option<i32> },
    /// It was asked and could not answer: a server that cannot be reached, or that says itself that it failed.
    Failed { detail: String },
    /// What it said is no reply.
    Garbled { detail: String },
    /// It could not be started.
    Missing { detail: String },
    /// Our own code failed while running it.
    Panicked { detail: String },
}

/// Why a hook has failed that nobody waits for any more.
const STOPPED: &str = "it was ended because the user stopped the agent";

impl HookFailure {
    /// It was ended because the user stopped the agent.
    pub fn stopped() -> Self {
        Self::Failed { detail: STOPPED.to_owned() }
    }

    /// Whether the user stopped it. What it was asked about does not go on without it, but ends.
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
