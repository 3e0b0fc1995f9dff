//! The hooks that `init` adds to the user's hook file, and that `uninstall` removes with the last agent.

use std::fs;

use serde_json::{Value, json};
use tenter_config::edit::{EntryLine, NewEntry, Without};
use tenter_config::{Format, SourceText, load};
use tenter_contract::builtin_names::{
    MEMORY_CHECK_IN, MEMORY_OUTCOME, MEMORY_RECALL, MEMORY_SESSION_END, MEMORY_SESSION_START,
};
use tenter_contract::{Dialect, Handler, HookId, HookSpec, Layer};
use tenter_host::disabled::Disabled;
use tenter_host::install::{MadeFolders, SettingsFile};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use crate::error::CliError;
use crate::hooks::{self, file_in};
use crate::install::plan::{Backup, FileChange};
use crate::install::settings::diff;

const PROTECT: &str = "protect-config";

struct HookRow {
    name: &'static str,
    event: &'static str,
    builtin: &'static str,
    about: &'static str,
    keys: &'static [(&'static str, &'static str)],
}

/// Tools that only read cannot change the files.
const PROTECTION: [HookRow; 1] = [HookRow::new(PROTECT, "tool:pre", "protect.config")
    .about("Denies changes to tenter's files and to agents' hook settings.")
    .keys(&[("matcher", "shell|write|edit|mcp|other")])];

/// The outcome hook has two events, because agents report a failed command at either.
const MEMORY: [HookRow; 6] = [
    HookRow::new("memory-session-start", "session:start", MEMORY_SESSION_START)
        .about("Adds the best lessons, recent work and unresolved entries at session start.")
        .keys(&[("timeout", "5s")]),
    HookRow::new("memory-recall", "prompt:submit", MEMORY_RECALL)
        .about("Adds what earlier sessions learned about a prompt, each entry once.")
        .keys(&[("timeout", "2s")]),
    HookRow::new("memory-check-in", "tool:pre", MEMORY_CHECK_IN)
        .about("Asks every ten tool calls whether the prediction still holds."),
    HookRow::new("memory-outcome", "tool:post", MEMORY_OUTCOME)
        .about("Compares test and build results with the prediction.")
        .keys(&[("matcher", "shell")]),
    HookRow::new("memory-outcome-of-errors", "tool:error", MEMORY_OUTCOME)
        .about("The same for failed commands.")
        .keys(&[("matcher", "shell")]),
    HookRow::new("memory-session-end", "session:end", MEMORY_SESSION_END)
        .about("Abandons unresolved entries at session end.")
        .keys(&[("timeout", "5s")]),
];

impl HookRow {
    const fn new(name: &'static str, event: &'static str, builtin: &'static str) -> Self {
        Self { name, event, builtin, about: "", keys: &[] }
    }

    const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    const fn keys(self, keys: &'static [(&'static str, &'static str)]) -> Self {
        Self { keys, ..self }
    }

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

