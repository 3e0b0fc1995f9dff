//! Tools of an agent by table: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use super::Told;

/// What tools that run commands are called. These agents were never run, so what their documents call it may not be
/// what they send, and a guard for shells must not be passed by that.
const SHELLS: [&str; 9] = [
    "bash",
    "shell",
    "sh",
    "terminal",
    "run_shell_command",
    "run_command",
    "execute_command",
    "execute_bash",
    "launch-process",
];

/// The tools of one agent.
pub(crate) struct Tools {
    /// Its own name, ours, and what the tool does.
    pub(crate) names: &'static [(&'static str, &'static str, ToolKind)],
    /// Keys that are not the same: whose, theirs, and ours.
    pub(crate) keys: &'static [(&'static str, &'static str, &'static str)],
    /// Tools that take a patch of files, under whatever key it stands.
    pub(crate) patches: &'static [&'static str],
    /// Tools that name files in a list of objects: whose, the list, and the key of the file in each.
    pub(crate) lists: &'static [(&'static str, &'static str, &'static str)],
    /// What it calls tools of MCP servers.
    pub(crate) mcp: Mcp,
}

/// Nothing is known of its tools.
pub(crate) const NO_TOOLS: Tools =
    Tools { names: &[], keys: &[], patches: &[], lists: &[], mcp: Mcp::Claude };

/// How an agent writes the name of a tool of an MCP server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mcp {
    /// `mcp__server__tool`, which is what we write.
    Claude,
    /// `mcp_server_tool`
    Underscores,
    /// `@server/tool`
    At,
    /// `MCP:tool`
    Colon,
    /// `server__tool`, which is also how its own are called.
    Parts,
}

impl Mcp {
    /// Server and tool; an agent that does not tell the server has none.
    fn parts(self, name: &str) -> Option<(&str, &str)> {
        let (server, tool) = match self {
            Self::Claude => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::Underscores => name.strip_prefix("mcp_")?.split_once('_')?,
            Self::At => name.strip_prefix('@')?.split_once('/')?,
            Self::Colon => return name.strip_prefix("MCP:").map(|tool| ("", tool)),
            Self::Parts => name.split_once("__")?,
        };
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
    }

    fn name(self, server: &str, tool: &str) -> String {
        match self {
            Self::Claude => format!("mcp__{server}__{tool}"),
            Self::Underscores => format!("mcp_{server}_{tool}"),
            Self::At => format!("@{server}/{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Parts => format!("{server}__{tool}"),
        }
    }
}

impl Tools {
    /// A call by our names.
    pub(super) fn call(&self, told: Told) -> ToolCall {
        let Told { name: native, input, server } = told;
        if self.patches.contains(&native.as_str()) {
            let begins = |value: &Value| value.as_str().is_some_and(|text| text.contains("*** Begin Patch"));
            let key =
                input.iter().find(|(_, value)| begins(value)).map_or("patch", |(key, _)| key).to_owned();
            return ToolCall::of_patch(&native, &key, input);
        }
        let (name, kind) = self.named(&native, server.as_deref());
        let files = self.files_in_lists(&native, &input);
        let mut call = ToolCall::new(&name, kind, self.translated(&native, &input));
        let new = files.into_iter().filter(|file| !call.paths.contains(file)).collect::<Vec<_>>();
        call.paths.extend(new);
        ToolCall { native_name: native, ..call }
    }

    fn named(&self, native: &str, server: Option<&str>) -> (String, ToolKind) {
        if let Some((_, name, kind)) = self.names.iter().find(|(own, _, _)| *own == native) {
            return ((*name).to_owned(), *kind);
        }
        match (server, self.mcp.parts(native)) {
            (Some(server), parts) if !server.is_empty() => {
                (format!("mcp__{server}__{}", parts.map_or(native, |(_, tool)| tool)), ToolKind::Mcp)
            }
            (_, Some((server, tool))) if !server.is_empty() => {
                (format!("mcp__{server}__{tool}"), ToolKind::Mcp)
            }
            (Some(_), _) | (None, Some(_)) => (native.to_owned(), ToolKind::Mcp),
            (None, None) if SHELLS.iter().any(|shell| shell.eq_ignore_ascii_case(native)) => {
                ("Bash".to_owned(), ToolKind::Shell)
            }
            (None, None) => (native.to_owned(), ToolKind::Other),
        }
    }

    fn files_in_lists(&self, native: &str, input: &Map<String, Value>) -> Vec<String> {
        let lists = self.lists.iter().filter(|(tool, _, _)| *tool == native);
        let items = lists.flat_map(|(_, list, key)| {
            let items = input.get(*list).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.get(*key).and_then(Value::as_str)).map(str::to_owned)
        });
        items.collect()
    }

    /// Whether the agent takes another input of this tool as we would write it.
    pub(crate) fn is_plain(&self, native: &str) -> bool {
        !self.patches.contains(&native) && self.lists.iter().all(|(tool, _, _)| *tool != native)
    }

    /// Its own name of a tool that we call so; the first in the table where it has several.
    pub(super) fn native_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if let Some((server, tool)) = Mcp::Claude.parts(name) {
            return self.mcp.name(server, tool).into();
        }
        self.names.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into())
    }

    /// An input of theirs under our keys, or one of ours under theirs: a pair swaps its names, so that both ways are
    /// the same and nothing is lost.
    pub(crate) fn translated(&self, native: &str, input: &Map<String, Value>) -> Map<String, Value> {
        let other_name = |key: &str| {
            let pairs = self.keys.iter().filter(|(tool, _, _)| *tool == native);
            pairs
                .flat_map(|(_, theirs, ours)| [(theirs, ours), (ours, theirs)])
                .find(|(from, _)| **from == key)
        };
        let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
        input.iter().map(|(name, value)| (key(name), value.clone())).collect()
    }
}
