//! The only module that prints. Colours are used only on a terminal that supports them and without `NO_COLOR`.
//!
//! Control characters and hidden characters of every line are escaped here, so that no command can forget it. Colours
//! are added after that.

use std::cell::RefCell;
use std::fmt::Display;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use tenter_contract::terminal::visible;

use crate::error::CommandResult;
use crate::listing::columns;

/// Standard output. It keeps the first write error, so that a listing cut short by a full disk is reported.
pub struct Printer {
    /// The random marker for a colour, until the line is printed: untrusted text cannot contain it. None without
    /// colours.
    seal: Option<String>,
    failed: RefCell<Option<io::Error>>,
}

/// The meaning that a colour supports.
#[derive(Clone, Copy)]
pub enum Tone {
    /// The title of a list.
    Heading,
    /// Something works, or is done.
    Good,
    /// Something failed.
    Bad,
    /// Something to look at.
    Caution,
    /// Something less important.
    Quiet,
}

impl Printer {
    /// A printer to standard output.
    pub fn stdout() -> Self {
        Self { seal: is_coloured(&io::stdout()).then(new_seal), failed: RefCell::new(None) }
    }

    /// A line, or several. Control characters and hidden ones are spelled out.
    pub fn line(&self, text: impl Display) {
        self.bytes(format!("{}\n", self.shown(&text.to_string())).as_bytes());
    }

    /// Escapes text and replaces markers by colours.
    fn shown(&self, text: &str) -> String {
        let shown = visible(text);
        let Some(seal) = &self.seal else { return shown.into_owned() };
        let mut pieces = shown.split(seal.as_str());
        let mut line = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let mut rest = piece.chars();
            let tone = rest.next().and_then(Tone::from_sign);
            line.push_str(&tone.map_or_else(
                || anstyle::Reset.render().to_string(),
                |tone| tone.style().render().to_string(),
            ));
            line.push_str(rest.as_str());
        }
        line
    }

    /// Rows in columns.
    pub fn table(&self, rows: &[Vec<String>]) {
        for line in columns(rows) {
            self.line(line);
        }
    }

    /// Prints a value as one line of JSON; exit code 0.
    pub fn json(&self, value: &impl serde::Serialize) -> CommandResult {
        self.line(json_line(value));
        Ok(0)
    }

    /// Bytes exactly as they are.
    pub fn bytes(&self, bytes: &[u8]) {
        if self.failed.borrow().is_none()
            && let Err(error) = write_bytes(bytes)
        {
            *self.failed.borrow_mut() = Some(error);
        }
    }

    /// Whether writing has failed.
    pub fn is_over(&self) -> bool {
        self.failed.borrow().is_some()
    }

    /// The write error, unless the reader has closed the pipe (`| head`).
    pub fn failure(self) -> Option<io::Error> {
        self.failed.into_inner().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// An empty line.
    pub fn gap(&self) {
        self.line("");
    }

    /// Text in a tone.
    pub fn tone(&self, tone: Tone, text: impl Display) -> String {
        match &self.seal {
            Some(seal) => format!("{seal}{}{text}{seal}.", tone.sign()),
            None => text.to_string(),
        }
    }
}

impl Tone {
    /// Text in this tone for a terminal with colours. The text must be escaped already.
    pub fn paint(self, text: impl Display) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    fn style(self) -> Style {
        match self {
            Self::Heading => Style::new().bold(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Caution => AnsiColor::Yellow.on_default(),
            Self::Quiet => Style::new().dimmed(),
        }
    }

    const SIGNS: [(char, Self); 5] =
        [('h', Self::Heading), ('g', Self::Good), ('b', Self::Bad), ('c', Self::Caution), ('q', Self::Quiet)];

    fn sign(self) -> char {
        match self {
            Self::Heading => 'h',
            Self::Good => 'g',
            Self::Bad => 'b',
            Self::Caution => 'c',
            Self::Quiet => 'q',
        }
    }

    fn from_sign(sign: char) -> Option<Self> {
        Self::SIGNS.into_iter().find(|(known, _)| *known == sign).map(|(_, tone)| tone)
    }
}

/// A random marker.
fn new_seal() -> String {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    format!("\u{fdd0}{:016x}", hasher.finish())
}

/// Whether it is a terminal that can move its cursor (not `dumb`).
pub fn is_lively(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Whether colours are wanted on it.
pub fn is_coloured(stream: &impl IsTerminal) -> bool {
    is_lively(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes bytes to standard output unchanged.
pub fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes text to standard error, with control and hidden characters escaped.
pub fn write_error(text: &str) {
    write_to_terminal(&visible(text));
}

/// Writes a warning to standard error.
pub fn warn(text: &impl Display) {
    write_error(&format!("warning: {text}\n"));
}

/// Writes text with cursor movements and colours to standard error. Untrusted parts must be escaped already.
pub fn write_to_terminal(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A value as JSON on one line.
pub fn json_line(value: &impl serde::Serialize) -> String {
    escaped_json(&serde_json::to_string(value).unwrap_or_default())
}

/// Escapes hidden characters in JSON: programs read the same value, and the printer leaves it unchanged.
pub fn escaped_json(json: &str) -> String {
    use std::fmt::Write;

    use tenter_contract::terminal::{is_hidden, is_symbol};
    let mut escaped = String::with_capacity(json.len());
    let mut before = ' ';
    for c in json.chars() {
        let stays = c == '\n' || c == '\t' || c == '\u{fe0f}' && is_symbol(before);
        before = c;
        if !stays && (c.is_control() || is_hidden(c)) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printer(seal: Option<&str>) -> Printer {
        Printer { seal: seal.map(str::to_owned), failed: RefCell::new(None) }
    }

    #[test]
    fn only_own_colours_reach_terminal() {
        let coloured = printer(Some("\u{fdd0}1"));
        let text = format!("{} \u{1b}[31mred\u{1b}[0m\r\u{9b}2J", coloured.tone(Tone::Bad, "a\u{7}b"));
        let expected = "\u{1b}[31ma\\u{7}b\u{1b}[0m \\u{1b}[31mred\\u{1b}[0m\\u{d}\\u{9b}2J";
        assert_eq!(coloured.shown(&text), expected);
        let plain = printer(None);
        assert_eq!(plain.shown(&plain.tone(Tone::Good, "x\u{1b}]0;t\u{7}")), "x\\u{1b}]0;t\\u{7}");
    }

    #[test]
    fn hidden_characters_are_escaped() {
        for c in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200e}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2028}',
            '\u{3164}',
            '\u{fe01}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{fff9}',
            '\u{1d173}',
            '\u{2800}',
        ] {
            let expected = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(printer(None).shown(&format!("a{c}b")), expected);
        }
        let kept = "👩\u{200d}💻 ⚠\u{fe0f} naïve 日本 \u{645}\u{6cc}\u{200c}\u{62e}\n\tx";
        assert_eq!(printer(None).shown(kept), kept);
    }
}
