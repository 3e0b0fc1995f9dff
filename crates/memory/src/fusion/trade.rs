//! Words that prompts and lessons about software have everywhere.

/// Sorted, so that they can be searched.
const TRADE: [&str; 72] = [
    "add",
    "added",
    "again",
    "app",
    "bug",
    "build",
    "change",
    "changed",
    "check",
    "class",
    "code",
    "command",
    "config",
    "correct",
    "create",
    "data",
    "delete",
    "error",
    "errors",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "file",
    "files",
    "find",
    "fix",
    "fixed",
    "folder",
    "function",
    "implement",
    "issue",
    "line",
    "method",
    "module",
    "new",
    "old",
    "output",
    "problem",
    "program",
    "project",
    "read",
    "refactor",
    "remove",
    "rename",
    "request",
    "result",
    "run",
    "running",
    "script",
    "server",
    "set",
    "show",
    "slow",
    "start",
    "step",
    "stop",
    "system",
    "test",
    "tests",
    "time",
    "type",
    "update",
    "user",
    "value",
    "work",
    "working",
    "works",
    "write",
    "wrong",
    "wrote",
];

/// Whether everybody who works on software says this word all day.
pub(super) fn is_of_the_trade(word: &str) -> bool {
    TRADE.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_trade_are_in_order() {
        assert!(TRADE.is_sorted());
        assert!(is_of_the_trade("fix") && !is_of_the_trade("flaky"));
    }
}
