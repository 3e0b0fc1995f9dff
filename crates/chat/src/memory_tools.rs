//! Memory tools for tenter's own agent. They have the names of the MCP server's tools in other agents, so that hooks
//! match them.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tenter_agent::tools::{Caller, Tool, ToolDisplay, ToolOutput, Workspace};
use tenter_contract::{SessionId, ToolKind};
use tenter_memory::mcp::{Server, tools};
use tenter_models::client::ToolUse;

use tenter_console::error::CliError;
use tenter_memory_commands::Opened;

/// Tools that are offered. Their descriptions are part of every request.
const OFFERED: [&str; 8] = [
    "start_ghap",
    "update_ghap",
    "resolve_ghap",
    "search_experiences",
    "store_memory",
    "retrieve_memories",
    "adopt_orphan",
    "abandon_orphan",
];

/// Parameters that are hidden from the model: the caller is known, and the others are for other clients.
const HIDDEN: [&str; 8] = [
    "session_id",
    "agent_id",
    "all_projects",
    "search_mode",
    "supersedes",
    "min_importance",
    "auto_captured",
    "axis",
];

pub(crate) fn memory_tools(session: &str) -> Result<Vec<Box<dyn Tool>>, CliError> {
    let opened = Opened::here()?;
    let own = SessionId::parse(session).unwrap_or_else(SessionId::shared);
    let sessions = opened.sessions_of_server(own)?;
    let server = Arc::new(Server::new(opened.memory, sessions));
    let all = tools::all().iter().filter(|tool| OFFERED.contains(&tool.name));
    Ok(all.map(|tool| Box::new(MemoryTool::new(tool, &server)) as Box<dyn Tool>).collect())
}

struct MemoryTool {
    server: Arc<Server>,
    name: String,
    server_name: &'static str,
    description: &'static str,
    schema: Value,
    reads_only: bool,
}

impl MemoryTool {
    fn new(tool: &tools::Tool, server: &Arc<Server>) -> Self {
        let mut listed = tool.listed();
        let mut schema = listed["inputSchema"].take();
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.retain(|key, _| !HIDDEN.contains(&key.as_str()));
        }
        Self {
            server: Arc::clone(server),
            name: format!("mcp__tenter__{}", tool.name),
            server_name: tool.name,
            description: tool.description,
            schema,
            reads_only: listed["annotations"]["readOnlyHint"] == true,
        }
    }

    fn call_tool(&self, mut input: Map<String, Value>, by: Option<&Caller<'_>>) -> ToolOutput {
        for key in ["session_id", "agent_id"] {
            input.remove(key);
        }
        let takes = |key: &str| {
            let tool = tools::all().iter().find(|tool| tool.name == self.server_name);
            tool.is_some_and(|tool| tool.listed()["inputSchema"]["properties"].get(key).is_some())
        };
        if let Some(Caller { session, agent_id, .. }) = by {
            if takes("session_id") {
                input.insert("session_id".to_owned(), json!(session));
            }
            if let Some(agent_id) = agent_id.filter(|_| takes("agent_id")) {
                input.insert("agent_id".to_owned(), json!(agent_id));
            }
        }
        match self.server.call_tool(self.server_name, input) {
            Some(Ok(value)) => {
                let text = value.to_string();
                ToolOutput::done(text.clone(), ToolDisplay::Text(text))
            }
            Some(Err(error)) => ToolOutput::failed(error.to_string()),
            None => ToolOutput::failed("There is no such tool."),
        }
    }
}

impl Tool for MemoryTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Mcp
    }

    fn description(&self) -> &str {
        self.description
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn alone(&self) -> bool {
        !self.reads_only
    }

    fn is_harmless(&self) -> bool {
        true
    }

    fn run_call(&self, call: &ToolUse, by: &Caller<'_>, _: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        self.call_tool(call.input.clone(), Some(by))
    }

    fn run(&self, input: &Map<String, Value>, _: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        self.call_tool(input.clone(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_stay_within_their_token_budget() {
        let known: Vec<&str> = tools::all().iter().map(|tool| tool.name).collect();
        assert!(OFFERED.iter().all(|name| known.contains(name)));
        let cost: usize = tools::all()
            .iter()
            .filter(|tool| OFFERED.contains(&tool.name))
            .map(|tool| {
                let mut schema = tool.listed()["inputSchema"].take();
                if let Some(properties) = schema["properties"].as_object_mut() {
                    properties.retain(|key, _| !HIDDEN.contains(&key.as_str()));
                }
                (tool.name.len() + tool.description.len() + schema.to_string().len()) / 4
            })
            .sum();
        assert!(cost <= 1_800, "{cost} tokens");
    }
}
