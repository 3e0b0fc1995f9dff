//! Windsurf's tools: it has an event for each, and names none.

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use crate::documented::{Mcp, Told, Tools};
use crate::door;

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("run_command", "Bash", ToolKind::Shell),
        ("write_code", "Edit", ToolKind::Edit),
        ("read_code", "Read", ToolKind::Read),
    ],
    keys: &[("run_command", "command_line", "command")],
    patches: &[],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The call of an event, from what stands in `tool_info`.
pub(super) fn call(payload: &Map<String, Value>, event: &str) -> Option<Told> {
    let (_, tool) = event.split_once('_').filter(|(when, _)| matches!(*when, "pre" | "post"))?;
    let info = door::input(payload.get("tool_info"));
    let text = |key: &str| info.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match tool {
        "run_command" | "write_code" | "read_code" => {
            Some(Told { name: tool.to_owned(), input: info, server: None })
        }
        "mcp_tool_use" => Some(Told {
            name: text("mcp_tool_name")?.to_owned(),
            server: Some(text("mcp_server_name").unwrap_or_default().to_owned()),
            input: door::input(info.get("mcp_tool_arguments")),
        }),
        _ => None,
    }
}
