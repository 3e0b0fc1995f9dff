//! The environment of a call, corrected before anything uses it.
//!
//! An agent may have taken variables from a file of the project it works on. Folders of the user that such a variable
//! moves into the project are put back: for tenter itself, and for the hooks that inherit them.

mod payload_folders;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::AgentAdapter;
use tenter_executors::Caller;
use tenter_executors::project_folders::ProjectFolders;

use self::payload_folders::folders_in;
use crate::places::{Checked, Places};
use crate::trust::project;

/// Variables that name a folder of the user, and where it usually lies in a home.
const FOLDERS: [(&str, &str); 5] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_RUNTIME_DIR", ""),
];

/// Whether the variables name the folders of the account, which need no closer look.
pub(crate) fn is_usual(named: &Places, account: Option<&Path>) -> bool {
    let Some(account) = account else { return false };
    let usual = |(variable, below): &(&str, &str)| {
        let Some(value) = env::var_os(variable).map(PathBuf::from) else { return true };
        let of_system = || value.strip_prefix("/run/user").is_ok_and(|rest| rest.components().count() == 1);
        if below.is_empty() { of_system() } else { value == account.join(below) }
    };
    named.are_usual(Some(account)) && FOLDERS.iter().all(usual)
}

/// The places that count, and the variables that must change for it.
pub(crate) struct Correction {
    pub(crate) places: Places,
    variables: Vec<(&'static str, Option<PathBuf>)>,
}

impl Correction {
    /// Compares the variables with every folder that a call concerns: where this process and the agent stand, what
    /// the agent calls the project, and the folders that its payload names.
    ///
    /// The project is the one that the agent names, else the one around this process.
    pub(crate) fn new(
        named: &Places,
        account: Option<PathBuf>,
        agent: &dyn AgentAdapter,
        project: Option<&Path>,
        payload: &[u8],
    ) -> Self {
        let here = env::current_dir().ok();
        let roots = project::of_agent(agent).into_iter().chain(project::here());
        let folders = here.into_iter().chain(folder_of_agent()).chain(folders_in(payload));
        let projects = ProjectFolders::new(roots, folders, account.as_deref());
        let (mut places, mut projects) = named.away_from(projects, account);
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
        if variables.is_empty() && places.trouble.is_none() {
            places.checked = Checked::In(project.map(Path::to_path_buf));
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
