//! Pending changes: changes of protected files that the user must accept.
//!
//! The agent may have made a change of a hook file or a switch during its turn. Such a change does not become active: the
//! version before stays active, and the file on disk stays as it is. `tenter hooks accept` shows the change and accepts
//! it.

mod change;
mod grants;
mod lost_record;
mod settings;
mod settings_summary;
mod turn;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tenter_config::{guarded_events, names_stoppable_event};
use tenter_contract::{Event, HookSet, Layer, Level, Message};
use tenter_store::{GoodVersion, GoodVersions, Hold, KeptVersion, RunningAgents, StateFolder};

pub(crate) use self::change::explain;
pub use self::change::{ChangeKind, PendingChange};
use self::lost_record::{Record, closed, empty, lost_hook_file, lost_version, record_of};
use self::settings::AgentSettings;
use self::turn::Worker;
pub(crate) use self::turn::note_turn;
use crate::clock::now_ms;
use crate::file_versions::{ActiveVersion, FileVersions};
use crate::hook_files::{HookFile, Lookup, keep_version, read_bounded};
use crate::installation;
use crate::layers::Layers;
use crate::places::Places;

/// The pending changes of a state folder.
pub struct PendingChanges {
    store: GoodVersions,
    agents: RunningAgents,
    settings: AgentSettings,
    /// The file with the name of the active profile.
    profile: PathBuf,
    state: StateFolder,
}

impl PendingChanges {
    /// The changes in the state folder; none without one.
    pub fn new(places: &Places) -> Option<Self> {
        let state = StateFolder::new(places.state_folder.clone()?);
        Some(Self {
            store: GoodVersions::new(&state),
            agents: RunningAgents::new(&state),
            settings: AgentSettings::new(&state),
            profile: state.path().join("profile"),
            state,
        })
    }

    /// All pending changes, with those of agents' settings in this project.
    pub fn all(&self, places: &Places, root: Option<&Path>) -> Vec<PendingChange> {
        let mut hook_files: Vec<PendingChange> =
            self.store.all().into_iter().filter_map(pending_change).collect();
        let doubtful = Layers::read(places, root).files;
        hook_files.extend(doubtful.iter().filter_map(|file| self.doubtful(file)));
        hook_files.into_iter().chain(self.settings.all(root)).chain(grants::all(&self.state)).collect()
    }

    /// A hook file that is not active because it looks like a mistake, and that the user may want as it is.
    fn doubtful(&self, file: &HookFile) -> Option<PendingChange> {
        let ActiveVersion::LastGood { notice, acceptable: true, .. } = &file.version else { return None };
        let KeptVersion::Good(version) = self.store.find(&file.name) else { return None };
        let path = PathBuf::from(&file.name);
        version.hold.is_none().then(|| PendingChange {
            found: text_of(&path),
            active_text: version.text,
            reason: notice.text.clone(),
            kind: ChangeKind::HookFile,
            path,
        })
    }

    /// Accepts a change.
    pub fn accept(&self, file: &PendingChange) -> std::io::Result<()> {
        match &file.kind {
            ChangeKind::Settings => self.settings.keep(&file.path, file.found.as_deref().unwrap_or_default()),
            ChangeKind::HookFile => self.keep(&file.path, file.found.as_deref()),
            ChangeKind::Grant(change) => {
                change.accept(&self.state)?;
                crate::hook_cache::forget(self.state.path())
            }
        }
    }

    /// Accepts a file of the state folder that tenter just wrote for the user.
    pub(crate) fn accept_own(path: &Path) -> std::io::Result<()> {
        let places = Places { state_folder: path.parent().map(Path::to_path_buf), ..Places::default() };
        Self::new(&places).map_or(Ok(()), |pending| pending.keep(path, text_of(path).as_deref()))
    }

    fn keep(&self, path: &Path, text: Option<&str>) -> std::io::Result<()> {
        let path = path.to_string_lossy();
        // A file that the user removed is kept as removed; an unknown one would be reported as missing.
        let removed_at = text.is_none().then(now_ms);
        let version = GoodVersion::new(path, text.unwrap_or_default(), now_ms());
        self.store.keep(&GoodVersion { removed_at, ..version })
    }

    /// The active text of a file, if a change of it is pending.
    pub(crate) fn active_text(&self, path: &Path) -> Option<String> {
        match self.store.find(&path.to_string_lossy()) {
            KeptVersion::Good(version) if version.hold.is_some() => Some(version.text),
            _ => None,
        }
    }

    /// The notice for the user if a change of this file is pending. Hook files have a notice of their own.
    pub(crate) fn notice(&self, path: &Path) -> Option<Message> {
        let KeptVersion::Good(version) = self.store.find(&path.to_string_lossy()) else { return None };
        let file = pending_change(*version)?;
        let text = format!(
            "error: a change of this file is not active, because {}\n  --> {}\nhint: `tenter hooks accept` shows and accepts the change; to undo it, restore the file",
            file.explain(),
            path.display()
        );
        Some(Message { text, level: Level::Error })
    }

