//! The one place that prints. Colours only on a terminal that knows them, never when `NO_COLOR` is set.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

/// Standard output, for people or for programs. It remembers the first write that failed, so that a listing
/// cut short by a full disk is not taken for the whole.
pub(crate) struct Printer {
    colour: bool,
    failed: RefCell<Option<io::Error>>,
}

/// What a piece of text means.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    /// A title.
    Heading,
    /// Something went well.
    Good,
    /// Something was stopped or failed.
    Bad,
    /// Something to look at.
    Caution,
    /// Details.
    Quiet,
}

impl Printer {
    /// The process's own standard output.
    pub(crate) fn stdout() -> Self {
        Self { colour: is_coloured(&io::stdout()), failed: RefCell::new(None) }
    }

    /// A line.
    pub(crate) fn line(&self, text: impl Display) {
        self.bytes(format!("{text}\n").as_bytes());
    }

    /// Bytes exactly as they are.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        if self.failed.borrow().is_none()
            && let Err(error) = write_bytes(bytes)
        {
            *self.failed.borrow_mut() = Some(error);
        }
    }

    /// Whether nobody reads what is printed any more, or it cannot be written.
    pub(crate) fn is_over(&self) -> bool {
        self.failed.borrow().is_some()
    }

    /// What went wrong, unless the reader has just gone away (`| head`), which is no failure.
    pub(crate) fn failure(self) -> Option<io::Error> {
        self.failed.into_inner().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// An empty line.
    pub(crate) fn gap(&self) {
        self.line("");
    }

    /// Text in a tone; readable without it.
    pub(crate) fn tone(&self, tone: Tone, text: impl Display) -> String {
        if self.colour { tone.of(text) } else { text.to_string() }
    }
}

impl Tone {
    /// Text in this tone, for a terminal that knows colours.
    pub(crate) fn of(self, text: impl Display) -> String {
        let style = match self {
            Self::Heading => Style::new().bold(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Caution => AnsiColor::Yellow.on_default(),
            Self::Quiet => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// Whether it is a terminal that can move its cursor: one that is `dumb` shows escapes as they are.
pub(crate) fn is_lively(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Whether it is one on which colours are wanted.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    is_lively(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Bytes exactly as they are: an agent's answer.
pub(crate) fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Text for standard error.
pub(crate) fn write_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
