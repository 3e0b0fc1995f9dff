//! Hooks that the user has disabled without a change of a hook file: everywhere, or in one project. Hooks that are
//! disabled for one session are in the session's folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_contract::{HookId, HookSpec, Layer, Message};
use tenter_store::{StateFolder, read_plain};

use crate::pending_changes::PendingChanges;
use crate::places::Places;

/// The name of their file in the state folder.
const NAME: &str = "disabled.json";

/// The disabled hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disabled {
    path: Option<PathBuf>,
    switches: Switches,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Switches {
    /// Addresses, as `user/git-status`.
    always: Vec<String>,
    /// The same, by project.
    projects: BTreeMap<String, Vec<String>>,
}

impl Disabled {
    /// Reads them. If they cannot be read, no hook is disabled.
    pub fn read(places: &Places) -> Self {
        let path = places.state_folder.as_ref().map(|state| state.join(NAME));
        let active = path.as_ref().and_then(|path| PendingChanges::new(places)?.active_text(path));
        let on_disk = || path.as_ref().and_then(|path| read_plain(path).ok());
        let bytes = active.map(String::into_bytes).or_else(on_disk);
        let switches = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { path, switches }
    }

    /// The path of their file, whether it exists or not.
    pub(crate) fn path(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.to_string_lossy().into_owned())
    }

    /// The path of the kept version, which is active while a change is pending.
    pub(crate) fn entry(&self, places: &Places) -> Option<String> {
        let entry = PendingChanges::new(places)?.entry(self.path.as_ref()?);
        Some(entry.to_string_lossy().into_owned())
    }

    /// The notice for the user if a change is pending.
    pub(crate) fn notice(&self, places: &Places) -> Option<Message> {
        PendingChanges::new(places)?.notice(self.path.as_ref()?)
    }

    /// Removes the hooks that are disabled here, and returns them with the reason.
    pub(crate) fn apply(
        &self,
        hooks: &mut Vec<Arc<HookSpec>>,
        project: Option<&Path>,
    ) -> Vec<(HookId, String)> {
        let mut off = Vec::new();
        hooks.retain(|hook| match self.why(&hook.id, project) {
            Some(why) => {
                off.push((hook.id.clone(), why));
                false
            }
            None => true,
        });
        off
    }

    /// Why a hook is switched off here, if it is.
    pub fn why(&self, hook: &HookId, project: Option<&Path>) -> Option<String> {
        // Users cannot disable hooks of the machine's owner.
        if hook.layer == Layer::Managed {
            return None;
        }
        let address = hook.address();
        let here = project.and_then(|root| self.switches.projects.get(root.to_string_lossy().as_ref()));
        if self.switches.always.contains(&address) {
            Some(format!("you disabled it; `tenter hooks enable {}` takes that back", hook.name))
        } else if here.is_some_and(|names| names.contains(&address)) {
            Some(format!(
                "you disabled it in this project; `tenter hooks enable {} --project` takes that back",
                hook.name
            ))
        } else {
            None
        }
    }

    /// Switches a hook off, or on again: everywhere, or in a project.
    pub fn switch(&mut self, hook: &HookId, project: Option<&Path>, off: bool) -> io::Result<()> {
        let address = hook.address();
        let names = match project {
            None => &mut self.switches.always,
            Some(root) => self.switches.projects.entry(root.to_string_lossy().into_owned()).or_default(),
        };
        names.retain(|name| *name != address);
        if off {
            names.push(address);
        }
        self.switches.projects.retain(|_, names| !names.is_empty());
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let Some((folder, path)) = self.path.as_ref().and_then(|path| Some((path.parent()?, path))) else {
            return Err(io::Error::other("there is no place for state: set HOME"));
        };
        StateFolder::new(folder.to_path_buf()).replace(NAME, &serde_json::to_vec_pretty(&self.switches)?)?;
        PendingChanges::accept_own(path)
    }
}
