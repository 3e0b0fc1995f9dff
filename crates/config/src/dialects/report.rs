//! What `tenter import` says about a foreign file: its hooks in our YAML, and for each what was kept, what
//! means something else now, and what could not be kept.

use std::fmt;

use tenter_contract::Dialect;

use super::draft::Name;
use super::{convert, recognise, yaml};
use crate::file::{self, Loaded};
use crate::problem::{Problem, Severity};
use crate::read::read;
use crate::source::SourceText;

/// A note about a key of a foreign file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Changed or lost.
    pub kind: NoteKind,
    /// The key, in the words of the foreign file.
    pub key: String,
    /// What translation of it.
    pub text: String,
    /// The line it is in.
    pub line: u32,
}

/// How much of a key was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// It means something a little different now.
    Changed,
    /// It means nothing any more.
    Lost,
}

impl NoteKind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Lost => "not kept",
        }
    }
}

/// A foreign file in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Whose file it is.
    pub from: Dialect,
    /// Every hook of it.
    pub hooks: Vec<ImportedHook>,
    /// Notes about the whole file.
    pub notes: Vec<Note>,
    /// Its keys that are about something else than hooks.
    pub other_keys: Vec<String>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// The hook file.
    pub yaml: String,
}

/// One hook of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedHook {
    /// Its name here.
    pub name: String,
    /// Its event here, or there if there is no such event here.
    pub event: String,
    /// The line it is in.
    pub line: u32,
    /// Whether it runs.
    pub state: State,
    /// Their keys that mean the same here.
    pub kept: Vec<String>,
    /// Notes about the other keys.
    pub notes: Vec<Note>,
}

/// Whether a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does.
    On,
    /// It is switched off there, and so it is here.
    Off,
    /// It could not be kept.
    NotKept,
}

impl State {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::NotKept => "not kept",
        }
    }
}

/// Why nothing can be imported.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportError {
    /// The text cannot be parsed.
    Unreadable(Box<Problem>),
    /// It is one of ours.
    Ours,
    /// It has the shape of no system we know.
    UnknownShape,
    /// It does not have the shape of the system that was named.
    NotThisShape {
        /// The system.
        from: Dialect,
        /// Whose shape it has.
        recognised: Option<Dialect>,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(problem) => {
                let message = problem.message();
                f.write_str(message.strip_prefix("the file is not read: ").unwrap_or(&message))?;
                write!(f, " (line {})", problem.place.line)
            }
            Self::Ours => f.write_str("it is a hook file of tenter already"),
            Self::UnknownShape => f.write_str("it has the form of no system whose hooks tenter knows"),
            Self::NotThisShape { from, .. } => write!(f, "it does not have the form of {}", from.title()),
        }
    }
}

/// Converts a foreign file. The folder of the source must be absolute: paths relative to it are made whole.
pub fn import(source: &SourceText<'_>, from: Option<Dialect>) -> Result<Imported, ImportError> {
    let root = read(source.format, source.text)
        .map_err(|finding| ImportError::Unreadable(Box::new(file::problem(source, finding, None))))?;
    if file::is_ours(&root) {
        return Err(ImportError::Ours);
    }
    let recognised = recognise(&root, source);
    let from = from.or(recognised).ok_or(ImportError::UnknownShape)?;
    let mut converted = convert(from, &root, source).ok_or(ImportError::NotThisShape { from, recognised })?;
    for draft in &mut converted.drafts {
        draft.rebase(source.folder);
    }
    let loaded = file::load_converted(source, &converted);
    let hooks = converted.drafts.iter().map(|draft| {
        let name = draft.name.as_str().to_owned();
        ImportedHook {
            event: file::event_of(draft).map_or(draft.event.clone(), |event| event.to_string()),
            line: draft.place.line,
            state: state(&name, &loaded),
            kept: draft.kept.clone(),
            notes: draft.notes.clone(),
            name,
        }
    });
    let hooks: Vec<ImportedHook> = hooks.collect();
    let yaml = yaml::write(source.name, &converted, &hooks, &loaded.problems);
    let other_keys = converted.other_keys.clone();
    Ok(Imported { from, hooks, notes: converted.notes, other_keys, problems: loaded.problems, yaml })
}

fn state(name: &str, loaded: &Loaded) -> State {
    if loaded.hooks.iter().any(|hook| hook.id.name == name) {
        State::On
    } else if loaded.disabled.iter().any(|id| id.name == name) {
        State::Off
    } else {
        State::NotKept
    }
}

impl Imported {
    /// Whether something could not be kept.
    pub fn lost_something(&self) -> bool {
        let lost = |note: &Note| note.kind == NoteKind::Lost;
        self.hooks.iter().any(|hook| hook.state == State::NotKept || hook.notes.iter().any(lost))
            || self.notes.iter().any(lost)
            || self.problems.iter().any(|problem| problem.severity() == Severity::Error)
    }
}

impl Name {
    /// The name; every draft has one when it leaves this folder.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Stated(name) | Self::From(name) => name,
        }
    }
}
