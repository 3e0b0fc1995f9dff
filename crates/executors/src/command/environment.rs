//! The variables a hook sees.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tenter_contract::{EnvInheritance, Event, HookSpec, Layer};
use tenter_protocol::dialects;

use crate::project_folders::{ProjectFolders, account_home};

/// What a program needs to run at all.
const MINIMAL: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];
/// Families of which every member counts as minimal.
const MINIMAL_FAMILIES: [&str; 2] = ["LC_", "XDG_"];
/// Variables with which programs load code, change what they run or where they look for it. An agent may have
/// taken them from a file of the project, so a hook gets one only if it names it.
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
/// Families of the same kind.
const LOADING_FAMILIES: [&str; 9] =
    ["BASH_FUNC_", "DYLD_", "GIT_", "LD_", "NPM_CONFIG_", "PERL", "PYTHON", "RIPGREP_CONFIG", "npm_config_"];
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
    if let Some(path) = all.get(OsStr::new("PATH")).and_then(|path| own_path(path, hook, event)) {
        all.insert("PATH".into(), path);
    }
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

/// `PATH` without the folders of the project, for hooks that are not the project's: it must not decide which `jq`
/// or `bash` judges it. Empty and relative entries mean whatever folder a hook runs in. The folders of the system
/// come last where none is named: a guard must find `bash` whatever the agent's `PATH` is. `None` if nothing changes.
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
    let usual = || std::env::split_paths(USUAL_PATH);
    if !usual().any(|folder| kept.contains(&folder)) {
        kept.extend(usual());
    }
    if kept == entries { None } else { std::env::join_paths(kept).ok() }
}

/// The folders of a system.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

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
