//! What a hook does: one of a closed set of kinds.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::builtin_names::{self, Does};
use crate::hook::Policy;
use crate::template::Template;
use crate::{Choice, Event, Level, Placeholder, TemplateError};

/// What a hook does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Handler {
    /// Runs a program.
    Command(Command),
    /// Runs a file, found relative to the hook file.
    Script(String),
    /// Calls a web server.
    Http(Http),
    /// Calls an MCP server.
    Mcp(Mcp),
    /// Calls a Python function.
    Python(Python),
    /// Runs a built-in hook.
    Builtin(Builtin),
    /// Injects a text.
    Inject(Template),
    /// Shows a message to the user.
    Message {
        /// The text.
        text: Template,
        /// How loud.
        level: Level,
    },
    /// Asks a person.
    Ask(Ask),
    /// Denies.
    Deny(Template),
    /// A function of the program that embeds tenter.
    InProcess,
}

impl Handler {
    /// Whether it takes one path, as `{tool.path}`, and so runs once for each.
    pub fn takes_one_path(&self) -> bool {
        let one = Placeholder::ToolPath;
        match self {
            Self::Command(Command::Shell(line)) => line.mentions(one),
            Self::Command(Command::Argv(words)) => words.iter().any(|word| word.mentions(one)),
            Self::Http(http) => http.url.mentions(one),
            Self::Mcp(mcp) => match &mcp.wanted {
                McpWanted::Tool { arguments, .. } | McpWanted::Prompt { arguments, .. } => {
                    arguments.mentions(one)
                }
                McpWanted::Resource { uri } => uri.mentions(one),
            },
            Self::Script(_)
            | Self::Python(_)
            | Self::Builtin(_)
            | Self::Inject(_)
            | Self::Message { .. }
            | Self::Ask(_)
            | Self::Deny(_)
            | Self::InProcess => false,
        }
    }

    /// The key that selects it in a hook file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Script(_) => "script",
            Self::Http(_) => "http",
            Self::Mcp(_) => "mcp",
            Self::Python(_) => "python",
            Self::Builtin(_) => "builtin",
            Self::Inject(_) => "inject",
            Self::Message { .. } => "message",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
            Self::InProcess => "in-process",
        }
    }
}

impl Handler {
    /// Whether the hook file has its reply, so that nothing has to run.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Inject(_) | Self::Message { .. } | Self::Ask(_) | Self::Deny(_))
    }
}

/// A program to run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Command {
    /// A line for `sh -c`; values are inserted quoted.
    Shell(Template),
    /// A program and its arguments, without a shell.
    Argv(Vec<Template>),
}

/// A web server.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Http {
    /// Where; values are inserted percent-encoded.
    pub url: Template,
    /// How.
    pub method: Method,
    /// What is sent along. `${NAME}` in a value is a variable of the environment.
    pub headers: Vec<(String, String)>,
}

/// How a web server is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// For a text; nothing of the event is sent but what the URL names.
    Get,
    /// With the event as JSON, for a reply.
    Post,
}

impl Method {
    /// Both, with their spelling in hook files.
    pub const ALL: [(&'static str, Self); 2] = [("get", Self::Get), ("post", Self::Post)];
}

/// A request to an MCP server.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Mcp {
    /// The server.
    pub server: McpServer,
    /// The request.
    pub wanted: McpWanted,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct McpServer {
    /// Its name in the hook file.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
}

/// How an MCP server is reached.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum McpTransport {
    /// A program that speaks on its standard input and output.
    Stdio {
        /// The program and its arguments.
        command: Vec<String>,
        /// Variables set for it; `${NAME}` in a value is a variable of our own environment.
        env: Vec<(String, String)>,
    },
    /// A server that speaks streamable HTTP.
    Http {
        /// Where.
        url: String,
        /// What is sent along. `${NAME}` in a value is a variable of the environment.
        headers: Vec<(String, String)>,
    },
}

/// What to request from an MCP server.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum McpWanted {
    /// The result of a tool.
    Tool { name: String, arguments: Arguments },
    /// A resource, as context.
    Resource { uri: Template },
    /// A prompt, as context.
    Prompt { name: String, arguments: Arguments },
}

/// JSON whose texts may have placeholders. Keys are taken as they are.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Arguments(#[cfg_attr(feature = "cache", serde(with = "crate::json_field"))] Map<String, Value>);

impl Arguments {
    /// Checks every text.
    pub fn parse(arguments: Map<String, Value>) -> Result<Self, TemplateError> {
        arguments.values().try_for_each(check)?;
        Ok(Self(arguments))
    }

    /// As they are written.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether a placeholder occurs in some text.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        self.0.values().any(|value| mentions(value, placeholder))
    }

    /// With the event's values in place of the placeholders. A value is data inside a JSON text, so nothing
    /// needs to be quoted.
    pub fn filled(&self, event: &Event) -> Map<String, Value> {
        self.0.iter().map(|(key, value)| (key.clone(), filled(value, event))).collect()
    }
}

fn check(value: &Value) -> Result<(), TemplateError> {
    match value {
        Value::String(text) => Template::parse(text).map(|_| ()),
        Value::Array(items) => items.iter().try_for_each(check),
        Value::Object(entries) => entries.values().try_for_each(check),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn mentions(value: &Value, placeholder: Placeholder) -> bool {
    match value {
        Value::String(text) => Template::parse(text).is_ok_and(|template| template.mentions(placeholder)),
        Value::Array(items) => items.iter().any(|item| mentions(item, placeholder)),
        Value::Object(entries) => entries.values().any(|item| mentions(item, placeholder)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn filled(value: &Value, event: &Event) -> Value {
    match value {
        Value::String(text) => match Template::parse(text) {
            Ok(template) => Value::String(template.plain(event)),
            Err(_) => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(|item| filled(item, event)).collect()),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, item)| (key.clone(), filled(item, event))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A Python function to call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Python {
    /// `package.module.function`; the hook file's folder is on the module path.
    pub function: String,
    /// The interpreter; `python3` if not stated.
    pub interpreter: Option<String>,
    /// How long its process waits for another event; not at all if not stated.
    pub keep: Option<Duration>,
}

/// A built-in hook.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Builtin {
    /// Its name: `git.status`.
    pub name: String,
    /// Its settings, of the types that [`builtin_names`] states.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    pub options: Map<String, Value>,
}

impl Builtin {
    /// Whether it is a guard.
    pub fn guards(&self) -> bool {
        builtin_names::find(&self.name).is_some_and(|row| row.does == Does::Guard)
    }

    /// The files that `context.files` injects, as written.
    pub fn context_files(&self) -> Option<Vec<&str>> {
        let files = self.options.get("files").filter(|_| self.name == builtin_names::CONTEXT_FILES)?;
        Some(match files {
            Value::Array(files) => files.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        })
    }

    /// Adds the approver's folder to the protected paths of `protect.config`, because a writer there can answer
    /// questions. It comes from the approver, not from the options in the hook file.
    pub fn protect_approver(&mut self, folder: &str) {
        if self.name == builtin_names::PROTECT_CONFIG {
            self.options.insert(Self::APPROVER_FOLDER.to_owned(), Value::from(folder));
        }
    }

    /// The option that holds that folder.
    pub const APPROVER_FOLDER: &str = "approver_folder";
}

/// A question in a hook file.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Ask {
    /// What is asked.
    pub prompt: Template,
    /// The choices; empty means `Allow` and `Deny`.
    pub options: Vec<Choice>,
    /// How long to wait.
    pub timeout: Option<Duration>,
    /// The decision if no answer comes; deny by default.
    pub default: Policy,
}
