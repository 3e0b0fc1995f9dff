//! Finds a text in a file regardless of line endings, or explains why it is missing.

use std::borrow::Cow;

use memchr::memmem;

const MOST_QUOTED_LINES: usize = 20;
const MOST_NAMED: usize = 8;

/// All places of a text in a file. Line endings are normalized: the model never sees a carriage return, so it cannot
/// write one.
#[derive(Debug)]
pub(super) struct TextMatches<'a> {
    content: &'a [u8],
    plain: Cow<'a, [u8]>,
    /// The places in `plain` where a carriage return was removed.
    returns: Vec<usize>,
    text: Vec<u8>,
    starts: Vec<usize>,
}

impl<'a> TextMatches<'a> {
    /// Finds a text that is not empty.
    pub(super) fn find(content: &'a [u8], text: &str) -> Self {
        let (plain, returns) = without_returns(content);
        let text = without_returns(text.as_bytes()).0.into_owned();
        let mut starts = Vec::new();
        let finder = memmem::Finder::new(&text);
        let mut from = 0;
        while !text.is_empty()
            && let Some(at) = finder.find(&plain[from..])
        {
            starts.push(from + at);
            from += at + text.len();
        }
        Self { content, plain, returns, text, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Their lines: `line 3`, `lines 3, 5, 9`.
    pub(super) fn lines(&self) -> String {
        let mut lines: Vec<usize> =
            self.starts.iter().take(MOST_NAMED).map(|start| self.line_at(*start)).collect();
        lines.dedup();
        let mut numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
        if self.starts.len() > MOST_NAMED {
            numbers.push("…".to_owned());
        }
        format!("line{} {}", if numbers.len() == 1 { "" } else { "s" }, numbers.join(", "))
    }

    /// The content with another text in every place. New lines end like the place, or like the file.
    pub(super) fn replaced_by(&self, new: &str) -> Vec<u8> {
        let new = without_returns(new.as_bytes()).0;
        let ends = memchr::memchr_iter(b'\n', &self.plain).count();
        let usually_returns = self.returns.len() * 2 > ends;
        let mut after = Vec::with_capacity(self.content.len() + new.len());
        let mut from = 0;
        for start in &self.starts {
            let (begin, end) = (self.original(*start), self.original(start + self.text.len()));
            let place = &self.content[begin..end];
            let returns = match memchr::memchr(b'\n', place) {
                Some(at) => at > 0 && place[at - 1] == b'\r',
                None => usually_returns,
            };
            after.extend_from_slice(&self.content[from..begin]);
            if returns {
                for line in new.split_inclusive(|byte| *byte == b'\n') {
                    match line.strip_suffix(b"\n") {
                        Some(line) => after.extend_from_slice(&[line, b"\r\n"].concat()),
                        None => after.extend_from_slice(line),
                    }
                }
            } else {
                after.extend_from_slice(&new);
            }
            from = end;
        }
        after.extend_from_slice(&self.content[from..]);
        after
    }

    /// The reason why the text is missing, and the next step for the model.
    pub(super) fn why_none(&self, shown: &str) -> String {
        let text = String::from_utf8_lossy(&self.text);
        let plain = String::from_utf8_lossy(&self.plain);
        let there: Vec<&str> = plain.lines().collect();
        if has_line_numbers(&text) {
            return "`old_string` contains the line numbers of `Read`, which are not part of the file; leave out everything \
                    up to the arrow."
                .to_owned();
        }
        let squeezed: Vec<String> = text.lines().map(squeeze).collect();
        let first = squeezed.iter().position(|line| !line.is_empty()).unwrap_or(0);
        let last = squeezed.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let squeezed = squeezed.get(first..last).unwrap_or_default();
        let there_squeezed: Vec<String> = there.iter().map(|line| squeeze(line)).collect();
        let matches = |window: &[String]| {
            // A text may begin and end in the middle of a line.
            let edge = |index: usize| index == 0 || index + 1 == squeezed.len();
            window.iter().zip(squeezed).enumerate().all(|(index, (line, text))| {
                line == text || (edge(index) && !text.is_empty() && line.contains(text.as_str()))
            })
        };
        let size = squeezed.len();
        if size > 0
            && let Some(at) = there_squeezed.windows(size).position(matches)
        {
            let quoted = there[at..at + size].iter().take(MOST_QUOTED_LINES).copied().collect::<Vec<_>>();
            return format!(
                "`old_string` differs from line {} of `{shown}` only in its white space. The file has:\n{}",
                at + 1,
                quoted.join("\n")
            );
        }
        let begins = squeezed.first().and_then(|first| there_squeezed.iter().position(|line| line == first));
        match begins {
            Some(at) if squeezed.len() > 1 => format!(
                "`old_string` is not in `{shown}`; its first line is line {}, but the next lines differ. Read the file \
                 there again.",
                at + 1
            ),
            _ => format!("`old_string` is not in `{shown}`. Read the file again, and copy the text."),
        }
    }

    fn line_at(&self, at: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.plain[..at]).count() + 1
    }

    /// A place in `plain`, in the content itself.
    fn original(&self, at: usize) -> usize {
        at + self.returns.partition_point(|taken| *taken < at)
    }
}

/// A text whose lines end with a line feed only, and the places of the removed carriage returns.
fn without_returns(text: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    if memchr::memchr(b'\r', text).is_none() {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut plain, mut returns) = (Vec::with_capacity(text.len()), Vec::new());
    for (index, byte) in text.iter().enumerate() {
        if *byte == b'\r' && text.get(index + 1) == Some(&b'\n') {
            returns.push(plain.len());
        } else {
            plain.push(*byte);
        }
    }
    (Cow::Owned(plain), returns)
}

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn has_line_numbers(text: &str) -> bool {
    let numbered = |line: &str| {
        line.trim_start().split_once('→').is_some_and(|(number, _)| number.parse::<u64>().is_ok())
    };
    text.lines().next().is_some() && text.lines().all(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(content: &str, old: &str, new: &str) -> String {
        String::from_utf8(TextMatches::find(content.as_bytes(), old).replaced_by(new)).unwrap()
    }

    #[test]
    fn every_match_is_replaced() {
        for (content, old, new, after) in [
            ("a b a", "a", "aa", "aa b aa"),
            ("aaa", "aa", "b", "ba"),
            ("a\nb\nc", "b\n", "", "a\nc"),
            ("a\nb", "b", "x\ny", "a\nx\ny"),
            // Line endings stay, also in a file that mixes them.
            ("a\r\nb\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\n"),
            ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"),
            ("a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"),
            ("a\nb\nc\r\nd", "a\nb", "x\ny", "x\ny\nc\r\nd"),
            ("a\nb\nc\r\nd", "c\nd", "x\ny", "a\nb\nx\r\ny"),
            ("a\r\nb\r\nc", "\nb\n", "\n", "a\r\nc"),
            // A carriage return alone is an ordinary character.
            ("a\rb", "a\rb", "c", "c"),
        ] {
            assert_eq!(replaced(content, old, new), after, "{content:?} {old:?}");
        }
    }

    #[test]
    fn invalid_utf8_stays() {
        assert_eq!(TextMatches::find(b"\xff a \xfe", "a").replaced_by("b"), b"\xff b \xfe");
    }

    #[test]
    fn missing_text_is_explained() {
        let content = "fn main() {\n\tlet  x = 1;\n\tprint(x);\n}\n";
        for (old, why) in [
            (
                "    let x = 1;\n    print(x);\n",
                "`old_string` differs from line 2 of `f` only in its white space. The file has:\n\tlet  x = 1;\n\tprint(x);",
            ),
            (
                "let x = 1;\n  print",
                "`old_string` differs from line 2 of `f` only in its white space. The file has:\n\tlet  x = 1;\n\tprint(x);",
            ),
            (
                "fn main() {\n\treturn;\n}",
                "`old_string` is not in `f`; its first line is line 1, but the next lines differ. Read the file there \
                 again.",
            ),
            (
                "     2→\tlet  x = 1;",
                "`old_string` contains the line numbers of `Read`, which are not part of the file; leave out everything \
                 up to the arrow.",
            ),
            ("banana", "`old_string` is not in `f`. Read the file again, and copy the text."),
            ("\n\n\n", "`old_string` is not in `f`. Read the file again, and copy the text."),
        ] {
            assert_eq!(TextMatches::find(content.as_bytes(), old).why_none("f"), why, "{old:?}");
        }
    }

    #[test]
    fn matches_are_listed_by_line() {
        assert_eq!(TextMatches::find(b"a\r\nb\r\na", "a").lines(), "lines 1, 3");
        assert_eq!(TextMatches::find(b"\nb\n", "b").lines(), "line 2");
        assert_eq!(
            TextMatches::find("a\n".repeat(20).as_bytes(), "a").lines(),
            "lines 1, 2, 3, 4, 5, 6, 7, 8, …"
        );
    }
}
