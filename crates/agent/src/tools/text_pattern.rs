//! The lines of a file that match a regular expression, with context.

use regex::bytes::{Regex, RegexBuilder};

/// Most bytes of a compiled expression.
const LARGEST_REGEX: usize = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(super) struct TextPattern {
    regex: Regex,
    multiline: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PatternOptions {
    pub(super) any_case: bool,
    pub(super) multiline: bool,
}

/// A line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MatchedLine<'a> {
    pub(super) number: usize,
    pub(super) text: &'a [u8],
    /// Whether it matches, or is context of a match.
    pub(super) matches: bool,
}

impl TextPattern {
    /// Compiles an expression. The error is a sentence for the model.
    pub(super) fn parse(pattern: &str, options: PatternOptions) -> Result<Self, String> {
        let PatternOptions { any_case, multiline } = options;
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(any_case)
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(multiline)
            .size_limit(LARGEST_REGEX)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => "`pattern` is too large; write a shorter one.".to_owned(),
                error => format!(
                    "`pattern` is not a regular expression: {error}\nThe syntax is that of Rust and ripgrep: no look-around, no \
                     back-references, and `\\{{`, `\\(`, `\\[` for the characters themselves."
                ),
            })?;
        Ok(Self { regex, multiline })
    }

    pub(super) fn is_in(&self, content: &[u8]) -> bool {
        !self.matching(content, 1).is_empty()
    }

    /// The number of matching lines; in multiline mode, of matches.
    pub(super) fn count(&self, content: &[u8]) -> usize {
        if self.multiline {
            self.regex.find_iter(content).count()
        } else {
            self.matching(content, usize::MAX).len()
        }
    }

    /// At most `most` matching lines, with context before and after each.
    pub(super) fn lines<'a>(
        &self,
        content: &'a [u8],
        (before, after): (usize, usize),
        most: usize,
    ) -> Vec<MatchedLine<'a>> {
        let matching = self.matching(content, most);
        let mut lines: Vec<MatchedLine<'a>> = Vec::new();
        let mut all = numbered(content);
        // Possible context of the next match.
        let mut earlier: std::collections::VecDeque<MatchedLine<'a>> = std::collections::VecDeque::new();
        let mut later = 0;
        let mut matching = matching.into_iter().peekable();
        while matching.peek().is_some() || later > 0 {
            let Some((number, start, text)) = all.next() else { break };
            let matches = matching.next_if(|matching| *matching == start).is_some();
            let line = MatchedLine { number, text, matches };
            if matches {
                lines.extend(earlier.drain(..));
                lines.push(line);
                later = after;
            } else if later > 0 {
                lines.push(line);
                later -= 1;
            } else if before > 0 {
                if earlier.len() == before {
                    earlier.pop_front();
                }
                earlier.push_back(line);
            }
        }
        lines
    }

    /// The starts of at most `most` matching lines.
    fn matching(&self, content: &[u8], most: usize) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut from = 0;
        // One search over the whole content: most files have no match.
        while from < content.len()
            && starts.len() < most
            && let Some(found) = self.regex.find_at(content, from)
        {
            let start = memchr::memrchr(b'\n', &content[..found.start()]).map_or(0, |at| at + 1);
            if start >= content.len() {
                break;
            }
            let mut end = line_end(content, start);
            if self.multiline {
                starts.push(start);
                while end < found.end() && starts.len() < most {
                    starts.push(end);
                    end = line_end(content, end);
                }
            } else if self.regex.is_match(without_end(&content[start..end])) {
                starts.push(start);
            }
            from = end;
        }
        starts
    }
}

fn line_end(content: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &content[start..]).map_or(content.len(), |at| start + at + 1)
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn numbered(content: &[u8]) -> impl Iterator<Item = (usize, usize, &[u8])> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    let mut start = 0;
    lines.enumerate().map(move |(index, line)| {
        let begins = start;
        start += line.len();
        (index + 1, begins, without_end(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, content: &str, around: (usize, usize), options: PatternOptions) -> Vec<String> {
        let pattern = TextPattern::parse(pattern, options).unwrap();
        let lines = pattern.lines(content.as_bytes(), around, 100);
        lines
            .iter()
            .map(|line| {
                let mark = if line.matches { ':' } else { '-' };
                format!("{}{mark}{}", line.number, String::from_utf8_lossy(line.text))
            })
            .collect()
    }

    #[test]
    fn matching_lines_have_context() {
        let text = "one\ntwo\nthree\nfour\nfive\n";
        let plain = PatternOptions::default();
        for (pattern, around, expected) in [
            ("t", (0, 0), &["2:two", "3:three"][..]),
            ("^f", (1, 0), &["3-three", "4:four", "5:five"]),
            ("three", (1, 1), &["2-two", "3:three", "4-four"]),
            ("one|five", (1, 1), &["1:one", "2-two", "4-four", "5:five"]),
            ("e$", (0, 0), &["1:one", "3:three", "5:five"]),
            (r"two\nthree", (0, 0), &[]),
            (r"o\s*t", (0, 0), &[]),
            ("", (0, 0), &["1:one", "2:two", "3:three", "4:four", "5:five"]),
            ("six", (9, 9), &[]),
        ] {
            assert_eq!(found(pattern, text, around, plain), expected, "{pattern}");
        }
        assert_eq!(found("b$", "ab\r\nb", (0, 0), plain), ["1:ab", "2:b"]);
        assert_eq!(found("ÄB", "äb\nx", (0, 0), PatternOptions { any_case: true, ..plain }), ["1:äb"]);
        assert_eq!(found("x", "", (2, 2), plain), [""; 0]);
    }

    #[test]
    fn multiline_match_includes_all_lines() {
        let multiline = PatternOptions { multiline: true, ..PatternOptions::default() };
        assert_eq!(found(r"b.*d", "a\nb\nc\nd\ne", (0, 1), multiline), ["2:b", "3:c", "4:d", "5-e"]);
        assert_eq!(TextPattern::parse(r"a\nb", multiline).unwrap().count(b"a\nb\na\nb\n"), 2);
    }

    #[test]
    fn invalid_pattern_is_an_error() {
        let error = TextPattern::parse("a(", PatternOptions::default()).unwrap_err();
        assert!(error.contains("unclosed group") && error.contains("no look-around"), "{error}");
        let error = TextPattern::parse(r"(\w{1000}){1000}", PatternOptions::default()).unwrap_err();
        assert_eq!(error, "`pattern` is too large; write a shorter one.");
    }
}
