//! A shell line as segments: words, the files it writes to by `>`, and here-documents.
//!
//! This is no shell. It divides a line as a shell would where that matters to find the words, and looks also
//! into what the line would run on the way: `$(…)`, backticks, subshells. Where it is not sure it divides once
//! more, because a word too many costs a question and a word too few costs the guard.

/// One simple command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// Without quotes.
    pub(super) words: Vec<String>,
    /// What `>`, `>>`, `>|`, `&>` and `<>` name.
    pub(super) writes: Vec<String>,
    /// What it reads from a here-document.
    pub(super) bodies: Vec<String>,
}

/// More nesting than this is not looked into, which is then no longer clearly a read.
const DEEPEST: usize = 8;

/// The segments of a line, those of its substitutions after it.
pub(super) fn segments(line: &str) -> Vec<Segment> {
    let mut all = Vec::new();
    divide(line, 0, &mut all);
    all
}

fn divide(line: &str, depth: usize, all: &mut Vec<Segment>) {
    let mut reader = Reader {
        rest: line,
        segments: Vec::new(),
        current: Segment::default(),
        word: None,
        next: Next::Word,
        waiting: Vec::new(),
        inner: Vec::new(),
    };
    reader.read();
    let Reader { segments, inner, .. } = reader;
    all.extend(segments);
    for inner in inner {
        if depth < DEEPEST {
            divide(&inner, depth + 1, all);
        } else {
            all.push(Segment { words: vec!["eval".to_owned(), inner], ..Segment::default() });
        }
    }
}

/// What the word that comes next is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    Written,
    Read,
    HereString,
    Delimiter,
}

struct Reader<'a> {
    rest: &'a str,
    segments: Vec<Segment>,
    current: Segment,
    word: Option<String>,
    next: Next,
    /// Here-documents whose bodies follow the line: the segment, and where they end.
    waiting: Vec<(usize, String)>,
    /// What is run on the way.
    inner: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '\'' => {
                    let end = self.rest.find('\'').unwrap_or(self.rest.len());
                    let text = self.rest[..end].to_owned();
                    self.push(&text);
                    self.rest = self.rest.get(end + 1..).unwrap_or_default();
                }
                '"' => self.double_quotes(),
                '\\' => match self.take() {
                    Some('\n') | None => {}
                    Some(c) => self.push(c.encode_utf8(&mut [0; 4])),
                },
                '$' | '<' | '>' if self.rest.starts_with('(') => self.substitution(')'),
                '$' if self.rest.starts_with('\'') => {}
                '`' => self.backticks(),
                '<' | '>' => self.redirection(c),
                '&' if self.rest.starts_with('>') => {
                    self.rest = &self.rest[1..];
                    self.redirection('>');
                }
                '#' if self.word.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                '\n' => {
                    self.end_segment();
                    self.bodies();
                }
                ';' | '&' | '|' | '(' | ')' => self.end_segment(),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
        self.end_segment();
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    fn double_quotes(&mut self) {
        self.push("");
        while let Some(c) = self.take() {
            match c {
                '"' => return,
                '\\' => match self.take() {
                    Some('\n') | None => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.push(c.encode_utf8(&mut [0; 4])),
                    Some(c) => {
                        self.push("\\");
                        self.push(c.encode_utf8(&mut [0; 4]));
                    }
                },
                '$' if self.rest.starts_with('(') => self.substitution(')'),
                '`' => self.backticks(),
                c => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// From the bracket to the one that closes it. Its text is also part of the word it stands in.
    fn substitution(&mut self, close: char) {
        let mut depth = 0_usize;
        let end = self.rest.char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                c if c == close => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        let end = end.unwrap_or(self.rest.len());
        let inner = self.rest.get(1..end).unwrap_or_default().to_owned();
        self.push(&inner);
        self.inner.push(inner);
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
    }

    fn backticks(&mut self) {
        let end = self.rest.find('`').unwrap_or(self.rest.len());
        let inner = self.rest[..end].to_owned();
        self.push(&inner);
        self.inner.push(inner);
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
    }

    fn redirection(&mut self, c: char) {
        // The number of a descriptor, as in `2>`, is no word.
        let number = |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word();
        let mut operator = String::from(c);
        while let Some(next) =
            self.rest.chars().next().filter(|next| matches!(next, '<' | '>' | '|' | '&' | '-'))
        {
            let here = operator.starts_with("<<");
            if next == '-' && !here || next != '-' && operator.len() == 3 {
                break;
            }
            operator.push(next);
            self.rest = &self.rest[1..];
        }
        self.next = match operator.as_str() {
            "<<" | "<<-" => Next::Delimiter,
            "<<<" => Next::HereString,
            "<" | "<&" => Next::Read,
            _ => Next::Written,
        };
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.next, Next::Word) {
            Next::Word => self.current.words.push(word),
            Next::Written => self.current.writes.push(word),
            Next::Read => {}
            Next::HereString => self.current.bodies.push(word),
            Next::Delimiter => self.waiting.push((self.segments.len(), word)),
        }
    }

    /// Also an empty one keeps its place, because here-documents are counted by it.
    fn end_segment(&mut self) {
        self.end_word();
        self.next = Next::Word;
        self.segments.push(std::mem::take(&mut self.current));
    }

    fn bodies(&mut self) {
        for (segment, delimiter) in std::mem::take(&mut self.waiting) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim_start_matches('\t') == delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if let Some(segment) = self.segments.get_mut(segment) {
                segment.bodies.push(body);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &str) -> Vec<String> {
        let full = segments(line).into_iter().filter(|segment| *segment != Segment::default());
        full.map(|Segment { words, writes, bodies }| format!("{words:?} {writes:?} {bodies:?}")).collect()
    }

    #[test]
    fn a_line_is_divided_as_a_shell_would() {
        for (line, expected) in [
            ("a 'b c' \"d $x\" e\\ f", vec![r#"["a", "b c", "d $x", "e f"] [] []"#]),
            (
                "a && b | c; d & e",
                vec![
                    r#"["a"] [] []"#,
                    r#"["b"] [] []"#,
                    r#"["c"] [] []"#,
                    r#"["d"] [] []"#,
                    r#"["e"] [] []"#,
                ],
            ),
            ("a 2>>b >|c &>d <e 2>&1", vec![r#"["a"] ["b", "c", "d", "1"] []"#]),
            ("a>b", vec![r#"["a"] ["b"] []"#]),
            ("a # b > c\nd", vec![r#"["a"] [] []"#, r#"["d"] [] []"#]),
            (
                "cat > a <<'EOF' | b\nx > y\nEOF\nc",
                vec![r#"["cat"] ["a"] ["x > y\n"]"#, r#"["b"] [] []"#, r#"["c"] [] []"#],
            ),
            ("a <<< 'b' <<-E\n\tx\n\tE\n", vec![r#"["a"] [] ["b", "\tx\n"]"#]),
            (
                "echo \"$(b > c)\" `d`",
                vec![r#"["echo", "b > c", "d"] [] []"#, r#"["b"] ["c"] []"#, r#"["d"] [] []"#],
            ),
            ("a <(b) >(c)", vec![r#"["a", "b", "c"] [] []"#, r#"["b"] [] []"#, r#"["c"] [] []"#]),
            ("a 'never closed", vec![r#"["a", "never closed"] [] []"#]),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "[a$()`'\"\\\\<>|&;{}#\nEäO-]{0,60}") {
            segments(&line);
        }
    }
}
