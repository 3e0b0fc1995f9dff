//! Cursor's tools. Paths stand in `file_path` or `path`, both of which are known to hooks.

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use crate::documented::{Mcp, Told, Tools, named_call};

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Shell", "Bash", ToolKind::Shell),
        ("Write", "Write", ToolKind::Write),
        ("Read", "Read", ToolKind::Read),
        // It changes what is there, so rules about edits hold for it.
        ("Delete", "Delete", ToolKind::Edit),
        ("Grep", "Grep", ToolKind::Search),
        ("List", "LS", ToolKind::Search),
        ("WebFetch", "WebFetch", ToolKind::Fetch),
        ("WebSearch", "WebSearch", ToolKind::Fetch),
        ("Task", "Agent", ToolKind::Task),
    ],
    keys: &[],
    patches: &[],
    lists: &[],
    mcp: Mcp::Colon,
};

/// The call of a payload. Some events are about one tool and have its input at the top.
pub(super) fn call(payload: &Map<String, Value>, event: &str) -> Option<Told> {
    let of = |name: &str, keys: &[&str]| {
        let given = keys.iter().filter_map(|key| Some(((*key).to_owned(), payload.get(*key)?.clone())));
        Some(Told { name: name.to_owned(), input: given.collect(), server: None })
    };
    match event {
        "beforeShellExecution" | "afterShellExecution" => of("Shell", &["command", "cwd"]),
        "beforeReadFile" => of("Read", &["file_path"]),
        "afterFileEdit" => of("Write", &["file_path", "edits"]),
        "beforeMCPExecution" | "afterMCPExecution" => {
            let told = named_call(payload, event)?;
            let server = told.server.or_else(|| Some(String::new()));
            Some(Told { server, ..told })
        }
        _ => named_call(payload, event),
    }
}
