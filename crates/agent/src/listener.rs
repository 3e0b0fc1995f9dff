//! Who watches the agent: a terminal, a stream of JSON, nobody.

use tenter_coordinator::{ContextMessage, Denied};
use tenter_models::talk::{Call, Usage};

use crate::tools::Ran;

/// Hears what happens while it happens. Several threads tell it at once.
pub trait Listener: Send + Sync {
    /// Something happened.
    fn hear(&self, what: Heard<'_>);
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Heard<'a> {
    /// The model is asked.
    Asking,
    /// It says something; more may follow.
    Text(&'a str),
    /// It begins to call a tool, whose input is still to come.
    Calling {
        /// The tool.
        name: &'a str,
    },
    /// No whole reply was heard, and it is asked again after a while.
    Waiting {
        /// Why.
        why: &'a str,
        /// How long.
        seconds: u64,
        /// Whether something was said since it was asked; it does not count, the reply begins anew.
        void: bool,
    },
    /// The reply is complete.
    Answered {
        /// What it cost.
        usage: &'a Usage,
    },
    /// A tool starts.
    Runs {
        /// Which, with the input that hooks left it.
        call: &'a Call,
    },
    /// A tool has ended.
    Ran {
        /// Which.
        call: &'a Call,
        /// What came of it.
        ran: &'a Ran,
    },
    /// A tool was not run.
    Denied {
        /// Which.
        call: &'a Call,
        /// By whom, and why.
        denied: &'a Denied,
    },
    /// A tool ran, and the model reads instead of what came of it why it may not.
    Withheld {
        /// Which.
        call: &'a Call,
        /// By whom, and why.
        denied: &'a Denied,
    },
    /// Hooks have added to the conversation.
    Added {
        /// What, whose and at which event.
        message: &'a ContextMessage,
    },
    /// Something that the user must know.
    Notice {
        /// What.
        text: &'a str,
    },
    /// It wanted to stop, and a hook gave it something more to do.
    Continues {
        /// What.
        task: &'a str,
    },
    /// It wanted to stop, a hook wanted it to go on, and that had happened so often that it was let go.
    LetGo {
        /// What it was to do.
        task: &'a str,
        /// How often it went on before.
        times: u32,
    },
    /// The conversation is being put into fewer words.
    Compacting,
    /// It is shorter now.
    Compacted,
    /// A sub-agent has begun.
    SubagentBegins {
        /// What it is for.
        description: &'a str,
    },
    /// It has ended.
    SubagentEnds {
        /// What it was for.
        description: &'a str,
    },
}

/// Nobody watches.
pub struct Nobody;

impl Listener for Nobody {
    fn hear(&self, _: Heard<'_>) {}
}
