//! Decides which version of a hook file is active: the one on disk, or the last good one.
//!
//! A broken file never disables a guard. A file is broken if it cannot be read, or if a guard that it had does not load
//! because of a mistake. Then its last good version stays active, and the user is notified. Without one, the events
//! that a guard in it could concern are denied. A valid change counts as intended, also if it removes a guard; the user
//! is notified of that too.
//!
//! Hook files of projects are not kept here: their last good version is the one that the user trusted.

mod breakage;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenter_config::{Loaded, Severity, guarded_events, stoppable_events};
use tenter_contract::{EventKind, HookSpec, Layer, Level, Message, Timestamp};
use tenter_store::{GoodVersion, GoodVersions, KeptVersion, LostGuard, StateFolder};

use self::breakage::{Guard, breakage_of, guards_of, stops_at};
use crate::clock::now_ms;
use crate::hook_files::{HookFile, Lookup, read_bounded};
use crate::layers::denying;
use crate::pending_changes::explain;

/// How long tenter notifies the user of guards that a valid change removed.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// The active version of a hook file.
#[derive(Debug, Default)]
pub enum ActiveVersion {
    /// The file on disk.
    #[default]
    OnDisk,
    /// The last good one, because the file on disk is broken or not accepted.
    LastGood {
        /// The notice for the user.
        notice: Message,
        /// What is wrong with the file on disk.
        problems: Vec<Message>,
        /// Whether the user can accept the file on disk.
        acceptable: bool,
    },
    /// None: the file is broken, and there is no good version.
    Closed {
        /// The notice for the user.
        notice: Message,
        /// Hooks that deny what a guard in the file could concern.
        hooks: Vec<Arc<HookSpec>>,
    },
}

/// A hook file as it is on disk.
pub(crate) struct DiskFile<'a> {
    pub(crate) layer: Layer,
    pub(crate) name: String,
    pub(crate) text: Result<String, Unreadable>,
    /// Loads a text of this file.
    pub(crate) load: &'a dyn Fn(&str) -> Loaded,
}

/// Why a hook file has no text.
pub(crate) struct Unreadable {
    /// The problem, with file and hint.
    pub(crate) message: String,
    /// Its bytes; none if it cannot be read at all.
    pub(crate) bytes: Option<Vec<u8>>,
    /// Why, as the end of a sentence.
    pub(crate) why: String,
}

impl Unreadable {
    pub(crate) fn new(message: String, bytes: Option<Vec<u8>>) -> Self {
        Self { message, bytes, why: "it cannot be read".to_owned() }
    }
}

/// The versions of all hook files of a machine.
pub(crate) struct FileVersions {
    store: Option<GoodVersions>,
    /// Whether a new version is kept. Commands that only read write nothing.
    keeps: bool,
    now: u64,
}

impl FileVersions {
    /// Those below a state folder. Versions that are loaded from now on are kept.
    pub(crate) fn kept_below(state: Option<&Path>) -> Self {
        Self { keeps: true, ..Self::below(state) }
    }

    /// The same for commands that only read.
    pub(crate) fn below(state: Option<&Path>) -> Self {
        let store = state.map(|state| GoodVersions::new(&StateFolder::new(state.to_path_buf())));
        Self { store, keeps: false, now: now_ms() }
    }

