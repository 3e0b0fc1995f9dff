//! The one place that prints. Colours only on a terminal, never when `NO_COLOR` is set.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

/// Standard output, for people or for programs.
pub(crate) struct Printer {
    colour: bool,
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
        Self { colour: io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }

    /// A line.
    pub(crate) fn line(&self, text: impl Display) {
        write_out(&format!("{text}\n"));
    }

    /// An empty line.
    pub(crate) fn gap(&self) {
        self.line("");
    }

    /// Text in a tone; readable without it.
    pub(crate) fn tone(&self, tone: Tone, text: impl Display) -> String {
        if !self.colour {
            return text.to_string();
        }
        let style = match tone {
            Tone::Heading => Style::new().bold(),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
            Tone::Caution => AnsiColor::Yellow.on_default(),
            Tone::Quiet => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// Bytes exactly as they are: an agent's answer.
pub(crate) fn write_bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // A reader that has gone away (`| head`) is no failure of ours.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

fn write_out(text: &str) {
    write_bytes(text.as_bytes());
}

/// Text for standard error.
pub(crate) fn write_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
