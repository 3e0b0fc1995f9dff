//! The scope of an answer that lasts: the calls that are not asked about again.
//!
//! | about | covers | asked again |
//! |---|---|---|
//! | a command | exactly this input | any other command |
//! | files that are written, edited or read | the same tool with the same files, whatever is in them | another file, another tool |
//! | something from the network | the same tool with the same address | another address |
//! | any other tool | exactly this input | anything else |
//! | no tool | exactly this prompt of the user | another prompt |
//! | a choice with `grant: tool` | every call of the tool | another tool |
//!
//! The model's `description` of a call is not part of it. The hook and its prompt must be the same in any case.

use serde_json::{Map, Value};

use crate::file_patch::{self, FileChange};
use crate::{CanonicalPath, Event, Grant, PathBase, ToolCall, ToolKind};

/// What must be the same for a saved answer to apply.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantScope {
    /// The input, but for the words that describe it.
    Input {
        /// The input.
        input: Map<String, Value>,
        /// The agent's folder: the same command in another one is another command.
        cwd: Option<String>,
        /// The targets of links in its paths.
        links: Vec<String>,
    },
    /// The files; what is written into them may be anything.
    Files(Vec<String>),
    /// The address.
    Address(String),
    /// The user's prompt.
    Prompt(String),
    /// Nothing but the tool, if it is about one.
    Anything,
}

impl GrantScope {
    /// The scope of an answer about this event; `None` if it does not last.
    pub fn new(event: &Event, grants: Grant) -> Option<Self> {
        match grants {
            Grant::Nothing | Grant::Once => None,
            Grant::Session => Some(Self::same(event)),
            Grant::Tool => Some(Self::Anything),
        }
    }

    /// Whether this event is covered. The caller compares the tool.
    pub fn includes(&self, event: &Event) -> bool {
        match self {
            Self::Anything => true,
            Self::Input { .. } | Self::Files(_) | Self::Address(_) | Self::Prompt(_) => {
                *self == Self::same(event)
            }
        }
    }

    /// What makes an event the same as another one.
    fn same(event: &Event) -> Self {
        let Some(tool) = &event.tool else {
            return event.prompt.clone().map_or(Self::Anything, Self::Prompt);
        };
        let address = || tool.input.get("url").and_then(Value::as_str);
        match tool.kind {
            ToolKind::Write | ToolKind::Edit | ToolKind::Read
                if !tool.paths.is_empty() && keeps_files(tool) =>
            {
                let (mut files, links) = file_names(event);
                files.extend(links);
                Self::Files(files)
            }
            ToolKind::Fetch => address()
                .map_or_else(|| Self::input(event, tool), |address| Self::Address(address.to_owned())),
            ToolKind::Write
            | ToolKind::Edit
            | ToolKind::Read
            | ToolKind::Shell
            | ToolKind::Search
            | ToolKind::Mcp
            | ToolKind::Task
            | ToolKind::Other => Self::input(event, tool),
        }
    }

    fn input(event: &Event, tool: &ToolCall) -> Self {
        let (_, links) = file_names(event);
        Self::Input { input: without_description(tool), cwd: event.cwd.clone(), links }
    }

    /// A short text for a reader who sees the question: `exactly this command`.
    pub fn summary(&self, event: &Event) -> String {
        let tool = event.tool.as_ref();
        let name = tool.map_or("tool", |tool| &tool.name);
        match self {
            Self::Input { .. } if tool.is_some_and(|tool| tool.command.is_some()) => {
                "exactly this command".to_owned()
            }
            Self::Input { .. } => format!("{name} with exactly this input"),
            Self::Files(files) if files.len() == 1 => format!("every {name} of this file"),
            Self::Files(files) => format!("every {name} of these {} files", files.len()),
            Self::Address(_) => format!("every {name} of this address"),
            Self::Prompt(_) => "exactly this prompt".to_owned(),
            Self::Anything => Self::anything(tool.map(|tool| tool.name.as_str())),
        }
    }

    /// A full text for listings: `exactly make deploy`. `tool` is the name of the tool.
    pub fn description(&self, tool: Option<&str>) -> String {
        let name = tool.unwrap_or("tool");
        match self {
            Self::Input { input, .. } => match input.get("command").and_then(Value::as_str) {
                Some(command) => format!("exactly `{command}`"),
                None => format!("{name} with exactly {}", Value::from(input.clone())),
            },
            Self::Files(files) => format!("every {name} of {}", files.join(", ")),
            Self::Address(address) => format!("every {name} of {address}"),
            Self::Prompt(prompt) => format!("exactly the prompt `{prompt}`"),
            Self::Anything => Self::anything(tool),
        }
    }

    fn anything(tool: Option<&str>) -> String {
        match tool {
            Some(tool) => format!("every {tool}, whatever its input, about which the same is asked"),
            None => "whenever the same is asked".to_owned(),
        }
    }
}

/// Permission to change a file is not permission to remove or move it.
fn keeps_files(tool: &ToolCall) -> bool {
    let changes = || tool.patch().into_iter().flat_map(file_patch::files);
    changes().all(|(change, _)| matches!(change, FileChange::Adds | FileChange::Edits))
}

/// The files of a call by name, and by the names behind links: the same name in another folder, or behind a link that was
/// made since, is another file.
fn file_names(event: &Event) -> (Vec<String>, Vec<String>) {
    let (mut files, mut links): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let base = PathBase::new(event);
    for path in CanonicalPath::from_event(event) {
        let by_text = CanonicalPath::by_text(&path.written, &base).names;
        // A path that cannot be followed is never the same again.
        let unknown = path.unknown.then(|| format!("{} at {}", path.written, event.at.unix_ms));
        files.extend(path.names.first().filter(|name| !files.contains(name)).cloned());
        for name in path.names.iter().filter(|name| !by_text.contains(name)).chain(&unknown) {
            if !links.contains(name) {
                links.push(name.clone());
            }
        }
    }
    (files, links)
}

