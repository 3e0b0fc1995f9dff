//! `tenter hooks disable NAME` and `enable NAME`: for good, in this project, or in one session.

use std::path::{Path, PathBuf};

use tenter_contract::ports::SessionShelf;
use tenter_contract::{HookChange, HookId, Layer, Reach, SessionId, similar};
use tenter_host::Layers;
use tenter_host::disabled::Disabled;
use tenter_host::trust::project::here;
use tenter_runtime::switched_off::switch;
use tenter_store::SessionFolders;
use tenter_store::audit::read::{Content, Filter, read};

use crate::arguments::SwitchArguments;
use crate::commands::{Ended, audit, change, no_project, state};
use crate::error::{CliError, exit};
use crate::listing::typed;
use crate::printer::Printer;

/// Switches a hook off, or on again.
pub(crate) fn run(arguments: &SwitchArguments, off: bool, printer: &Printer) -> Ended {
    let root = here();
    let layers = super::layers(&arguments.config)?;
    let hook = find(&layers, &arguments.hook)?;
    if off && hook.layer == Layer::Managed {
        return Err(CliError::Managed { name: hook.name });
    }
    let reach = match (&arguments.session, arguments.project) {
        (Some(id), _) => Reach::Session(session(id, root.as_deref())?),
        (None, true) => Reach::Project(root.clone().ok_or_else(no_project)?.display().to_string()),
        (None, false) => Reach::Everywhere,
    };
    match &reach {
        Reach::Session(session) if !off && !is_off_in(&hook, session) => {
            return Ok(not_off(&hook, session, printer));
        }
        Reach::Session(session) => in_session(&hook, session, off)?,
        Reach::Everywhere | Reach::Project(_) => lasting(arguments, &hook, root, off)?,
    }
    let now = if off { "off" } else { "on" };
    printer.line(match &reach {
        Reach::Everywhere => format!("{} is {now} from the next event on, in every session", hook.address()),
        Reach::Project(project) => format!("{} is {now} in {project} from the next event on", hook.address()),
        Reach::Session(session) => {
            format!("{} is {now} in session {session} from its next event on", hook.address())
        }
    });
    if let Some(still) = still_off(&layers, &hook, &reach).filter(|_| !off) {
        printer.line(format!("but it is still off: {still}"));
    }
    if !off {
        for session in sessions_without(&hook) {
            printer.line(format!("but it is still off in session {session}: {}", way_back(&hook, &session)));
        }
    }
    change::record(if off {
        HookChange::Disabled { hook, reach }
    } else {
        HookChange::Enabled { hook, reach }
    })?;
    Ok(0)
}

/// The session of that id, which must have come by: a switch in one that never comes would be a guard that somebody
/// takes to be off, or a hook they take to be on. Without an id, the latest of this project.
fn session(id: &str, root: Option<&Path>) -> Result<SessionId, CliError> {
    match SessionId::parse(id) {
        Some(named) => audit::sessions::known(id).map(|()| named),
        None => latest_session(root)?.ok_or(CliError::NoSession),
    }
}

/// The hook of that name, whether it runs or not.
pub(in crate::commands) fn find(layers: &Layers, name: &str) -> Result<HookId, CliError> {
    let of_project = layers.project.iter().flat_map(|project| &project.set.hooks);
    let running = layers.set.hooks.iter().chain(of_project).map(|hook| hook.id.clone());
    let mut all: Vec<HookId> = running.chain(layers.disabled.iter().map(|(id, _)| id.clone())).collect();
    all.sort();
    all.dedup();
    let is_it = |id: &HookId| id.name == name || id.address() == name;
    let found: Vec<&HookId> = all.iter().filter(|id| is_it(id)).collect();
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(unknown(layers, &all, name)),
        several => Err(CliError::AmbiguousHook {
            name: name.to_owned(),
            addresses: several.iter().map(|id| id.address()).collect(),
        }),
    }
}

fn unknown(layers: &Layers, all: &[HookId], name: &str) -> CliError {
    let written = layers.files.iter().find(|file| {
        let ids = file.content.iter().flat_map(|loaded| &loaded.disabled);
        ids.into_iter().any(|id| id.name == name || id.address() == name)
    });
    if let Some(file) = written {
        return CliError::OffInFile { name: name.to_owned(), file: file.name.clone() };
    }
    CliError::UnknownHook {
        name: name.to_owned(),
        suggestion: similar::nearest(name, all.iter().map(|id| id.name.as_str())).map(str::to_owned),
    }
}

