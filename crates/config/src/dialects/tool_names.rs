//! What agents call tools that other agents have too, and the word for them here: a kind where it means the same, else
//! a name. A hook file of one agent is read under all of them.

/// Gemini CLI's.
pub(super) const GEMINI: &[(&str, &str)] = &[
    ("run_shell_command", "shell"),
    ("write_file", "write"),
    ("replace", "edit"),
    ("read_file", "read"),
    ("read_many_files", "read"),
    ("list_directory", "LS"),
    ("glob", "Glob"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("google_web_search", "WebSearch"),
    ("write_todos", "TodoWrite"),
];

/// Those of Kiro and Amazon Q.
pub(super) const KIRO: &[(&str, &str)] = &[
    ("execute_bash", "shell"),
    ("execute_cmd", "shell"),
    ("executeBash", "shell"),
    ("shell", "shell"),
    ("fs_write", "write|edit"),
    ("fsWrite", "write|edit"),
    ("write", "write|edit"),
    ("fs_read", "read|search"),
    ("fsRead", "read|search"),
    ("read", "read|search"),
    ("glob", "Glob"),
    ("grep", "Grep"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
];

/// Those of all agents that cannot be taken for a word of ours: settings in Claude Code's form are also those of
/// others, with their names of tools.
pub(super) const ALL: &[(&str, &str)] = &[
    ("run_shell_command", "shell"),
    ("execute_bash", "shell"),
    ("executeBash", "shell"),
    ("execute_cmd", "shell"),
    ("execute_command", "shell"),
    ("exec_command", "shell"),
    ("run_command", "shell"),
    ("run_commands", "shell"),
    ("run_in_terminal", "shell"),
    ("runInTerminal", "shell"),
    ("runTerminalCommand", "shell"),
    ("shell_command", "shell"),
    ("local_shell", "shell"),
    ("unified_exec", "shell"),
    ("Shell", "shell"),
    ("Execute", "shell"),
    ("write_file", "write"),
    ("write_to_file", "write"),
    ("create_file", "write"),
    ("createFile", "write"),
    ("fs_write", "write|edit"),
    ("fsWrite", "write|edit"),
    ("apply_patch", "write|edit"),
    ("edit_file", "edit"),
    ("editFiles", "edit"),
    ("replace_in_file", "edit"),
    ("replace_file_content", "edit"),
    ("multi_replace_file_content", "edit"),
    ("replace_string_in_file", "edit"),
    ("multi_replace_string_in_file", "edit"),
    ("insert_edit_into_file", "edit"),
    ("read_file", "read"),
    ("read_files", "read"),
    ("read_many_files", "read"),
    ("readFile", "read"),
    ("view_file", "read"),
    ("fs_read", "read|search"),
    ("fsRead", "read|search"),
    ("list_directory", "LS"),
    ("list_dir", "LS"),
    ("file_search", "Glob"),
    ("find_by_name", "Glob"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("search_files", "Grep"),
    ("search_codebase", "Grep"),
    ("web_fetch", "WebFetch"),
    ("fetch_webpage", "WebFetch"),
    ("fetch_web_content", "WebFetch"),
    ("read_url_content", "WebFetch"),
    ("FetchUrl", "WebFetch"),
    ("web_search", "WebSearch"),
    ("search_web", "WebSearch"),
    ("google_web_search", "WebSearch"),
    ("todo_write", "TodoWrite"),
    ("spawn_agent", "task"),
    ("runSubagent", "task"),
];

/// The rows whose name is in an expression, as a word of its own.
pub(super) fn written_in(expression: &str) -> Vec<(&'static str, &'static str)> {
    let words: Vec<&str> = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    ALL.iter().filter(|(native, _)| words.contains(native)).copied().collect()
}
