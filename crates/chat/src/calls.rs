//! Tool calls and their results as lines for the screen. All text in them is untrusted.

use serde_json::Value;
use tenter_agent::tools::{Change, TodoState, ToolDisplay, ToolOutput};
use tenter_models::client::ToolUse;

use tenter_console::listing::visible;
use tenter_console::printer::Tone;

const LONGEST_INPUT: usize = 160;
const MOST_LINES: usize = 12;
const MOST_DIFF_LINES: usize = 40;
const LONGEST_LINE: usize = 240;

/// Input keys by how much they tell, most useful first.
const TELLING: [&str; 9] =
    ["command", "file_path", "notebook_path", "pattern", "path", "query", "url", "description", "prompt"];

pub(crate) type TonedLine = (Option<Tone>, String);

pub(crate) fn call(call: &ToolUse) -> (String, String) {
    let text = |key: &&str| call.input.get(*key).and_then(Value::as_str).map(str::to_owned);
    let whole = || {
        let says_nothing = call.input.is_empty() || call.input.contains_key("todos");
        if says_nothing { String::new() } else { serde_json::to_string(&call.input).unwrap_or_default() }
    };
    let telling = TELLING.iter().find_map(text).unwrap_or_else(whole);
    (visible(&call.name), one_line(&telling, LONGEST_INPUT))
}

pub(crate) fn describe(call: &ToolUse) -> String {
    let (name, about) = self::call(call);
    format!("{name} {about}").trim_end().to_owned()
}

/// The result of a call, with the name of the call: parallel calls end in any order.
pub(crate) fn result_of(call: &ToolUse, ran: &ToolOutput) -> Vec<TonedLine> {
    let mark = if ran.failed { "✘" } else { "✔" };
    let name = describe(call);
    let mut lines = result(ran);
    let alone = lines.len() == 1;
    let Some((tone, first)) = lines.first_mut() else { return lines };
    let rest = first.strip_prefix(mark).map(|rest| rest.trim_start().to_owned());
    match rest {
        Some(rest) if rest.is_empty() => *first = format!("{mark} {name}"),
        Some(rest) if alone => *first = format!("{mark} {name}: {rest}"),
        rest => {
            let tone = *tone;
            if let Some(rest) = rest {
                *first = format!("  {rest}");
            }
            lines.insert(0, (tone, format!("{mark} {name}:")));
        }
    }
    lines
}

pub(crate) fn result(ran: &ToolOutput) -> Vec<TonedLine> {
    if ran.failed {
        let code = ran.exit_code.map(|code| format!("exit code {code}: ")).unwrap_or_default();
        return block(Some(Tone::Bad), &format!("{code}{}", ran.output), "✘ ");
    }
    match &ran.display {
        ToolDisplay::Nothing => vec![(Some(Tone::Good), "✔".to_owned())],
        ToolDisplay::Line(line) => {
            vec![(Some(Tone::Good), format!("✔ {}", one_line(line, LONGEST_LINE)))]
        }
        ToolDisplay::Text(text) if text.trim().is_empty() => vec![(Some(Tone::Good), "✔".to_owned())],
        ToolDisplay::Text(text) => block(None, text, "✔ "),
        ToolDisplay::Change(change) => changed(change),
        ToolDisplay::Todos(todos) => {
            let mark = |state: TodoState| match state {
                TodoState::Pending => ("☐", None),
                TodoState::InProgress => ("▶", Some(Tone::Caution)),
                TodoState::Completed => ("☑", Some(Tone::Quiet)),
            };
            let line = |todo: &tenter_agent::tools::Todo| {
                let (mark, tone) = mark(todo.state);
                let what =
                    if todo.state == TodoState::InProgress { &todo.active_form } else { &todo.content };
                (tone, format!("{mark} {}", one_line(what, LONGEST_LINE)))
            };
            todos.iter().map(line).collect()
        }
    }
}

fn changed(change: &Change) -> Vec<TonedLine> {
    let Change { path, created, added, removed, diff } = change;
    let new = if *created { "new, " } else { "" };
    let path = one_line(&path.to_string_lossy(), LONGEST_LINE);
    let mut lines = vec![(Some(Tone::Good), format!("✔ {path} ({new}+{added} −{removed})"))];
    // Two lines name the file. No further one is left out: a line of SQL that is taken away begins with `---` too.
    let header = if diff.starts_with("---") { 2 } else { 0 };
    let all: Vec<&str> = diff.lines().skip(header).collect();
    let (all, cut) = match all.split_last() {
        Some((last, shown)) if last.starts_with('…') => (shown, number_in(last)),
        Some(_) | None => (all.as_slice(), 0),
    };
    lines.extend(all.iter().take(MOST_DIFF_LINES).map(|line| {
        let tone = match line.chars().next() {
            Some('+') => Some(Tone::Good),
            Some('-') => Some(Tone::Bad),
            Some('@') => Some(Tone::Quiet),
            _ => None,
        };
        (tone, format!("  {}", one_line(line, LONGEST_LINE)))
    }));
    lines.extend(more(all.len() + cut, MOST_DIFF_LINES));
    lines
}

/// The number of lines that a change omits: it then ends with `… 12 more lines`.
fn number_in(line: &str) -> usize {
    line.split(' ').find_map(|word| word.parse().ok()).unwrap_or(0)
}

