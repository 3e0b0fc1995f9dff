//! An outcome that an agent can carry at an event, and what had to be done to make it so.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::outcome::Source;
use crate::{
    AskUser, Capabilities, ContextChannel, Event, HookId, Injection, RewriteInput, RewriteOutput, ToolCall,
};

/// An outcome that this agent can carry. Made only by [`AgentOutcome::new`], which checks it against the
/// capabilities, so that `encode` cannot be given too much.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOutcome {
    event: Arc<Event>,
    parts: AgentOutcomeParts,
}

/// The parts of a adapted outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentOutcomeParts {
    /// What the agent is told to do.
    pub verdict: AgentVerdict,
    /// The new tool input.
    pub input: Option<Map<String, Value>>,
    /// The new tool result.
    pub output: Option<Value>,
    /// The new prompt.
    pub prompt: Option<String>,
    /// New data of an embedder's event.
    pub data: Option<Map<String, Value>>,
    /// Text for the model, batched.
    pub context: Option<String>,
    /// Text for the user, one line per message.
    pub message: Option<String>,
    /// Keep this answer out of the transcript.
    pub suppress: bool,
    /// Why the agent's run ends, if it does.
    pub stop: Option<String>,
}

/// What the agent is told to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentVerdict {
    /// Nothing: go on as if there were no hooks.
    #[default]
    Silent,
    /// Go on without asking the user.
    Allow {
        /// Why.
        reason: Option<String>,
    },
    /// Ask the user.
    Ask {
        /// What the user reads.
        prompt: String,
    },
    /// Do not do it.
    Deny {
        /// What the agent reads.
        reason: String,
    },
}

impl AgentOutcome {
    /// Checks the parts against the capabilities; what does not fit is given back, and is a bug in `fit`.
    pub fn new(
        event: Arc<Event>,
        parts: AgentOutcomeParts,
        capabilities: &Capabilities,
    ) -> Result<Self, UnsupportedPart> {
        let verdict_fits = match &parts.verdict {
            AgentVerdict::Silent => true,
            AgentVerdict::Allow { .. } => capabilities.allow.possible(),
            AgentVerdict::Ask { .. } => capabilities.ask != AskUser::Never,
            AgentVerdict::Deny { .. } => capabilities.block.possible(),
        };
        let denied = matches!(parts.verdict, AgentVerdict::Deny { .. });
        let allowed = matches!(parts.verdict, AgentVerdict::Allow { .. });
        let checks = [
            ("verdict", verdict_fits),
            (
                "input",
                parts.input.as_ref().is_none_or(|new| match capabilities.rewrite_input {
                    RewriteInput::Freely => !denied,
                    RewriteInput::OnlyWithAllow => allowed,
                    RewriteInput::MergedOver | RewriteInput::SamePatch(_) | RewriteInput::Only(_) => {
                        let original = event.tool.as_ref().map(ToolCall::asked_input);
                        !denied
                            && original.is_none_or(|old| capabilities.rewrite_input.kept(old, new).is_empty())
                    }
                    RewriteInput::Never => false,
                }),
            ),
            (
                "output",
                parts.output.is_none()
                    || capabilities.rewrite_output != RewriteOutput::Never
                        && !(denied && capabilities.withhold.possible()),
            ),
            ("prompt", parts.prompt.is_none() || (capabilities.rewrite_prompt.possible() && !denied)),
            ("data", parts.data.is_none() || capabilities.rewrite_data.possible()),
            (
                "context",
                parts.context.is_none()
                    || match capabilities.context {
                        ContextChannel::Beside => true,
                        ContextChannel::UnlessDenied => !denied,
                        ContextChannel::WholeAnswer => !denied && parts.message.is_none(),
                        ContextChannel::None => false,
                    },
            ),
            ("stop", parts.stop.is_none() || (denied && capabilities.stop.possible())),
            ("message", parts.message.is_none() || capabilities.message.possible()),
        ];
        match checks.into_iter().find(|(_, fits)| !fits) {
            Some((part, _)) => Err(UnsupportedPart { part }),
            None => Ok(Self { event, parts }),
        }
    }

    /// Nothing to say.
    pub fn silent(event: Arc<Event>) -> Self {
        Self { event, parts: AgentOutcomeParts::default() }
    }

    /// The event that is answered.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The parts.
    pub fn parts(&self) -> &AgentOutcomeParts {
        &self.parts
    }
}

/// A part that the agent cannot carry was put into a [`AgentOutcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedPart {
    /// Which part.
    pub part: &'static str,
}

