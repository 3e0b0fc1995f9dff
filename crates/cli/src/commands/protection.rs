//! `protect.config` in the user's own hook file: `init` puts it there, where everybody can see it and switch it
//! off, and `uninstall` takes it out again with the last agent.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_config::edit::{EntryLine, NewEntry, Without};
use tenter_config::{Format, SourceText, load};
use tenter_contract::{Dialect, EventKind, Handler, HookId, HookSpec, Layer};
use tenter_host::disabled::Disabled;
use tenter_host::install::{MadeFolders, SettingsFile, SettingsFileError};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use super::hooks::new::file_in;
use super::memory_hooks;
use super::settings::diff;
use crate::commands::hooks;
use crate::error::CliError;

/// What the hook is called.
const NAME: &str = "protect-config";

/// Whether agents are kept from our files and their own hook settings.
pub(super) enum Standing {
    /// By this hook.
    On(String),
    /// Somebody has switched this hook off, and that says how to switch it on.
    Off(String, String),
    /// There is no such hook.
    Absent,
}

/// Looks at the hooks of every layer but the project's: a project must not be asked to guard against itself.
pub(super) fn standing(layers: &Layers) -> Standing {
    let own = |hook: &&HookSpec| !matches!(hook.id.layer, Layer::Project | Layer::Local) && protects(hook);
    if let Some(hook) = layers.set.hooks.iter().map(AsRef::as_ref).find(own) {
        return Standing::On(hook.id.address());
    }
    let known: Vec<String> = hooks::written(layers).filter(own).map(|hook| hook.id.address()).collect();
    let off = hooks::off(layers).find(|(address, _)| {
        known.contains(address) || address.rsplit_once('/').is_some_and(|(_, name)| name == NAME)
    });
    match off {
        Some((address, why)) => Standing::Off(address, why),
        None => Standing::Absent,
    }
}

fn protects(hook: &HookSpec) -> bool {
    hook.event == EventKind::ToolPre
        && matches!(&hook.handler, Handler::Builtin(builtin) if builtin.name == "protect.config")
}

/// The hook as `init` writes it. Tools that only look are left out: there is nothing to protect from them.
fn entry() -> NewEntry {
    let about = "Agents do not change tenter's own files, nor the settings that say which hooks judge them.";
    NewEntry {
        name: NAME.to_owned(),
        event: "tool:pre".to_owned(),
        lines: vec![
            EntryLine::Comment(about.to_owned()),
            EntryLine::key("matcher", "shell|write|edit|mcp|other"),
            EntryLine::key("builtin", "protect.config"),
        ],
    }
}

/// What is to be done with the user's hook file.
pub(super) struct Plan {
    file: SettingsFile,
    format: Format,
    pub(super) step: Step,
    /// How things stand once it is added, if that is known: what was switched off before is off again.
    added: Option<Standing>,
}

/// One step, or none.
pub(super) enum Step {
    /// It is there already.
    Nothing(Standing),
    /// It is written into the file.
    Add(String),
    /// It has to be written by hand, and why.
    ByHand(String),
    /// It is taken out, and this is left.
    TakeOut(Without),
    /// It cannot be told from what somebody has written since, so it stays.
    Keep,
}

impl Plan {
    /// How it gets in; none if there is no place for hook files.
    pub(super) fn to_add() -> Result<Option<Self>, CliError> {
        let Some((file, format, layers)) = look()? else { return Ok(None) };
        let added = switched_off();
        let name = file.path.to_string_lossy().into_owned();
        let step = match (standing(&layers), &file.text) {
            (Standing::Absent, None) => Step::Add(entry().alone(format)),
            (Standing::Absent, Some(text)) => {
                let source = source(&name, format, text);
                match (entry().added_to(&source), load(&source).dialect) {
                    (Some(new), _) => Step::Add(new),
                    (None, Dialect::Tenter) => Step::ByHand(where_to_paste(&name, format, text)),
                    (None, other) => Step::ByHand(format!(
                        "{name} has the form of {}; convert it with `tenter import`, and put this into its list of `tool:pre`",
                        other.title()
                    )),
                }
            }
            (there, _) => Step::Nothing(there),
        };
        Ok(Some(Self { file, format, step, added }))
    }

