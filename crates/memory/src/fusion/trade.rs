//! Words that prompts and lessons about software have everywhere.

/// Sorted, so that they can be searched.
const TRADE: [&str; 87] = [
    "add",
    "added",
    "again",
    "app",
    "bug",
    "build",
    "button",
    "change",
    "changed",
    "check",
    "class",
    "code",
    "command",
    "comment",
    "commit",
    "component",
    "config",
    "correct",
    "create",
    "data",
    "delete",
    "docs",
    "documentation",
    "error",
    "errors",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "feature",
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
    "name",
    "names",
    "new",
    "old",
    "option",
    "output",
    "page",
    "pages",
    "problem",
    "program",
    "project",
    "read",
    "readme",
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
    "variable",
    "version",
    "work",
    "working",
    "works",
    "write",
    "wrong",
    "wrote",
];

/// Whether everybody who works on software says this word all day.
pub(crate) fn is_of_the_trade(word: &str) -> bool {
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
