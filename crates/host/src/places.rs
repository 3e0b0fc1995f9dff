//! The folders of hook files and state on this machine.

mod choice;

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use tenter_contract::Message;
use tenter_executors::project_folders::{ProjectFolders, account_home, resolved};
use tenter_store::{StateFolder, TrustedRoots};

use self::choice::Choice;
use crate::trust::project::here;

/// The places of hook files and state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The folder of the machine owner's hook file.
    pub managed_folder: Option<PathBuf>,
    /// A hook file that takes the place of the user's own and of the profile's.
    pub config: Option<PathBuf>,
    /// The profile that is asked for, if one is.
    pub profile: Option<String>,
    /// The id of the installation that the entry names, if it names one.
    pub installation: Option<String>,
    /// The folder of the user's hook file.
    pub config_folder: Option<PathBuf>,
    /// The folder of everything that lasts.
    pub state_folder: Option<PathBuf>,
    /// Whether the environment names these folders, or a program that embeds tenter.
    pub of_environment: bool,
    /// The home that the environment names.
    pub home: Option<PathBuf>,
    /// Trusted projects around the project of the event.
    pub outer_projects: Vec<PathBuf>,
    /// Why these are not the places that the environment names.
    pub trouble: Option<PlacesTrouble>,
    /// Where these are known to be the places that count.
    pub checked: Checked,
}

/// Where places were compared with projects and with the account, so that a call compares them once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Checked {
    /// Nowhere yet.
    #[default]
    Nowhere,
    /// They are the account's own, which count in every project.
    Everywhere,
    /// In this project, or outside of any.
    In(Option<PathBuf>),
}

/// An environment that names folders tenter does not use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacesTrouble {
    /// The notice for the user.
    pub message: Message,
    /// The user's hook file cannot be found: guards deny.
    pub closed: bool,
    /// A named folder was refused. If not, it had no hook file and another one has.
    pub refused: bool,
}

const CONFIG: &str = ".config/tenter";
const STATE: &str = ".local/state/tenter";

impl Places {
    /// The places the environment names, by the XDG rules. A variable that is empty or relative counts as
    /// unset, because otherwise the file would land in whatever directory the agent is in.
    pub fn from_environment(config: Option<&Path>) -> Self {
        let home = absolute("HOME");
        let below = |variable: &str, fallback: &str| {
            let named = absolute(variable).map(|base| base.join("tenter"));
            named.or_else(|| home.as_ref().map(|home| home.join(fallback)))
        };
        Self {
            // Fixed: no environment can move the machine owner's file.
            managed_folder: Some(PathBuf::from("/etc/tenter")),
            config: config.map(Path::to_path_buf),
            profile: env::var("TENTER_PROFILE").ok().filter(|name| !name.is_empty()),
            installation: None,
            config_folder: below("XDG_CONFIG_HOME", CONFIG),
            state_folder: below("XDG_STATE_HOME", STATE),
            home,
            of_environment: true,
            ..Self::default()
        }
    }

    /// The places of the account, whatever the environment names.
    pub fn of_account() -> Self {
        let below = |below: &str| account_home().map(|home| home.join(below));
        Self { config_folder: below(CONFIG), state_folder: below(STATE), ..Self::default() }
    }

    /// The places of this process, by the environment and the working folder.
    pub fn of_process() -> Self {
        Self::from_environment(None).outside(here().as_deref())
    }

    /// The notice for the user if those are not the ones that the environment names.
    pub fn moved() -> Option<Message> {
        Self::of_process().trouble.map(|trouble| trouble.message)
    }

    /// The state folder. The folder of the user's hook file remembers that it holds a trail.
    pub fn state(&self) -> Option<StateFolder> {
        let folder = self.state_folder.clone().map(StateFolder::new);
        folder.map(|folder| folder.witnessed_in(self.config_folder.as_deref()))
    }

    /// The same with the profile that a command names.
    #[must_use]
    pub fn with_profile(mut self, profile: Option<&str>) -> Self {
        if let Some(profile) = profile {
            self.profile = Some(profile.to_owned());
        }
        self
    }

    /// The same, but never inside a project: an agent may have read its environment from a file of the
    /// project, which would then bring its own trust and take the user's guards away.
    #[must_use]
    pub fn outside(&self, project_root: Option<&Path>) -> Self {
        match &self.checked {
            Checked::Everywhere => return self.clone(),
            Checked::In(project) if project.as_deref() == project_root => return self.clone(),
            Checked::In(_) | Checked::Nowhere => {}
        }
        let account = account_home();
        if self.are_usual(account.as_deref()) {
            return self.clone();
        }
        let roots = project_root.map(Path::to_path_buf);
        let projects = ProjectFolders::new(roots, env::current_dir().ok(), account.as_deref());
        self.away_from(projects, account).0
    }

    /// The same with the trusted projects around a project and a folder.
    #[must_use]
    pub(crate) fn with_outer_projects(self, root: Option<&Path>, cwd: Option<&Path>) -> Self {
        let roots = self.state_folder.as_deref().map(TrustedRoots::read);
        self.with_projects_of(roots, root, cwd)
    }

    /// The same with those that another program removed from the list of trusted projects.
    #[must_use]
    pub(crate) fn with_all_outer_projects(self, root: Option<&Path>, cwd: Option<&Path>) -> Self {
        let roots = self.state_folder.as_deref().map(TrustedRoots::read_all);
        self.with_projects_of(roots, root, cwd)
    }