    /// How it gets out again, after the hooks of memory.
    pub(super) fn to_take_out(after: Option<&memory_hooks::Plan>) -> Result<Option<Self>, CliError> {
        let Some((mut file, format, layers)) = look()? else { return Ok(None) };
        match after.and_then(memory_hooks::Plan::left) {
            Some(Without::Text(left)) => file.text = Some(left.clone()),
            Some(Without::Nothing) => file.text = None,
            None => {}
        }
        let name = file.path.to_string_lossy().into_owned();
        let before = file.backup();
        let without = |text: &str| entry().taken_out_of(&source(&name, format, text), before.as_deref());
        let step = match file.text.as_deref().map(without) {
            Some(Some(without)) => Step::TakeOut(without),
            Some(None) if !matches!(standing(&layers), Standing::Absent) => Step::Keep,
            Some(None) | None => Step::Nothing(Standing::Absent),
        };
        Ok(Some(Self { file, format, step, added: None }))
    }

    /// The difference it makes.
    pub(super) fn diff(&self) -> String {
        self.diff_since(self.file.text.as_deref().unwrap_or_default())
    }

    /// The difference to what the file was at this earlier moment.
    pub(super) fn diff_since(&self, before: &str) -> String {
        match &self.step {
            Step::Add(after) | Step::TakeOut(Without::Text(after)) => diff(&self.path(), before, after),
            Step::TakeOut(Without::Nothing) => diff(&self.path(), before, ""),
            Step::Nothing(_) | Step::ByHand(_) | Step::Keep => String::new(),
        }
    }

    /// Does it.
    pub(super) fn take(&mut self) -> Result<(), CliError> {
        match &self.step {
            // Kept as it was, because two texts can become the same one, and each owner wants his own back.
            Step::Add(text) => self
                .file
                .check_writable()
                .and_then(|()| self.file.back_up(false))
                .and_then(|()| MadeFolders::of(&Places::of_process()).write_file(&self.file, text)),
            Step::TakeOut(Without::Text(text)) => self.file.write(text).and_then(|()| self.forget_backup()),
            Step::TakeOut(Without::Nothing) => {
                self.file.remove().and_then(|()| self.forget_backup()).map(|()| leave_no_folder(&self.file))
            }
            Step::Nothing(_) | Step::ByHand(_) | Step::Keep => Ok(()),
        }
        .map_err(CliError::Settings)?;
        if matches!(self.step, Step::Add(_)) {
            self.added = look()?.map(|(_, _, layers)| standing(&layers));
        }
        Ok(())
    }

    fn forget_backup(&self) -> Result<(), SettingsFileError> {
        if self.file.backup_path().exists() { self.file.remove_backup() } else { Ok(()) }
    }

    /// The file as it is to be, if it is added.
    pub(super) fn planned(&self) -> Option<&str> {
        match &self.step {
            Step::Add(text) => Some(text),
            Step::Nothing(_) | Step::ByHand(_) | Step::TakeOut(_) | Step::Keep => None,
        }
    }

    /// Whether it was added and does its work.
    pub(super) fn protects(&self) -> bool {
        matches!((&self.step, &self.added), (Step::Add(_), None | Some(Standing::On(_))))
    }

    /// That it would be added in vain, and why.
    pub(super) fn in_vain(&self) -> Option<String> {
        match (&self.step, &self.added) {
            (Step::Add(_), Some(Standing::Off(hook, why))) => Some(format!("{hook} is off: {why}")),
            _ => None,
        }
    }

    /// What a person puts into the file.
    pub(super) fn to_paste(&self) -> String {
        entry().to_paste(self.format)
    }

