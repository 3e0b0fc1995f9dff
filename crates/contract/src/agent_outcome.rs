//! An outcome that an agent can carry at an event, and what had to be done to make it so.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{AskUser, Capabilities, ContextChannel, Event, RewriteInput, RewriteOutput, ToolCall};

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