fn lasting(
    arguments: &SwitchArguments,
    hook: &HookId,
    root: Option<PathBuf>,
    off: bool,
) -> Result<(), CliError> {
    let places = arguments.config.places().outside(root.as_deref());
    let project = root.filter(|_| arguments.project);
    Disabled::read(&places)
        .switch(hook, project.as_deref(), off)
        .map_err(|cause| CliError::NotWritten { what: "the switch of this hook".to_owned(), cause })
}

pub(in crate::commands) fn in_session(hook: &HookId, session: &SessionId, off: bool) -> Result<(), CliError> {
    let shelf = SessionFolders::new(&state()?);
    let kept =
        if off { shelf.switch_off(session, &switch(hook)) } else { shelf.switch_on(session, &switch(hook)) };
    kept.map_err(|error| CliError::NotWritten { what: format!("`{}`", error.path), cause: error.cause })
}

/// Says that there was nothing to take back, and where there is.
fn not_off(hook: &HookId, session: &SessionId, printer: &Printer) -> u8 {
    let elsewhere = sessions_without(hook);
    printer.line(format!("{} was not off in session {session}; nothing was changed", hook.address()));
    for other in &elsewhere {
        printer.line(format!("it is off in session {other}: {}", way_back(hook, other)));
    }
    if elsewhere.is_empty() { 0 } else { exit::FINDING }
}

/// What to type to have a hook back in a session.
pub(super) fn way_back(hook: &HookId, session: &SessionId) -> String {
    format!("`tenter hooks enable {} --session {session}` takes that back", typed(&hook.name))
}

/// Why a hook stays off although it was switched on somewhere.
pub(in crate::commands) fn still_off<'l>(
    layers: &'l Layers,
    hook: &HookId,
    reach: &Reach,
) -> Option<&'l str> {
    let (_, why) = layers.disabled.iter().find(|(id, _)| id == hook)?;
    let this = match reach {
        Reach::Everywhere => !why.contains("--project"),
        Reach::Project(_) => why.contains("--project"),
        Reach::Session(_) => false,
    };
    (!this).then_some(why.as_str())
}

/// The session of the latest record that belongs to a project, or of the latest at all where there is none.
pub(in crate::commands) fn latest_session(root: Option<&Path>) -> Result<Option<SessionId>, CliError> {
    let mut latest = None;
    for entry in read(&state()?, Filter::default()).map_err(CliError::Trail)? {
        let Content::Record(record) = entry.map_err(CliError::Trail)?.content else { continue };
        let cwd = record.cwd.as_deref().map(Path::new);
        let of_project = record.project_root.as_deref().map(Path::new) == root;
        let here = match (root, cwd) {
            (Some(root), Some(cwd)) => of_project || cwd.starts_with(root),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if here && record.session_id != SessionId::unknown().as_str() {
            latest = SessionId::parse(&record.session_id).or(latest);
        }
    }
    Ok(latest)
}

/// The sessions in which a hook is switched off now. Sessions are kept under a hash of their id, so the ids come
/// from the trail, where every switch stands.
pub(super) fn sessions_without(hook: &HookId) -> Vec<SessionId> {
    let address = hook.address();
    let mut sessions: Vec<SessionId> = Vec::new();
    for (switched, session) in switched_off_in_sessions() {
        if switched == address && !sessions.contains(&session) && is_off_in(hook, &session) {
            sessions.push(session);
        }
    }
    sessions
}

/// The hooks in force that are switched off in some session, by session.
pub(super) fn off_in_sessions(layers: &Layers) -> Vec<(SessionId, &HookId)> {
    let mut off: Vec<(SessionId, &HookId)> = Vec::new();
    for (address, session) in switched_off_in_sessions() {
        let hook = layers.set.hooks.iter().map(|hook| &hook.id).find(|id| id.address() == address);
        if let Some(hook) = hook
            && is_off_in(hook, &session)
            && !off.contains(&(session.clone(), hook))
        {
            off.push((session, hook));
        }
    }
    off
}

pub(in crate::commands) fn is_off_in(hook: &HookId, session: &SessionId) -> bool {
    let shelf = state().map(|state| SessionFolders::new(&state));
    hook.layer != Layer::Managed
        && shelf.is_ok_and(|shelf| shelf.is_switched_off(session, &switch(hook)).unwrap_or(false))
}

/// Every hook that was ever switched off in a session, and that session. What of the trail cannot be read is
/// passed over: other commands tell.
fn switched_off_in_sessions() -> Vec<(String, SessionId)> {
    let Some(entries) = state().ok().and_then(|state| read(&state, Filter::default()).ok()) else {
        return Vec::new();
    };
    let switch = |content: Content| match content {
        Content::Record(record) if record.event == "hook:disabled" => {
            Some((record.hook_name.clone()?, SessionId::parse(&record.session_id)?))
        }
        _ => None,
    };
    entries.filter_map(|entry| switch(entry.ok()?.content)).collect()
}
