//! Chooses between places: the one that the environment names, else one that no project can have named.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tenter_contract::{Level, Message};
use tenter_executors::project_folders::ProjectFolders;
use tenter_store::StateFolder;

use super::{CONFIG, Checked, Places, PlacesTrouble, STATE};
use crate::hook_files::has_hook_file;
use crate::installation;

/// The named places, and the facts for a choice between them.
pub(super) struct Choice<'n> {
    named: &'n Places,
    account: Option<PathBuf>,
    pub(super) projects: ProjectFolders,
    /// Why the named home does not count.
    home_refusal: Option<Refusal>,
    /// Whether the entry's installation is in the home of the account: then no variable of the agent's settings moves it.
    installed_in_account: bool,
}

/// Why a folder is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Unset,
    Missing,
    InProject,
    Foreign(u32),
    /// It has no hook file, and another folder has one.
    Empty,
    /// It does not exist, and projects are trusted in the state of the home.
    NoState,
    /// The installation that the entry names is in the home of the account.
    NotInstalled,
}

impl<'n> Choice<'n> {
    pub(super) fn new(named: &'n Places, projects: ProjectFolders, account: Option<PathBuf>) -> Self {
        let installed_in_account = match (&named.installation, &account) {
            (Some(id), Some(account)) => installation::is_known_in(&account.join(CONFIG), id),
            _ => false,
        };
        let mut choice = Self { named, account, projects, home_refusal: None, installed_in_account };
        choice.home_refusal = choice.refuse_home();
        if let (None, Some(home)) = (choice.home_refusal, &named.home) {
            choice.projects = choice.projects.with_home(home);
        }
        choice
    }

    /// The places that count, with the notice about the others.
    pub(super) fn places(&self) -> Places {
        let (state, state_refusal) = self.state();
        let (config, config_refusal) = self.config(state.as_deref());
        let home = match self.home_refusal {
            None => self.named.home.clone(),
            // Root uses the settings of the user.
            Some(Refusal::Foreign(_)) if is_root() => self.named.home.clone(),
            Some(_) => self.account.clone(),
        };
        let named = self.named.clone();
        let checked = Checked::Nowhere;
        let mut used = Places { config_folder: config, state_folder: state, home, checked, ..named };
        // A notice from the correction of the environment is more precise.
        if used.trouble.is_none()
            && let Some(trouble) = self.trouble(&used, config_refusal, state_refusal)
        {
            used.trouble = Some(trouble);
        }
        used
    }

    fn refuse_home(&self) -> Option<Refusal> {
        match &self.named.home {
            None => self.unset(),
            Some(home) if Some(home) == self.account.as_ref() => None,
            Some(home) if !home.is_dir() => Some(Refusal::Missing),
            Some(_) if self.installed_in_account => Some(Refusal::NotInstalled),
            Some(home) if self.projects.contain(home) => Some(Refusal::InProject),
            Some(home) => self.refuse_foreign(home),
        }
    }

    /// A program that embeds tenter names only the folders it wants.
    fn unset(&self) -> Option<Refusal> {
        self.named.of_environment.then_some(Refusal::Unset)
    }

    /// Refuses a folder of another user. If the account is unknown, the owner cannot be compared.
    fn refuse_foreign(&self, folder: &Path) -> Option<Refusal> {
        self.account.as_ref()?;
        let owner = folder.ancestors().find_map(|above| fs::metadata(above).ok())?.uid();
        (owner != rustix::process::geteuid().as_raw() && owner != 0).then_some(Refusal::Foreign(owner))
    }

    /// Why a named folder is not used; `below` is its usual place in a home.
    fn refuse(&self, folder: &Path, below: &str) -> Option<Refusal> {
        let is_in = |home: &Option<PathBuf>| home.as_ref().is_some_and(|home| *folder == home.join(below));
        if is_in(&self.account) {
            None
        } else if is_in(&self.named.home) {
            self.home_refusal
        } else if self.projects.contain(folder) {
            Some(Refusal::InProject)
        } else if self.installed_in_account {
            Some(Refusal::NotInstalled)
        } else {
            self.refuse_foreign(folder)
        }
    }