    /// Whether this hook has the same effect under any name.
    fn is_done_by(&self, hook: &HookSpec) -> bool {
        hook.event.as_str() == self.event
            && matches!(&hook.handler, Handler::Builtin(builtin) if builtin.name == self.builtin)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookGroup {
    Protection,
    Memory,
}

impl HookGroup {
    fn rows(self) -> &'static [HookRow] {
        match self {
            Self::Protection => &PROTECTION,
            Self::Memory => &MEMORY,
        }
    }
}

/// Whether a hook prevents agents from changing tenter's files and their own hook settings.
pub(crate) enum ProtectionState {
    /// The hook.
    On(String),
    /// The hook, and why it is off.
    Off(String, String),
    Absent,
}

/// Ignores the layers of the project: a project must not guard against itself.
pub(crate) fn protection_state(layers: &Layers) -> ProtectionState {
    let own = |hook: &&HookSpec| {
        !matches!(hook.id.layer, Layer::Project | Layer::Local) && PROTECTION[0].is_done_by(hook)
    };
    if let Some(hook) = layers.set.hooks.iter().map(AsRef::as_ref).find(own) {
        return ProtectionState::On(hook.id.address());
    }
    let known: Vec<String> = hooks::written(layers).filter(own).map(|hook| hook.id.address()).collect();
    let off = hooks::off(layers).find(|(address, _)| {
        known.contains(address) || address.rsplit_once('/').is_some_and(|(_, name)| name == PROTECT)
    });
    off.map_or(ProtectionState::Absent, |(address, why)| ProtectionState::Off(address, why))
}

/// Whether the memory hooks run.
pub(crate) enum MemoryState {
    On,
    /// These are missing or off.
    Partly(Vec<String>),
    Absent,
}

pub(crate) fn memory_state(layers: &Layers) -> MemoryState {
    let runs = |row: &&HookRow| layers.set.hooks.iter().any(|hook| row.is_done_by(hook));
    let known = |row: &&HookRow| hooks::written(layers).any(|hook| row.is_done_by(hook));
    if MEMORY.iter().all(|row| runs(&row)) {
        return MemoryState::On;
    }
    if !MEMORY.iter().any(|row| runs(&row) || known(&row)) {
        return MemoryState::Absent;
    }
    MemoryState::Partly(MEMORY.iter().filter(|row| !runs(row)).map(|row| row.name.to_owned()).collect())
}

/// A hook file with the memory hooks alone.
pub(crate) fn memory_hook_file() -> String {
    let text = add_rows(MEMORY.iter(), None, "hooks.yaml", Format::Yaml);
    text.unwrap_or_default()
}

/// The plan for the user's hook file: one change with a step for each group of hooks.
pub(crate) struct UserHooks {
    change: FileChange,
    groups: Vec<GroupPlan>,
    before: ProtectionState,
    /// Whether `protect-config` works once it is added, as far as that is known.
    after: Option<ProtectionState>,
}

struct GroupPlan {
    group: HookGroup,
    step: Step,
    diff: String,
}

#[derive(PartialEq, Eq)]
pub(crate) enum Step {
    /// The hooks are in the file, or there are none to remove.
    Nothing,
    Add,
    /// tenter cannot add the hooks: instructions for the user.
    ByHand(String),
    Remove,
    /// The user changed the hooks, so they stay.
    Keep,
}

impl UserHooks {
    /// Adds the hooks of these groups; `None` without a folder for hook files.
    pub(crate) fn to_add(wanted: &[HookGroup]) -> Result<Option<Self>, CliError> {
        let Some((file, format, layers)) = read_hook_file()? else { return Ok(None) };
        let name = file.path.to_string_lossy().into_owned();
        let before = protection_state(&layers);
        let mut text = file.text.clone();
        let mut groups = Vec::new();
        for group in wanted.iter().copied() {
            let is_there = |row: &HookRow| match group {
                HookGroup::Protection => !matches!(before, ProtectionState::Absent),
                HookGroup::Memory => hooks::written(&layers).any(|hook| row.is_done_by(hook)),
            };
            let mut missing = group.rows().iter().filter(|row| !is_there(row)).peekable();
            let (step, diff) = if missing.peek().is_none() {
                (Step::Nothing, String::new())
            } else if let Some(new) = add_rows(missing, text.clone(), &name, format) {
                let made = diff(&name, text.as_deref().unwrap_or_default(), &new);
                text = Some(new);
                (Step::Add, made)
            } else {
                let found = file.text.as_deref().unwrap_or_default();
                (Step::ByHand(by_hand(group, &name, format, found)), String::new())
            };
            groups.push(GroupPlan { group, step, diff });
        }
        // The backup is the file without hooks of ours.
        let is_first = matches!(before, ProtectionState::Absent);
        let backup = if is_first { Backup::Make { installed: false } } else { Backup::Leave };
        let change = FileChange::new(file, text, backup);
        Ok(Some(Self { change, groups, before, after: switched_off() }))
    }

    /// Removes the hooks, in the opposite order.
    pub(crate) fn to_remove() -> Result<Option<Self>, CliError> {
        let Some((file, format, layers)) = read_hook_file()? else { return Ok(None) };
        let name = file.path.to_string_lossy().into_owned();
        let before = protection_state(&layers);
        let is_protected = !matches!(before, ProtectionState::Absent);
        let mut text = file.text.clone();
        let mut groups = Vec::new();
        for group in [HookGroup::Memory, HookGroup::Protection] {
            // The backup is the file without both groups.
            let backup = file.backup().filter(|_| group == HookGroup::Protection || !is_protected);
            let old = text.clone().unwrap_or_default();
            let without =
                text.as_deref().map(|text| remove_rows(group, text, &name, format, backup.as_deref()));
            let step = match without {
                Some(Some(Without::Text(rest))) if rest == old => Step::Nothing,
                Some(Some(left)) => {
                    text = match left {
                        Without::Text(rest) => Some(rest),
                        Without::Nothing => None,
                    };
                    Step::Remove
                }
                Some(None) if group == HookGroup::Memory || is_protected => Step::Keep,
                Some(None) | None => Step::Nothing,
            };
            let diff = match step {
                Step::Remove => diff(&name, &old, text.as_deref().unwrap_or_default()),
                _ => String::new(),
            };
            groups.push(GroupPlan { group, step, diff });
        }
        let removes = |plan: &GroupPlan| {
            plan.step == Step::Remove && (plan.group == HookGroup::Protection || !is_protected)
        };
        let backup = if groups.iter().any(removes) { Backup::Remove } else { Backup::Leave };
        let change = FileChange::new(file, text, backup);
        Ok(Some(Self { change, groups, before, after: None }))
    }

