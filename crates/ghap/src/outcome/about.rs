//! What a failure is about, in words that a user who has seen it before may have used.

use tenter_contract::Event;

use super::finding::Finding;
use super::{text, tool_output};
use crate::quote::on_one_line;

/// So many lines say what is wrong: the first is often only where.
const MESSAGES: usize = 2;
/// So much of a line, in characters.
const LINE: usize = 200;
/// In which a line says what is wrong.
const SAYS_SO: [&str; 7] = ["Error", "error:", "error[", "Exception", "panicked at", "assert", "xpected"];
/// In which it only says that something was.
const SAYS_NO_MORE: [&str; 3] = ["could not compile", "test failed, to rerun", "npm error"];

/// What every test is called, and what its file ends with.
const OF_ANY_TEST: [&str; 16] = [
    "test", "tests", "spec", "it", "should", "py", "rs", "js", "mjs", "ts", "tsx", "rb", "go", "php", "java",
    "bats",
];

/// The names of what failed, in words, and the first messages about it; where there is neither, the command.
pub fn about(event: &Event, finding: &Finding) -> String {
    let printed = tool_output(event).map(|tool_output| text::plain(&tool_output.text)).unwrap_or_default();
    let mut lines: Vec<String> = finding.failing.iter().map(|name| in_words(name)).collect();
    for message in messages(&printed) {
        // `FAILED name - message`, and `E   message` where it is thrown.
        let own = finding.failing.iter().find_map(|name| Some(message.split_once(name.as_str())?.1));
        let own = own.unwrap_or(message).trim_start_matches("E  ").trim_start_matches([' ', '-', ':', '\'']);
        lines.push(on_one_line(own, LINE));
    }
    lines.retain(|line| !line.is_empty());
    lines.dedup();
    if lines.is_empty() {
        let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref());
        lines.extend(command.map(|command| on_one_line(command, LINE)));
    }
    lines.join("\n")
}

/// A name without what any test is called: that would be found in everything that was ever learned about tests.
fn in_words(name: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.contains(&word) && !OF_ANY_TEST.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

fn messages(printed: &str) -> impl Iterator<Item = &str> {
    let has = |line: &str, any: &[&str]| any.iter().any(|part| line.contains(part));
    printed.lines().filter(move |line| has(line, &SAYS_SO) && !has(line, &SAYS_NO_MORE)).take(MESSAGES)
}

#[cfg(test)]
mod tests {
    use tenter_contract::{AgentName, EventError, EventKind, Timestamp, ToolCall, ToolKind};

    use super::super::{read, recognise};
    use super::*;

    #[test]
    fn a_failure_is_about_what_failed_and_why() {
        for (command, printed, expected) in [
            (
                "pytest -q",
                "    def test_cookie():\nE       KeyError: 'session'\n\nFAILED test_login.py::test_cookie\n1 failed in 0.1s",
                "login cookie\nKeyError: 'session'",
            ),
            (
                "cargo test",
                "test cache::expires ... FAILED\nthread 'cache::expires' panicked at src/cache.rs:9:5:\nassertion `left == right` failed\nerror: test failed, to rerun pass `--lib`\ntest result: FAILED. 0 passed; 1 failed;",
                "cache expires\npanicked at src/cache.rs:9:5:\nassertion `left == right` failed",
            ),
            (
                "cargo build",
                "error[E0308]: mismatched types\n --> src/a.rs:3:5\nerror: could not compile `a` (lib)",
                "error[E0308]: mismatched types",
            ),
            ("make build", "make: *** [Makefile:2: build] Error 1", "make: *** [Makefile:2: build] Error 1"),
            ("npm run build", "Exit code 1", "npm run build"),
        ] {
            let mut event = Event::new(
                EventKind::ToolError,
                AgentName::from_static("claude"),
                None,
                Timestamp::from_unix_ms(0),
            );
            let mut tool = ToolCall::new("Bash", ToolKind::Shell, serde_json::Map::new());
            tool.command = Some(command.to_owned());
            event.tool = Some(tool);
            event.error = Some(EventError { kind: None, message: printed.to_owned() });
            let finding = read(&recognise(command, &[]), Some(1), printed).unwrap();
            assert_eq!(about(&event, &finding), expected, "{command}");
        }
    }
}
