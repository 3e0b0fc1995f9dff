//! Disables hooks everywhere, in a project, or in one session.

use std::path::Path;

use tenter_contract::ports::SessionStore;
use tenter_contract::{HookId, Layer, Reach, SessionId, similar};
use tenter_host::Layers;
use tenter_store::SessionFolders;
use tenter_store::audit::read::{Content, Filter, read};

use crate::error::CliError;
use crate::listing::typed;
use crate::places::state;

/// The hook with this name or address, whether it is switched off or not.
pub fn find(layers: &Layers, name: &str) -> Result<HookId, CliError> {
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
        several => {
            Err(CliError::ambiguous_hook(name, &several.iter().map(|id| id.address()).collect::<Vec<_>>()))
        }
    }
}

fn unknown(layers: &Layers, all: &[HookId], name: &str) -> CliError {
    let written = layers.files.iter().find(|file| {
        let ids = file.content.iter().flat_map(|loaded| &loaded.disabled);
        ids.into_iter().any(|id| id.name == name || id.address() == name)
    });
    if let Some(file) = written {
        return CliError::hook_off_in_file(name.to_owned(), file.name.clone());
    }
    CliError::unknown_hook(
        name.to_owned(),
        similar::nearest(name, all.iter().map(|id| id.name.as_str())).map(str::to_owned),
    )
}

/// Switches a hook off or on in a session.
pub fn in_session(hook: &HookId, session: &SessionId, off: bool) -> Result<(), CliError> {
    let session_store = SessionFolders::new(&state()?);
    let kept =
        if off { session_store.switch_off(session, hook) } else { session_store.switch_on(session, hook) };
    kept.map_err(|error| CliError::not_written(format!("`{}`", error.path), error.cause))
}

/// How to enable the hook in the session again.
pub fn enable_hint(hook: &HookId, session: &SessionId) -> String {
    format!("`tenter hooks enable {} --session {session}` takes that back", typed(&hook.name))
}

/// Why a hook stays off although it was enabled somewhere.
pub fn still_off<'l>(layers: &'l Layers, hook: &HookId, reach: &Reach) -> Option<&'l str> {
    let (_, why) = layers.disabled.iter().find(|(id, _)| id == hook)?;
    let this = match reach {
        Reach::Everywhere => !why.contains("--project"),
        Reach::Project(_) => why.contains("--project"),
        Reach::Session(_) => false,
    };
    (!this).then_some(why.as_str())
}

/// The session of the latest record of a project, or of the latest record without a project.
pub fn latest_session(root: Option<&Path>) -> Result<Option<SessionId>, CliError> {
    let mut latest = None;
    for entry in read(&state()?, Filter::default())? {
        let Content::Record(record) = entry?.content else { continue };
        let cwd = record.cwd.as_deref().map(Path::new);
        let of_project = record.project_root.as_deref().map(Path::new) == root;
        let here = match (root, cwd) {
            (Some(root), Some(cwd)) => of_project || cwd.starts_with(root),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if here {
            latest = SessionId::parse(&record.session_id).or(latest);
        }
    }
    Ok(latest)
}

/// The sessions in which a hook is disabled. Session folders have a hash of the id, so the ids come from the trail.
pub fn sessions_without(hook: &HookId) -> Vec<SessionId> {
    let address = hook.address();
    let mut sessions: Vec<SessionId> = Vec::new();
    for (switched, session) in switched_off_in_sessions() {
        if switched == address && !sessions.contains(&session) && is_off_in(hook, &session) {
            sessions.push(session);
        }
    }
    sessions
}

/// The active hooks that are disabled in a session.
pub fn off_in_sessions(layers: &Layers) -> Vec<(SessionId, &HookId)> {
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

/// Whether a hook is switched off in a session.
pub fn is_off_in(hook: &HookId, session: &SessionId) -> bool {
    let session_store = state().map(|state| SessionFolders::new(&state));
    hook.layer != Layer::Managed
        && session_store
            .is_ok_and(|session_store| session_store.is_switched_off(Some(session), hook).unwrap_or(false))
}

/// Every hook that was ever disabled in a session, and that session. Unreadable lines are skipped: other commands report
/// them.
fn switched_off_in_sessions() -> impl Iterator<Item = (String, SessionId)> {
    let filter = Filter { event: Some("hook:disabled".to_owned()), ..Filter::default() };
    let entries = state().ok().and_then(|state| read(&state, filter).ok()).into_iter().flatten();
    entries.filter_map(|entry| match entry.ok()?.content {
        Content::Record(record) => Some((record.hook_name?, SessionId::parse(&record.session_id)?)),
        Content::Foreign(_) | Content::Unreadable { .. } => None,
    })
}
