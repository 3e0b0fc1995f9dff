//! The tools of an agent: its names and keys, and ours.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use super::has_word;

/// The tools of one agent. Lists are words with spaces between them.
pub(crate) struct Tools {
    /// Our name, what the tool does, and the agent's names. Of several rows the first counts.
    pub(crate) names: &'static [(&'static str, ToolKind, &'static str)],
    pub(crate) uses_our_names: bool,
    /// Keys that differ: of which tools, and pairs such as `path=file_path`, the agent's key first.
    pub(crate) keys: &'static [(&'static str, &'static str)],
    /// By which name a call is looked up in `keys`, from its own and ours.
    pub(crate) keys_of: for<'a> fn(&'a str, &'a str) -> &'a str,
    /// Tools that take a patch of files, and the key of the patch; an empty key means the one that has it.
    pub(crate) patches: &'static [(&'static str, &'static str)],
    /// Tools that name files in a list of objects: which, the list, and the key of the file in each.
    pub(crate) lists: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) mcp: McpNames,
    /// Names that are taken for shells where the table has no such tool.
    pub(crate) shells: &'static str,
    /// The exit code in the output of a shell call.
    pub(crate) exit_code: fn(&Value) -> Option<i64>,
}

/// How an agent writes the name of a tool of an MCP server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpNames {
    /// `mcp__…`, kept as it is.
    Prefixed,
    /// `mcp__server__tool`, as we write it.
    Claude,
    /// `mcp_server_tool`
    Underscores,
    /// `@server/tool`
    At,
    /// `MCP:tool`
    Colon,
    /// `server__tool`
    Parts,
    /// `server_tool`, which does not show the server.
    Joined,
}

const SHELLS: &str =
    "bash shell sh terminal run_shell_command run_command execute_command execute_bash launch-process";

impl McpNames {
    /// Server and tool of a name; an empty server if the agent does not name it.
    fn parts(self, name: &str) -> Option<(&str, &str)> {
        let (server, tool) = match self {
            Self::Claude => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::Underscores => name.strip_prefix("mcp_")?.split_once('_')?,
            Self::At => name.strip_prefix('@')?.split_once('/')?,
            Self::Colon => return name.strip_prefix("MCP:").map(|tool| ("", tool)),
            Self::Parts => name.split_once("__")?,
            Self::Prefixed => return name.strip_prefix("mcp__").map(|tool| ("", tool)),
            Self::Joined => return None,
        };
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
    }

    fn join(self, server: &str, tool: &str) -> String {
        match self {
            Self::Claude | Self::Prefixed => format!("mcp__{server}__{tool}"),
            Self::Underscores => format!("mcp_{server}_{tool}"),
            Self::At => format!("@{server}/{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Parts => format!("{server}__{tool}"),
            Self::Joined => format!("{server}_{tool}"),
        }
    }
}

impl Tools {
    pub(crate) const NONE: Self = Self {
        names: &[],
        uses_our_names: false,
        keys: &[],
        keys_of: |native, _| native,
        patches: &[],
        lists: &[],
        mcp: McpNames::Claude,
        shells: "",
        exit_code: |_| None,
    };

    /// Tools of an agent that was never run: its documents may use another name than it does, and a guard for shells
    /// must see the call.
    pub(crate) const DOCUMENTED: Self = Self { shells: SHELLS, ..Self::NONE };

    /// A call by our names and under our keys. `server` is the MCP server that the payload names; empty if it does not
    /// name it.
    pub(crate) fn call(&self, native: &str, server: Option<&str>, input: Map<String, Value>) -> ToolCall {
        if let Some((_, key)) = self.patches.iter().find(|(tool, _)| *tool == native) {
            let has_patch =
                |value: &Value| value.as_str().is_some_and(|text| text.contains("*** Begin Patch"));
            let found = || input.iter().find(|(_, value)| has_patch(value)).map_or("patch", |(key, _)| key);
            let key = if key.is_empty() { found().to_owned() } else { (*key).to_owned() };
            return ToolCall::from_patch(native, &key, input);
        }
        let (name, kind) = self.name_and_kind(native, server);
        self.call_named(native, &name, kind, input)
    }

