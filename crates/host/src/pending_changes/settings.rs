//! The agents' settings, as far as hooks are concerned: whether they call tenter, what keeps the agent from doing so,
//! and which other hooks they have. tenter notifies the user of a change while an agent works. If tenter's entry is
//! lost, the agent's tool calls are denied until the entry is back or the user accepts the change.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenter_contract::ports::{AgentInstaller, Scope};
use tenter_contract::{HookSet, HookSpec, Layer, Level, Message};
use tenter_store::{GoodVersion, GoodVersions, Hold, KeptVersion, StateFolder};

use super::settings_summary::{ENTRY, IN_THE_WAY, SETTING, summary, switches_of};
use super::{ChangeKind, PendingChange, Worker, explain};
use crate::clock::now_ms;
use crate::install::{SettingsFile, settings_path};
use crate::layers::{CALLS, denying};

/// The settings of agents that call tenter.
pub(super) struct AgentSettings {
    store: GoodVersions,
    folder: PathBuf,
}

/// One settings file and what counts in it.
struct Found {
    agent: &'static str,
    path: PathBuf,
    summary: String,
}

impl AgentSettings {
    pub(super) fn new(state: &StateFolder) -> Self {
        let folder = state.path().join("settings");
        Self { store: GoodVersions::new(&StateFolder::new(folder.clone())), folder }
    }

    /// Compares the settings with the active ones. Adds notices, hooks that deny, and files to watch.
    pub(super) fn check(
        &self,
        root: Option<&Path>,
        worker: impl FnOnce() -> Option<Worker>,
        (set, watched): (&mut HookSet, &mut Vec<String>),
    ) {
        let all = self.find_all(root);
        for found in &all {
            // The settings of some agents are a folder of scripts.
            let scripts =
                std::fs::read_dir(&found.path).into_iter().flatten().flatten().map(|file| file.path());
            let paths = scripts.chain([found.path.clone()]);
            watched.extend(paths.map(|path| path.to_string_lossy().into_owned()));
        }
        let changed: Vec<(Found, GoodVersion)> =
            all.into_iter().filter_map(|found| self.changed(found)).collect();
        if changed.is_empty() {
            return;
        }
        let worker = worker();
        for (found, before) in changed {
            let path = found.path.to_string_lossy();
            let hold = before.hold.clone().or_else(|| {
                let agent = &worker.as_ref()?.agent;
                Some(Hold { since: now_ms(), reason: format!("it changed while {agent} was working") })
            });
            let Some(hold) = hold else {
                // A person changed it.
                let _ = self.store.keep(&GoodVersion::new(path, &found.summary, now_ms()));
                continue;
            };
            watched.push(self.store.entry(&path).to_string_lossy().into_owned());
            set.problems.push(notice(&found, &explain(&hold.reason, &before.text, &found.summary)));
            if is_disarmed(&before.text, &found.summary) {
                set.hooks.extend(denies(&found));
            }
            if before.hold.is_none() {
                let _ = self.store.keep(&GoodVersion { hold: Some(hold), ..before });
            }
        }
    }

    pub(super) fn notices(&self, root: Option<&Path>) -> Vec<Message> {
        let changed = self.find_all(root).into_iter().filter_map(|found| self.differs(found));
        changed
            .filter_map(|(found, before)| {
                let reason = before.hold?.reason;
                Some(notice(&found, &explain(&reason, &before.text, &found.summary)))
            })
            .collect()
    }

    pub(super) fn all(&self, root: Option<&Path>) -> Vec<PendingChange> {
        let changed = self.find_all(root).into_iter().filter_map(|found| self.differs(found));
        changed
            .filter_map(|(found, before)| {
                let reason = before.hold.as_ref()?.reason.clone();
                Some(self.held(&found, &before, reason))
            })
            .collect()
    }

    /// The settings without a pending change, with their summaries.
    pub(super) fn unheld(&self, root: Option<&Path>) -> Vec<(PathBuf, String)> {
        let held = self.all(root);
        let all = self.find_all(root).into_iter().map(|found| (found.path, found.summary));
        all.filter(|(path, _)| held.iter().all(|file| file.path != *path)).collect()
    }

