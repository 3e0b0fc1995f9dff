//! The line editor: history, several lines, completion of commands.

use std::cell::RefCell;

use rustyline::completion::Completer;
use rustyline::config::{Builder, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History as _, MemHistory};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor as Rustyline, Helper};
use tenter_store::StateFolder;

use crate::error;
use crate::history::{History, MOST};
use crate::slash;
use tenter_console::error::CliError;

const PROMPT: &str = "> ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Text(String),
    /// Ctrl-C: the line was cleared.
    Cleared,
    /// Ctrl-D, or the terminal is closed.
    Over,
}

pub(crate) struct Editor {
    inner: Rustyline<Lines, MemHistory>,
    history: History,
}

impl Editor {
    pub(crate) fn new(state: &StateFolder) -> Result<Self, CliError> {
        let trouble = |error: ReadlineError| error::terminal_unusable(error.to_string());
        let config: Config = Builder::new()
            .max_history_size(MOST)
            .and_then(|builder| builder.history_ignore_dups(true))
            .map_err(trouble)?
            .history_ignore_space(true)
            .bracketed_paste(true)
            .build();
        let past = MemHistory::with_config(&config);
        let mut inner = Rustyline::with_history(config, past).map_err(trouble)?;
        inner.set_helper(Some(Lines::default()));
        let history = History::new(state);
        for entry in history.read() {
            inner.history_mut().add(&entry).map_err(trouble)?;
        }
        Ok(Self { inner, history })
    }

    pub(crate) fn next(&mut self) -> Result<Typed, CliError> {
        match self.inner.readline(PROMPT) {
            Ok(typed) => {
                let text = match self.inner.helper() {
                    Some(lines) => lines.joined(&typed),
                    None => typed,
                };
                if !text.trim().is_empty() {
                    let trouble = |error: ReadlineError| error::terminal_unusable(error.to_string());
                    self.inner.history_mut().add(&text).map_err(trouble)?;
                    // Who cannot keep a history can still talk.
                    let _ = self.history.add(&text);
                }
                Ok(Typed::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Cleared),
            Err(ReadlineError::Eof) => Ok(Typed::Over),
            Err(error) => Err(error::terminal_unusable(error.to_string())),
        }
    }
}

/// Continues a line that ends with `\`.
#[derive(Default)]
struct Lines {
    /// The text before each `\` at which the user pressed Enter. A `\` in pasted text stays.
    continued: RefCell<Vec<String>>,
}

impl Lines {
    /// Removes the continuation marks.
    fn joined(&self, typed: &str) -> String {
        let mut text = typed.to_owned();
        let continued = self.continued.take();
        // From the last to the first, so that the places of the others stay.
        for before in continued.iter().rev() {
            if text.starts_with(before.as_str()) && text[before.len()..].starts_with("\\\n") {
                text.remove(before.len());
            }
        }
        text
    }
}

impl Validator for Lines {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        match context.input().strip_suffix('\\') {
            Some(before) => {
                self.continued.borrow_mut().push(before.to_owned());
                Ok(ValidationResult::Incomplete)
            }
            None => Ok(ValidationResult::Valid(None)),
        }
    }
}

impl Completer for Lines {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, slash::beginning_with(&line[..at])))
    }
}

impl Hinter for Lines {
    type Hint = String;
}

impl Highlighter for Lines {}

impl Helper for Lines {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_typed_continuation_marks_are_removed() {
        for (continued, typed, text) in [
            (vec![], "a \\\nb", "a \\\nb"),
            (vec!["a "], "a \\\nb", "a \nb"),
            (vec!["a", "a\\\nb"], "a\\\nb\\\nc", "a\nb\nc"),
            (vec!["gone"], "other", "other"),
        ] {
            let continued = RefCell::new(continued.into_iter().map(str::to_owned).collect());
            assert_eq!(Lines { continued }.joined(typed), text, "{typed:?}");
        }
    }
}
