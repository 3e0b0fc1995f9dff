//! The environment of a hook.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tenter_contract::{EnvInheritance, Event, HookSpec, Layer, SessionId};
use tenter_protocol::dialects;

use crate::programs::SYSTEM_PATH;
use crate::project_folders::{ProjectFolders, account_home};

/// Variables that most programs need.
const MINIMAL: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];
/// Prefixes of further variables of this kind.
const MINIMAL_FAMILIES: [&str; 2] = ["LC_", "XDG_"];
/// Variables that make programs load code or change where they search for it. An agent may have taken them from a
/// file of the project, so a hook inherits one only by name.
const LOADING: [&str; 30] = [
    "BASHOPTS",
    "BASH_ENV",
    "BUN_OPTIONS",
    "CDPATH",
    "CLASSPATH",
    "DENO_DIR",
    "ENV",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "RUBYLIB",
    "RUBYOPT",
    "SHELLOPTS",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];
/// Prefixes of further variables of this kind.
const LOADING_FAMILIES: [&str; 9] =
    ["BASH_FUNC_", "DYLD_", "GIT_", "LD_", "NPM_CONFIG_", "PERL", "PYTHON", "RIPGREP_CONFIG", "npm_config_"];
/// Longer values of an event are left out. Linux refuses to start a program with a variable above 128 KiB, and a model
/// could choose such a path to keep a guard from running. The value is on stdin anyway.
const LONGEST_VALUE: usize = 16 * 1024;

/// Builds the environment: inherited variables, then those of the event, then those of the hook file.
pub(crate) fn build(
    hook: &HookSpec,
    event: &Event,
    path: Option<&str>,
    ours: &[(OsString, OsString)],
    notices: &mut Vec<String>,
) -> BTreeMap<OsString, OsString> {
    let mut all: BTreeMap<OsString, OsString> =
        ours.iter().filter(|(name, _)| inherits(&hook.inherit_env, name)).cloned().collect();
    if let Some(path) = all.get(OsStr::new("PATH")).and_then(|path| own_path(path, hook, event)) {
        all.insert("PATH".into(), path);
    }
    let theirs = dialects::variables(hook.dialect, event);
    let theirs = theirs.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in event_variables(event, path).chain(theirs) {
        if value.contains('\0') {
            notices.push(format!("`{name}` is not set, because its value contains a NUL byte"));
        } else if value.len() > LONGEST_VALUE {
            notices.push(format!("`{name}` is not set, because its value has {} bytes", value.len()));
        } else {
            all.insert(name.into(), value.into());
        }
    }
    // Scripts find themselves by it, so without a project it is the agent's folder: a guard that searches for itself
    // at `/.claude/hooks` guards nothing.
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

/// `PATH` without the folders of the project, for hooks of other layers: a project must not decide which `jq` or `bash`
/// judges it. Empty and relative entries depend on the folder of the hook. A `PATH` without a system folder gets all of
/// them, so that a guard finds `bash`. `None` if nothing changes.
fn own_path(path: &OsStr, hook: &HookSpec, event: &Event) -> Option<OsString> {
    let entries: Vec<PathBuf> = std::env::split_paths(path).collect();
    let mut kept = match hook.id.layer {
        Layer::Project | Layer::Local => entries.clone(),
        Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => {
            let root = event.project_root.iter().map(PathBuf::from);
            let folders = event.cwd.iter().map(PathBuf::from).chain(std::env::current_dir().ok());
            let projects = ProjectFolders::new(root, folders, account_home().as_deref());
            let is_own = |entry: &&PathBuf| entry.is_absolute() && !projects.contain(entry);
            entries.iter().filter(is_own).cloned().collect()
        }
    };
    let usual = || std::env::split_paths(SYSTEM_PATH);
    if !usual().any(|folder| kept.contains(&folder)) {
        kept.extend(usual());
    }
    if kept == entries { None } else { std::env::join_paths(kept).ok() }
}

fn is_loading(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    LOADING.iter().any(|known| name == known.as_bytes())
        || LOADING_FAMILIES.iter().any(|family| name.starts_with(family.as_bytes()))
}

fn inherits(inheritance: &EnvInheritance, name: &OsStr) -> bool {
    match inheritance {
        EnvInheritance::All => !is_loading(name),
        EnvInheritance::Minimal => is_minimal(name),
        EnvInheritance::Named(names) => is_minimal(name) || names.iter().any(|known| name == known.as_str()),
    }
}

fn is_minimal(name: &OsStr) -> bool {
    MINIMAL.iter().any(|known| name == *known)
        || MINIMAL_FAMILIES.iter().any(|family| name.as_encoded_bytes().starts_with(family.as_bytes()))
}

/// The variables of the event; those without a value are not set.
fn event_variables<'a>(
    event: &'a Event,
    path: Option<&'a str>,
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let tool = event.tool.as_ref();
    [
        ("TENTER_EVENT", Some(event.kind.as_str())),
        ("TENTER_TOOL_NAME", tool.map(|tool| tool.name.as_str())),
        ("TENTER_SESSION_ID", event.session.as_ref().map(SessionId::as_str)),
        ("TENTER_AGENT", Some(event.agent.as_str())),
        ("TENTER_PROJECT_ROOT", event.project_root.as_deref()),
        ("TENTER_TOOL_PATH", path.or_else(|| tool.and_then(|tool| tool.path()))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
}

#[cfg(test)]
mod tests;
