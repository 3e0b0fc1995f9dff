//! The hooks of memory in the user's own hook file: `init` puts them there, where everybody can see them and switch
//! them off, and `uninstall` takes them out again with the last agent.

use serde_json::{Value, json};
use tenter_config::edit::{EntryLine, NewEntry, Without};
use tenter_config::{Format, load};
use tenter_contract::builtin_names::{
    MEMORY_CHECK_IN, MEMORY_OUTCOME, MEMORY_RECALL, MEMORY_SESSION_END, MEMORY_SESSION_START,
};
use tenter_contract::{Handler, HookSpec, Layer};
use tenter_host::install::{MadeFolders, SettingsFile};
use tenter_host::{Layers, Places};

use super::protection::{self, look, source};
use super::settings::diff;
use crate::commands::hooks;
use crate::error::CliError;

/// Name, event and built-in of each, and what stands between.
struct Row {
    name: &'static str,
    event: &'static str,
    builtin: &'static str,
    about: &'static str,
    keys: &'static [(&'static str, &'static str)],
}

/// An outcome is one hook at two events: agents tell of a command that fails in either.
const ROWS: [Row; 6] = [
    Row {
        name: "memory-session-start",
        event: "session:start",
        builtin: MEMORY_SESSION_START,
        about: "A session begins with the best lessons and the latest work, and with what was left unresolved.",
        keys: &[("timeout", "5s")],
    },
    Row {
        name: "memory-recall",
        event: "prompt:submit",
        builtin: MEMORY_RECALL,
        about: "A prompt recalls what earlier sessions learned about it, each thing once.",
        keys: &[("timeout", "2s")],
    },
    Row {
        name: "memory-check-in",
        event: "tool:pre",
        builtin: MEMORY_CHECK_IN,
        about: "After ten tool calls the agent is asked whether what it predicted still holds.",
        keys: &[],
    },
    Row {
        name: "memory-outcome",
        event: "tool:post",
        builtin: MEMORY_OUTCOME,
        about: "What tests and builds say is compared with what the agent predicted.",
        keys: &[("matcher", "shell")],
    },
    Row {
        name: "memory-outcome-of-errors",
        event: "tool:error",
        builtin: MEMORY_OUTCOME,
        about: "The same for commands that fail.",
        keys: &[("matcher", "shell")],
    },
    Row {
        name: "memory-session-end",
        event: "session:end",
        builtin: MEMORY_SESSION_END,
        about: "What a session has not resolved is given up when it ends.",
        keys: &[("timeout", "5s")],
    },
];

impl Row {
    /// The hook as `init` writes it.
    fn entry(&self) -> NewEntry {
        let about = EntryLine::Comment(self.about.to_owned());
        let keys = self.keys.iter().map(|(key, value)| EntryLine::key(key, *value));
        let builtin = EntryLine::key("builtin", self.builtin);
        NewEntry {
            name: self.name.to_owned(),
            event: self.event.to_owned(),
            lines: std::iter::once(about).chain(keys).chain([builtin]).collect(),
        }
    }

    /// Whether this hook does the same, whatever it is called.
    fn is_done_by(&self, hook: &HookSpec) -> bool {
        hook.event.as_str() == self.event
            && matches!(&hook.handler, Handler::Builtin(builtin) if builtin.name == self.builtin)
    }
}

/// A hook file with nothing but these.
pub(super) fn file() -> String {
    ROWS.iter().map(Row::entry).fold(String::new(), |text, entry| {
        let alone = entry.alone(Format::Yaml);
        if text.is_empty() {
            alone
        } else {
            entry.added_to(&source("hooks.yaml", Format::Yaml, &text)).unwrap_or(text)
        }
    })
}

/// Whether agents have a memory that works by itself.
pub(super) enum Standing {
    /// By all of these hooks.
    On,
    /// These are missing or switched off.
    Partly(Vec<String>),
    /// There is no such hook.
    Absent,
}