pub(crate) fn block(tone: Option<Tone>, text: &str, mark: &str) -> Vec<TonedLine> {
    let all: Vec<&str> = text.trim_end().lines().collect();
    let margin = " ".repeat(mark.chars().count());
    let line = |(number, line): (usize, &&str)| {
        let before = if number == 0 { mark } else { &margin };
        (tone, format!("{before}{}", one_line(line, LONGEST_LINE)))
    };
    let mut lines: Vec<TonedLine> = all.iter().take(MOST_LINES).enumerate().map(line).collect();
    if lines.is_empty() {
        lines.push((tone, mark.trim_end().to_owned()));
    }
    lines.extend(match all.iter().skip(MOST_LINES).find_map(|line| kept(line)) {
        Some(kept) => {
            Some((Some(Tone::Quiet), format!("  … many more lines; {}", one_line(kept, LONGEST_LINE))))
        }
        None => more(all.len(), MOST_LINES),
    });
    lines
}

/// Where the full text is if the tool cut its middle, so that the number of lines is unknown.
fn kept(line: &str) -> Option<&str> {
    let (_, kept) = line.strip_prefix("[… ")?.split_once(" bytes are left out here; ")?;
    kept.strip_suffix(".]")
}

fn more(all: usize, most: usize) -> Option<TonedLine> {
    let more = all.checked_sub(most).filter(|more| *more > 0)?;
    Some((Some(Tone::Quiet), format!("  … {more} more line{}", if more == 1 { "" } else { "s" })))
}

/// Untrusted text on one line, cut to a length.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let text = visible(&text.replace('\t', "    ").replace('\n', "⏎ "));
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call_text(name: &str, input: Value) -> String {
        let Value::Object(input) = input else { panic!("an input is an object") };
        let (name, about) = call(&ToolUse::new("c1", name, input));
        format!("{name} {about}")
    }

    #[test]
    fn call_shows_its_main_input_on_one_line() {
        for (name, input, expected) in [
            ("Bash", json!({"description": "Tests", "command": "cargo test\nls"}), "Bash cargo test⏎ ls"),
            ("Read", json!({"file_path": "/a/b.rs", "limit": 3}), "Read /a/b.rs"),
            ("Grep", json!({"pattern": "fn main", "path": "src"}), "Grep fn main"),
            ("TodoWrite", json!({"todos": []}), "TodoWrite "),
            ("mcp__x__y", json!({"n": 1}), "mcp__x__y {\"n\":1}"),
            ("Bash", json!({"command": "ls\u{1b}[2J"}), "Bash ls\\u{1b}[2J"),
        ] {
            assert_eq!(call_text(name, input), expected);
        }
        assert_eq!(
            call_text("Bash", json!({"command": "x".repeat(500)})).chars().count(),
            5 + LONGEST_INPUT + 1
        );
    }

    #[test]
    fn long_result_is_cut_with_a_count() {
        let ran = ToolOutput::done("", ToolDisplay::Text("line\n".repeat(20)));
        let lines: Vec<String> = result(&ran).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert_eq!((lines[0].as_str(), lines[1].as_str()), ("✔ line", "  line"));
        assert_eq!(lines[MOST_LINES], "  … 8 more lines");
    }

    #[test]
    fn change_is_shown_line_by_line() {
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n".to_owned();
        let change = Change { path: "src/lib.rs".into(), created: false, added: 1, removed: 1, diff };
        let lines = result(&ToolOutput::done("", ToolDisplay::Change(change)));
        let lines: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines, ["✔ src/lib.rs (+1 −1)", "  @@ -1 +1 @@", "  -old", "  +new"]);
    }

    #[test]
    fn omitted_lines_are_counted() {
        let diff = |lines: &str| format!("--- a\n+++ b\n@@ -1 +1 @@\n{lines}");
        for (diff, last) in [
            (diff(&"+x\n".repeat(40)), "  … 1 more line"),
            (diff(&format!("{}… 4603 more lines", "+x\n".repeat(397))), "  … 4961 more lines"),
            (diff("--- a comment of SQL\n+++ count\n"), "  +++ count"),
        ] {
            let change = Change { path: "x".into(), created: false, added: 1, removed: 1, diff };
            assert_eq!(result(&ToolOutput::done("", ToolDisplay::Change(change))).pop().unwrap().1, last);
        }
        let left_out = "[… 900 bytes are left out here; all of it is in `/tmp/out.txt`.]";
        let text = format!("{}{left_out}\n{}", "line\n".repeat(20), "line\n".repeat(20));
        let shown = result(&ToolOutput::done("", ToolDisplay::Text(text))).pop().unwrap().1;
        assert_eq!(shown, "  … many more lines; all of it is in `/tmp/out.txt`");
    }

    #[test]
    fn detached_result_names_its_call() {
        let input = json!({"pattern": "*.py"}).as_object().cloned().unwrap();
        let call = ToolUse::new("c1", "Glob", input);
        for (ran, expected) in [
            (ToolOutput::done("", ToolDisplay::Line("1 file".to_owned())), vec!["✔ Glob *.py: 1 file"]),
            (ToolOutput::done("", ToolDisplay::Nothing), vec!["✔ Glob *.py"]),
            (ToolOutput::done("", ToolDisplay::Text("a\nb".to_owned())), vec!["✔ Glob *.py:", "  a", "  b"]),
            (ToolOutput::failed("no such folder"), vec!["✘ Glob *.py: no such folder"]),
        ] {
            let lines = result_of(&call, &ran);
            assert_eq!(lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn failure_shows_its_reason() {
        let ran = ToolOutput { exit_code: Some(2), ..ToolOutput::failed("no such file") };
        assert_eq!(result(&ran)[0].1, "✘ exit code 2: no such file");
    }
}