    pub(crate) fn apply(&mut self) -> Result<(), CliError> {
        self.change.apply()?;
        if self.change.removes() {
            // The folder of hook files is tenter's, and `init` may have made those above it.
            let _ = self.change.file.path.parent().map(fs::remove_dir);
            let _ = MadeFolders::new(&Places::of_process()).tidy_up(&self.change.file);
        }
        if self.step(HookGroup::Protection) == Some(&Step::Add) {
            self.after = read_hook_file()?.map(|(_, _, layers)| protection_state(&layers));
        }
        Ok(())
    }

    pub(crate) fn diff(&self) -> String {
        self.change.diff()
    }

    pub(crate) fn path(&self) -> String {
        self.change.path()
    }

    pub(crate) fn step(&self, group: HookGroup) -> Option<&Step> {
        self.groups.iter().find(|plan| plan.group == group).map(|plan| &plan.step)
    }

    pub(crate) fn by_hand(&self) -> impl Iterator<Item = &String> {
        self.groups.iter().filter_map(|plan| match &plan.step {
            Step::ByHand(how) => Some(how),
            _ => None,
        })
    }

    /// Why `protect-config` has no effect although it is in the file.
    pub(crate) fn unprotected(&self) -> Option<String> {
        let path = self.path();
        match (self.step(HookGroup::Protection)?, &self.before, &self.after) {
            (Step::Add, _, Some(ProtectionState::Off(hook, why))) => {
                Some(format!("{hook} is in {path}, but it is off: {why}"))
            }
            (Step::Add, _, Some(ProtectionState::Absent)) => Some(format!(
                "`{PROTECT}` is in {path}, but it does not run; run `tenter hooks explain {PROTECT}` to see why"
            )),
            (Step::Nothing, ProtectionState::Off(hook, why), _) => Some(format!("{hook} is off: {why}")),
            _ => None,
        }
    }

    /// Why `protect-config` will have no effect once it is written.
    pub(crate) fn would_not_protect(&self) -> Option<String> {
        match (self.step(HookGroup::Protection)?, &self.after) {
            (Step::Add, Some(ProtectionState::Off(hook, why))) => Some(format!("{hook} is off: {why}")),
            _ => None,
        }
    }

    pub(crate) fn removed(&self) -> Vec<String> {
        let path = self.path();
        self.groups.iter().filter_map(|plan| self.removed_group(plan, &path)).collect()
    }

    fn removed_group(&self, plan: &GroupPlan, path: &str) -> Option<String> {
        let (hooks, note) = match plan.group {
            HookGroup::Protection => (format!("`{PROTECT}`"), ""),
            HookGroup::Memory => {
                ("the memory hooks".to_owned(), "; stored memories stay (`tenter memory stats`)")
            }
        };
        let is_last_removed = || {
            self.groups.iter().rfind(|it| it.step == Step::Remove).is_some_and(|it| it.group == plan.group)
        };
        match plan.step {
            Step::Remove if self.change.removes() && is_last_removed() => {
                Some(format!("{path} contained nothing but {hooks} and was removed{note}"))
            }
            Step::Remove => Some(format!("{hooks} removed from {path}{note}")),
            Step::Keep => {
                let backup = self.change.file.backup_path();
                let kept = match plan.group {
                    HookGroup::Protection if backup.exists() => {
                        format!("; the file from before `tenter init` is {}", backup.display())
                    }
                    _ => String::new(),
                };
                Some(format!("{path} keeps {hooks}: the file was changed after `tenter init`{kept}"))
            }
            Step::Nothing | Step::Add | Step::ByHand(_) => None,
        }
    }

