//! Words: quotes, escapes and the parts that the shell replaces.

use std::ops::Range;

use super::{Reader, ends_word, push};
use crate::syntax::{Expansion, ExpansionKind, Flaw, List, Word, is_assignment};

impl Reader<'_> {
    /// Reads one word; an empty one where none begins.
    pub(super) fn word(&mut self) -> Word {
        let start = self.at;
        let mut word = Word::default();
        let mut brace = None;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => self.single_quotes(&mut word),
                b'"' => self.double_quotes(&mut word),
                b'\\' => self.escape(&mut word),
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backticks(&mut word),
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    self.substitution(&mut word, 2, ExpansionKind::Process);
                }
                b'(' if word.text.ends_with('=') && is_assignment(&word.text) => {
                    self.bracketed(&mut word, ExpansionKind::Array);
                }
                b'(' if word.text.ends_with(['?', '*', '+', '@', '!']) && !word.quoted => {
                    self.bracketed(&mut word, ExpansionKind::Glob);
                }
                byte if ends_word(byte) => break,
                b'{' if self.closes_brace() => {
                    brace.get_or_insert(word.text.len());
                    self.copy(&mut word, 1);
                }
                b'}' => {
                    self.copy(&mut word, 1);
                    if let Some(start) = brace.take() {
                        word.merge(start);
                    }
                }
                b'*' | b'?' => self.glob(&mut word),
                b'[' if self.closes_bracket() => self.glob(&mut word),
                _ => {
                    let rest = &self.source.as_bytes()[self.at + 1..];
                    let special = |byte: &u8| ends_word(*byte) || b"'\"\\$`{}*?[".contains(byte);
                    self.copy(&mut word, 1 + rest.iter().position(special).unwrap_or(rest.len()));
                }
            }
        }
        self.at = self.at.min(self.source.len());
        word.span = start..self.at;
        word
    }

    /// The rest of the text as the shell reads a here-document.
    pub(super) fn expanding_text(&mut self) -> Word {
        let start = self.at;
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self
                    .copy(&mut word, if self.peek_at(1).is_some_and(|next| next.is_ascii()) { 2 } else { 1 }),
                b'$' => self.dollar(&mut word, true),
                b'`' => self.backticks(&mut word),
                _ => {
                    let rest = &self.source.as_bytes()[self.at + 1..];
                    let special = |byte: &u8| b"\\$`".contains(byte);
                    self.copy(&mut word, 1 + rest.iter().position(special).unwrap_or(rest.len()));
                }
            }
        }
        self.at = self.at.min(self.source.len());
        word.span = start..self.at;
        word
    }

    fn copy(&mut self, word: &mut Word, length: usize) {
        word.text.push_str(&self.source[self.at..self.at + length]);
        self.at += length;
    }

    fn glob(&mut self, word: &mut Word) {
        let start = word.text.len();
        self.copy(word, 1);
        word.expand(start, ExpansionKind::Glob, Vec::new());
    }

    /// Whether `}` comes before a space or a quote: `{a,b}` and not `{ ls; }`.
    fn closes_brace(&mut self) -> bool {
        if self.brace.0 <= self.at {
            self.brace = self.closes(b'}', b" \t\r\n'\"");
        }
        self.brace.1
    }

    fn closes_bracket(&mut self) -> bool {
        if self.bracket.0 <= self.at {
            self.bracket = self.closes(b']', b" \t\r\n");
        }
        self.bracket.1
    }

    /// Where the next of these bytes is, and whether it is the closing one. Until there the answer stays the same.
    fn closes(&self, close: u8, ends: &[u8]) -> (usize, bool) {
        let rest = &self.source.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| *byte == close || ends.contains(byte)).unwrap_or(rest.len());
        (self.at + length, rest.get(length) == Some(&close))
    }

    fn escape(&mut self, word: &mut Word) {
        self.at += 1;
        if self.take("\n") {
            return;
        }
        word.quoted = true;
        let length = self.source[self.at..].chars().next().map_or(0, char::len_utf8);
        self.copy(word, length);
    }

    fn single_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 1;
        let text = &self.source[self.at..];
        let text = &text[..self.quoted_length(text.find('\''))];
        let mut rest = text;
        // Placeholders that tenter fills in before the shell runs: '{tool.path}'.
        while let Some(open) = rest.find('{') {
            word.text.push_str(&rest[..open]);
            rest = &rest[open..];
            let inner = |byte: &u8| byte.is_ascii_lowercase() || b"._".contains(byte);
            let length = rest.bytes().skip(1).take_while(inner).count() + 2;
            let is_placeholder = rest.as_bytes().get(length - 1) == Some(&b'}');
            let (part, after) = rest.split_at(if is_placeholder { length } else { 1 });
            let start = word.text.len();
            word.text.push_str(part);
            if is_placeholder {
                word.expand(start, ExpansionKind::Brace, Vec::new());
            }
            rest = after;
        }
        word.text.push_str(rest);
        self.at += text.len() + 1;
    }

    fn quoted_length(&mut self, end: Option<usize>) -> usize {
        end.unwrap_or_else(|| {
            self.note(Flaw::Unclosed);
            self.source.len() - self.at
        })
    }

    fn double_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.note(Flaw::Unclosed),
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => match self.peek_at(1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'"' | b'\\' | b'$' | b'`') => self.escape(word),
                    _ => self.copy(word, 1),
                },
                Some(b'$') => self.dollar(word, true),
                Some(b'`') => self.backticks(word),
                Some(_) => {
                    let rest = &self.source.as_bytes()[self.at + 1..];
                    let special = |byte: &u8| b"\"\\$`".contains(byte);
                    self.copy(word, 1 + rest.iter().position(special).unwrap_or(rest.len()));
                }
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, in_quotes: bool) {
        let start = word.text.len();
        match self.peek_at(1) {
            Some(b'(') => match self.arithmetic_end_of_dollar() {
                Some(end) => self.arithmetic(word, end),
                None => self.substitution(word, 2, ExpansionKind::Command),
            },
            Some(b'{') => {
                let from = self.at;
                self.at += 2;
                let lists = self.nested(|reader| reader.inside(b'}', None, in_quotes), |_| Vec::new());
                self.push_raw(word, from, ExpansionKind::Variable, lists);
            }
            Some(b'\'') if !in_quotes => self.ansi_quotes(word),
            Some(b'"') if !in_quotes => self.at += 1,
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => {
                let rest = &self.source.as_bytes()[self.at + 1..];
                let is_name = |byte: &&u8| **byte == b'_' || byte.is_ascii_alphanumeric();
                self.copy(word, 1 + rest.iter().take_while(is_name).count());
                word.expand(start, ExpansionKind::Variable, Vec::new());
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                self.copy(word, 2);
                word.expand(start, ExpansionKind::Variable, Vec::new());
            }
            _ => self.copy(word, 1),
        }
    }

    /// `$(…)`, `<(…)`: commands up to the closing bracket.
    fn substitution(&mut self, word: &mut Word, opening: usize, kind: ExpansionKind) {
        let from = self.at;
        self.at += opening;
        let list = self.closed_list(")");
        self.push_raw(word, from, kind, vec![list]);
    }

    fn push_raw(&mut self, word: &mut Word, from: usize, kind: ExpansionKind, lists: Vec<List>) {
        let start = word.text.len();
        self.at = self.at.min(self.source.len());
        word.text.push_str(&self.source[from..self.at]);
        word.expand(start, kind, lists);
    }

    /// `x=(…)` and `@(…)`.
    fn bracketed(&mut self, word: &mut Word, kind: ExpansionKind) {
        let from = self.at;
        self.at += 1;
        let lists = self.nested(|reader| reader.inside(b')', Some(b'('), false), |_| Vec::new());
        self.push_raw(word, from, kind, lists);
    }

    /// Passes text up to a closing byte; the commands that run in it.
    fn inside(&mut self, close: u8, open: Option<u8>, in_quotes: bool) -> Vec<List> {
        let mut parts = Word::default();
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.escape(&mut parts),
                b'\'' if !in_quotes => self.single_quotes(&mut parts),
                b'"' => self.double_quotes(&mut parts),
                b'$' => self.dollar(&mut parts, in_quotes),
                b'`' => self.backticks(&mut parts),
                b'<' | b'>' if !in_quotes && self.peek_at(1) == Some(b'(') => {
                    self.substitution(&mut parts, 2, ExpansionKind::Process);
                }
                byte => {
                    self.at += 1;
                    depth += usize::from(Some(byte) == open);
                    depth -= usize::from(byte == close);
                    if depth == 0 {
                        return parts.into_lists();
                    }
                }
            }
        }
        self.note(Flaw::Unclosed);
        parts.into_lists()
    }

    fn arithmetic_end_of_dollar(&self) -> Option<usize> {
        if self.starts("$((") { self.arithmetic_end(self.at + 3) } else { None }
    }

    /// The end of an arithmetic expression that begins here, behind `((`; none if brackets close it one by one.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut depth = 0_usize;
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return (bytes.get(at + 1) == Some(&b')')).then_some(at + 2),
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn arithmetic(&mut self, word: &mut Word, end: usize) {
        let from = self.at;
        let expression = self.nested(
            |reader| {
                let source = reader.source;
                reader.source = &source[..end - 2];
                reader.at = from + 3;
                let expression = reader.expanding_text();
                reader.source = source;
                expression
            },
            |rest| rest,
        );
        self.at = end;
        self.push_raw(word, from, ExpansionKind::Arithmetic, expression.into_lists());
    }

    /// Passes raw text up to a place, as a word.
    pub(super) fn raw_word(&mut self, end: usize) -> Word {
        let span = self.at..end;
        self.at = end;
        Word { text: self.source[span.clone()].to_owned(), span, ..Word::default() }
    }

    /// The older spelling of `$(…)`. With escapes, spans inside are those of the text without them.
    fn backticks(&mut self, word: &mut Word) {
        self.at += 1;
        let rest = &self.source[self.at..];
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let is_end = byte == b'`' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        let raw = &rest[..self.quoted_length(end)];
        let after = self.at + raw.len();
        let start = word.text.len();
        word.text.push_str("$(");
        let list = if raw.contains('\\') {
            self.escaped_backticks(raw, &mut word.text)
        } else {
            word.text.push_str(raw);
            let source = self.source;
            self.source = &source[..after];
            let list = self.list(&[]);
            self.source = source;
            list
        };
        self.at = after + 1;
        word.text.push(')');
        word.expand(start, ExpansionKind::Command, vec![list]);
    }

    /// Backticks with escapes, which may hold other backticks.
    fn escaped_backticks(&mut self, raw: &str, text: &mut String) -> List {
        let mut inner = String::with_capacity(raw.len());
        let mut chars = raw.chars().peekable();
        while let Some(next) = chars.next() {
            let hidden = (next == '\\').then(|| chars.next_if(|next| "`\\$".contains(*next))).flatten();
            inner.push(hidden.unwrap_or(next));
        }
        let mut reader = Reader { budget: self.budget, ..Reader::new(&inner, self.depth) };
        let list = reader.list(&[]);
        self.budget = reader.budget;
        if let Some(flaw) = reader.flaw {
            self.note(flaw);
        }
        text.push_str(&inner);
        list
    }

    /// `$'a\x62'`
    fn ansi_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 2;
        let start = word.text.len();
        let mut chars = self.source[self.at..].char_indices();
        let mut end = None;
        while let Some((at, next)) = chars.next() {
            match next {
                '\'' => {
                    end = Some(at);
                    break;
                }
                '\\' => {
                    let Some((_, letter)) = chars.next() else { break };
                    let (digits, radix) = match letter {
                        'x' => (2, 16),
                        'u' => (4, 16),
                        'U' => (8, 16),
                        '0'..='7' => (3, 8),
                        _ => (0, 10),
                    };
                    let text = chars.as_str();
                    let text =
                        if radix == 8 { &self.source[self.source.len() - text.len() - 1..] } else { text };
                    let length = text.chars().take(digits).take_while(|it| it.is_digit(radix)).count();
                    let decoded = u32::from_str_radix(&text[..length], radix).ok().and_then(char::from_u32);
                    for _ in usize::from(radix == 8)..length {
                        chars.next();
                    }
                    word.text.push(decoded.unwrap_or(match letter {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'e' | 'E' => '\u{1b}',
                        other => other,
                    }));
                }
                next => word.text.push(next),
            }
        }
        self.at += self.quoted_length(end) + 1;
        word.expand(start, ExpansionKind::Escapes, Vec::new());
    }
}

impl Word {
    fn expand(&mut self, start: usize, kind: ExpansionKind, lists: Vec<List>) {
        let range: Range<usize> = start..self.text.len();
        push(&mut self.expansions, Expansion { range, kind, lists });
    }

    /// Makes everything from here on one brace expansion.
    fn merge(&mut self, start: usize) {
        let inner = self.expansions.partition_point(|expansion| expansion.range.start < start);
        let lists = self.expansions.drain(inner..).flat_map(|expansion| expansion.lists).collect();
        self.expand(start, ExpansionKind::Brace, lists);
    }

    fn into_lists(self) -> Vec<List> {
        self.expansions.into_iter().flat_map(|expansion| expansion.lists).collect()
    }
}
