//! Renders streamed Markdown for a terminal.
//!
//! A line is held back until its first characters determine its kind; inside a line only a run of `*` or `` ` `` waits
//! for the next character, and a table waits for its end. All other text is shown at once.

use std::fmt::{self, Write};

use crate::table::{Cell, Piece, Table, Tables, columns_of};
use tenter_console::listing::visible;

const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const QUIET: &str = "\u{1b}[2m";
const ITALIC: &str = "\u{1b}[3m";
const CODE: &str = "\u{1b}[36m";

pub(crate) struct Markdown {
    styled: bool,
    tables: Tables,
    fenced: bool,
    line: Line,
    /// The beginning of a line of unknown kind, or a run of marks.
    held: String,
    before: char,
    marks: Marks,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Marks {
    bold: bool,
    italic: bool,
    code: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Begun,
    Text,
    Heading,
    Code,
}

impl Markdown {
    pub(crate) fn new(styled: bool) -> Self {
        Self {
            styled,
            tables: Tables::default(),
            fenced: false,
            line: Line::Begun,
            held: String::new(),
            before: ' ',
            marks: Marks::default(),
        }
    }

    /// Adds text; returns what can be shown now, safe for a terminal.
    pub(crate) fn add(&mut self, text: &str) -> String {
        // A carriage return before a line end is how some models end their lines, and nothing to be shown.
        let text = visible(&text.replace("\r\n", "\n"));
        let pieces = self.tables.add(&text);
        self.show(pieces)
    }

    /// Ends the text; returns what was held back.
    pub(crate) fn end(&mut self) -> String {
        let pieces = self.tables.end();
        let mut shown = self.show(pieces);
        let begun = self.line != Line::Begun || !self.held.is_empty();
        if begun {
            self.end_line(&mut shown);
            // The line was not ended by anyone who wrote it.
            shown.pop();
        }
        *self = Self::new(self.styled);
        shown
    }

