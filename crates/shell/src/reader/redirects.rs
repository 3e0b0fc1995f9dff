//! Redirections and here-documents.

use super::{Reader, ends_word, push};
use crate::syntax::{Command, Flaw, Redirect, RedirectOperator, Word};

/// Longer operators before shorter ones with the same beginning.
const OPERATORS: [(&str, RedirectOperator); 13] = [
    ("<<<", RedirectOperator::HereString),
    ("<<-", RedirectOperator::HereDocument),
    ("<<", RedirectOperator::HereDocument),
    ("<&", RedirectOperator::Duplicate),
    ("<>", RedirectOperator::ReadWrite),
    ("<", RedirectOperator::Read),
    (">>", RedirectOperator::Append),
    (">|", RedirectOperator::Write),
    (">&", RedirectOperator::Duplicate),
    (">", RedirectOperator::Write),
    ("&>>", RedirectOperator::WriteBoth),
    ("&>", RedirectOperator::WriteBoth),
    ("", RedirectOperator::Read),
];

impl Reader<'_> {
    pub(super) fn redirect(&mut self, descriptor: Option<u32>, command: &mut Command) {
        let writes = self.starts(">");
        let found = OPERATORS.iter().find(|(text, _)| self.take(text));
        let mut operator = found.map_or(RedirectOperator::Read, |(_, operator)| *operator);
        self.skip_blanks();
        if self.peek().is_none_or(|byte| ends_word(byte) && self.peek_at(1) != Some(b'(')) {
            return self.note(Flaw::Unexpected);
        }
        let target = self.word();
        let is_descriptor = target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if operator == RedirectOperator::Duplicate && writes && !is_descriptor {
            operator = match descriptor {
                Some(_) => RedirectOperator::Write,
                None => RedirectOperator::WriteBoth,
            };
        }
        let is_document = operator == RedirectOperator::HereDocument;
        let body = is_document.then(|| self.here_document(&target));
        push(&mut command.redirects, Redirect { descriptor, operator, target, body });
    }

    /// The text of a here-document, read ahead: it begins behind this line, or behind the one before it. A quote that
    /// goes over the line end makes it begin too early, so that more is read as commands, never less.
    fn here_document(&mut self, delimiter: &Word) -> Word {
        let source = self.source;
        let line_end = |from: usize| source[from..].find('\n').map_or(source.len(), |at| from + at + 1);
        let start = if self.resume > self.at { self.resume } else { line_end(self.at.min(source.len())) };
        let start = start.min(source.len());
        let (mut end, mut next) = (start, start);
        while end < source.len() {
            next = line_end(end);
            if source[end..next].trim_end_matches(['\n', '\r']).trim_start_matches('\t') == delimiter.text {
                break;
            }
            end = next;
        }
        self.resume = next;
        // Without a limit, documents within the quotes of documents would be read twice at every level.
        let affordable = end - start <= self.budget;
        if !affordable {
            self.note(Flaw::TooDeep);
        }
        if delimiter.quoted || !affordable {
            return Word { text: source[start..end].to_owned(), span: start..end, ..Word::default() };
        }
        self.budget -= end - start;
        let (at, resume) = (self.at, self.resume);
        self.source = &source[..end];
        self.at = start;
        let body = self.expanding_text();
        (self.source, self.at, self.resume) = (source, at, resume);
        body
    }
}

/// The redirection that `|&` stands for.
pub(super) fn stderr_to_stdout(at: usize) -> Redirect {
    let target = Word { text: "1".to_owned(), span: at..at, ..Word::default() };
    Redirect { descriptor: Some(2), operator: RedirectOperator::Duplicate, target, body: None }
}
