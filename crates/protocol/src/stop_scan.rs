//! Finds a deny or a question in output that the strict reader refuses.
//!
//! The strict reader wants one well-formed object. Other JSON readers accept more: half an emoji, a doubled key,
//! `1e999`, deep nesting. And people print a reply inside a list, a Markdown fence or a log. Losing a deny
//! there would switch a guard off, so this reader accepts everything that any usual JSON reader accepts, and some more.
//! It reads verdicts only: an `allow`, a rewrite or a text out of such output never counts.
//!
//! Memory is bounded: values without a verdict are skipped, texts are cut. Time is bounded too: output that makes
//! the reader start over too often is [`TooTangled`].

mod marks;

use tenter_contract::{EventKind, Verdict};

use self::marks::{are_values, is_closing, is_frame, is_marks, list_start};
use crate::stop_signals::{KEYS, Signal, Signals};

/// How much of a reason or a key is kept.
const LONGEST_TEXT: usize = 64 * 1024;
/// How deep signals may lie: `hookSpecificOutput.decision.behavior`.
const DEEPEST: usize = 3;
/// How often each byte may be read, on average.
const PASSES: usize = 8;
/// Short output may be read more often.
const FREE_WORK: usize = 1024 * 1024;

/// A deny or a question that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundStop {
    /// The deny or the question.
    pub verdict: Verdict,
    /// Nothing but other objects, list brackets and fences is before it.
    pub leads: bool,
    /// Nothing but blanks and closing marks is after it.
    pub ends: bool,
    /// It begins its line, or only marks and other objects are before it there. One in the middle of a line may be
    /// part of a logged command, a diff or prose.
    pub own_line: bool,
}

/// The output cannot be read in reasonable time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooTangled;

/// Looks for a deny or a question. A stop that begins its line counts more than one in the middle of a line, a stop
/// that leads more than one behind other text, a deny more than a question. In the middle of a line the last one
/// counts: only there can it be the end of the output.
pub fn scan(text: &str, event: &EventKind) -> Result<Option<FoundStop>, TooTangled> {
    let bytes = text.as_bytes();
    let mut work = bytes.len().saturating_mul(PASSES).saturating_add(FREE_WORK);
    let mut best: Option<(FoundStop, usize)> = None;
    let (mut at, mut leads, mut own_line) = (0, true, true);
    // Where the list ends that was open last.
    let mut list_end = 0;
    while let Some(open) = bytes[at..].iter().position(|byte| *byte == b'{').map(|found| at + found) {
        let gap = &bytes[at..open];
        leads = leads && is_frame(gap);
        let line_end = gap.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
        let (in_line, from_start) = line_end.map_or((gap, own_line), |found| (&gap[found + 1..], true));
        if open >= list_end
            && from_start
            && let Some(list) = list_start(in_line)
        {
            let from = open - in_line.len() + list;
            let mut reader = Reader { bytes, at: from };
            list_end = reader.skip().map_or(list_end, |()| reader.at);
            work = work.checked_sub(reader.at - from).ok_or(TooTangled)?;
        }
        own_line = from_start && (is_marks(in_line) || (open < list_end && are_values(in_line)));
        let mut reader = Reader { bytes, at: open };
        let read = reader.object(0);
        work = work.checked_sub(reader.at - open).ok_or(TooTangled)?;
        let Some(signals) = read else {
            (leads, own_line) = (false, false);
            at = open + 1;
            continue;
        };
        let end = reader.at;
        at = end;
        let verdict = signals.verdict(event);
        // Text around a reply must not swallow it: `{"a":`, a line with the reply, `}`.
        let inner = first_column_object(bytes, open, end).filter(|_| verdict.is_none() || !own_line);
        if let Some(verdict) = verdict {
            let found = FoundStop { verdict, leads, ends: false, own_line };
            if best.as_ref().is_none_or(|(known, _)| rank(&found) >= rank(known)) {
                best = Some((found, end));
            }
        }
        if let Some(inner) = inner {
            (at, leads, own_line) = (inner, false, true);
        }
    }
    Ok(best.map(|(found, end)| FoundStop { ends: is_closing(&bytes[end..]), ..found }))
}

fn rank(found: &FoundStop) -> (bool, bool, bool) {
    let is_deny = matches!(found.verdict, Verdict::Deny { .. });
    (found.own_line, found.own_line && found.leads, found.own_line && is_deny)
}

