//! Finds the project of an event. The folder in which the agent is at the moment may be another one.

use std::path::Path;

use tenter_contract::ports::StateError;
use tenter_contract::{Diagnostics, Event};

use crate::Runtime;

impl Runtime {
    /// Fills in the project root: the agent's own variable, else the one remembered for the session, else the project
    /// around the agent's folder, which is remembered. An agent's folder may follow the model's `cd`, so it is read
    /// once per session. Events without a session have nothing in common, so nothing is remembered for them.
    pub fn locate(&self, event: Event, diagnostics: &mut Diagnostics) -> Event {
        let mut event = self.with_folder(event);
        let (root, error) = self.find_root(&event);
        diagnostics.check(error.map_or(Ok(()), Err));
        if let (Some(Root::New(root)), Some(session)) = (&root, &event.session) {
            diagnostics.check(self.sessions.store.remember_project_root(session, root));
        }
        event.project_root = root.map(Root::into_path);
        event
    }

    /// The same without remembering it, for dry runs.
    pub fn resolve(&self, event: Event) -> Event {
        let mut event = self.with_folder(event);
        event.project_root = self.find_root(&event).0.map(Root::into_path);
        event
    }

    fn with_folder(&self, mut event: Event) -> Event {
        if event.cwd.is_none() {
            self.add_folder(&mut event);
        }
        event
    }

    fn find_root(&self, event: &Event) -> (Option<Root>, Option<StateError>) {
        if let Some(root) = &event.project_root {
            return (Some(Root::Known(root.clone())), None);
        }
        let Some(session) = &event.session else {
            return (self.root_around(event).map(Root::Known), None);
        };
        let new = || self.root_around(event).map(Root::New);
        match self.sessions.store.recall(session) {
            Ok(session) => (session.project_root.map(Root::Known).or_else(new), None),
            Err(error) => (new(), Some(error)),
        }
    }

    /// Adds the folder to an event whose payload names none: the folder of this process, if it is in a project or
    /// contains all paths of the call. Otherwise the project is the one around the paths of the call.
    #[cold]
    fn add_folder(&self, event: &mut Event) {
        if event.project_root.is_some() {
            event.cwd.clone_from(&event.project_root);
            return;
        }
        let folder =
            (self.catalog.working_folder)().filter(|folder| !(self.catalog.is_home)(Path::new(folder)));
        let in_project = |folder: &String| project_around(Path::new(folder), self.catalog.is_home).is_some();
        if folder.as_ref().is_some_and(in_project) {
            event.cwd = folder;
            return;
        }
        let paths = absolute_paths(event);
        let holds_all = |folder: &String| paths.iter().all(|path| Path::new(path).starts_with(folder));
        event.cwd = folder.filter(holds_all);
        let known = |session| self.sessions.store.recall(session).is_ok_and(|it| it.project_root.is_some());
        if !event.session.as_ref().is_some_and(known) {
            // Not remembered: the next call may be about another project.
            let root = paths.iter().find_map(|path| project_around(Path::new(path), self.catalog.is_home));
            event.project_root = root.and_then(Path::to_str).map(str::to_owned);
        }
    }

    #[inline(never)]
    fn root_around(&self, event: &Event) -> Option<String> {
        let root = project_around(Path::new(event.cwd.as_deref()?), self.catalog.is_home)?;
        root.to_str().map(str::to_owned)
    }
}

/// The absolute paths that a call names, and the folders in which it works.
fn absolute_paths(event: &Event) -> Vec<String> {
    let Some(tool) = &event.tool else { return Vec::new() };
    let texts = tool.path_texts(&event.agent).into_iter().map(|text| text.text);
    texts.chain(tool.working_folders()).filter(|path| path.starts_with('/')).collect()
}

/// The root of a project.
enum Root {
    /// The payload named it, or the session remembers it.
    Known(String),
    /// It was found for this event.
    New(String),
}

impl Root {
    fn into_path(self) -> String {
        match self {
            Self::Known(path) | Self::New(path) => path,
        }
    }
}

/// The project around a folder: the nearest at or above it that has hooks of its own or a repository, whose `.git` is a
/// file in worktrees and submodules.
///
/// A home folder is not the project of the folders in it, even if it is a repository: people keep their settings in a
/// repository, and its hooks would run wherever no other repository is. The same holds for folders around a home. If it
/// has hooks of its own, it is the project of agents that start right there.
pub fn project_around(folder: &Path, is_home: fn(&Path) -> bool) -> Option<&Path> {
    let root = nearest_root(folder)?;
    let meant = || root == folder && root.join(HOOKS).is_dir();
    (!is_home(root) || meant()).then_some(root)
}

/// The home around a folder that belongs to no project.
pub fn home_around(folder: &Path, is_home: fn(&Path) -> bool) -> Option<&Path> {
    let root = nearest_root(folder)?;
    project_around(folder, is_home).is_none().then_some(root)
}

/// The folder for the hooks of a project.
const HOOKS: &str = ".tenter";

fn nearest_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(HOOKS).is_dir() || above.join(".git").exists())
}
