//! Quotes entries in texts for agents.
//!
//! The text of an adopted entry comes from another session. It is kept separate, so that the runtime can frame it as data
//! and not as instructions.

use crate::entry::Entry;

/// The source in the frame around text of other sessions.
pub const SOURCE: &str = "memory";
/// The longest quote of a goal, a hypothesis or a prediction, in characters.
const SHOWN: usize = 300;

/// A text for the agent that quotes an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// The text of another session; it precedes the content, framed as data.
    pub quoted: Option<String>,
    /// The content.
    pub content: String,
}

/// Names and texts of an entry, one line each.
pub struct EntryLines<'a>(pub &'a [(&'a str, &'a str)]);

impl EntryLines<'_> {
    /// The lines between two texts. Those of an adopted entry are quoted separately.
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

/// The text on one line, shortened.
pub fn shown(text: &str) -> String {
    on_one_line(text, SHOWN)
}

/// The text on one line without control characters, cut after `longest` characters.
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
    fn foreign_text_stays_on_one_line() {
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
