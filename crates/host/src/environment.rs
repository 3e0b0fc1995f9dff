//! The environment of a call, corrected before anything uses it.
//!
//! An agent may have taken variables from a file of the project it works on. Folders of the user that such a variable
//! moves into the project are put back: for tenter itself, and for the hooks that inherit them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::AgentAdapter;
use tenter_executors::Caller;
use tenter_executors::project_folders::{ProjectFolders, account_home};

use crate::places::Places;
use crate::trust::project;

/// Variables that name a folder of the user, and where it usually lies in a home.
const FOLDERS: [(&str, &str); 5] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_RUNTIME_DIR", ""),
];

/// A payload above this size is not searched for folders.
const LARGEST_SEARCHED: usize = 8 * 1024 * 1024;

/// Whether the variables name the folders of the account, which need no closer look.
pub(crate) fn is_usual(named: &Places) -> bool {
    let Some(account) = account_home() else { return false };
    let usual = |(variable, below): &(&str, &str)| {
        let Some(value) = env::var_os(variable).map(PathBuf::from) else { return true };
        let of_system = || value.strip_prefix("/run/user").is_ok_and(|rest| rest.components().count() == 1);
        if below.is_empty() { of_system() } else { value == account.join(below) }
    };
    named.are_usual(Some(&account)) && FOLDERS.iter().all(usual)
}

/// The places that count, and the variables that must change for it.
pub(crate) struct Correction {
    pub(crate) places: Places,
    variables: Vec<(&'static str, Option<PathBuf>)>,
}

impl Correction {
    /// Compares the variables with every folder that a call concerns: where this process and the agent stand, what
    /// the agent calls the project, and the folders that its payload names.
    pub(crate) fn new(named: &Places, agent: &dyn AgentAdapter, payload: &[u8]) -> Self {
        let account = account_home();
        let here = env::current_dir().ok();
        let roots: Vec<PathBuf> = project::of_agent(agent).into_iter().chain(project::here()).collect();
        let folders: Vec<PathBuf> =
            here.into_iter().chain(folder_of_agent()).chain(folders_in(payload)).collect();
        let places = named.away_from(roots.clone(), folders.clone(), account.clone());
        let mut projects = ProjectFolders::new(roots, folders, account.as_deref());
        if let Some(home) = &places.home {
            projects = projects.with_home(home);
        }
        let mut variables = Vec::new();
        if places.home != named.home {
            variables.push(("HOME", places.home.clone()));
        }
        for (variable, _) in FOLDERS {
            let value = env::var_os(variable).map(PathBuf::from);
            if value.is_some_and(|value| !value.is_absolute() || projects.contain(&value)) {
                variables.push((variable, None));
            }
        }
        Self { places, variables }
    }

    /// Whether a variable names a folder that is not used.
    pub(crate) fn is_needed(&self) -> bool {
        !self.variables.is_empty() || self.places.trouble.is_some()
    }

    /// Corrects the environment of this process, which hooks inherit. Called before there is a second thread.
    #[expect(unsafe_code, reason = "changing the environment has no safe interface")]
    pub(crate) fn apply(self) -> Places {
        for (variable, value) in &self.variables {
            // SAFETY: the process has one thread until hooks run.
            unsafe {
                match value {
                    Some(value) => env::set_var(variable, value),
                    None => env::remove_var(variable),
                }
            }
        }
        self.places
    }
}

/// The folder of the agent that called us, which it was usually started in.
fn folder_of_agent() -> Option<PathBuf> {
    let caller = Caller::find()?;
    fs::read_link(format!("/proc/{}/cwd", caller.pid)).ok()
}

/// Every folder that a payload names: the agent's, its project's, its workspaces'.
fn folders_in(payload: &[u8]) -> Vec<PathBuf> {
    use serde_json::Value;

    fn collect(value: &Value, levels: usize, found: &mut Vec<PathBuf>) {
        match value {
            Value::String(text) if text.starts_with('/') && Path::new(text).is_dir() => {
                found.push(PathBuf::from(text));
            }
            Value::Array(values) if levels > 0 => {
                values.iter().take(64).for_each(|value| collect(value, levels - 1, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    if payload.len() <= LARGEST_SEARCHED
        && let Ok(Value::Object(fields)) = serde_json::from_slice(payload)
    {
        fields.values().for_each(|value| collect(value, 1, &mut found));
    }
    found
}
