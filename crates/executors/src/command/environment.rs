//! The variables a hook sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use tenter_contract::{EnvInheritance, Event, HookSpec};
use tenter_protocol::dialects;

/// What a program needs to run at all.
const MINIMAL: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];
/// Families of which every member counts as minimal.
const MINIMAL_FAMILIES: [&str; 2] = ["LC_", "XDG_"];
/// A value of an event above this size is left out. A single one above 128 KiB makes Linux refuse to start
/// the program, and a model could choose such a path to keep a guard from running. It is on stdin anyway.
const LONGEST_VALUE: usize = 16 * 1024;

/// The whole environment of a hook: what it inherits, then the event, then what its file sets.
pub(crate) fn of(
    hook: &HookSpec,
    event: &Event,
    path: Option<&str>,
    ours: &[(OsString, OsString)],
    notices: &mut Vec<String>,
) -> BTreeMap<OsString, OsString> {
    let mut all: BTreeMap<OsString, OsString> =
        ours.iter().filter(|(name, _)| inherits(&hook.inherit_env, name)).cloned().collect();
    let theirs = dialects::variables(hook.dialect, event);
    let theirs = theirs.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in of_event(event, path).chain(theirs) {
        if value.contains('\0') {
            notices.push(format!("`{name}` is not set, because its value contains a NUL byte"));
        } else if value.len() > LONGEST_VALUE {
            notices.push(format!("`{name}` is not set, because its value has {} bytes", value.len()));
        } else {
            all.insert(name.into(), value.into());
        }
    }
    // Scripts find themselves by it, so where no project is known it is the folder that the agent is in: a guard
    // that looks for itself at `/.claude/hooks` guards nothing.
    let folder = event.project_root.as_deref().or(event.cwd.as_deref());
    if let Some(folder) = folder.filter(|folder| !folder.is_empty() && !folder.contains('\0')) {
        all.entry("CLAUDE_PROJECT_DIR".into()).or_insert_with(|| folder.into());
    }
    for (name, value) in &hook.env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            notices.push(format!("`{}` of `env` is not set, because it is no variable", name.escape_debug()));
        } else {
            all.insert(name.into(), value.into());
        }
    }
    all
}

fn inherits(inheritance: &EnvInheritance, name: &OsStr) -> bool {
    match inheritance {
        EnvInheritance::All => true,
        EnvInheritance::Minimal => is_minimal(name),
        EnvInheritance::Named(names) => is_minimal(name) || names.iter().any(|known| name == known.as_str()),
    }
}

fn is_minimal(name: &OsStr) -> bool {
    MINIMAL.iter().any(|known| name == *known)
        || MINIMAL_FAMILIES.iter().any(|family| name.as_encoded_bytes().starts_with(family.as_bytes()))
}

/// What the event says, under our names; variables without a value are not set.
fn of_event<'a>(event: &'a Event, path: Option<&'a str>) -> impl Iterator<Item = (&'static str, &'a str)> {
    let tool = event.tool.as_ref();
    [
        ("TENTER_EVENT", Some(event.kind.as_str())),
        ("TENTER_TOOL_NAME", tool.map(|tool| tool.name.as_str())),
        ("TENTER_SESSION_ID", Some(event.session.as_str())),
        ("TENTER_AGENT", Some(event.agent.as_str())),
        ("TENTER_PROJECT_ROOT", event.project_root.as_deref()),
        ("TENTER_TOOL_PATH", path.or_else(|| tool.and_then(|tool| tool.path()))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
}

#[cfg(test)]
mod tests;
