//! The effects of a reply, besides its verdict. They are a list: no effect erases another.

use crate::spelling::spelled;
use serde_json::{Map, Value};

use crate::Injection;

/// Something to happen besides the verdict.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Effect {
    /// Put text into the agent's context.
    Inject(Injection),
    /// Change what is about to happen, or what has happened.
    Rewrite(Rewrite),
    /// Show a message to the user. The model never sees it.
    Notify(Message),
    /// Keep the hook's own output out of the transcript.
    SuppressOutput,
    /// End the agent's run. The verdict of the reply denies the call, so an agent that cannot be stopped is denied.
    StopAgent {
        /// Why; the user reads it.
        reason: String,
    },
}

spelled! {
    /// The role of an injected text.
    #[derive(Default)]
    pub enum Role {
        /// The environment.
        #[default]
        System = "system",
        /// The user. The agent may take it for their words.
        User = "user",
        /// The agent itself.
        Assistant = "assistant",
    }

    /// Where an injected text goes.
    #[derive(Default)]
    pub enum Strategy {
        /// Wherever this agent takes it best.
        #[default]
        Auto = "auto",
        /// With the tool's result.
        ToolResult = "tool_result",
        /// As a message of its own.
        UserMessage = "user_message",
    }
}

/// A change to the event.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Rewrite {
    /// The tool's input.
    ToolInput(Patch),
    /// The tool's result: an object onto an object is merged, anything else takes its place.
    ToolOutput(OutputPatch),
    /// The user's prompt.
    Prompt(String),
    /// An embedder's own data.
    Data(Patch),
}

impl Rewrite {
    /// What is rewritten, as replies spell it.
    pub fn target(&self) -> &'static str {
        match self {
            Self::ToolInput(_) => "tool_input",
            Self::ToolOutput(_) => "tool_output",
            Self::Prompt(_) => "prompt",
            Self::Data(_) => "data",
        }
    }
}

/// A change to an object.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Patch {
    /// Key by key at the top level; `null` removes a key.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    Merge(Map<String, Value>),
    /// The whole object.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    Replace(Map<String, Value>),
}

impl Patch {
    /// The object after the change.
    pub fn apply(&self, to: &Map<String, Value>) -> Map<String, Value> {
        match self {
            Self::Replace(whole) => whole.clone(),
            Self::Merge(changes) => merged(to, changes),
        }
    }
}

/// A change to a tool's result, which need not be an object.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum OutputPatch {
    /// Merged if both are objects, else replaced.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    Merge(Value),
    /// The whole result.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    Replace(Value),
}

impl OutputPatch {
    /// The result after the change.
    pub fn apply(&self, to: Option<&Value>) -> Value {
        match (self, to) {
            (Self::Merge(Value::Object(changes)), Some(Value::Object(old))) => {
                Value::Object(merged(old, changes))
            }
            (Self::Merge(whole) | Self::Replace(whole), _) => whole.clone(),
        }
    }
}

fn merged(old: &Map<String, Value>, changes: &Map<String, Value>) -> Map<String, Value> {
    let mut new = old.clone();
    for (key, value) in changes {
        if value.is_null() {
            new.remove(key);
        } else {
            new.insert(key.clone(), value.clone());
        }
    }
    new
}

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    /// The text.
    pub text: String,
    /// Its level.
    pub level: Level,
}

spelled! {
    /// The level of a message.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Good to know.
        #[default]
        Info = "info",
        /// Something is not as it should be.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
}
