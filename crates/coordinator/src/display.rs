//! Shows messages to the user. The model never sees them.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tenter_contract::{Level, Message, Source};

/// Shows messages to the user.
///
/// Duties: be quick, because the agent waits; show nothing to the model. A message that cannot be shown is still in
/// the record.
pub trait UserDisplay: Send + Sync {
    /// Shows a message.
    fn show(&self, message: &Shown);
}

impl<T: UserDisplay + ?Sized> UserDisplay for Arc<T> {
    fn show(&self, message: &Shown) {
        (**self).show(message);
    }
}

/// A message as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub text: String,
    /// Its level.
    pub level: Level,
    /// Its author: `hook:<name>` or `tenter`.
    pub source: String,
}

impl Shown {
    pub(crate) fn new(by: &Source, message: &Message) -> Self {
        let source = match by {
            Source::Hook(hook) => format!("hook:{hook}"),
            Source::Approver | Source::Tenter => "tenter".to_owned(),
        };
        Self { text: message.text.clone(), level: message.level, source }
    }
}

/// Messages in memory.
#[derive(Debug, Default)]
pub struct MemoryDisplay {
    shown: Mutex<Vec<Shown>>,
}

impl MemoryDisplay {
    /// Everything that was shown, in order.
    pub fn shown(&self) -> Vec<Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl UserDisplay for MemoryDisplay {
    fn show(&self, message: &Shown) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
    }
}

/// A line per message, with the level unless it is the usual one: `[hook:linter] warning: 3 problems`. Further lines
/// are indented, so that none looks like a message of another hook.
pub struct Lines<W>(Mutex<W>);

impl<W: Write> Lines<W> {
    /// Writes there, for example to `std::io::stderr()`.
    pub fn to(writer: W) -> Self {
        Self(Mutex::new(writer))
    }

    /// The writer again.
    pub fn into_inner(self) -> W {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> UserDisplay for Lines<W> {
    fn show(&self, Shown { text, level, source }: &Shown) {
        let level = match level {
            Level::Info => "",
            Level::Warning => "warning: ",
            Level::Error => "error: ",
        };
        let text = text.replace('\n', "\n    ");
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The session goes on without a terminal; the record has the message.
        let _ = writeln!(writer, "[{source}] {level}{text}");
    }
}