    /// Forgets everything if no agent calls tenter any more.
    pub(super) fn tidy_up(&self, root: Option<&Path>) {
        if self.find_all(root).iter().all(|found| !found.summary.contains(ENTRY)) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    pub(super) fn keep(&self, path: &Path, summary: &str) -> std::io::Result<()> {
        self.store.keep(&GoodVersion::new(path.to_string_lossy(), summary, now_ms()))
    }

    fn held(&self, found: &Found, before: &GoodVersion, reason: String) -> PendingChange {
        PendingChange {
            path: found.path.clone(),
            active_text: before.text.clone(),
            found: Some(found.summary.clone()),
            reason,
            kind: ChangeKind::Settings,
        }
    }

    /// The active version, if the settings differ from it.
    fn differs(&self, found: Found) -> Option<(Found, GoodVersion)> {
        match self.store.find(&found.path.to_string_lossy()) {
            KeptVersion::Good(version) if version.text != found.summary => Some((found, *version)),
            _ => None,
        }
    }

    /// The same, and keeps the active version. Settings that are seen for the first time count.
    fn changed(&self, found: Found) -> Option<(Found, GoodVersion)> {
        let path = found.path.to_string_lossy();
        match self.store.find(&path) {
            KeptVersion::Good(version) if version.text != found.summary => Some((found, *version)),
            KeptVersion::Good(version) => {
                if version.hold.is_some() {
                    let _ = self.store.keep(&GoodVersion { hold: None, ..*version });
                }
                None
            }
            KeptVersion::Unknown | KeptVersion::Damaged(_) => {
                let _ = self.store.keep(&GoodVersion::new(path, &found.summary, now_ms()));
                None
            }
        }
    }

    /// The settings of every agent that calls tenter, or did.
    fn find_all(&self, root: Option<&Path>) -> Vec<Found> {
        let known: Vec<String> = self.store.all().into_iter().map(|version| version.path).collect();
        let installers = tenter_adapters::all().iter().filter_map(|agent| agent.installer());
        let mut all: Vec<Found> = Vec::new();
        for installer in installers {
            let found = find(installer, root);
            let counts = |it: &Found| {
                it.summary.contains(ENTRY) || known.contains(&it.path.to_string_lossy().into_owned())
            };
            if found.iter().any(counts) {
                all.extend(found);
            }
        }
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all.dedup_by(|a, b| a.path == b.path);
        all
    }
}

/// The settings of an agent in every scope, whether the file exists or not, and the files that can switch its hooks off.
fn find(installer: &'static dyn AgentInstaller, root: Option<&Path>) -> Vec<Found> {
    let scopes = Scope::ALL.into_iter().filter(|scope| *scope == Scope::User || root.is_some());
    let places = scopes.filter_map(|scope| installer.place(scope));
    let project = root.unwrap_or(Path::new("/"));
    let entries = places.filter_map(|place| settings_path(place, project).ok()).map(|path| {
        let text = SettingsFile::open(installer, &path).ok().and_then(|file| file.text);
        let summary = summary(installer, &path, text.as_deref());
        Found { agent: installer.title(), path, summary }
    });
    let switches = installer.switch().map(|switch| [Some(switch.user), root.map(|_| switch.project)]);
    let switches =
        switches.into_iter().flatten().flatten().filter_map(|place| settings_path(place, project).ok());
    let switches = switches.map(|path| {
        let text = SettingsFile::read(&path).ok().and_then(|file| file.text);
        Found { agent: installer.title(), path, summary: switches_of(text.as_deref()) }
    });
    entries.chain(switches).collect()
}

/// Whether the agent called tenter before and may not any more.
fn is_disarmed(before: &str, now: &str) -> bool {
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    let lost =
        before.lines().any(|line| (line.starts_with(ENTRY) || line.starts_with(SETTING)) && !has(now, line));
    let blocked = |line: &str| line.starts_with(IN_THE_WAY) || line.starts_with(SETTING);
    lost || now.lines().any(|line| blocked(line) && !has(before, line))
}

fn notice(found: &Found, reason: &str) -> Message {
    let (path, agent) = (found.path.display(), found.agent);
    let text = format!(
        "error: the hook settings of {agent} changed: {reason}\n  --> {path}\nhint: `tenter init` restores tenter's entries; `tenter hooks accept` accepts the change"
    );
    Message { text, level: Level::Error }
}

fn denies(found: &Found) -> Vec<Arc<HookSpec>> {
    let reason = format!(
        "{} no longer calls tenter as `tenter init` wrote it, and that changed while an agent was working. Ask the user to run `tenter init` or `tenter hooks accept`.",
        found.path.display()
    );
    denying(Layer::Managed, "changed hook settings", &reason, CALLS)
}
