//! Kiro's tools, which are those of Amazon Q, and their other names.

use tenter_contract::ToolKind;

use crate::documented::{Mcp, Tools};

pub(crate) static TOOLS: Tools = Tools {
    names: &[
        ("execute_bash", "Bash", ToolKind::Shell),
        ("executeBash", "Bash", ToolKind::Shell),
        ("execute_cmd", "Bash", ToolKind::Shell),
        ("shell", "Bash", ToolKind::Shell),
        ("fs_write", "Write", ToolKind::Write),
        ("fsWrite", "Write", ToolKind::Write),
        ("write", "Write", ToolKind::Write),
        ("fs_read", "Read", ToolKind::Read),
        ("fsRead", "Read", ToolKind::Read),
        ("read", "Read", ToolKind::Read),
        ("use_aws", "use_aws", ToolKind::Other),
        ("aws", "use_aws", ToolKind::Other),
    ],
    keys: &[
        ("fs_write", "path", "file_path"),
        ("fs_write", "file_text", "content"),
        ("fs_write", "old_str", "old_string"),
        ("fs_write", "new_str", "new_string"),
        ("fsWrite", "path", "file_path"),
        ("fsWrite", "text", "content"),
        ("write", "path", "file_path"),
        ("write", "file_text", "content"),
        ("write", "old_str", "old_string"),
        ("write", "new_str", "new_string"),
        ("fs_read", "path", "file_path"),
        ("fsRead", "path", "file_path"),
        ("read", "path", "file_path"),
    ],
    patches: &[],
    lists: &[("fs_read", "operations", "path"), ("read", "operations", "path")],
    mcp: Mcp::At,
};
