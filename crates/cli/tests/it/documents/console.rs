//! A `console` block: commands and their output.

use regex_lite::Regex;

/// A command and its documented output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConsoleCommand {
    pub(super) command: String,
    pub(super) output: String,
}

/// The commands of a block, in order.
pub(super) fn read(text: &str) -> Result<Vec<ConsoleCommand>, String> {
    let mut typed: Vec<ConsoleCommand> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            typed.push(ConsoleCommand { command: command.to_owned(), output: String::new() });
            continue;
        }
        let last = typed.last_mut().ok_or("a `console` block begins with `$ `")?;
        match line.strip_prefix("> ").or((line == ">").then_some("")) {
            Some(more) if last.output.is_empty() => last.command.extend(["\n", more]),
            _ => last.output.extend([line, "\n"]),
        }
    }
    Ok(typed)
}

/// The text of a block.
pub(super) fn write(typed: &[ConsoleCommand]) -> String {
    let lines = typed.iter().map(|ConsoleCommand { command, output }| {
        format!("$ {}\n{output}", command.replace('\n', "\n> ").replace("> \n", ">\n"))
    });
    lines.collect()
}

/// Whether the output matches the document; `…` matches anything.
pub(super) fn fits(documented: &str, actual: &str) -> bool {
    let escaped = regex_lite::escape(documented);
    let lines = Regex::new("(?m)^…\n").unwrap().replace_all(&escaped, "(?:.*\n)*?");
    let pattern = format!("^{}$", lines.replace('…', ".*"));
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(actual))
}

#[test]
fn block_is_parsed_and_printed_unchanged() {
    let text = "$ cat > a <<'E'\n> one\n>\n> E\n$ cat a\none\n> two\n";
    let typed = read(text).unwrap();
    assert_eq!(typed[0].command, "cat > a <<'E'\none\n\nE");
    assert_eq!(typed[1].output, "one\n> two\n");
    assert_eq!(write(&typed), text);
    assert!(read("no command\n").is_err());
}

#[test]
fn ellipsis_matches_anything() {
    for (documented, actual, expected) in [
        ("a.b\n", "a.b\n", true),
        ("a.b\n", "axb\n", false),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\nd\n", "a\nd\n", true),
        ("a\n…\nd\n", "a\nb\n", false),
        ("took …, ok\n", "took 3 s, ok\n", true),
        ("took …\n", "took 3 s\nfailed\n", false),
        ("", "x\n", false),
    ] {
        assert_eq!(fits(documented, actual), expected, "{documented:?} {actual:?}");
    }
}