    /// The same folder in the homes that count, the named one first.
    fn in_homes(&self, below: &'static str) -> impl Iterator<Item = PathBuf> {
        let named = self.named.home.as_ref().filter(|_| self.home_refusal.is_none());
        named.into_iter().chain(&self.account).map(move |home| home.join(below))
    }

    /// The named folder, unless it is refused or has no hook file and another one has.
    fn config(&self, state: Option<&Path>) -> (Option<PathBuf>, Option<Refusal>) {
        let named = self.named.config_folder.as_ref();
        let refusal = match named {
            None => self.unset(),
            Some(named) => self.refuse(named, CONFIG),
        };
        // The user's configuration counts for root too.
        let refusal = refusal.filter(|refusal| !(matches!(refusal, Refusal::Foreign(_)) && is_root()));
        if refusal.is_none() && named.is_some_and(|named| has_hook_file(named)) {
            return (named.cloned(), None);
        }
        let remembered = state.and_then(remembered_config).filter(|folder| !self.projects.contain(folder));
        let mut others = self.in_homes(CONFIG).chain(remembered);
        let other = others.find(|folder| Some(folder) != named && has_hook_file(folder));
        match (refusal, other) {
            (Some(refusal), other) => (other, Some(refusal)),
            (None, Some(other)) => (Some(other), Some(Refusal::Empty)),
            (None, None) => (named.cloned(), self.missing_base()),
        }
    }

    /// `XDG_CONFIG_HOME` names a folder that does not exist.
    fn missing_base(&self) -> Option<Refusal> {
        let named = self.named.config_folder.as_ref()?;
        let is_usual = self.named.home.as_ref().is_some_and(|home| *named == home.join(CONFIG));
        (!is_usual && !named.parent()?.is_dir()).then_some(Refusal::Missing)
    }

    fn state(&self) -> (Option<PathBuf>, Option<Refusal>) {
        let named = self.named.state_folder.as_ref();
        let refusal = match named {
            None => self.unset(),
            Some(named) => self.refuse(named, STATE),
        };
        let Some(refusal) = refusal else {
            // Trust and grants in the home must not be lost because a variable leads elsewhere.
            let missing = named.filter(|named| !named.is_dir());
            return match missing.and_then(|missing| self.state_in_home().filter(|other| other != missing)) {
                Some(other) => (Some(other), Some(Refusal::NoState)),
                None => (named.cloned(), None),
            };
        };
        // Root keeps its own state. Otherwise nothing is made in a home that the environment does not name.
        let may_be_made = matches!(refusal, Refusal::Foreign(_));
        let other = self.in_homes(STATE).find(|folder| may_be_made || folder.is_dir());
        (other, Some(refusal))
    }

    /// The state in the named home, if projects are trusted there.
    fn state_in_home(&self) -> Option<PathBuf> {
        let home = self.named.home.as_ref().filter(|_| self.home_refusal.is_none())?;
        Some(home.join(STATE)).filter(|folder| folder.join("trust").is_dir())
    }

