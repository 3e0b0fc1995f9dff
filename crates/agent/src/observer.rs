//! Observers of the agent: a terminal or a stream of JSON.

use tenter_coordinator::{ContextMessage, Denied};
use tenter_models::client::{ToolUse, Usage};

use crate::tools::ToolOutput;

/// Receives events as they happen, from several threads at once.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn on_event(&self, event: AgentEvent<'_>);
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum AgentEvent<'a> {
    /// The model is asked.
    Asking,
    /// The model writes text; more may follow.
    Text(&'a str),
    /// It begins to call a tool, whose input is still to come.
    Calling {
        /// The tool.
        name: &'a str,
    },
    /// The reply was not complete, and the model is asked again later.
    Waiting {
        /// Why.
        why: &'a str,
        /// How long.
        seconds: u64,
        /// Whether text was shown that no longer counts: the reply starts again.
        void: bool,
    },
    /// The reply is complete.
    Answered {
        /// Its usage.
        usage: &'a Usage,
    },
    /// A tool starts.
    ToolStarted {
        /// Which, with the input that hooks left it.
        call: &'a ToolUse,
    },
    /// A tool has ended.
    ToolFinished {
        /// Which.
        call: &'a ToolUse,
        /// Its output.
        output: &'a ToolOutput,
    },
    /// A tool was not run.
    Denied {
        /// Which.
        call: &'a ToolUse,
        /// The hook and its reason.
        denied: &'a Denied,
    },
    /// A tool ran, and a hook withheld its output from the model.
    Withheld {
        /// Which.
        call: &'a ToolUse,
        /// The hook and its reason.
        denied: &'a Denied,
    },
    /// Hooks have added to the conversation.
    Added {
        /// The message, its hook and its event.
        message: &'a ContextMessage,
    },
    /// Something that the user must know.
    Notice {
        /// The text.
        text: &'a str,
    },
    /// It wanted to stop, and a hook gave it something more to do.
    Continues {
        /// The task.
        task: &'a str,
    },
    /// It wanted to stop, a hook wanted it to go on, and that had happened so often that it was let go.
    StopAllowed {
        /// The task.
        task: &'a str,
        /// How often it went on before.
        times: u32,
    },
    /// The conversation is being compacted.
    Compacting,
    /// It is shorter now.
    Compacted,
    /// A sub-agent has begun.
    SubagentBegins {
        /// Its purpose.
        description: &'a str,
    },
    /// It has ended.
    SubagentEnds {
        /// Its purpose.
        description: &'a str,
    },
}

/// Ignores all events.
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_event(&self, _: AgentEvent<'_>) {}
}
