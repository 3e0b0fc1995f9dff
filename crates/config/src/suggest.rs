//! "Did you mean …?", for words out of files that no one has trusted yet.

use tenter_contract::similar;

/// Longer than any word of ours. Comparing takes time in proportion to the length, and a key of a megabyte
/// must not hold up every event of a session.
const LIMIT: usize = 64;

/// The known word nearest to `word`, if it is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LIMIT { None } else { similar::nearest(word, known) }
}

/// The key that means the same as a word of another system, in the table `path` of a hook (empty for the hook itself).
pub(crate) fn meaning(path: &str, word: &str) -> Option<&'static str> {
    match (path, word) {
        ("when", "commands" | "line") | ("", "exec") | ("" | "when", "cmd" | "shell" | "bash") => {
            Some("command")
        }
        ("when", "file" | "files" | "file_path" | "filePath" | "filename" | "paths" | "glob") => Some("path"),
        ("when", "dir" | "directory" | "folder" | "workdir" | "working_directory") => Some("cwd"),
        ("when", "environment" | "vars" | "variables") => Some("env"),
        ("when", "code" | "status" | "exit" | "exitCode") => Some("exit_code"),
        ("when", "message" | "text" | "user_prompt") => Some("prompt"),
        ("when", "exists") => Some("file_exists"),
        ("when", "git_branch" | "gitBranch") => Some("branch"),
        ("" | "when", "tool" | "tools" | "match" | "matcher" | "tool_name" | "matches") => Some("matcher"),
        ("when", "agents") => Some("agents"),
        ("", "block" | "reason" | "reject") => Some("deny"),
        ("", "context" | "additionalContext" | "text") => Some("inject"),
        ("", "confirm" | "prompt") => Some("ask"),
        ("", "notify" | "systemMessage") => Some("message"),
        ("", "if" | "conditions") => Some("when"),
        _ => None,
    }
}
