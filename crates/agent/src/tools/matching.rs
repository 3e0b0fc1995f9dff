//! The lines of one file that a regular expression fits, and those around them.

use regex::bytes::{Regex, RegexBuilder};

/// A compiled expression takes no more memory than this.
const LARGEST_REGEX: usize = 16 * 1024 * 1024;

/// What is looked for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    regex: Regex,
    /// Whether it may go over several lines.
    multiline: bool,
}

/// How it is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) any_case: bool,
    pub(super) multiline: bool,
}

/// A line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a [u8],
    /// Whether it fits, or only stands beside one that does.
    pub(super) fits: bool,
}

impl Wanted {
    /// Reads an expression. The error is a sentence for the model.
    pub(super) fn parse(pattern: &str, reading: Reading) -> Result<Self, String> {
        let Reading { any_case, multiline } = reading;
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(any_case)
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(multiline)
            .size_limit(LARGEST_REGEX)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => "`pattern` becomes too large; write it shorter.".to_owned(),
                error => format!(
                    "`pattern` is no regular expression: {error}\nIt is read as in Rust and ripgrep: no look-around, no \
                     back-references, and `\\{{`, `\\(`, `\\[` for the characters themselves."
                ),
            })?;
        Ok(Self { regex, multiline })
    }

    /// Whether anything fits.
    pub(super) fn is_in(&self, content: &[u8]) -> bool {
        !self.fitting(content, 1).is_empty()
    }

    /// How many lines fit; over several lines, how often it fits.
    pub(super) fn count(&self, content: &[u8]) -> usize {
        if self.multiline {
            self.regex.find_iter(content).count()
        } else {
            self.fitting(content, usize::MAX).len()
        }
    }

    /// The lines that fit, at most so many, with so many before and after each.
    pub(super) fn lines<'a>(
        &self,
        content: &'a [u8],
        (before, after): (usize, usize),
        most: usize,
    ) -> Vec<Line<'a>> {
        let fitting = self.fitting(content, most);
        let mut lines: Vec<Line<'a>> = Vec::new();
        let mut all = numbered(content);
        // Kept for the next line that fits.
        let mut earlier: std::collections::VecDeque<Line<'a>> = std::collections::VecDeque::new();
        let mut later = 0;
        let mut fitting = fitting.into_iter().peekable();
        while fitting.peek().is_some() || later > 0 {
            let Some((number, start, text)) = all.next() else { break };
            let fits = fitting.next_if(|fitting| *fitting == start).is_some();
            let line = Line { number, text, fits };
            if fits {
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

    /// Where the lines begin that fit, at most so many.
    fn fitting(&self, content: &[u8], most: usize) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut from = 0;
        // One search over the whole finds the next line to look at: most files have none.
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

/// Behind the line that begins here.
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

    fn found(pattern: &str, content: &str, around: (usize, usize), reading: Reading) -> Vec<String> {
        let wanted = Wanted::parse(pattern, reading).unwrap();
        let lines = wanted.lines(content.as_bytes(), around, 100);
        lines
            .iter()
            .map(|line| {
                let mark = if line.fits { ':' } else { '-' };
                format!("{}{mark}{}", line.number, String::from_utf8_lossy(line.text))
            })
            .collect()
    }

    #[test]
    fn lines_that_fit_come_with_those_around_them() {
        let text = "one\ntwo\nthree\nfour\nfive\n";
        let plain = Reading::default();
        for (pattern, around, expected) in [
            ("t", (0, 0), &["2:two", "3:three"][..]),
            ("^f", (1, 0), &["3-three", "4:four", "5:five"]),
            ("three", (1, 1), &["2-two", "3:three", "4-four"]),
            ("one|five", (1, 1), &["1:one", "2-two", "4-four", "5:five"]),
            ("e$", (0, 0), &["1:one", "3:three", "5:five"]),
            // A line is a line: what goes over its end fits nothing.
            (r"two\nthree", (0, 0), &[]),
            (r"o\s*t", (0, 0), &[]),
            ("", (0, 0), &["1:one", "2:two", "3:three", "4:four", "5:five"]),
            ("six", (9, 9), &[]),
        ] {
            assert_eq!(found(pattern, text, around, plain), expected, "{pattern}");
        }
        assert_eq!(found("b$", "ab\r\nb", (0, 0), plain), ["1:ab", "2:b"]);
        assert_eq!(found("ÄB", "äb\nx", (0, 0), Reading { any_case: true, ..plain }), ["1:äb"]);
        assert_eq!(found("x", "", (2, 2), plain), [""; 0]);
    }

    #[test]
    fn over_several_lines_all_of_them_fit() {
        let over = Reading { multiline: true, ..Reading::default() };
        assert_eq!(found(r"b.*d", "a\nb\nc\nd\ne", (0, 1), over), ["2:b", "3:c", "4:d", "5-e"]);
        assert_eq!(Wanted::parse(r"a\nb", over).unwrap().count(b"a\nb\na\nb\n"), 2);
    }

    #[test]
    fn what_is_no_expression_is_said() {
        let said = Wanted::parse("a(", Reading::default()).unwrap_err();
        assert!(said.contains("unclosed group") && said.contains("no look-around"), "{said}");
        let said = Wanted::parse(r"(\w{1000}){1000}", Reading::default()).unwrap_err();
        assert_eq!(said, "`pattern` becomes too large; write it shorter.");
    }
}
