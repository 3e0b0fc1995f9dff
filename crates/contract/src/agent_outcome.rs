//! The part of an outcome that an agent supports at an event.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{AskUser, Capabilities, ContextChannel, Event, RewriteInput, RewriteOutput, ToolCall};

/// An outcome that this agent supports. Made only by [`AgentOutcome::new`], which checks it against the
/// capabilities, so that `encode` cannot be given too much.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOutcome {
    event: Arc<Event>,
    parts: AgentOutcomeParts,
}

/// The parts of an agent's outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentOutcomeParts {
    /// The verdict for the agent.
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
    /// Keep the response out of the transcript.
    pub suppress: bool,
    /// Why the agent's run ends, if it does.
    pub stop: Option<String>,
}

/// The verdict for the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentVerdict {
    /// No verdict: go on as if there were no hooks.
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
    /// Checks the parts against the capabilities. An error is a bug in `adapt`.
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
                        ContextChannel::Always => true,
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

    /// An empty outcome.
    pub fn silent(event: Arc<Event>) -> Self {
        Self { event, parts: AgentOutcomeParts::default() }
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The parts.
    pub fn parts(&self) -> &AgentOutcomeParts {
        &self.parts
    }
}

/// An [`AgentOutcome`] was built with a part that the agent does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedPart {
    /// Which part.
    pub part: &'static str,
}

/// The response to the agent: its output and exit code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output: the response and nothing else.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit code.
    pub exit_code: u8,
}
