//! What a hook wants to happen besides its verdict. Effects are a list: none erases another.

use serde_json::{Map, Value};

use crate::HookSpec;

/// Something to happen besides the verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Put text into the agent's context.
    Inject(Injection),
    /// Change what is about to happen, or what has happened.
    Rewrite(Rewrite),
    /// Tell the user; the model never sees it.
    Tell(Message),
    /// Keep the hook's own output out of the transcript.
    SuppressOutput,
}

/// Text for the agent's context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The text.
    pub content: String,
    /// Who seems to speak.
    pub role: Role,
    /// Where it goes.
    pub strategy: Strategy,
    /// Only for the next model call, not kept in the history.
    pub ephemeral: bool,
    /// What makes it the same as another text of its hook, whatever it says; without one, what it says does.
    pub key: Option<String>,
    /// What becomes of it if its context has it already.
    pub repeat: Repeat,
    /// Whether this is the beginning of a longer text.
    pub shortened: Option<Shortened>,
}

impl Injection {
    /// Text in the default role and place.
    pub fn text(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            role: Role::System,
            strategy: Strategy::Auto,
            ephemeral: false,
            key: None,
            repeat: Repeat::Auto,
            shortened: None,
        }
    }

    /// Text of this hook, which says nothing else about it.
    pub fn of_hook(hook: &HookSpec, content: String) -> Self {
        Self {
            role: hook.role,
            strategy: hook.strategy,
            ephemeral: hook.defaults.ephemeral,
            repeat: hook.defaults.repeat,
            ..Self::text(content)
        }
    }

    /// How many bytes its hook wanted to inject.
    pub fn whole_bytes(&self) -> usize {
        self.shortened.as_ref().map_or(self.content.len(), |it| it.bytes)
    }
}

/// What was longer, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// The bytes of all of it.
    pub bytes: usize,
    /// A number that another text hardly has: two long texts may begin alike.
    pub digest: u64,
    /// The file that has all of it.
    pub path: Option<String>,
}

/// What becomes of a text that its context has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// At events that report on what the agent did, [`Repeat::Line`], so that an error that is still there is
    /// never hidden; elsewhere [`Repeat::Never`].
    #[default]
    Auto,
    /// It is given again.
    Always,
    /// If it is what its hook said last, a line says that nothing has changed.
    Line,
    /// It is left out.
    Never,
}

impl Repeat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Always, Self::Line, Self::Never];

    /// The spelling in hook files and replies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Line => "line",
            Self::Never => "never",
        }
    }

    /// Reads that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|repeat| repeat.as_str() == text)
    }
}

/// Who an injected text seems to come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The environment.
    #[default]
    System,
    /// The user. The agent may take it for their words.
    User,
    /// The agent itself.
    Assistant,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::System, Self::User, Self::Assistant];

    /// The spelling in hook files, replies and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// Reads that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// Where an injected text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Wherever this agent takes it best.
    #[default]
    Auto,
    /// Beside the tool's result.
    ToolResult,
    /// As a message of its own.
    UserMessage,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Auto, Self::ToolResult, Self::UserMessage];

    /// The spelling in hook files, replies and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::ToolResult => "tool_result",
            Self::UserMessage => "user_message",
        }
    }

    /// Reads that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.as_str() == text)
    }
}

/// A change to the event.
#[derive(Clone, Debug, PartialEq)]
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
pub enum Patch {
    /// Key by key at the top level; `null` removes a key.
    Merge(Map<String, Value>),
    /// The whole object.
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
pub enum OutputPatch {
    /// Merged if both are objects, else replaced.
    Merge(Value),
    /// The whole result.
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

/// Something for the user's eyes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The text.
    pub text: String,
    /// How loud.
    pub level: Level,
}

/// How loud a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Good to know.
    #[default]
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The spelling in hook files, replies and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Reads that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}