/// An object inside this one that begins in the first column. Objects that belong to another are indented.
fn first_column_object(bytes: &[u8], open: usize, end: usize) -> Option<usize> {
    bytes[open..end].windows(2).position(|pair| pair == b"\n{").map(|found| open + found + 1)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == 0x0b) {
            self.at += 1;
        }
    }

    /// An object from its `{` to behind its `}`. A comma too many does no harm.
    fn object(&mut self, depth: usize) -> Option<Signals> {
        let mut signals = Signals::default();
        if !self.take(b'{') {
            return None;
        }
        loop {
            self.blanks();
            if self.take(b'}') {
                return Some(signals);
            }
            if self.take(b',') {
                continue;
            }
            let key = self.text()?;
            self.blanks();
            if !self.take(b':') {
                return None;
            }
            self.blanks();
            if KEYS.contains(&key.as_str()) {
                let signal = self.signal(depth)?;
                signals.add(&key, signal);
            } else {
                self.skip()?;
            }
            self.blanks();
            if !matches!(self.peek(), Some(b',' | b'}')) {
                return None;
            }
        }
    }

    fn signal(&mut self, depth: usize) -> Option<Signal> {
        match self.peek()? {
            b'"' => self.text().map(Signal::Text),
            b'{' if depth + 1 < DEEPEST => {
                self.object(depth + 1).map(|inner| Signal::Object(Box::new(inner)))
            }
            b'{' | b'[' => self.skip().map(|()| Signal::Other),
            _ => {
                let from = self.at;
                self.skip()?;
                Some(match &self.bytes[from..self.at] {
                    b"true" => Signal::Bool(true),
                    b"false" => Signal::Bool(false),
                    b"null" => Signal::Null,
                    _ => Signal::Other,
                })
            }
        }
    }

    /// Passes over a value, however deep it is.
    fn skip(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            match self.peek()? {
                b'"' => self.skip_text()?,
                b'{' => {
                    open.push(b'}');
                    self.at += 1;
                }
                b'[' => {
                    open.push(b']');
                    self.at += 1;
                }
                close @ (b'}' | b']') => {
                    if open.pop() != Some(close) {
                        return None;
                    }
                    self.at += 1;
                }
                b',' | b':' if open.is_empty() => return None,
                byte if byte == b',' || byte == b':' || byte.is_ascii_whitespace() => self.at += 1,
                _ => {
                    let rest = &self.bytes[self.at..];
                    let ends = |byte: &u8| matches!(byte, b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"');
                    let end = rest.iter().position(|byte| ends(byte) || byte.is_ascii_whitespace())?;
                    self.at += end;
                }
            }
            if open.is_empty() {
                return Some(());
            }
        }
    }

    fn skip_text(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..)?;
            self.at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            if self.take(b'"') {
                return Some(());
            }
            self.at += 2;
        }
    }

    /// A text without its quotes and escapes; of a long one the beginning.
    fn text(&mut self) -> Option<String> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let from = self.at + 1;
        self.skip_text()?;
        Some(unescaped(&self.bytes[from..self.at - 1]))
    }
}

fn unescaped(raw: &[u8]) -> String {
    let raw = &raw[..raw.len().min(LONGEST_TEXT)];
    let raw = String::from_utf8_lossy(raw);
    let mut text = String::with_capacity(raw.len());
    let mut units = Vec::new();
    let mut rest = raw.as_ref();
    while let Some(found) = rest.find('\\') {
        if found > 0 {
            flush(&mut units, &mut text);
        }
        text.push_str(&rest[..found]);
        rest = &rest[found + 1..];
        let Some(escape) = rest.chars().next() else { break };
        let digits = rest.get(1..5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if let (Some(unit), 'u') = (digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()), escape) {
            units.push(unit);
            rest = &rest[5..];
            continue;
        }
        flush(&mut units, &mut text);
        rest = &rest[escape.len_utf8()..];
        text.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            other => other,
        });
    }
    flush(&mut units, &mut text);
    text.push_str(rest);
    text
}

/// Escaped UTF-16; a half without its other half becomes U+FFFD.
fn flush(units: &mut Vec<u16>, text: &mut String) {
    text.extend(char::decode_utf16(units.drain(..)).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

#[cfg(test)]
mod tests;