    /// The files on which the choice of the profile depends.
    pub(crate) fn profile_files(&self) -> [String; 2] {
        [&self.profile, &self.entry(&self.profile)].map(|path| path.to_string_lossy().into_owned())
    }

    /// The same for the choice of the profile.
    pub(crate) fn profile_notice(&self) -> Option<Message> {
        self.notice(&self.profile)
    }

    /// Records the protected files before a command of the user writes some of them.
    pub fn before_writing(self, places: &Places, root: Option<&Path>) -> WrittenFiles {
        let known = self.store.all();
        let is_held = |path: &Path| {
            known.iter().any(|version| version.hold.is_some() && Path::new(&version.path) == path)
        };
        let before = protected_files(places, &known).into_iter().filter(|path| !is_held(path));
        let before = before.map(|path| (text_of(&path), path)).map(|(text, path)| (path, text)).collect();
        let settings = self.settings.unheld(root);
        let root = root.map(Path::to_path_buf);
        WrittenFiles { pending: self, places: places.clone(), root, before, settings }
    }

    /// The path of the kept active version of a file.
    pub(crate) fn entry(&self, path: &Path) -> PathBuf {
        self.store.entry(&path.to_string_lossy())
    }

    /// Marks every change since the last active version as pending, if an agent is in a turn. False if tenter cannot
    /// record that.
    pub(crate) fn hold_changes(&self, places: &Places, event: Option<&Event>) -> bool {
        let known = self.store.all();
        let noted = installation::noted_files(places);
        // `tenter init` keeps the version of every hook file.
        let what = match (known.is_empty(), places.installation.is_some()) {
            (false, _) => Known::Versions,
            (true, true) => Known::Lost,
            (true, false) => Known::NothingYet,
        };
        if what == Known::Lost
            && noted.is_empty()
            && let Some(path) = lost_hook_file(places)
        {
            return self.store.keep(&lost_version(&path)).is_ok();
        }
        let mut is_recorded = true;
        // Agents are looked for only after a change.
        let mut worker: Option<Option<Worker>> = None;
        let mut paths = protected_files(places, &known);
        paths.extend(noted.iter().map(|file| file.path.clone()));
        paths.sort();
        paths.dedup();
        for path in paths {
            let kept = self.store.find(&path.to_string_lossy());
            match record_of(&path, &kept, &noted) {
                Record::Kept => {}
                Record::LostUnchanged => continue,
                Record::Lost(version) => {
                    is_recorded &= self.store.keep(&version).is_ok();
                    continue;
                }
            }
            let changed = changed(&path, &kept);
            // A file that the user's own entry names (`--config`) is no agent's, whenever it is seen first.
            let named = changed == Change::New && places.config.as_ref() == Some(&path);
            if changed == Change::None || named {
                continue;
            }
            let worker = worker.get_or_insert_with(|| turn::worker(&self.agents, places, event));
            let held = worker.as_ref().and_then(|worker| version_to_hold(&path, kept, changed, worker, what));
            if let Some(version) = held {
                is_recorded &= self.store.keep(&version).is_ok();
            }
        }
        is_recorded
    }

    /// Records the active versions with the installation.
    pub(crate) fn note_versions(&self, places: &Places) {
        if places.installation.is_some() {
            installation::note_files(places, &self.store.all());
        }
    }

    /// The notices about files that grant something.
    pub(crate) fn notices_of_grants(&self) -> Vec<Message> {
        grants::notices(&self.state)
    }

    /// The notices about the agents' settings; nothing is written.
    pub(crate) fn notices_of_settings(&self, root: Option<&Path>) -> Vec<Message> {
        self.settings.notices(root)
    }

    /// Compares the agents' settings with the active ones.
    pub(crate) fn check_settings(
        &self,
        (places, root): (&Places, Option<&Path>),
        event: Option<&Event>,
        found: (&mut HookSet, &mut Vec<String>),
    ) {
        self.settings.check(root, || turn::worker(&self.agents, places, event), found);
    }
}

/// The protected files before a command of the user.
pub struct WrittenFiles {
    pending: PendingChanges,
    places: Places,
    root: Option<PathBuf>,
    before: Vec<(PathBuf, Option<String>)>,
    settings: Vec<(PathBuf, String)>,
}