    /// Whether a version of this file is kept.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.store.as_ref().is_some_and(|store| store.find(name) != KeptVersion::Unknown)
    }

    /// Whether a change of this file is pending.
    pub(crate) fn is_held(&self, name: &str) -> bool {
        let store = self.store.as_ref();
        let found = store.map_or(KeptVersion::Unknown, |store| store.find(name));
        matches!(found, KeptVersion::Good(version) if version.hold.is_some())
    }

    /// The files of a folder that are gone and stay active.
    pub(crate) fn held_in(&self, folder: &Path) -> Vec<PathBuf> {
        let all = self.store.as_ref().map(GoodVersions::all).unwrap_or_default();
        let held = all.into_iter().filter(|version| version.hold.is_some());
        let paths = held.map(|version| PathBuf::from(version.path));
        paths.filter(|path| path.parent() == Some(folder) && path.symlink_metadata().is_err()).collect()
    }

    /// Whether this file was active until now and is gone without the user's consent.
    pub(crate) fn misses(&self, path: &Path, lookup: &Lookup) -> bool {
        let found = self.store.as_ref().map(|store| store.find(&path.to_string_lossy()));
        let was_there = matches!(found, Some(KeptVersion::Good(good)) if good.removed_at.is_none());
        was_there && !lookup.has_twin(path)
    }

    /// The name that a file has now that was a hook file and is none by this name. A name such as `hooks.yaml.bak`
    /// is the user's way to disable a file.
    pub(crate) fn renamed(&self, path: &Path, is_hook_file: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
        let KeptVersion::Good(good) = self.store.as_ref()?.find(path.to_str()?) else { return None };
        if good.removed_at.is_some() {
            return None;
        }
        let has_text = |it: &PathBuf| {
            it.metadata().is_ok_and(|it| it.is_file() && it.len() == good.text.len() as u64)
                && read_bounded(it).is_ok_and(|bytes| bytes == good.text.as_bytes())
        };
        let found = fs::read_dir(path.parent()?).ok()?.flatten().map(|entry| entry.path());
        found.filter(|it| !is_hook_file(it) && !is_switched_off(it)).find(has_text)
    }

    /// Decides which version of a file is active, and keeps its text if that is the one on disk.
    pub(crate) fn resolve(&self, file: &DiskFile<'_>) -> HookFile {
        let known = match (&self.store, file.layer) {
            (_, Layer::Project | Layer::Local | Layer::Embedded) | (None, _) => KeptVersion::Unknown,
            (Some(store), _) => store.find(&file.name),
        };
        let on_disk = file.text.as_ref().map(|text| (file.load)(text)).map_err(|it| it.message.clone());
        // A version that does not load is not a good one.
        let known = match known {
            KeptVersion::Good(good) if (file.load)(&good.text).refused => KeptVersion::Unknown,
            known => known,
        };
        let good = good_version(&known);
        let before = good.map(|good| (file.load)(&good.text)).unwrap_or_default();
        let guards = guards_of(&before);
        let breakage = match (&file.text, &on_disk) {
            (Ok(text), Ok(loaded)) => breakage_of(text, loaded, good, &before),
            (Err(unreadable), _) => Some(unreadable.why.clone()),
            (Ok(_), Err(why)) => Some(why.clone()),
        };
        let held = good.and_then(|good| good.hold.as_ref()).filter(|_| !is_version(good, file));
        match (breakage, held) {
            (None, None) => self.accept(file, on_disk, &known, &guards),
            (why, hold) => {
                let changed = hold.zip(good).map(|(hold, good)| {
                    let found = file.text.as_deref().unwrap_or_default();
                    explain(&hold.reason, &good.text, found)
                });
                let why = changed.or(why).unwrap_or_default();
                let hint = match hold {
                    Some(_) => {
                        "`tenter hooks accept` shows and accepts the change; to undo it, restore the file"
                    }
                    None if on_disk.as_ref().is_ok_and(|loaded| !loaded.has_errors()) && good.is_some() => {
                        "correct the file; if it is what you want, type `tenter hooks accept`"
                    }
                    None => "correct the file; `tenter hooks check` shows its problems",
                };
                self.fall_back(file, on_disk, &known, &why, hint)
            }
        }
    }

    /// The file on disk is active.
    fn accept(
        &self,
        file: &DiskFile<'_>,
        on_disk: Result<Loaded, String>,
        known: &KeptVersion,
        guards: &[Guard],
    ) -> HookFile {
        let (Ok(loaded), Ok(text)) = (on_disk, &file.text) else {
            return HookFile::on_disk(file.layer, file.name.clone(), Ok(Loaded::default()));
        };
        let mut lost_guards = Vec::new();
        let mut entry = None;
        if let (Some(store), Layer::Managed | Layer::User | Layer::Profile) = (&self.store, file.layer) {
            let before = good_version(known);
            let version = self.next_version(&file.name, text, before, &loaded, guards);
            // Only a fallback: if it cannot be kept, the file on disk still counts.
            if self.keeps && before != Some(&version) {
                let _ = store.keep(&version);
            }
            if let Some(notice) = self.lost_notice(&version) {
                lost_guards.push(notice);
                entry = Some(store.entry(&file.name));
            }
        }
        HookFile { lost_guards, entry, ..HookFile::on_disk(file.layer, file.name.clone(), Ok(loaded)) }
    }

    /// The version that is kept from now on, with the guards that the change before it removed.
    fn next_version(
        &self,
        name: &str,
        text: &str,
        before: Option<&GoodVersion>,
        loaded: &Loaded,
        guards: &[Guard],
    ) -> GoodVersion {
        let now = guards_of(loaded);
        let gone = |guard: &&Guard| guard.is_notable() && !guard.is_among(&now);
        let mut lost: Vec<LostGuard> = before.map(|it| it.lost.clone()).unwrap_or_default();
        lost.retain(|it| {
            it.at + DAY > self.now && !now.iter().any(|guard| guard.is(it) && guard.declared >= it.declared)
        });
        for guard in guards.iter().filter(gone) {
            if !lost.iter().any(|it| guard.is(it)) {
                let (name, event, declared) = (guard.name.clone(), guard.event.to_string(), guard.declared);
                lost.push(LostGuard { name, event, declared, at: self.now });
            }
        }
        match before {
            Some(before) if before.has_text(text) => {
                GoodVersion { lost, removed_at: None, hold: None, ..before.clone() }
            }
            _ => GoodVersion { lost, ..GoodVersion::new(name, text, self.now) },
        }
    }

    fn lost_notice(&self, version: &GoodVersion) -> Option<Message> {
        let names: Vec<String> = version
            .lost
            .iter()
            .filter(|it| it.at + DAY > self.now)
            .map(|it| format!("`{}` ({})", it.name, it.event))
            .collect();
        let (plural, it) = if names.len() == 1 { ("", "it") } else { ("s", "them") };
        (!names.is_empty()).then(|| Message {
            text: format!(
                "warning: this hook file no longer has the guard{plural} {}\n  --> {}\nhint: put {it} back if that is a mistake; this notice ends a day after the change",
                names.join(", "),
                version.path
            ),
            level: Level::Warning,
        })
    }

    /// The file on disk is not active.
    fn fall_back(
        &self,
        file: &DiskFile<'_>,
        on_disk: Result<Loaded, String>,
        known: &KeptVersion,
        why: &str,
        hint: &str,
    ) -> HookFile {
        let DiskFile { layer, name, text, load } = file;
        let place = match &on_disk {
            Ok(loaded) => first_error(loaded).map_or(name.clone(), |line| format!("{name}:{line}")),
            Err(_) => name.clone(),
        };
        let acceptable = match &on_disk {
            Ok(loaded) => !loaded.refused,
            Err(_) => text.as_ref().is_err_and(|it| it.bytes.is_none()),
        };
        let lost = on_disk.as_ref().map(|loaded| loaded.lost_guards.clone()).unwrap_or_default();
        let broken = HookFile::on_disk(*layer, name.clone(), on_disk);
        match known {
            // Until the owner of the machine corrects it, everything that could be guarded is denied.
            _ if *layer == Layer::Managed => {
                let text = format!("error: {why}\n  --> {place}\nhint: {hint}");
                HookFile { notices: vec![Message { text, level: Level::Error }], ..broken }
            }
            KeptVersion::Good(good) => {
                let (at, hash) = (Timestamp::from_unix_ms(good.at), &good.sha256[..12]);
                let notice = Message {
                    text: format!(
                        "error: the last good version of this hook file is active (loaded at {at}, sha256 {hash}), because {why}\n  --> {place}\nhint: {hint}"
                    ),
                    level: Level::Error,
                };
                let version = ActiveVersion::LastGood { notice, problems: broken.problems(), acceptable };
                let entry = self.store.as_ref().map(|store| store.entry(&good.path));
                HookFile { version, entry, content: Ok(load(&good.text)), ..broken }
            }
            KeptVersion::Unknown | KeptVersion::Damaged(_) => {
                let damaged = matches!(known, KeptVersion::Damaged(_));
                let events = match text {
                    _ if damaged => stoppable_events(),
                    Ok(_) if !lost.is_empty() => events_of(&lost),
                    Ok(text) => guarded_events(text),
                    Err(Unreadable { bytes: None, .. }) => stoppable_events(),
                    Err(Unreadable { bytes: Some(bytes), .. }) => {
                        guarded_events(&String::from_utf8_lossy(bytes))
                    }
                };
                let certain = !lost.is_empty();
                closed(broken, events, (&place, certain), why, hint)
            }
        }
    }

    /// The notice for the user if this file was there before.
    pub(crate) fn removed(
        &self,
        layer: Layer,
        name: &str,
        load: &dyn Fn(&str) -> Loaded,
    ) -> Option<(Message, PathBuf)> {
        let store = self.store.as_ref()?;
        if matches!(layer, Layer::Project | Layer::Local | Layer::Embedded) {
            return None;
        }
        let KeptVersion::Good(good) = store.find(name) else { return None };
        let at = good.removed_at.unwrap_or(self.now);
        if self.keeps && good.removed_at.is_none() {
            let _ = store.keep(&GoodVersion { removed_at: Some(at), hold: None, ..(*good).clone() });
        }
        let mut guards = guards_of(&load(&good.text));
        guards.retain(Guard::is_notable);
        if guards.is_empty() || at + DAY <= self.now {
            return None;
        }
        let names: Vec<String> =
            guards.iter().map(|guard| format!("`{}` ({})", guard.name, guard.event)).collect();
        let text = format!(
            "warning: this hook file was removed, and its guards with it: {}\n  --> {name}\nhint: put it back if that is a mistake; this notice ends a day after the change",
            names.join(", ")
        );
        Some((Message { text, level: Level::Warning }, store.entry(name)))
    }
}

