//! Text helpers for listings.

use tenter_contract::terminal;

/// Aligns rows in columns two spaces apart; the last column is not padded. Cells are escaped first.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                // Not by `{:<width$}`: a record may have a reason that is longer than a format can pad to.
                line.push_str(&" ".repeat(width.saturating_sub(cell.chars().count()) + 2));
            }
            line.truncate(line.trim_end().len());
            line
        })
        .collect()
}

/// Escapes control characters and characters that change the writing direction in untrusted text, so that it cannot
/// move the cursor or forge a line.
pub fn visible(text: &str) -> String {
    terminal::visible(text).into_owned()
}

/// Indents all lines but the first, so that none can pass for a line of tenter.
pub fn below(margin: &str, text: &str) -> String {
    text.replace('\n', &format!("\n{margin}"))
}

/// Text on one line, with line ends marked.
pub fn on_one_line(text: &str) -> String {
    text.trim_end().replace('\n', "⏎ ")
}

/// A count with its noun: `1 byte`, `2 bytes`.
pub fn counted(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Text with each line behind a margin.
pub fn indented(text: &str, by: &str) -> String {
    text.lines().map(|line| format!("{by}{line}")).collect::<Vec<_>>().join("\n")
}

/// Quotes a word for a shell, if needed.
pub fn typed(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_words_are_quoted() {
        for (word, expected) in [
            ("no-force-push", "no-force-push"),
            ("bad name", "'bad name'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(typed(word), expected);
        }
    }

    #[test]
    fn control_and_direction_characters_are_escaped() {
        for (text, shown) in [
            ("one\n\ttwo", "one\n\ttwo"),
            ("a\u{1b}[2J\r", "a\\u{1b}[2J\\u{d}"),
            ("a\u{202e}b\u{2066}c\u{200f}", "a\\u{202e}b\\u{2066}c\\u{200f}"),
            ("👩\u{200d}💻 می\u{200c}خواهم", "👩\u{200d}💻 می\u{200c}خواهم"),
            ("rm\u{200d} x", "rm\\u{200d} x"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn cell_may_be_very_long() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let reason = "no ".repeat(30_000);
        let lines = columns(&[row(["a", &reason, "c"]), row(["longer", "b", ""])]);
        assert_eq!(lines, [format!("a       {reason}  c"), "longer  b".to_owned()]);
    }
}
