//! What agents call tools that other agents have too, and the word for them here: a kind where it means the same, else
//! a name. A hook file of one agent is read under all of them.

/// Rows of a word of ours and the names of tools that it stands for.
pub(super) type ToolWords = &'static [(&'static str, &'static str)];

/// A name of a tool in another system, and the word for it here.
pub(super) type Row = (&'static str, &'static str);

/// The rows of a table, one for each name, for which this holds.
pub(super) fn rows_where(table: ToolWords, holds: impl Fn(&str) -> bool) -> Vec<Row> {
    let rows = table.iter().flat_map(|(word, names)| names.split(' ').map(move |name| (name, *word)));
    rows.filter(|(name, _)| holds(name)).collect()
}

pub(super) const GEMINI: ToolWords = &[
    ("shell", "run_shell_command"),
    ("write", "write_file"),
    ("edit", "replace"),
    ("read", "read_file read_many_files"),
    ("LS", "list_directory"),
    ("Glob", "glob"),
    ("Grep", "grep_search search_file_content"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "google_web_search"),
    ("TodoWrite", "write_todos"),
];

pub(super) const KIRO: ToolWords = &[
    ("shell", "execute_bash execute_cmd executeBash shell"),
    ("write|edit", "fs_write fsWrite write"),
    ("read|search", "fs_read fsRead read"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "web_search"),
];

/// Those of all agents that cannot be taken for a word of ours: settings in Claude Code's form are also those of
/// others, with their names of tools.
pub(super) const ALL: ToolWords = &[
    (
        "shell",
        "run_shell_command execute_bash executeBash execute_cmd execute_command exec_command \
        run_command run_commands run_in_terminal runInTerminal runTerminalCommand shell_command \
        local_shell unified_exec Shell Execute",
    ),
    ("write", "write_file write_to_file create_file createFile"),
    ("write|edit", "fs_write fsWrite apply_patch"),
    (
        "edit",
        "edit_file editFiles replace_in_file replace_file_content multi_replace_file_content \
        replace_string_in_file multi_replace_string_in_file insert_edit_into_file",
    ),
    ("read", "read_file read_files read_many_files readFile view_file"),
    ("read|search", "fs_read fsRead"),
    ("LS", "list_directory list_dir"),
    ("Glob", "file_search find_by_name"),
    ("Grep", "grep_search search_file_content search_files search_codebase"),
    ("WebFetch", "web_fetch fetch_webpage fetch_web_content read_url_content FetchUrl"),
    ("WebSearch", "web_search search_web google_web_search"),
    ("TodoWrite", "todo_write"),
    ("task", "spawn_agent runSubagent"),
];

/// The rows whose name is in an expression, as a word of its own.
pub(super) fn written_in(expression: &str) -> Vec<Row> {
    let words: Vec<&str> = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    rows_where(ALL, |name| words.contains(&name))
}