    /// What is to be said when it is done.
    pub(super) fn done(&self) -> Option<String> {
        let path = self.path();
        Some(match &self.step {
            Step::Add(_) if !self.protects() => match &self.added {
                Some(Standing::Off(hook, why)) => format!("{hook} is in {path} now, but it is off: {why}"),
                Some(Standing::On(_) | Standing::Absent) | None => {
                    format!(
                        "`{NAME}` is in {path} now, but it does not run; `tenter hooks explain {NAME}` says why"
                    )
                }
            },
            Step::Add(_) => format!(
                "`{NAME}` in {path} keeps agents from changing tenter's files and their own hook settings; `tenter hooks disable {NAME}` switches it off"
            ),
            Step::Nothing(Standing::Off(hook, why)) => format!("{hook} is off: {why}"),
            Step::TakeOut(Without::Text(_)) => format!("`{NAME}` is out of {path} again"),
            Step::TakeOut(Without::Nothing) => format!("{path} held nothing but `{NAME}` and is gone"),
            Step::Keep => {
                let backup = self.file.backup_path();
                let kept = if backup.exists() {
                    format!("; the file from before stays at {}", backup.display())
                } else {
                    String::new()
                };
                format!("{path} keeps `{NAME}`: it was changed since `tenter init` wrote it{kept}")
            }
            Step::Nothing(Standing::On(_) | Standing::Absent) | Step::ByHand(_) => return None,
        })
    }

    /// The file, as people type it.
    pub(super) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The same for programs.
    pub(super) fn as_json(&self) -> Value {
        let state = match &self.step {
            Step::Nothing(Standing::On(_)) => "on",
            Step::Nothing(Standing::Off(..)) => "off",
            Step::Nothing(Standing::Absent) => "absent",
            Step::Add(_) if !self.protects() => "off",
            Step::Add(_) => "added",
            Step::ByHand(_) => "by_hand",
            Step::TakeOut(_) => "taken_out",
            Step::Keep => "kept",
        };
        json!({"state": state, "file": self.path(), "diff": self.diff()})
    }
}

/// Removes the folder of hook files, if nothing else is in it: its name is tenter's. Then those above it that `init`
/// has made, as far as they are empty.
pub(super) fn leave_no_folder(file: &SettingsFile) {
    let _ = file.path.parent().map(fs::remove_dir);
    let _ = MadeFolders::of(&Places::of_process()).tidy_up(file);
}

/// Whether it would be off, because somebody has switched it off before.
fn switched_off() -> Option<Standing> {
    let root = here();
    let places = Places::of_process();
    let id = HookId::new(Layer::User, NAME);
    let why = Disabled::read(&places).why(&id, root.as_deref())?;
    Some(Standing::Off(id.address(), why))
}

/// Where a person puts it, in a file that may lack what has to stand around it.
fn where_to_paste(name: &str, format: Format, text: &str) -> String {
    let version = match format {
        Format::Yaml => "version: 1",
        Format::Toml => "version = 1",
        Format::Json => "\"version\": 1",
    };
    let first =
        if text.contains("version") { String::new() } else { format!("write `{version}` first, then ") };
    if text.contains("tool:pre") || text.contains("PreToolUse") {
        format!("{first}put this into the list of `tool:pre` under `hooks` in {name}")
    } else {
        format!("{first}make a list `tool:pre` under `hooks` in {name} and put this into it")
    }
}

pub(super) fn source<'t>(name: &'t str, format: Format, text: &'t str) -> SourceText<'t> {
    SourceText { name, folder: "", layer: Layer::User, format, text }
}

/// The user's hook file, and all hooks.
pub(super) fn look() -> Result<Option<(SettingsFile, Format, Layers)>, CliError> {
    let root = here();
    let places = Places::of_process();
    let Some(folder) = &places.config_folder else { return Ok(None) };
    let path: PathBuf = file_in(folder, "hooks");
    let format = Format::of_file_name(&path.to_string_lossy()).unwrap_or(Format::Yaml);
    let file = SettingsFile::read(&path).map_err(CliError::Settings)?;
    Ok(Some((file, format, Layers::read(&places, root.as_deref()))))
}