    fn with_projects_of(
        mut self,
        roots: Option<TrustedRoots>,
        root: Option<&Path>,
        cwd: Option<&Path>,
    ) -> Self {
        let Some(roots) = roots else { return self };
        let below = [root, cwd].into_iter().flatten();
        let real = below.clone().map(resolved);
        let below: Vec<PathBuf> = below.map(Path::to_path_buf).chain(real).collect();
        let around = below.iter().flat_map(|path| roots.around(path));
        let own = root.map(resolved);
        let mut outer: Vec<PathBuf> = around
            .filter(|outer| Some(*outer) != root && Some(resolved(outer)) != own && !is_home(outer))
            .map(Path::to_path_buf)
            .collect();
        outer.sort();
        outer.dedup();
        self.outer_projects = outer;
        self
    }

    /// Whether these are the places of the account itself, which need no closer look.
    pub(crate) fn are_usual(&self, account: Option<&Path>) -> bool {
        let is = |place: &Option<PathBuf>, below: &str| match (place, account) {
            (Some(place), Some(account)) => {
                place.strip_prefix(account).is_ok_and(|it| it == Path::new(below))
            }
            _ => false,
        };
        is(&self.home, "") && is(&self.config_folder, CONFIG) && is(&self.state_folder, STATE)
    }

    /// The places that count for an event that concerns these folders, which come back with the homes that count.
    #[inline(never)]
    pub(crate) fn away_from(
        &self,
        projects: ProjectFolders,
        account: Option<PathBuf>,
    ) -> (Self, ProjectFolders) {
        let choice = Choice::new(self, projects, account);
        (choice.places(), choice.projects)
    }

    /// Remembers where the user's hook file lies, for a later environment that does not.
    pub(crate) fn remember_config(&self) {
        choice::remember_config(self);
    }
}

/// The project of the working folder, and the places that count there. Nearly all events are of this project, so their
/// places are resolved once.
pub(crate) struct ResolvedPaths {
    pub(crate) named: Places,
    pub(crate) project: Option<PathBuf>,
    pub(crate) used: Places,
}

impl ResolvedPaths {
    pub(crate) fn new(named: &Places, project: Option<&Path>) -> Self {
        let used = named.outside(project);
        Self { named: named.clone(), project: project.map(Path::to_path_buf), used }
    }

    /// The places that count in a project.
    pub(crate) fn at(&self, project: Option<&Path>) -> Cow<'_, Places> {
        if project == self.project.as_deref() {
            Cow::Borrowed(&self.used)
        } else {
            Cow::Owned(self.named.outside(project))
        }
    }
}

/// The absolute path in a variable.
pub(crate) fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Whether a folder is the home of this account, or around it. The environment alone does not decide, since a project may
/// have set it: the project would be the home then, and its files the user's. It is compared first, because that is
/// cheap.
pub fn is_home(folder: &Path) -> bool {
    is_around(folder, absolute("HOME"), account_home)
}

fn is_around(folder: &Path, named: Option<PathBuf>, own: impl FnOnce() -> Option<PathBuf>) -> bool {
    let inside = |home: PathBuf| home.starts_with(folder) || resolved(&home).starts_with(resolved(folder));
    named.is_some_and(inside) && own().is_some_and(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folder_in_project_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("sub")).unwrap();
        std::os::unix::fs::symlink(&root, folder.path().join("link")).unwrap();
        let at = |path: &str| Places {
            config_folder: Some(folder.path().join(path)),
            state_folder: Some(folder.path().join("state")),
            ..Places::default()
        };
        for inside in ["project", "project/sub/not/there", "link/sub"] {
            let used = at(inside).outside(Some(&root));
            assert_ne!(used.config_folder, at(inside).config_folder, "{inside}");
            assert_eq!(used.state_folder, at(inside).state_folder);
            assert!(used.trouble.is_some_and(|trouble| trouble.refused));
        }
        let elsewhere = at("config").outside(Some(&root));
        assert_eq!(elsewhere, at("config"));
        assert_eq!(at("project").outside(None), at("project"));
    }

    /// Security case C5: a project that names itself the home is none.
    #[test]
    fn a_folder_is_a_home_if_environment_and_account_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("home/ann/src")).unwrap();
        fs::create_dir_all(at("project/sub")).unwrap();
        std::os::unix::fs::symlink(at("home"), at("link")).unwrap();
        let is_home =
            |path: &str, named: &str, own: &str| is_around(&at(path), Some(at(named)), || Some(at(own)));
        for around in ["home/ann", "home", "link/ann"] {
            assert!(is_home(around, "home/ann", "home/ann"), "{around}");
            assert!(is_home(around, "link/ann", "home/ann"), "{around} by a link");
        }
        assert!(!is_home("home/ann/src", "home/ann", "home/ann"), "what lies in a home is none");
        assert!(!is_home("project", "project", "home/ann"), "a project cannot be one by its own word");
        assert!(!is_home("project", "project/sub", "home/ann"));
        assert!(!is_home("home/ann", "project", "home/ann"), "nor take the home's place");
        assert!(!is_around(&at("home/ann"), None, || Some(at("home/ann"))));
        assert!(!is_around(&at("home/ann"), Some(at("home/ann")), || None), "an account without a home");
    }

    #[test]
    fn places_are_resolved_per_project() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir_all(&one).unwrap();
        fs::create_dir_all(other.join("state")).unwrap();
        let named = Places { state_folder: Some(other.join("state")), ..Places::default() };
        let resolved_paths = ResolvedPaths::new(&named, Some(&one));
        assert_eq!(*resolved_paths.at(Some(&one)), named);
        assert_ne!(resolved_paths.at(Some(&other)).state_folder, named.state_folder);
        assert_ne!(ResolvedPaths::new(&named, Some(&other)).used.state_folder, named.state_folder);
    }
}
