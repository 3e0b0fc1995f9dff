//! "Did you mean …?", for words out of files that nobody has trusted yet.

use tenter_contract::similar;

/// Longer than any word of ours. Comparing takes time in proportion to the length, and a key of a megabyte
/// must not hold up every event of a session.
const LIMIT: usize = 64;

/// The known word nearest to `word`, if it is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LIMIT { None } else { similar::nearest(word, known) }
}
/// The key that says what another system's key says.
pub(crate) fn meaning(word: &str) -> Option<&'static str> {
    match word {
        "block" | "reason" | "reject" => Some("deny"),
        "cmd" | "exec" | "shell" | "bash" => Some("command"),
        "context" | "additionalContext" | "text" => Some("inject"),
        "confirm" | "prompt" => Some("ask"),
        "notify" | "systemMessage" => Some("message"),
        "tool" | "tools" | "match" => Some("matcher"),
        "if" => Some("when"),
        _ => None,
    }
}
