//! Where an event belongs: to which agent, and to which project, which is not where the agent happens to be.

use std::path::Path;

use tenter_contract::ports::{ShelfError, Surroundings};
use tenter_contract::{Event, SessionId};

use crate::Runtime;

/// An event in its place, and what went wrong on the way there.
pub struct Located {
    /// The event.
    pub event: Event,
    /// Why the session's memory could not be used, if so.
    pub trouble: Option<ShelfError>,
}

impl Runtime {
    /// Fills in the project root: the agent's own variable, else the one remembered for the session, else
    /// the project around the agent's directory, which is remembered. An agent's directory may follow the model's `cd`, so it is
    /// looked at once per session and never taken for the root itself. Events that name no session have nothing in
    /// common: what is remembered of one says nothing about the next.
    pub fn locate(&self, mut event: Event) -> Located {
        if event.cwd.is_none() {
            self.add_place(&mut event);
        }
        let (root, mut trouble) = self.root_of(&event);
        if let Some(Root::New(root)) = &root
            && let Err(error) = self.sessions.remember_project_root(&event.session, root)
        {
            trouble.get_or_insert(error);
        }
        event.project_root = root.map(Root::into_path);
        Located { event, trouble }
    }

    /// The same without remembering it, for whoever only looks.
    pub fn look_up(&self, mut event: Event) -> Event {
        if event.cwd.is_none() {
            self.add_place(&mut event);
        }
        event.project_root = self.root_of(&event).0.map(Root::into_path);
        event
    }

    fn root_of(&self, event: &Event) -> (Option<Root>, Option<ShelfError>) {
        if let Some(root) = &event.project_root {
            return (Some(Root::Known(root.clone())), None);
        }
        if event.session == SessionId::unknown() {
            return (self.around(event).map(Root::Known), None);
        }
        let new = || self.around(event).map(Root::New);
        match self.sessions.recall(&event.session) {
            Ok(session) => (session.project_root.map(Root::Known).or_else(new), None),
            Err(error) => (new(), Some(error)),
        }
    }

    /// Adds the folder to an event whose payload names none: that of this process, if it is in a project or holds all
    /// that the call names. Otherwise the agent works elsewhere, and the project is the one around the call's paths.
    #[cold]
    fn add_place(&self, event: &mut Event) {
        if event.project_root.is_some() {
            event.cwd.clone_from(&event.project_root);
            return;
        }
        let folder = (self.working_folder)().filter(|folder| !(self.is_home)(Path::new(folder)));
        let in_project = |folder: &String| project_around(Path::new(folder), self.is_home).is_some();
        if folder.as_ref().is_some_and(in_project) {
            event.cwd = folder;
            return;
        }
        let paths = absolute_paths(event);
        let holds_all = |folder: &String| paths.iter().all(|path| Path::new(path).starts_with(folder));
        event.cwd = folder.filter(holds_all);
        let known = |session: &SessionId| {
            self.sessions.recall(session).is_ok_and(|session| session.project_root.is_some())
        };
        if event.session == SessionId::unknown() || !known(&event.session) {
            // It is not remembered: the next call may be about another project.
            let root = paths.iter().find_map(|path| project_around(Path::new(path), self.is_home));
            event.project_root = root.and_then(Path::to_str).map(str::to_owned);
        }
    }

    #[inline(never)]
    fn around(&self, event: &Event) -> Option<String> {
        let root = project_around(Path::new(event.cwd.as_deref()?), self.is_home)?;
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
    /// Somebody has said so before.
    Known(String),
    /// It was found just now.
    New(String),
}

impl Root {
    fn into_path(self) -> String {
        match self {
            Self::Known(path) | Self::New(path) => path,
        }
    }
}

/// The event under the agent id that the command names, if the payload names none.
pub(crate) fn named(mut event: Event, surroundings: &Surroundings) -> Event {
    if event.agent_id.is_none() {
        event.agent_id.clone_from(&surroundings.agent_id);
    }
    event
}

/// The project around a folder: the nearest at or above it that has hooks of its own or a repository, whose `.git` is a
/// file in worktrees and submodules.
///
/// A home is no project for what lies in it, even if it is a repository: people keep their settings in one, and its
/// hooks would run wherever no other repository is. Neither is what lies around a home. Somebody who has put hooks of
/// its own into it means what is started right there.
pub fn project_around(folder: &Path, is_home: fn(&Path) -> bool) -> Option<&Path> {
    let root = nearest_root(folder)?;
    let meant = || root == folder && root.join(HOOKS).is_dir();
    (!is_home(root) || meant()).then_some(root)
}

/// The home that is no project for a folder, although there is no other one around it.
pub fn home_around(folder: &Path, is_home: fn(&Path) -> bool) -> Option<&Path> {
    let root = nearest_root(folder)?;
    project_around(folder, is_home).is_none().then_some(root)
}

/// Where a project keeps hooks of its own.
const HOOKS: &str = ".tenter";

fn nearest_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(HOOKS).is_dir() || above.join(".git").exists())
}