/// The input without its description, which the model words differently each time and no tool runs.
fn without_description(tool: &ToolCall) -> Map<String, Value> {
    let parts = tool.input.iter().filter(|(key, _)| *key != "description");
    parts.map(|(key, part)| (key.clone(), part.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AgentName, EventKind, Timestamp};

    fn event(tool: Option<ToolCall>) -> Event {
        let agent = AgentName::from_static("claude");
        let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
        event.cwd = Some("/p".to_owned());
        event.tool = tool;
        event
    }

    fn call(name: &str, kind: ToolKind, input: &Value) -> Event {
        event(Some(ToolCall::new(name, kind, input.as_object().cloned().unwrap())))
    }

    fn patch(text: &str) -> Event {
        let input = json!({ "patch": text }).as_object().cloned().unwrap();
        event(Some(ToolCall::from_patch("apply_patch", "patch", input)))
    }

    #[test]
    fn scope_has_a_description() {
        let prompt = Event { prompt: Some("Go on".to_owned()), ..event(None) };
        let bash = call("Bash", ToolKind::Shell, &json!({"command": "make", "description": "builds"}));
        for (event, summary, description) in [
            (bash, "exactly this command", "exactly `make`"),
            (
                call("Write", ToolKind::Write, &json!({"file_path": "a", "content": "x"})),
                "every Write of this file",
                "every Write of /p/a",
            ),
            (
                call("ReadMany", ToolKind::Read, &json!({"paths": ["/a", "b"]})),
                "every ReadMany of these 2 files",
                "every ReadMany of /a, /p/b",
            ),
            (
                call("WebFetch", ToolKind::Fetch, &json!({"url": "https://a.example/", "prompt": "sum up"})),
                "every WebFetch of this address",
                "every WebFetch of https://a.example/",
            ),
            (
                call("mcp__db__query", ToolKind::Mcp, &json!({"sql": "select 1"})),
                "mcp__db__query with exactly this input",
                "mcp__db__query with exactly {\"sql\":\"select 1\"}",
            ),
            (prompt, "exactly this prompt", "exactly the prompt `Go on`"),
            (event(None), "whenever the same is asked", "whenever the same is asked"),
        ] {
            let covers = GrantScope::new(&event, Grant::Session).unwrap();
            assert_eq!(covers.summary(&event), summary);
            assert_eq!(covers.description(event.tool.as_ref().map(|tool| tool.name.as_str())), description);
        }
    }

    #[test]
    fn scope_covers_only_the_same_calls() {
        let write = |path: &str, content: &str| {
            call("Write", ToolKind::Write, &json!({"file_path": path, "content": content}))
        };
        let fetch = |url: &str, prompt: &str| {
            call("WebFetch", ToolKind::Fetch, &json!({"url": url, "prompt": prompt}))
        };
        let query = |sql: &str| call("mcp__db__query", ToolKind::Mcp, &json!({"sql": sql}));
        let grep = |pattern: &str| call("Grep", ToolKind::Search, &json!({"path": "/p", "pattern": pattern}));
        let elsewhere = Event { cwd: Some("/q".to_owned()), ..write("a", "x") };
        let make = |cwd: &str| Event {
            cwd: Some(cwd.to_owned()),
            ..call("Bash", ToolKind::Shell, &json!({"command": "make"}))
        };
        // The file is a link by now.
        let linked = |mut event: Event| {
            let mut path = CanonicalPath::by_text("a", &PathBase::new(&event));
            path.add_name("/p/production/a");
            event.facts.paths = vec![path];
            event
        };
        let asked = |prompt: &str| Event { prompt: Some(prompt.to_owned()), ..event(None) };
        for (before, now, covered) in vec![
            (write("a", "x"), write("a", "y"), true),
            (write("a", "x"), write("/p/a", "x"), true),
            (write("a", "x"), write("b", "x"), false),
            (write("a", "x"), elsewhere, false),
            (fetch("https://a.example/", "x"), fetch("https://a.example/", "y"), true),
            (fetch("https://a.example/", "x"), fetch("https://b.example/", "x"), false),
            (query("select 1"), query("select 1"), true),
            (query("select 1"), query("drop table t"), false),
            (grep("a"), grep("b"), false),
            (asked("one"), asked("two"), false),
            (make("/p"), make("/p"), true),
            (make("/p"), make("/p/sub"), false),
            (write("a", "x"), linked(write("a", "x")), false),
            (linked(write("a", "x")), linked(write("a", "y")), true),
            (linked(write("a", "x")), write("a", "x"), false),
            (query("a"), linked(query("a")), false),
            (patch("*** Update File: a"), patch("*** Update File: a\n*** Update File:b"), false),
            (patch("*** Update File: a\n+x"), patch("*** Update File: a\n+y"), true),
            (patch("*** Update File: a\n+x"), patch("*** Delete File: a"), false),
            (patch("*** Update File: a\n+x"), patch("*** Update File: a\n*** Move to: b"), false),
            (patch("*** Delete File: a"), patch("*** Delete File: a"), true),
        ] {
            let covers = GrantScope::new(&before, Grant::Session).unwrap();
            assert_eq!(covers.includes(&now), covered, "{covers:?} {:?}", now.tool);
        }
        let wide = GrantScope::new(&write("a", "x"), Grant::Tool).unwrap();
        assert!(wide.includes(&write("b", "y")));
        assert_eq!(GrantScope::new(&write("a", "x"), Grant::Once), None);
    }
}
