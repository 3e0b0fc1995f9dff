//! Hooks that somebody has switched off, without touching a hook file: for good, or for one project. (For one
//! session that stands in the session's folder.)

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_contract::{HookId, HookSpec, Layer, Message};
use tenter_store::{StateFolder, read_plain};

use crate::held::HeldFiles;
use crate::places::Places;

/// The switches.
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
    /// Reads them. What cannot be read switches nothing off: a hook too many is better than a guard too few.
    pub fn read(places: &Places) -> Self {
        let path = places.state_folder.as_ref().map(|state| state.join("disabled.json"));
        let held = path.as_ref().and_then(|path| HeldFiles::new(places)?.active_hooks(path));
        let bytes =
            held.map(String::into_bytes).or_else(|| path.as_ref().and_then(|path| read_plain(path).ok()));
        let switches = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { path, switches }
    }

    /// Where they stand, whether that exists or not.
    pub(crate) fn path(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.to_string_lossy().into_owned())
    }

    /// Where the version in force is kept, which counts while a change is held.
    pub(crate) fn entry(&self, places: &Places) -> Option<String> {
        let entry = HeldFiles::new(places)?.entry(self.path.as_ref()?);
        Some(entry.to_string_lossy().into_owned())
    }

    /// What the user is notified of if a change is held.
    pub(crate) fn notice(&self, places: &Places) -> Option<Message> {
        HeldFiles::new(places)?.notice(self.path.as_ref()?)
    }

    /// Takes out what is switched off here, and says what that was and why.
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
        // What the machine's owner wants, nobody switches off.
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
        let Some(path) = &self.path else {
            return Err(io::Error::other("there is no place for state: set HOME"));
        };
        if let Some(folder) = path.parent() {
            StateFolder::new(folder.to_path_buf()).make()?;
        }
        let beside = path.with_extension(std::process::id().to_string());
        fs::write(&beside, serde_json::to_vec_pretty(&self.switches)?)?;
        fs::rename(&beside, path)?;
        HeldFiles::accept_own(path)
    }
}
