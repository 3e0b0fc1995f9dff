//! Describes a failure in words by which memory can find earlier failures.

use tenter_contract::Event;
use tenter_shell::contains_word;

use super::finding::Finding;
use super::{text, tool_output};
use crate::quote::on_one_line;

/// The number of messages: the first often has only the place.
const MESSAGES: usize = 2;
/// The longest line, in characters.
const LINE: usize = 200;
/// Marks of error messages.
const ERROR_MARKS: [&str; 7] = ["Error", "error:", "error[", "Exception", "panicked at", "assert", "xpected"];
/// Marks of messages without a cause.
const SUMMARY_MARKS: [&str; 3] = ["could not compile", "test failed, to rerun", "npm error"];

/// Parts of most test names.
const OF_ANY_TEST: &str = "test tests spec it should py rs js mjs ts tsx rb go php java bats";

/// The names of failing tests, as words, and the first error messages; otherwise the command.
pub fn about(event: &Event, finding: &Finding) -> String {
    let printed = tool_output(event).map(|tool_output| text::plain(&tool_output.text)).unwrap_or_default();
    let mut lines: Vec<String> = finding.failing.iter().map(|name| in_words(name)).collect();
    for message in messages(&printed) {
        // `FAILED name - message` and `E   message` of pytest.
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

/// A name without the parts of most test names, which would match every lesson about tests.
fn in_words(name: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.contains(&word) && !contains_word(OF_ANY_TEST, word) {
            words.push(word);
        }
    }
    words.join(" ")
}

fn messages(printed: &str) -> impl Iterator<Item = &str> {
    let has = |line: &str, any: &[&str]| any.iter().any(|part| line.contains(part));
    printed.lines().filter(move |line| has(line, &ERROR_MARKS) && !has(line, &SUMMARY_MARKS)).take(MESSAGES)
}

#[cfg(test)]
mod tests {
    use tenter_contract::{AgentName, EventError, EventKind, Timestamp, ToolCall, ToolKind};

    use super::super::{read, recognise};
    use super::*;

    #[test]
    fn failure_has_names_and_messages() {
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
