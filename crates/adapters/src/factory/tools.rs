//! droid's tools.

use tenter_contract::ToolKind;

use crate::documented::{Mcp, Tools};

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Execute", "Bash", ToolKind::Shell),
        ("Create", "Write", ToolKind::Write),
        ("Edit", "Edit", ToolKind::Edit),
        ("Read", "Read", ToolKind::Read),
        ("LS", "LS", ToolKind::Search),
        ("Glob", "Glob", ToolKind::Search),
        ("Grep", "Grep", ToolKind::Search),
        ("WebSearch", "WebSearch", ToolKind::Fetch),
        ("FetchUrl", "WebFetch", ToolKind::Fetch),
        ("Task", "Agent", ToolKind::Task),
        ("TodoWrite", "TodoWrite", ToolKind::Other),
    ],
    keys: &[("Edit", "old_str", "old_string"), ("Edit", "new_str", "new_string")],
    patches: &["ApplyPatch"],
    lists: &[],
    mcp: Mcp::Claude,
};