fn good_version(kept: &KeptVersion) -> Option<&GoodVersion> {
    match kept {
        KeptVersion::Good(good) => Some(good),
        KeptVersion::Unknown | KeptVersion::Damaged(_) => None,
    }
}

fn is_switched_off(path: &Path) -> bool {
    const ENDS: [&str; 9] =
        ["~", ".bak", ".backup", ".off", ".disabled", ".inactive", ".old", ".orig", ".save"];
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// The events at which guards are lost. An agent asks for permission or calls the tool: both are denied.
fn events_of(lost: &[EventKind]) -> Vec<EventKind> {
    let is_tool = |event: &&EventKind| matches!(event, EventKind::ToolPre | EventKind::PermissionRequest);
    let mut events = if lost.iter().any(|event| is_tool(&event)) { stoppable_events() } else { Vec::new() };
    events.extend(lost.iter().filter(|event| !is_tool(event) && stops_at(event)).cloned());
    events.dedup();
    events
}

fn is_version(good: Option<&GoodVersion>, file: &DiskFile<'_>) -> bool {
    good.is_some_and(|good| file.text.as_ref().is_ok_and(|text| good.has_text(text)))
}

/// The place of the first error, as `line:column`.
fn first_error(loaded: &Loaded) -> Option<String> {
    let mut errors = loaded.problems.iter().filter(|it| it.severity() == Severity::Error);
    errors.next().map(|problem| problem.place.to_string())
}

/// Denies what a guard could concern in a folder that cannot be read.
pub(crate) fn closed_folder(folder: HookFile) -> HookFile {
    let place = folder.name.clone();
    closed(folder, stoppable_events(), (&place, false), "it cannot be read", "make the folder readable")
}

/// Denies what a guard in a broken file could concern; `certain` if there is a guard in it.
fn closed(
    broken: HookFile,
    events: Vec<EventKind>,
    (place, certain): (&str, bool),
    why: &str,
    hint: &str,
) -> HookFile {
    if events.is_empty() {
        return broken;
    }
    let holds = if certain { "holds" } else { "may hold" };
    let reason = format!("tenter denies this because {place} {holds} a guard, and {why}; {hint}");
    let doubt = if certain { "" } else { ", it may hold a guard" };
    let names: Vec<String> = events.iter().map(ToString::to_string).collect();
    let text = format!(
        "error: {} denied, because {why}{doubt}, and there is no good version of it\n  --> {place}\nhint: {hint}",
        if let [only] = names.as_slice() {
            format!("{only} is")
        } else {
            format!("{} are", names.join(" and "))
        }
    );
    let hooks = denying(broken.layer, "broken hook file", &reason, events);
    let notice = Message { text, level: Level::Error };
    HookFile { version: ActiveVersion::Closed { notice, hooks }, ..broken }
}

#[cfg(test)]
mod tests;