/// A part of an outcome that could not be deferred, and what was done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Degradation {
    /// A deny where nothing can be stopped; it is told to the user.
    CannotDeny {
        /// Who denied.
        by: Source,
        /// Why.
        reason: String,
    },
    /// An agent that was kept from stopping too often in a row; it is let go, and the user is told.
    StopAllowed {
        /// Who would have kept it going.
        by: Source,
        /// With which words.
        reason: String,
    },
    /// A deny of a result that the agent shows to the model all the same, beside the reason.
    CannotWithhold {
        /// Who denied.
        by: Source,
    },
    /// A hook that wants to end the run of an agent that goes on; what it denied is denied, and the user is told.
    CannotStop {
        /// Who wants to.
        by: Source,
        /// Why.
        reason: String,
    },
    /// A question where nothing can be stopped; it is told to the user.
    CannotAsk {
        /// What was asked.
        prompt: String,
    },
    /// An allow that lifts nothing, because the hook has no `may_allow` or the agent takes none.
    CannotAllow {
        /// Who allowed.
        by: HookId,
    },
    /// A rewrite this agent does not take; the call is denied where it can be, else the original stays.
    CannotRewrite {
        /// `tool_input`, `tool_output`, `prompt` or `data`.
        target: &'static str,
        /// Who rewrote.
        by: Vec<Source>,
        /// Whether the call was denied for it.
        denied: bool,
    },
    /// Context without a channel at this event; it is deferred to the next event that has one.
    Deferred {
        /// Whose.
        by: Source,
        /// How much.
        bytes: usize,
    },
    /// Context without a channel at this event that cannot be deferred to another; it is told to the user.
    NoContextChannel {
        /// Whose.
        by: Source,
        /// How much.
        bytes: usize,
    },
    /// More context than this agent takes at once; it gets a fair beginning of each text, and the path of a
    /// file with all of it.
    Spilled {
        /// How much there is.
        bytes: usize,
        /// Where all of it is.
        path: String,
    },
    /// More context than this agent takes at once, and no file could be written; the rest is lost to it.
    ContextCut {
        /// How much there is.
        bytes: usize,
    },
    /// Context that stands in the reason of the deny, because the agent drops it beside one.
    ContextInReason {
        /// Whose.
        by: Source,
        /// How much.
        bytes: usize,
    },
    /// A role or a place the agent has no channel for; the text goes to its context channel.
    OneChannel {
        /// Whose.
        by: Source,
        /// What was wanted: `role user, ephemeral`.
        wanted: String,
    },
    /// A message that cannot be shown at this event; it is in the record.
    NoMessageChannel {
        /// Whose.
        by: Source,
        /// The text.
        text: String,
    },
    /// An injection above the limit; it is refused.
    InjectionTooLarge {
        /// Whose.
        by: HookId,
        /// Which.
        injection: Box<Injection>,
        /// How much is allowed.
        limit: usize,
    },
    /// Context that the host could not keep; it is not in the conversation.
    NotKept {
        /// Whose.
        by: Source,
        /// How much.
        bytes: usize,
        /// What went wrong.
        why: String,
    },
    /// An injection above the limit of which the agent gets the beginning.
    Truncated {
        /// Whose.
        by: Source,
        /// How much there is.
        bytes: usize,
        /// How much it gets.
        kept: usize,
        /// How much at its end was not kept, because it was more than is read of a hook.
        missing: usize,
        /// Where the rest is, if it was kept.
        path: Option<String>,
    },
    /// An injection without a character that anybody sees; it is left out.
    Blank {
        /// Whose.
        by: HookId,
        /// How much.
        bytes: usize,
    },
    /// Characters of a hook's words that could be taken for something else than its text.
    MadeSafe {
        /// Whose.
        by: HookId,
        /// Which of its words: `context`, `message`, `reason` or `question`.
        what: &'static str,
        /// How many characters without a shape were removed.
        removed: usize,
        /// At how many places what looked like ours or the agent's own is quoted.
        quoted: usize,
    },
    /// An injection that the agent's context has already.
    Repeated {
        /// Whose.
        by: Source,
        /// How much it would have been.
        bytes: usize,
        /// Whether a line says so.
        line: bool,
    },
    /// An injection for which nothing was left in the budget.
    OverBudget {
        /// Whose.
        by: Source,
        /// What it would have cost.
        tokens: u64,
        /// The key of the limit.
        key: &'static str,
        /// How much may be spent.
        limit: u64,
        /// How much of that is left.
        left: u64,
    },
}