    fn show(&mut self, pieces: Vec<Piece>) -> String {
        let mut shown = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) if self.styled => text.chars().for_each(|c| self.add_char(c, &mut shown)),
                Piece::Text(text) => shown.push_str(&text),
                Piece::Table(table) => shown.push_str(&self.lined_up(&table)),
            }
        }
        shown
    }

    fn lined_up(&self, table: &Table) -> String {
        let plain = |text: &str| Cell { shown: text.to_owned(), width: columns_of(text) };
        if !self.styled {
            return table.lines(plain, str::to_owned).join("\n");
        }
        let mut lines = table.lines(cell, |rule| format!("{QUIET}{rule}{RESET}"));
        if let Some(head) = lines.first_mut() {
            *head = format!("{BOLD}{}{RESET}", head.replace(RESET, &format!("{RESET}{BOLD}")));
        }
        lines.join("\n")
    }

    fn add_char(&mut self, c: char, shown: &mut String) {
        if c == '\n' {
            return self.end_line(shown);
        }
        if self.line == Line::Begun {
            self.held.push(c);
            self.settle(false, shown);
        } else {
            self.inside(c, shown);
        }
    }

    fn end_line(&mut self, shown: &mut String) {
        if self.line == Line::Begun {
            self.settle(true, shown);
        }
        self.settle_run('\n', shown);
        if self.is_marked() || matches!(self.line, Line::Heading | Line::Code) {
            shown.push_str(RESET);
        }
        (self.line, self.before, self.marks) = (Line::Begun, ' ', Marks::default());
        shown.push('\n');
    }

    fn is_marked(&self) -> bool {
        self.marks != Marks::default()
    }

    /// Determines the kind of the line from its beginning; must succeed at its end.
    fn settle(&mut self, whole: bool, shown: &mut String) {
        let held = self.held.clone();
        let indent = &held[..held.len() - held.trim_start_matches(' ').len()];
        let rest = &held[indent.len()..];
        if (rest.starts_with("```") || (!whole && !rest.is_empty() && "```".starts_with(rest)))
            && !self.marks.code
        {
            if whole {
                self.fenced = !self.fenced;
                self.held.clear();
                self.line = Line::Code;
                let language = rest.trim_start_matches('`').trim();
                say(shown, format_args!("{QUIET}{indent}{}", if self.fenced { language } else { "" }));
            }
            return;
        }
        if self.fenced {
            if whole || !rest.is_empty() {
                self.held.clear();
                self.line = Line::Code;
                say(shown, format_args!("{CODE}  {held}"));
            }
            return;
        }
        let marks = rest.len() - rest.trim_start_matches('#').len();
        let dashes = rest.len() >= 2 && rest.chars().all(|c| c == '-');
        let undecided = rest.is_empty()
            || (marks > 0 && marks == rest.len())
            || matches!(rest, "-" | "*" | "+" | ">")
            || dashes;
        if undecided && !whole {
            return;
        }
        self.held.clear();
        self.line = Line::Text;
        if (1..=6).contains(&marks) && rest[marks..].starts_with(' ') {
            self.line = Line::Heading;
            shown.push_str(BOLD);
        } else if dashes && rest.len() >= 3 {
            say(shown, format_args!("{QUIET}{}{RESET}", "─".repeat(20)));
        } else if let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| rest.strip_prefix(mark)) {
            say(shown, format_args!("{indent}• "));
            self.insides(item, shown);
        } else if let Some(quoted) = rest.strip_prefix('>') {
            say(shown, format_args!("{indent}{QUIET}│{RESET}"));
            self.insides(quoted, shown);
        } else {
            self.insides(&held, shown);
        }
    }

    fn insides(&mut self, text: &str, shown: &mut String) {
        for c in text.chars() {
            self.inside(c, shown);
        }
    }

    /// Adds a character to a line of known kind.
    fn inside(&mut self, c: char, shown: &mut String) {
        if self.line == Line::Code {
            return shown.push(c);
        }
        let continues = self.held.starts_with(c);
        if !self.held.is_empty() && !continues {
            self.settle_run(c, shown);
        }
        if c == '`' || (c == '*' && !self.marks.code) {
            self.held.push(c);
        } else {
            shown.push(c);
            self.before = c;
        }
    }

    /// Applies a run of marks, given the character after it.
    fn settle_run(&mut self, next: char, shown: &mut String) {
        let run = std::mem::take(&mut self.held);
        if run.is_empty() {
            return;
        }
        if run == "`" {
            self.marks.code = !self.marks.code;
            return self.restyle(shown);
        }
        let opens = !self.before.is_alphanumeric() && (next.is_alphanumeric() || "`\"'([_".contains(next));
        let closes = !self.before.is_whitespace();
        let (bold, italic) = match run.as_str() {
            "*" => (false, true),
            "**" => (true, false),
            "***" => (true, true),
            _ => (false, false),
        };
        let is_open = (!bold || self.marks.bold) && (!italic || self.marks.italic);
        let is_shut = (!bold || !self.marks.bold) && (!italic || !self.marks.italic);
        if (bold || italic) && ((is_open && closes) || (is_shut && opens)) {
            self.marks.bold ^= bold;
            self.marks.italic ^= italic;
            return self.restyle(shown);
        }
        self.before = run.chars().next_back().unwrap_or(' ');
        shown.push_str(&run);
    }

    fn restyle(&self, shown: &mut String) {
        shown.push_str(RESET);
        let styles = [
            (self.marks.bold || self.line == Line::Heading, BOLD),
            (self.marks.italic, ITALIC),
            (self.marks.code, CODE),
        ];
        for (_, style) in styles.iter().filter(|(on, _)| *on) {
            shown.push_str(style);
        }
    }
}

