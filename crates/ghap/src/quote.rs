//! What an entry says, on its way into a context.
//!
//! A process that reads it has usually written it. Not so of an entry that another session began: its words are then quoted
//! apart from ours, so that they can be framed as data, which is no one's instruction.

use crate::entry::Entry;

/// The source of what another session wrote, as the frame around it names it.
pub const SOURCE: &str = "memory";
/// So much of a goal, a hypothesis or a prediction is repeated, in characters.
const SHOWN: usize = 300;

/// A text for the agent that repeats what an entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// What another session wrote; it precedes the text, framed as data.
    pub quoted: Option<String>,
    /// The text.
    pub content: String,
}

/// What an entry says, on a line each.
pub struct EntryLines<'a>(pub &'a [(&'a str, &'a str)]);

impl EntryLines<'_> {
    /// The lines, between words of ours. Of an entry that was adopted they are quoted apart.
    pub fn between(&self, entry: &Entry, before: &str, after: &str) -> Quoting {
        if is_own(entry) {
            return Quoting { quoted: None, content: format!("{before}{self}\n\n{after}") };
        }
        let content = format!("{before}(as quoted above: another session began it)\n\n{after}");
        Quoting { quoted: Some(self.to_string()), content }
    }
}

impl std::fmt::Display for EntryLines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, (name, text)) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            write!(f, "{separator}{name}: {}", shown(text))?;
        }
        Ok(())
    }
}

pub(crate) fn is_own(entry: &Entry) -> bool {
    entry.adopted_from.is_none()
}

/// The text on one line, and not too much of it.
pub fn shown(text: &str) -> String {
    on_one_line(text, SHOWN)
}

/// A text of another session's, fit for a sentence of ours.
pub(crate) fn on_one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_stays_on_one_line() {
        for (text, longest, expected) in [
            ("  a\n\u{7}b\tc ", 99, "a b c"),
            ("a\u{1b}[2Jb\r\n\r\n## c\u{2028}d", 99, "a [2Jb ## c d"),
            ("abcdef", 3, "abc…"),
            ("\n\n", 9, ""),
        ] {
            assert_eq!(on_one_line(text, longest), expected, "{text:?}");
        }
        assert_eq!(shown(&"ä ".repeat(500)).chars().count(), SHOWN);
    }
}
