//! VS Code's tools, by the names for its model and those of its tool sets.

use tenter_contract::ToolKind;

use crate::agent_spec::{McpNames, Tools};

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("run_in_terminal", "Bash", ToolKind::Shell),
        ("runTerminalCommand", "Bash", ToolKind::Shell),
        ("runInTerminal", "Bash", ToolKind::Shell),
        ("create_file", "Write", ToolKind::Write),
        ("createFile", "Write", ToolKind::Write),
        ("replace_string_in_file", "Edit", ToolKind::Edit),
        ("multi_replace_string_in_file", "MultiEdit", ToolKind::Edit),
        ("insert_edit_into_file", "Edit", ToolKind::Edit),
        ("editFiles", "Edit", ToolKind::Edit),
        ("read_file", "Read", ToolKind::Read),
        ("readFile", "Read", ToolKind::Read),
        ("list_dir", "LS", ToolKind::Search),
        ("file_search", "Glob", ToolKind::Search),
        ("grep_search", "Grep", ToolKind::Search),
        ("semantic_search", "Grep", ToolKind::Search),
        ("fetch_webpage", "WebFetch", ToolKind::Fetch),
        ("runSubagent", "Agent", ToolKind::Task),
        ("manage_todo_list", "TodoWrite", ToolKind::Other),
    ],
    keys: &[
        ("create_file", "filePath", "file_path"),
        ("createFile", "filePath", "file_path"),
        ("replace_string_in_file", "filePath", "file_path"),
        ("replace_string_in_file", "oldString", "old_string"),
        ("replace_string_in_file", "newString", "new_string"),
        ("insert_edit_into_file", "filePath", "file_path"),
        ("editFiles", "files", "paths"),
        ("read_file", "filePath", "file_path"),
        ("readFile", "filePath", "file_path"),
    ],
    patches: &[("apply_patch", "")],
    lists: &[("multi_replace_string_in_file", "replacements", "filePath")],
    mcp: McpNames::Underscores,
    ..Tools::DOCUMENTED
};
