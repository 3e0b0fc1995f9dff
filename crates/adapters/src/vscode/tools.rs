//! VS Code's tools, by the names for its model and those of its tool sets.

use tenter_contract::ToolKind;

use crate::agent_spec::{McpNames, Tools};

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "run_in_terminal runTerminalCommand runInTerminal"),
        ("Write", ToolKind::Write, "create_file createFile"),
        ("Edit", ToolKind::Edit, "replace_string_in_file insert_edit_into_file editFiles"),
        ("MultiEdit", ToolKind::Edit, "multi_replace_string_in_file"),
        ("Read", ToolKind::Read, "read_file readFile"),
        ("LS", ToolKind::Search, "list_dir"),
        ("Glob", ToolKind::Search, "file_search"),
        ("Grep", ToolKind::Search, "grep_search semantic_search"),
        ("WebFetch", ToolKind::Fetch, "fetch_webpage"),
        ("Agent", ToolKind::Task, "runSubagent"),
        ("TodoWrite", ToolKind::Other, "manage_todo_list"),
    ],
    keys: &[
        ("create_file createFile insert_edit_into_file read_file readFile", "filePath=file_path"),
        ("replace_string_in_file", "filePath=file_path oldString=old_string newString=new_string"),
        ("editFiles", "files=paths"),
    ],
    patches: &[("apply_patch", "")],
    lists: &[("multi_replace_string_in_file", "replacements", "filePath")],
    mcp: McpNames::Underscores,
    ..Tools::DOCUMENTED
};