impl WrittenFiles {
    /// Accepts what the command wrote. A change that was pending before stays pending.
    pub fn accept(self) {
        let known = self.pending.store.all();
        let versions = FileVersions::kept_below(self.places.state_folder.as_deref());
        let hook_files = Lookup::new(&self.places, None).files;
        for path in protected_files(&self.places, &known) {
            let now = text_of(&path);
            let before = self.before.iter().find(|(known, _)| *known == path).map(|(_, text)| text);
            let was_held = before.is_none() && known.iter().any(|it| Path::new(&it.path) == path);
            let first_seen =
                now.is_some() && self.pending.store.find(&path.to_string_lossy()) == KeptVersion::Unknown;
            if !was_held && (first_seen || before.and_then(Option::as_deref) != now.as_deref()) {
                if let (Some(_), Some((layer, _))) = (&now, hook_files.iter().find(|(_, file)| *file == path))
                {
                    keep_version(*layer, &path, &versions);
                    continue;
                }
                // If it cannot be kept, the change stays pending, and the user is notified.
                let _ = match &now {
                    None if installation::id(&self.places).is_none() => {
                        self.pending.store.forget(&path.to_string_lossy())
                    }
                    now => self.pending.keep(&path, now.as_deref()),
                };
            }
        }
        for (path, summary) in self.pending.settings.unheld(self.root.as_deref()) {
            if !self.settings.contains(&(path.clone(), summary.clone())) {
                let _ = self.pending.settings.keep(&path, &summary);
            }
        }
        self.pending.settings.tidy_up(self.root.as_deref());
        self.pending
            .note_versions(&Places { installation: installation::id(&self.places), ..self.places.clone() });
        // Only an empty folder goes.
        if let Some(state) = &self.places.state_folder {
            let _ = fs::remove_dir(state.join("hook-files"));
            let _ = fs::remove_dir(state);
        }
    }
}

/// The files whose changes may be pending: hook files outside of projects, the switches, and all known files.
fn protected_files(places: &Places, known: &[GoodVersion]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Lookup::new(places, None)
        .expanded()
        .into_iter()
        .filter(|(layer, _)| !matches!(layer, Layer::Project | Layer::Local))
        .map(|(_, path)| path)
        .collect();
    paths.extend(
        places.state_folder.iter().flat_map(|state| ["disabled.json", "profile"].map(|it| state.join(it))),
    );
    paths.extend(known.iter().map(|version| PathBuf::from(&version.path)));
    paths.sort();
    paths.dedup();
    paths
}

/// What is known of active versions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Some, so that a file without one is new.
    Versions,
    /// None any more.
    Lost,
    /// None yet.
    NothingYet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// The file is new.
    New,
    /// Its text is another one, or it is gone.
    Other,
    /// A change is pending, and the file is again as it was.
    Back,
}

fn changed(path: &Path, kept: &KeptVersion) -> Change {
    let exists = || fs::symlink_metadata(path).is_ok();
    match kept {
        KeptVersion::Unknown | KeptVersion::Damaged(_) if exists() => Change::New,
        KeptVersion::Unknown | KeptVersion::Damaged(_) => Change::None,
        KeptVersion::Good(version) => {
            let found = text_of(path);
            let same = found.as_deref() == Some(version.text.as_str());
            match (&version.hold, version.removed_at.is_some()) {
                (Some(_), _) if same => Change::Back,
                (None, true) if exists() => Change::New,
                (None, false) if !same => Change::Other,
                _ => Change::None,
            }
        }
    }
}

fn version_to_hold(
    path: &Path,
    kept: KeptVersion,
    changed: Change,
    worker: &Worker,
    known: Known,
) -> Option<GoodVersion> {
    let hold = || {
        let what = match text_of(path) {
            Some(_) if changed == Change::New => "it appeared",
            Some(_) => "it changed",
            None => "it was removed",
        };
        Some(Hold { since: now_ms(), reason: format!("{what} while {} was working", worker.agent) })
    };
    match (kept, changed) {
        (KeptVersion::Good(version), Change::Back) => Some(GoodVersion { hold: None, ..*version }),
        (KeptVersion::Good(version), Change::Other) => Some(GoodVersion { hold: hold(), ..*version }),
        (kept, Change::New) => {
            // A file from before the agent's start is not the agent's. Without any record, a folder from before may have
            // been moved to its place.
            let is_older = || changed_ms(path).is_some_and(|at| worker.began.is_some_and(|began| at < began));
            if known != Known::Lost && is_older() {
                return None;
            }
            let text = match (kept, known) {
                (KeptVersion::Damaged(_), _) | (_, Known::Lost) => closed(path),
                // The user may have written it for another session: its guards must not be off until it is accepted.
                (_, Known::Versions) if has_guards(path) => closed(path),
                (_, Known::Versions) => empty(path),
                (_, Known::NothingYet) => return None,
            };
            let version = GoodVersion::new(path.to_string_lossy(), text, now_ms());
            Some(GoodVersion { hold: hold(), ..version })
        }
        _ => None,
    }
}

fn has_guards(path: &Path) -> bool {
    text_of(path).is_none_or(|text| !guarded_events(&text).is_empty() || names_stoppable_event(&text))
}

fn pending_change(version: GoodVersion) -> Option<PendingChange> {
    let reason = version.hold?.reason;
    let path = PathBuf::from(version.path);
    let found = text_of(&path);
    Some(PendingChange { path, active_text: version.text, found, reason, kind: ChangeKind::HookFile })
}

fn text_of(path: &Path) -> Option<String> {
    read_bounded(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// When a file was last changed in any way, in milliseconds since the Unix epoch. Programs cannot set this time.
fn changed_ms(path: &Path) -> Option<u64> {
    let about = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        about => about.ok()?,
    };
    u64::try_from(about.ctime().checked_mul(1000)? + about.ctime_nsec() / 1_000_000).ok()
}