    /// The same for a tool whose name and kind are known.
    pub(crate) fn call_named(
        &self,
        native: &str,
        name: &str,
        kind: ToolKind,
        input: Map<String, Value>,
    ) -> ToolCall {
        let files = self.listed_files(native, &input);
        let input = if kind == ToolKind::Mcp { input } else { self.translate(native, name, input) };
        let mut call = ToolCall::new(name, kind, input);
        for file in files {
            if !call.paths.contains(&file) {
                call.paths.push(file);
            }
        }
        if name != native {
            native.clone_into(&mut call.native_name);
        }
        call
    }

    pub(crate) fn name_and_kind<'a>(
        &self,
        native: &'a str,
        server: Option<&str>,
    ) -> (Cow<'a, str>, ToolKind) {
        let is_row = |(ours, _, own): &&(&str, ToolKind, &str)| {
            has_word(own, native) || (self.uses_our_names && *ours == native)
        };
        if let Some((name, kind, _)) = self.names.iter().find(is_row) {
            return ((*name).into(), *kind);
        }
        let parts = self.mcp.parts(native);
        let tool = parts.map_or(native, |(_, tool)| tool);
        match server.filter(|server| !server.is_empty()).or(parts.map(|(server, _)| server)) {
            Some("") => (native.into(), ToolKind::Mcp),
            Some(server) => (format!("mcp__{server}__{tool}").into(), ToolKind::Mcp),
            None if server.is_some() => (native.into(), ToolKind::Mcp),
            None if has_word(self.shells, &native.to_ascii_lowercase()) => ("Bash".into(), ToolKind::Shell),
            None => (native.into(), ToolKind::Other),
        }
    }

    fn listed_files(&self, native: &str, input: &Map<String, Value>) -> Vec<String> {
        let lists = self.lists.iter().filter(|(tool, _, _)| *tool == native);
        let items = lists.flat_map(|(_, list, key)| {
            let items = input.get(*list).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.get(*key).and_then(Value::as_str)).map(str::to_owned)
        });
        items.collect()
    }

    /// Whether the agent takes another input of this tool in our form.
    pub(crate) fn is_plain(&self, native: &str) -> bool {
        self.patches.iter().all(|(tool, _)| *tool != native)
            && self.lists.iter().all(|(tool, _, _)| *tool != native)
    }

    /// The agent's name of a tool; the first in the table if it has several.
    pub(super) fn native_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if let Some((server, tool)) = McpNames::Claude.parts(name) {
            return self.mcp.join(server, tool).into();
        }
        let row = self.names.iter().find(|(ours, _, _)| *ours == name);
        row.and_then(|(_, _, own)| own.split(' ').next()).unwrap_or(name).into()
    }

    /// An input of ours under the agent's keys. Of a patch it is the patch alone.
    pub(crate) fn native_input(&self, call: &ToolCall, input: &Map<String, Value>) -> Map<String, Value> {
        match &call.patch_key {
            Some(key) => input.get(key).map(|patch| (key.clone(), patch.clone())).into_iter().collect(),
            None if call.kind == ToolKind::Mcp => input.clone(),
            None => self.translate(&call.native_name, &call.name, input.clone()),
        }
    }

    /// Their keys become ours and ours theirs: a pair swaps its names. So what the tool reads has the name that guards
    /// look at, whatever else the model sends, and nothing is lost.
    pub(crate) fn translate(
        &self,
        native: &str,
        name: &str,
        input: Map<String, Value>,
    ) -> Map<String, Value> {
        let tool = (self.keys_of)(native, name);
        let Some((_, pairs)) = self.keys.iter().find(|(tools, _)| has_word(tools, tool)) else {
            return input;
        };
        let other_name = |key: &str| {
            let mut pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
            pairs.find_map(|(theirs, ours)| match key {
                _ if key == theirs => Some(ours.to_owned()),
                _ if key == ours => Some(theirs.to_owned()),
                _ => None,
            })
        };
        input.into_iter().map(|(key, value)| (other_name(&key).unwrap_or(key), value)).collect()
    }
}