    pub(crate) fn as_json(&self, group: HookGroup) -> Option<Value> {
        let plan = self.groups.iter().find(|plan| plan.group == group)?;
        let state = match (&plan.step, group, &self.before) {
            (Step::Nothing, HookGroup::Memory, _) => "unchanged",
            (Step::Nothing, HookGroup::Protection, ProtectionState::On(_)) => "on",
            (Step::Nothing, HookGroup::Protection, ProtectionState::Off(..)) => "off",
            (Step::Nothing, HookGroup::Protection, ProtectionState::Absent) => "absent",
            (Step::Add, HookGroup::Protection, _) if self.unprotected().is_some() => "off",
            (Step::Add, ..) => "added",
            (Step::ByHand(_), ..) => "by_hand",
            (Step::Remove, ..) => "taken_out",
            (Step::Keep, ..) => "kept",
        };
        Some(json!({"state": state, "file": self.path(), "diff": plan.diff}))
    }
}

fn add_rows<'r>(
    mut rows: impl Iterator<Item = &'r HookRow>,
    text: Option<String>,
    name: &str,
    format: Format,
) -> Option<String> {
    rows.try_fold(text, |text, row| {
        Some(Some(match text {
            None => row.entry().alone(format),
            Some(text) => row.entry().added_to(&source(name, format, &text))?,
        }))
    })?
}

/// The text without the rows of a group, the last first; `None` if the user changed one of them.
fn remove_rows(
    group: HookGroup,
    text: &str,
    name: &str,
    format: Format,
    backup: Option<&str>,
) -> Option<Without> {
    let there = load(&source(name, format, text)).hooks;
    let is_there =
        |row: &&HookRow| there.iter().any(|hook| hook.id.name == row.name && hook.id.layer == Layer::User);
    let all = group == HookGroup::Protection;
    let rows: Vec<&HookRow> = group.rows().iter().filter(|row| all || is_there(row)).collect();
    let mut left = text.to_owned();
    for (number, row) in rows.iter().enumerate().rev() {
        let backup = backup.filter(|_| number == 0);
        match row.entry().taken_out_of(&source(name, format, &left), backup)? {
            Without::Text(rest) => left = rest,
            Without::Nothing => return Some(Without::Nothing),
        }
    }
    Some(Without::Text(left))
}

/// Instructions for a file that tenter cannot add to.
fn by_hand(group: HookGroup, name: &str, format: Format, text: &str) -> String {
    if group == HookGroup::Memory {
        let lines = MEMORY.iter().map(|row| format!("\n  {}: {}", row.event, row.entry().to_paste(format)));
        return format!(
            "the memory hooks are not installed yet; add each of these to the list of its event under `hooks` in {name}:{}",
            lines.collect::<String>()
        );
    }
    let how = match load(&source(name, format, text)).dialect {
        Dialect::Tenter => where_to_paste(name, format, text),
        other => format!(
            "{name} has the form of {}; convert it with `tenter import`, and add this to its list of `tool:pre`",
            other.title()
        ),
    };
    let entry = PROTECTION[0].entry().to_paste(format);
    format!("agents can still change tenter's own files; {how}:\n  {entry}")
}

fn where_to_paste(name: &str, format: Format, text: &str) -> String {
    let version = match format {
        Format::Yaml => "version: 1",
        Format::Toml => "version = 1",
        Format::Json => "\"version\": 1",
    };
    let first =
        if text.contains("version") { String::new() } else { format!("write `{version}` first, then ") };
    if text.contains("tool:pre") || text.contains("PreToolUse") {
        format!("{first}add this to the list of `tool:pre` under `hooks` in {name}")
    } else {
        format!("{first}add a list `tool:pre` under `hooks` in {name} with this")
    }
}

/// The state of `protect-config` if the user disabled it before.
fn switched_off() -> Option<ProtectionState> {
    let id = HookId::new(Layer::User, PROTECT);
    let why = Disabled::read(&Places::of_process()).why(&id, here().as_deref())?;
    Some(ProtectionState::Off(id.address(), why))
}

fn source<'t>(name: &'t str, format: Format, text: &'t str) -> SourceText<'t> {
    SourceText { name, folder: "", layer: Layer::User, format, text }
}

/// The user's hook file with its format, and the hooks of all layers.
fn read_hook_file() -> Result<Option<(SettingsFile, Format, Layers)>, CliError> {
    let places = Places::of_process();
    let Some(folder) = &places.config_folder else { return Ok(None) };
    let path = file_in(folder, "hooks");
    let format = Format::from_file_name(&path.to_string_lossy()).unwrap_or(Format::Yaml);
    let file = SettingsFile::read(&path)?;
    Ok(Some((file, format, Layers::read(&places, here().as_deref()))))
}
