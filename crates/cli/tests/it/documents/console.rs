//! A `console` block: what is typed, and what comes out.

use regex_lite::Regex;

/// Something typed, and what the document says comes out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) command: String,
    pub(super) comes_out: String,
}

/// What is typed in a block, in order.
pub(super) fn read(text: &str) -> Result<Vec<Typed>, String> {
    let mut typed: Vec<Typed> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            typed.push(Typed { command: command.to_owned(), comes_out: String::new() });
            continue;
        }
        let last = typed.last_mut().ok_or("a `console` block begins with `$ `")?;
        match line.strip_prefix("> ").or((line == ">").then_some("")) {
            Some(more) if last.comes_out.is_empty() => last.command.extend(["\n", more]),
            _ => last.comes_out.extend([line, "\n"]),
        }
    }
    Ok(typed)
}

/// A block again.
pub(super) fn write(typed: &[Typed]) -> String {
    let lines = typed.iter().map(|Typed { command, comes_out }| {
        format!("$ {}\n{comes_out}", command.replace('\n', "\n> ").replace("> \n", ">\n"))
    });
    lines.collect()
}

/// Whether this is what the document says; `…` is anything.
pub(super) fn fits(said: &str, came: &str) -> bool {
    let escaped = regex_lite::escape(said);
    let lines = Regex::new("(?m)^…\n").unwrap().replace_all(&escaped, "(?:.*\n)*?");
    let pattern = format!("^{}$", lines.replace('…', ".*"));
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(came))
}

#[test]
fn a_block_is_read_and_written_as_it_stands() {
    let text = "$ cat > a <<'E'\n> one\n>\n> E\n$ cat a\none\n> two\n";
    let typed = read(text).unwrap();
    assert_eq!(typed[0].command, "cat > a <<'E'\none\n\nE");
    assert_eq!(typed[1].comes_out, "one\n> two\n");
    assert_eq!(write(&typed), text);
    assert!(read("no command\n").is_err());
}

#[test]
fn dots_stand_for_anything_and_everything_else_for_itself() {
    for (said, came, expected) in [
        ("a.b\n", "a.b\n", true),
        ("a.b\n", "axb\n", false),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\nd\n", "a\nd\n", true),
        ("a\n…\nd\n", "a\nb\n", false),
        ("took …, ok\n", "took 3 s, ok\n", true),
        ("took …\n", "took 3 s\nfailed\n", false),
        ("", "x\n", false),
    ] {
        assert_eq!(fits(said, came), expected, "{said:?} {came:?}");
    }
}