/// Looks at the hooks of every layer.
pub(super) fn standing(layers: &Layers) -> Standing {
    let runs = |row: &&Row| layers.set.hooks.iter().any(|hook| row.is_done_by(hook));
    let known = |row: &&Row| hooks::written(layers).any(|hook| row.is_done_by(hook));
    if ROWS.iter().all(|row| runs(&row)) {
        return Standing::On;
    }
    if !ROWS.iter().any(|row| runs(&row) || known(&row)) {
        return Standing::Absent;
    }
    Standing::Partly(ROWS.iter().filter(|row| !runs(row)).map(|row| row.name.to_owned()).collect())
}

/// What is to be done with the user's hook file.
pub(super) struct Plan {
    file: SettingsFile,
    /// The file as it is, or would be by then.
    before: Option<String>,
    format: Format,
    pub(super) step: Step,
    /// Whether the file from before is kept for another plan.
    shared: bool,
}

/// One step, or none.
pub(super) enum Step {
    /// They are there already, or there are none to take out.
    Nothing,
    /// They are written into the file.
    Add(String),
    /// They have to be written by hand.
    ByHand,
    /// They are taken out, and this is left.
    TakeOut(Without),
    /// They cannot be told from what somebody has written since, so they stay.
    Keep,
}

impl Plan {
    /// How they get in, beside what the protection does; none if there is no place for hook files.
    pub(super) fn to_add(beside: Option<&protection::Plan>) -> Result<Option<Self>, CliError> {
        let Some((file, format, layers)) = look()? else { return Ok(None) };
        let planned = beside.and_then(protection::Plan::planned);
        let before = planned.map(str::to_owned).or_else(|| file.text.clone());
        let name = file.path.to_string_lossy().into_owned();
        let missing: Vec<&Row> =
            ROWS.iter().filter(|row| !hooks::written(&layers).any(|hook| row.is_done_by(hook))).collect();
        let added = missing.iter().try_fold(before.clone(), |text, row| {
            Some(Some(match text {
                None => row.entry().alone(format),
                Some(text) => row.entry().added_to(&source(&name, format, &text))?,
            }))
        });
        let step = match added {
            _ if missing.is_empty() => Step::Nothing,
            Some(Some(text)) => Step::Add(text),
            Some(None) | None => Step::ByHand,
        };
        let shared = !matches!(protection::standing(&layers), protection::Standing::Absent);
        Ok(Some(Self { file, before, format, step, shared }))
    }

    /// How they get out again; the protection goes after them.
    pub(super) fn to_take_out() -> Result<Option<Self>, CliError> {
        let Some((file, format, layers)) = look()? else { return Ok(None) };
        let name = file.path.to_string_lossy().into_owned();
        let shared = !matches!(protection::standing(&layers), protection::Standing::Absent);
        let kept = if shared { None } else { file.backup() };
        let step = match &file.text {
            None => Step::Nothing,
            Some(text) => match without(text, &name, format, kept.as_deref()) {
                Some(Without::Text(rest)) if rest == *text => Step::Nothing,
                Some(without) => Step::TakeOut(without),
                None => Step::Keep,
            },
        };
        Ok(Some(Self { before: file.text.clone(), file, format, step, shared }))
    }