impl fmt::Display for Degradation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CannotDeny { by, reason } => {
                write!(f, "{by} denied, but this event cannot be stopped here: {reason}")
            }
            Self::StopAllowed { by, reason } => {
                write!(
                    f,
                    "{by} wants the agent to go on, but it was sent on too often in a row and is let go: {reason}"
                )
            }
            Self::CannotWithhold { by } => {
                write!(
                    f,
                    "{by} denied the result; this agent tells the model so, but shows it the result too"
                )
            }
            Self::CannotStop { by, reason } => {
                write!(f, "{by} wants to stop the agent, but it cannot be stopped at this event: {reason}")
            }
            Self::CannotAsk { prompt } => {
                write!(f, "this event cannot be stopped here, so nobody was asked: {prompt}")
            }
            Self::CannotAllow { by } => {
                write!(f, "{by} allowed; the agent's own permission check still applies (see `may_allow`)")
            }
            Self::CannotRewrite { target, by, denied } => {
                let who: Vec<String> = by.iter().map(ToString::to_string).collect();
                let then = if *denied { "so it is denied" } else { "the original stays" };
                write!(f, "{} rewrote {target}; this agent cannot take that here, {then}", who.join(", "))
            }
            Self::Deferred { by, bytes } => {
                write!(
                    f,
                    "{bytes} bytes of context from {by} are deferred to the next event that takes context"
                )
            }
            Self::NoContextChannel { by, bytes } => {
                write!(f, "{bytes} bytes of context from {by} cannot reach the agent at this event")
            }
            Self::Spilled { bytes, path } => {
                write!(
                    f,
                    "{bytes} bytes of context are more than this agent takes at once; it got the beginnings, and the whole text is in {path}"
                )
            }
            Self::ContextCut { bytes } => {
                write!(
                    f,
                    "{bytes} bytes of context are more than this agent takes at once; it got the beginnings"
                )
            }
            Self::ContextInReason { by, bytes } => {
                write!(f, "{bytes} bytes of context from {by} stand in the reason of the deny")
            }
            Self::OneChannel { by, wanted } => {
                write!(
                    f,
                    "context from {by} was wanted as {wanted}; this agent has one channel for all of it"
                )
            }
            Self::NoMessageChannel { by, text } => {
                write!(f, "the agent shows no messages at this event; from {by}: {text}")
            }
            Self::InjectionTooLarge { by, injection, limit } => {
                let bytes = injection.content.len();
                write!(
                    f,
                    "Context injection exceeds {limit} bytes: {bytes} bytes (from {by}); nothing of it was injected"
                )
            }
            Self::NotKept { by, bytes, why } => {
                write!(f, "{bytes} bytes of context from {by} could not be put into the context: {why}")
            }
            Self::Truncated { by, bytes, kept, missing, path } => {
                let (all, held) = amounts(*bytes, *missing);
                let place = path.as_ref().map(|path| format!(", and {held} in {path}")).unwrap_or_default();
                write!(f, "of {all} bytes of context from {by} the agent got the first {kept}{place}")
            }
            Self::Blank { by, bytes } => {
                write!(f, "{bytes} bytes of context from {by} are blank, and were left out")
            }
            Self::MadeSafe { by, what, removed, quoted } => {
                write!(f, "{what} from {by} was made safe: {}", made_safe(*removed, *quoted))
            }
            Self::Repeated { by, bytes, line: true } => {
                write!(f, "{bytes} bytes of context from {by} are unchanged; a line says so")
            }
            Self::Repeated { by, bytes, line: false } => {
                write!(f, "{bytes} bytes of context from {by} are in the context already, and were left out")
            }
            Self::OverBudget { by, tokens, key, limit, left } => {
                write!(
                    f,
                    "context from {by} (about {tokens} tokens) was left out: {left} of {limit} tokens are left (`{key}: {limit}`, `over_budget: enforce`)"
                )
            }
        }
    }
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// What was done to a text that was made safe.
fn made_safe(removed: usize, quoted: usize) -> String {
    let (hidden, places) = (counted(removed, "character"), counted(quoted, "place"));
    match (removed, quoted) {
        (0, 0) => "its line ends are plain ones".to_owned(),
        (0, _) => format!("{places} quoted"),
        (_, 0) => format!("{hidden} without a shape removed"),
        _ => format!("{hidden} without a shape removed, {places} quoted"),
    }
}

/// How long a text is of which the end may be missing, and how much of it is there.
pub(crate) fn amounts(bytes: usize, missing: usize) -> (String, String) {
    let held = bytes.saturating_sub(missing);
    match missing {
        0 => (bytes.to_string(), "the whole text is".to_owned()),
        _ => (format!("more than {held}"), format!("the first {held} are")),
    }
}

/// The bytes and exit code handed back to the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output: the answer and nothing else.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit code.
    pub exit_code: u8,
}
