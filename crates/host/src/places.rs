//! Where things lie on this machine.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tenter_contract::{Level, Message};

use crate::trust::project::here;

/// Where hook files and state are looked for.
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
            // Fixed: what the machine's owner says, no environment can move.
            managed_folder: Some(PathBuf::from("/etc/tenter")),
            config: config.map(Path::to_path_buf),
            profile: env::var("TENTER_PROFILE").ok().filter(|name| !name.is_empty()),
            installation: None,
            config_folder: below("XDG_CONFIG_HOME", CONFIG),
            state_folder: below("XDG_STATE_HOME", STATE),
        }
    }

    /// The places that count where this process stands, by the environment.
    pub fn of_process() -> Self {
        Self::from_environment(None).outside(here().as_deref())
    }

    /// What the user must know if those are not the ones that the environment names.
    pub fn moved() -> Option<Message> {
        Self::of_process().moved_from(&Self::from_environment(None))
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
    /// project, which would then bring its own trust and take the user's guards away. What lies inside is not
    /// used, the folder of the account is, and that is told. Where the account's own home is the project, or in it,
    /// everything stays as it is named: its files are the user's.
    #[must_use]
    pub fn outside(&self, project_root: Option<&Path>) -> Self {
        let Some(root) = project_root.map(resolved) else { return self.clone() };
        let (config, state) = (&self.config_folder, &self.state_folder);
        Self {
            config_folder: config.as_ref().and_then(|folder| kept_outside(folder, CONFIG, &root)),
            state_folder: state.as_ref().and_then(|folder| kept_outside(folder, STATE, &root)),
            ..self.clone()
        }
    }

    /// What the user must know if these places are not those that the environment names.
    pub(crate) fn moved_from(&self, named: &Self) -> Option<Message> {
        let pairs = [(&named.config_folder, &self.config_folder), (&named.state_folder, &self.state_folder)];
        let shown = |path: &Path| format!("`{}`", path.display());
        let moved: Vec<String> = pairs
            .into_iter()
            .filter(|(named, used)| named != used)
            .filter_map(|(named, used)| {
                let instead = used.as_deref().map_or("nothing".to_owned(), shown);
                Some(format!("{} is not used, but {instead}", shown(named.as_deref()?)))
            })
            .collect();
        (!moved.is_empty()).then(|| Message {
            text: format!(
                "error: the environment moves tenter's own folders into this project: {}\nhint: look for HOME, XDG_CONFIG_HOME or XDG_STATE_HOME in a file of the project (`.env`), and unset them; if it is your home that lies in a project, set XDG_CONFIG_HOME and XDG_STATE_HOME to folders outside of it",
                moved.join("; ")
            ),
            level: Level::Error,
        })
    }
}

/// The project that a process works on, and the places that count there. Which project an event belongs to is
/// known only when it has come; nearly all come from where we stand, and nothing is looked at twice for them.
pub(crate) struct Vantage {
    /// The places that the environment names.
    pub(crate) named: Places,
    /// The project.
    pub(crate) project: Option<PathBuf>,
    /// The places that count.
    pub(crate) used: Places,
}

impl Vantage {
    /// Looks at the places from a project.
    pub(crate) fn of(named: &Places, project: Option<&Path>) -> Self {
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

fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The folder itself if it lies elsewhere; the account's own if not.
fn kept_outside(folder: &Path, below_home: &str, root: &Path) -> Option<PathBuf> {
    let inside = resolved(folder).starts_with(root);
    if !inside {
        return Some(folder.to_path_buf());
    }
    let own = own_home()?;
    if resolved(&own).starts_with(root) {
        return Some(folder.to_path_buf());
    }
    Some(own.join(below_home))
}

/// Whether a folder is the home of this account, or around it. What the environment says is not believed alone, since a
/// project may have set it: the project would be the home then, and its files the user's. It is looked at first,
/// because that is nearly free.
pub fn is_home(folder: &Path) -> bool {
    is_around(folder, absolute("HOME"), own_home)
}

fn is_around(folder: &Path, named: Option<PathBuf>, own: impl FnOnce() -> Option<PathBuf>) -> bool {
    let inside = |home: PathBuf| home.starts_with(folder) || resolved(&home).starts_with(resolved(folder));
    named.is_some_and(inside) && own().is_some_and(inside)
}

/// The home of the account that this process runs under.
fn own_home() -> Option<PathBuf> {
    account_home(&fs::read_to_string("/etc/passwd").ok()?, rustix::process::geteuid().as_raw())
}

/// Where a path leads, links followed as far as it exists: `/proc/self/cwd` is the project too.
fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|part| Some((part, real(part)?)));
    found.map_or(path.to_path_buf(), |(part, real)| match path.strip_prefix(part) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    })
}

/// The same path if no link stands in the way, which it takes the kernel one call to say. Every call of an agent
/// waits for this: following links by hand takes a call for each folder, and to ask `/proc/self` for the path of
/// what was opened is the dearest, because it does not exist in a new process until somebody asks (10 µs).
fn real(path: &Path) -> Option<PathBuf> {
    if has_no_links(path) { Some(path.components().collect()) } else { fs::canonicalize(path).ok() }
}

#[cfg(target_os = "linux")]
fn has_no_links(path: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    path.is_absolute()
        && path.components().all(plain)
        && openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_no_links(_: &Path) -> bool {
    false
}

/// The home of an account, which no environment can move.
fn account_home(accounts: &str, user: u32) -> Option<PathBuf> {
    let home = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2)?.parse() == Ok(user))
            .then(|| PathBuf::from(fields.get(5).copied().unwrap_or_default()))
    };
    accounts.lines().find_map(home).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNTS: &str =
        "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nnobody:x:9:9\n";

    #[test]
    fn the_home_of_an_account_is_found_by_its_number() {
        assert_eq!(account_home(ACCOUNTS, 1000), Some(PathBuf::from("/home/ann")));
        assert_eq!(account_home(ACCOUNTS, 9), None);
        assert_eq!(account_home(ACCOUNTS, 7), None);
    }

    #[test]
    fn a_folder_inside_the_project_is_replaced_by_the_accounts_and_told() {
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
            assert!(used.moved_from(&at(inside)).is_some());
        }
        let elsewhere = at("config").outside(Some(&root));
        assert_eq!(elsewhere, at("config"));
        assert_eq!(elsewhere.moved_from(&at("config")), None);
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
    fn whoever_stands_in_one_project_still_looks_from_another() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir_all(&one).unwrap();
        fs::create_dir_all(other.join("state")).unwrap();
        let named = Places { state_folder: Some(other.join("state")), ..Places::default() };
        let vantage = Vantage::of(&named, Some(&one));
        assert_eq!(*vantage.at(Some(&one)), named);
        assert_ne!(vantage.at(Some(&other)).state_folder, named.state_folder);
        assert_ne!(Vantage::of(&named, Some(&other)).used.state_folder, named.state_folder);
    }

    #[test]
    fn a_path_is_real_by_whatever_way_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let real_folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(real_folder.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", real_folder.join("link")).unwrap();
        for path in ["a/b", "a//b/", "a/./b", "a/../a/b", "link/b", "link/../a/b"] {
            assert_eq!(real(&real_folder.join(path)), Some(real_folder.join("a/b")), "{path}");
        }
        assert_eq!(real(&real_folder.join("nothing")), None);
        assert_eq!(resolved(&real_folder.join("link/x/y")), real_folder.join("a/x/y"));
    }
}