    /// The difference it makes.
    pub(super) fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        match &self.step {
            Step::Add(after) | Step::TakeOut(Without::Text(after)) => diff(&self.path(), before, after),
            Step::TakeOut(Without::Nothing) => diff(&self.path(), before, ""),
            Step::Nothing | Step::ByHand | Step::Keep => String::new(),
        }
    }

    /// The difference that taking these out makes together with what the protection does after it.
    pub(super) fn diff_with(&self, protection: Option<&protection::Plan>) -> String {
        let then = protection.map(|plan| plan.diff_since(self.before.as_deref().unwrap_or_default()));
        then.filter(|diff| !diff.is_empty()).unwrap_or_else(|| self.diff())
    }

    /// What is left of the file when these are out of it, if they are taken out.
    pub(super) fn left(&self) -> Option<&Without> {
        match &self.step {
            Step::TakeOut(left) => Some(left),
            Step::Nothing | Step::Add(_) | Step::ByHand | Step::Keep => None,
        }
    }

    /// Does it.
    pub(super) fn take(&self) -> Result<(), CliError> {
        match &self.step {
            Step::Add(text) => {
                let kept = if self.shared { Ok(()) } else { self.file.back_up(false) };
                let made = MadeFolders::of(&Places::of_process());
                self.file.check_writable().and(kept).and_then(|()| made.write_file(&self.file, text))
            }
            Step::TakeOut(Without::Text(text)) => self.file.write(text).and_then(|()| self.forget_backup()),
            Step::TakeOut(Without::Nothing) => {
                let removed = self.file.remove().and_then(|()| self.forget_backup());
                protection::leave_no_folder(&self.file);
                removed
            }
            Step::Nothing | Step::ByHand | Step::Keep => Ok(()),
        }
        .map_err(CliError::Settings)
    }

    fn forget_backup(&self) -> Result<(), tenter_host::install::SettingsFileError> {
        if !self.shared && self.file.backup_path().exists() { self.file.remove_backup() } else { Ok(()) }
    }

    /// What a person puts into the file.
    pub(super) fn by_hand(&self) -> Option<String> {
        let Step::ByHand = self.step else { return None };
        let lines =
            ROWS.iter().map(|row| format!("\n  {}: {}", row.event, row.entry().to_paste(self.format)));
        let path = self.path();
        Some(format!(
            "memory does not work by itself yet; put each of these into the list of its event under `hooks` in {path}:{}",
            lines.collect::<String>()
        ))
    }

    /// What is to be said when it is done.
    pub(super) fn done(&self) -> Option<String> {
        let path = self.path();
        Some(match &self.step {
            Step::Add(_) => format!(
                "what sessions learn is kept on this machine and recalled when it matters ({path}); `tenter hooks disable memory-recall` switches one hook off, `tenter init --no-memory` leaves all out"
            ),
            Step::TakeOut(Without::Text(_)) => format!(
                "the hooks of memory are out of {path} again; what was learned stays (`tenter memory stats`)"
            ),
            Step::TakeOut(Without::Nothing) => format!(
                "{path} held nothing but the hooks of memory and is gone; what was learned stays (`tenter memory stats`)"
            ),
            Step::Keep => {
                format!("{path} keeps the hooks of memory: it was changed since `tenter init` wrote them")
            }
            Step::Nothing | Step::ByHand => return None,
        })
    }

    /// The file, as people type it.
    pub(super) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The same for programs.
    pub(super) fn as_json(&self) -> Value {
        let state = match &self.step {
            Step::Nothing => "unchanged",
            Step::Add(_) => "added",
            Step::ByHand => "by_hand",
            Step::TakeOut(_) => "taken_out",
            Step::Keep => "kept",
        };
        json!({"state": state, "file": self.path(), "diff": self.diff()})
    }
}

/// What is left of a text without those of the hooks that are in it, the last first; none if one of them was changed.
fn without(text: &str, name: &str, format: Format, kept: Option<&str>) -> Option<Without> {
    let mut left = text.to_owned();
    let there = load(&source(name, format, text)).hooks;
    let ours = ROWS
        .iter()
        .filter(|row| there.iter().any(|hook| hook.id.name == row.name && hook.id.layer == Layer::User));
    let ours: Vec<&Row> = ours.collect();
    for (number, row) in ours.iter().enumerate().rev() {
        let kept = kept.filter(|_| number == 0);
        match row.entry().taken_out_of(&source(name, format, &left), kept)? {
            Without::Text(rest) => left = rest,
            Without::Nothing => return Some(Without::Nothing),
        }
    }
    Some(Without::Text(left))
}