/// Renders a cell. Its marks take no width.
fn cell(text: &str) -> Cell {
    let mut inside = Markdown { line: Line::Text, ..Markdown::new(true) };
    let mut shown = String::new();
    inside.insides(text, &mut shown);
    inside.end_line(&mut shown);
    shown.pop();
    let mut bare = shown.clone();
    for style in [RESET, BOLD, QUIET, ITALIC, CODE] {
        bare = bare.replace(style, "");
    }
    Cell { width: columns_of(&bare), shown }
}

fn say(shown: &mut String, what: fmt::Arguments<'_>) {
    // Nothing can go wrong with a text in memory.
    let _ = shown.write_fmt(what);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows styles by name, so that a case can be read.
    fn shown(text: &str, piece: usize) -> String {
        let mut markdown = Markdown::new(true);
        let chars: Vec<char> = text.chars().collect();
        let mut shown: String =
            chars.chunks(piece).map(|piece| markdown.add(&piece.iter().collect::<String>())).collect();
        shown.push_str(&markdown.end());
        for (code, name) in [(RESET, "‹/›"), (BOLD, "‹b›"), (QUIET, "‹q›"), (ITALIC, "‹i›"), (CODE, "‹c›")]
        {
            shown = shown.replace(code, name);
        }
        shown
    }

    #[test]
    fn chunking_does_not_change_markdown() {
        for (text, expected) in [
            ("Plain words.\n", "Plain words.\n"),
            ("# Title\ntext\n", "‹b›Title‹/›\ntext\n"),
            ("#!/bin/sh\n", "#!/bin/sh\n"),
            ("- one\n  - two\n", "• one\n  • two\n"),
            ("> said\n", "‹q›│‹/› said\n"),
            ("a **bold** word\n", "a ‹/›‹b›bold‹/› word\n"),
            ("**Note:** it\n", "‹/›‹b›Note:‹/› it\n"),
            ("use `a * b` now\n", "use ‹/›‹c›a * b‹/› now\n"),
            ("2 * 3 ** 4\n", "2 * 3 ** 4\n"),
            ("all **/*.rs files\n", "all **/*.rs files\n"),
            ("an *odd* one\n", "an ‹/›‹i›odd‹/› one\n"),
            ("never **closed\nnext\n", "never ‹/›‹b›closed‹/›\nnext\n"),
            ("---\n", "‹q›────────────────────‹/›\n"),
            ("--flag\n", "--flag\n"),
            ("```rust\nlet *a = **b;\n```\nafter\n", "‹q›rust‹/›\n‹c›  let *a = **b;‹/›\n‹q›‹/›\nafter\n"),
            ("1. first\n", "1. first\n"),
            (
                "| **A** | B |\n|---|---|\n| `x` | long |\n\nend\n",
                "‹b›‹/›‹b›‹b›A‹/›‹b›  B‹/›\n‹q›─  ────‹/›\n‹/›‹c›x‹/›  long\n\nend\n",
            ),
        ] {
            for piece in [1, 2, 3, 100] {
                assert_eq!(shown(text, piece), expected, "{text:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn end_flushes_held_text() {
        for (text, expected) in
            [("##", "##"), ("a **", "a **"), ("-", "-"), ("a **b", "a ‹/›‹b›b‹/›"), ("", "")]
        {
            assert_eq!(shown(text, 1), expected, "{text:?}");
        }
    }

    #[test]
    fn model_text_cannot_move_the_cursor() {
        for styled in [true, false] {
            let shown = Markdown::new(styled).add("a\u{1b}[2Jb\rc\u{202e}");
            assert!(!shown.contains(['\u{1b}', '\r', '\u{202e}']), "{shown:?}");
        }
    }

    #[test]
    fn text_without_styles_is_unchanged() {
        let text = "# Title\n**bold** `code`\n";
        assert_eq!(Markdown::new(false).add(text), text);
        let mut table = Markdown::new(false);
        let shown = [table.add("| a | b |\n|---|---|\n| **c** | d |\n"), table.end()].concat();
        assert_eq!(shown, "a      b\n─────  ─\n**c**  d");
    }
}
