//! Antigravity's tools; their keys begin with capitals.

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use crate::documented::{Mcp, Told, Tools};
use crate::door;

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("run_command", "Bash", ToolKind::Shell),
        ("write_to_file", "Write", ToolKind::Write),
        ("create_file", "Write", ToolKind::Write),
        ("replace_file_content", "Edit", ToolKind::Edit),
        ("multi_replace_file_content", "MultiEdit", ToolKind::Edit),
        ("edit_file", "Edit", ToolKind::Edit),
        ("view_file", "Read", ToolKind::Read),
        ("list_dir", "LS", ToolKind::Search),
        ("list_directory", "LS", ToolKind::Search),
        ("grep_search", "Grep", ToolKind::Search),
        ("find_by_name", "Glob", ToolKind::Search),
        ("read_url_content", "WebFetch", ToolKind::Fetch),
        ("search_web", "WebSearch", ToolKind::Fetch),
    ],
    keys: &[
        ("run_command", "CommandLine", "command"),
        ("run_command", "Cwd", "cwd"),
        ("write_to_file", "TargetFile", "file_path"),
        ("write_to_file", "CodeContent", "content"),
        ("replace_file_content", "TargetFile", "file_path"),
        ("multi_replace_file_content", "TargetFile", "file_path"),
        ("view_file", "AbsolutePath", "file_path"),
        ("list_dir", "DirectoryPath", "path"),
        ("grep_search", "SearchPath", "path"),
        ("grep_search", "Query", "pattern"),
        ("read_url_content", "Url", "url"),
    ],
    patches: &[],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The call stands in an object of its own.
pub(super) fn call(payload: &Map<String, Value>, _event: &str) -> Option<Told> {
    let call = payload.get("toolCall")?;
    let name = call.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    Some(Told { name: name.to_owned(), input: door::input(call.get("args")), server: None })
}