    fn trouble(
        &self,
        used: &Places,
        config: Option<Refusal>,
        state: Option<Refusal>,
    ) -> Option<PlacesTrouble> {
        // A hook file that a command names needs no folder.
        let config = config.filter(|_| self.named.config.is_none());
        let refusals: Vec<Refusal> = [config, state].into_iter().flatten().collect();
        if refusals.is_empty() {
            return None;
        }
        let texts = [
            config.map(|why| {
                describe(
                    "hook files",
                    why,
                    self.named.config_folder.as_deref(),
                    used.config_folder.as_deref(),
                )
            }),
            state.map(|why| {
                describe("state", why, self.named.state_folder.as_deref(), used.state_folder.as_deref())
            }),
        ];
        let texts = texts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        // Where a folder is missing there was one, and a guard may have been in it.
        let is_lost = |folder: &PathBuf| config == Some(Refusal::Missing) && !has_hook_file(folder);
        let closed = config.is_some() && used.config_folder.as_ref().is_none_or(is_lost);
        let refused = refusals.iter().any(|refusal| !matches!(refusal, Refusal::Empty | Refusal::NoState));
        let (cause, hint) = if refusals == [Refusal::NoState] {
            (ASTRAY, STATE_HINT)
        } else if refusals.contains(&Refusal::InProject) {
            (MOVED, MOVED_HINT)
        } else if is_root() && refusals.iter().any(|refusal| matches!(refusal, Refusal::Foreign(_))) {
            (ROOT, ROOT_HINT)
        } else {
            (ASTRAY, ASTRAY_HINT)
        };
        let level = if refused && cause != ROOT { Level::Error } else { Level::Warning };
        let word = if level == Level::Error { "error" } else { "warning" };
        let until = if closed {
            "; until then tool calls are denied, because your guards cannot be found"
        } else {
            ""
        };
        let text = format!("{word}: {cause}: {texts}\nhint: {hint}{until}");
        Some(PlacesTrouble { message: Message { text, level }, closed, refused })
    }
}

const MOVED: &str = "the environment moves tenter's own folders into this project";
const MOVED_HINT: &str = "look for HOME, XDG_CONFIG_HOME or XDG_STATE_HOME in a file of the project (`.env`), and unset them; if it is your home that lies in a project, set XDG_CONFIG_HOME and XDG_STATE_HOME to folders outside of it";
const ROOT: &str = "root runs with the home of another user";
const ROOT_HINT: &str = "type `sudo -H` before the command, or run it as that user";
const ASTRAY: &str = "the environment does not lead to tenter's own folders";
const ASTRAY_HINT: &str =
    "type `unset XDG_CONFIG_HOME XDG_STATE_HOME; eval export HOME=~$(id -un)` before you start the agent";

const STATE_HINT: &str = "unset XDG_STATE_HOME, or move the folder `tenter` there while no agent runs";

fn describe(what: &str, refusal: Refusal, named: Option<&Path>, used: Option<&Path>) -> String {
    let shown = |path: Option<&Path>| path.map(|path| format!("`{}`", path.display()));
    let named = shown(named).unwrap_or_default();
    let why = match refusal {
        Refusal::Unset => "no absolute path is named for them".to_owned(),
        Refusal::Missing => format!("{named} lies in a folder that does not exist"),
        Refusal::InProject => format!("{named} is not used"),
        Refusal::Foreign(owner) => format!("{named} belongs to user {owner}"),
        Refusal::Empty => format!("{named} has no hook file"),
        Refusal::NoState => format!("{named} does not exist"),
        Refusal::NotInstalled => format!("{named} is not where `tenter init` was run"),
    };
    match shown(used).filter(|used| *used != named) {
        Some(used) => format!("{what}: {why}, but {used}"),
        None => format!("{what}: {why}"),
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The file in the state folder that names the folder of the hook file in use.
const REMEMBERED: &str = "config-folder";

fn remembered_config(state: &Path) -> Option<PathBuf> {
    let text = tenter_store::read_regular_text(&state.join(REMEMBERED), 8 * 1024).ok()?;
    Some(PathBuf::from(text)).filter(|path| path.is_absolute())
}

/// Remembers the folder of the user's hook file, for an environment that leads to an empty folder.
pub(super) fn remember_config(places: &Places) {
    let (Some(config), Some(state)) = (&places.config_folder, &places.state_folder) else { return };
    if !has_hook_file(config) || remembered_config(state).as_ref() == Some(config) {
        return;
    }
    // If it cannot be kept, only the environment names the folder.
    if let Some(text) = config.to_str() {
        let _ = StateFolder::new(state.clone()).replace(REMEMBERED, text.as_bytes());
    }
}
