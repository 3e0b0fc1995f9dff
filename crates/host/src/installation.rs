//! The id of an installation: `tenter init` writes it into the entries of agents, and keeps it in the folders of the
//! configuration and of the state. An entry whose id neither folder knows finds no guards where they were, and denies.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenter_contract::{Event, EventKind, HookSet, Layer, Level, Message};
use tenter_store::{GoodVersion, StateFolder, our_file, read_regular};

use crate::install::{MadeFolders, SettingsFile, SettingsFileError};
use crate::layers::{CALLS, denying};
use crate::places::Places;

const NAME: &str = "installation-";
const LENGTH: usize = 12;

/// The id that these places know.
pub fn id(places: &Places) -> Option<String> {
    folders(places).into_iter().find_map(id_in)
}

fn id_in(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let ids = names.filter_map(|name| name.strip_prefix(NAME).map(str::to_owned));
    ids.filter(|id| is_id(id)).min()
}

/// A new random id.
pub fn new_id() -> io::Result<String> {
    let mut bytes = [0; LENGTH / 2];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

/// Keeps an id in both folders. Folders that have to be made go again with the last agent.
pub fn keep(places: &Places, id: &str) -> Result<(), SettingsFileError> {
    if let Some(state) = &places.state_folder {
        let unwritable = |cause| SettingsFileError::Unwritable { path: state.clone(), cause };
        StateFolder::new(state.clone()).make().and_then(|()| keep_in(state, id)).map_err(unwritable)?;
    }
    if let Some(config) = &places.config_folder {
        let file = SettingsFile::read(&config.join(format!("{NAME}{id}")))?;
        if file.text.is_none() {
            MadeFolders::new(places).write_file(&file, "")?;
        }
    }
    Ok(())
}

/// Forgets every id, with the last agent.
pub fn forget(places: &Places) {
    for folder in folders(places) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_ours = |name: &str| name.strip_prefix(NAME).is_some_and(is_id);
            if entry.file_name().to_str().is_some_and(is_ours) {
                // What stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Removes the folders that were made for ids, as far as nothing else is in them.
pub fn tidy_up(places: &Places) {
    for folder in folders(places) {
        if let Ok(file) = SettingsFile::read(&folder.join(NAME)) {
            let _ = MadeFolders::new(places).tidy_up(&file);
        }
    }
}

/// A hook file that was active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NotedFile {
    pub(crate) path: PathBuf,
    pub(crate) sha256: String,
    /// The text, if it is short: that of a switch or of the chosen profile.
    #[serde(default)]
    pub(crate) text: Option<String>,
}

/// A note above this is not read.
const LARGEST_NOTE: u64 = 1024 * 1024;

/// A text above this is not noted.
const SHORT: usize = 256;

impl NotedFile {
    fn new(version: &GoodVersion) -> Self {
        let text = Some(version.text.clone()).filter(|text| text.len() <= SHORT);
        Self { path: PathBuf::from(&version.path), sha256: version.sha256.clone(), text }
    }
}

/// The files that were active when this installation last read them, by what both folders noted.
pub(crate) fn noted_files(places: &Places) -> Vec<NotedFile> {
    let Some(id) = places.installation.as_deref().filter(|id| is_id(id)) else { return Vec::new() };
    let noted = folders(places).into_iter().map(|folder| folder.join(format!("{NAME}{id}")));
    let texts = noted.filter_map(|path| read_regular(&path, LARGEST_NOTE).ok());
    texts.filter_map(|text| serde_json::from_slice::<Vec<NotedFile>>(&text).ok()).flatten().collect()
}

/// Records the active files in both folders: one that is removed together with tenter's record of it is missed.
pub(crate) fn note_files(places: &Places, versions: &[GoodVersion]) {
    let Some(id) = places.installation.as_deref().filter(|id| is_id(id)) else { return };
    let active = versions.iter().filter(|version| version.removed_at.is_none());
    let noted: Vec<NotedFile> = active.map(NotedFile::new).collect();
    let Ok(text) = serde_json::to_vec(&noted) else { return };
    for folder in folders(places).into_iter().filter(|folder| is_own(folder)) {
        let path = folder.join(format!("{NAME}{id}"));
        // A folder without the id is reported, and gets no new one here.
        if read_regular(&path, LARGEST_NOTE).is_ok_and(|before| before != text) {
            let _ = StateFolder::new(folder.to_path_buf()).replace(&format!("{NAME}{id}"), &text);
        }
    }
}

/// Root may work with the configuration of another user, who could not write a file of root's.
fn is_own(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

fn keep_in(folder: &Path, id: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    our_file().write(true).create(true).truncate(false).open(folder.join(format!("{NAME}{id}"))).map(drop)
}

fn folders(places: &Places) -> Vec<&Path> {
    [&places.config_folder, &places.state_folder].into_iter().flatten().map(PathBuf::as_path).collect()
}

fn is_id(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a folder knows an id.
pub(crate) fn is_known_in(folder: &Path, id: &str) -> bool {
    is_id(id) && folder.join(format!("{NAME}{id}")).exists()
}

/// The state of the installation that an entry names.
pub(crate) enum Installation {
    /// Both folders know it, or the entry names none.
    Complete,
    /// One of the folders is gone. These hooks are added to the others.
    Incomplete(HookSet),
    /// Both folders are gone. Only these hooks are active, which deny.
    Gone(HookSet),
}

/// Checks the installation that the entry names, by one look into each folder.
pub(crate) fn check(places: &Places, event: Option<&Event>) -> Installation {
    let Some(id) = &places.installation else { return Installation::Complete };
    let knows = |folder: &Option<PathBuf>| folder.as_ref().is_some_and(|folder| is_known_in(folder, id));
    let lost = match (knows(&places.config_folder), knows(&places.state_folder)) {
        (true, true) => return Installation::Complete,
        (false, true) => &places.config_folder,
        (true, false) => &places.state_folder,
        (false, false) => return Installation::Gone(closed(places)),
    };
    incomplete(places, lost.as_deref().unwrap_or(Path::new("")), event)
}

#[cold]
#[inline(never)]
fn incomplete(places: &Places, folder: &Path, event: Option<&Event>) -> Installation {
    let text = format!(
        "error: {} was removed or replaced: it is not the folder that `tenter init` set up\nhint: restore it if you did not do that; `tenter doctor` shows what is active",
        folder.display()
    );
    let notice = Message { text, level: Level::Error };
    // A session begins with the notice; after that the folder counts as the one that it is now.
    if event.is_some_and(|event| event.kind == EventKind::SessionStart) {
        let _ = places.installation.as_ref().map(|id| keep_in(folder, id));
    } else if places.state_folder.as_deref() == Some(folder) {
        // Without the state, a changed hook file cannot be detected.
        let set = HookSet { hooks: closed(places).hooks, ..HookSet::default() };
        return Installation::Incomplete(set.with_problem(notice));
    }
    Installation::Incomplete(HookSet::default().with_problem(notice))
}

#[cold]
#[inline(never)]
fn closed(places: &Places) -> HookSet {
    let shown: Vec<String> = folders(places).iter().map(|folder| folder.display().to_string()).collect();
    let shown = if shown.is_empty() { "its folders".to_owned() } else { shown.join(" and ") };
    let reason = format!(
        "tenter's configuration or state is gone (looked for in {shown}), so its guards cannot be checked. Ask the user to restore them or to run `tenter init`."
    );
    let hooks = denying(Layer::Managed, "installation", &reason, CALLS);
    let text = format!("error: {reason}\nhint: check HOME, XDG_CONFIG_HOME and XDG_STATE_HOME");
    HookSet { hooks, ..HookSet::default() }.with_problem(Message { text, level: Level::Error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &tempfile::TempDir) -> Places {
        Places {
            config_folder: Some(home.path().join("config")),
            state_folder: Some(home.path().join("state")),
            ..Places::default()
        }
    }

    #[test]
    fn installation_is_gone_with_both_folders() {
        let home = tempfile::tempdir().unwrap();
        let mut places = places(&home);
        assert!(matches!(check(&places, None), Installation::Complete), "an entry without an id");
        let id = new_id().unwrap();
        places.installation = Some(id.clone());
        assert!(matches!(check(&places, None), Installation::Gone(_)));
        keep(&places, &id).unwrap();
        assert_eq!(super::id(&places), Some(id));
        assert!(matches!(check(&places, None), Installation::Complete));
        for folder in ["config", "state"] {
            fs::remove_dir_all(home.path().join(folder)).unwrap();
            match (folder, check(&places, None)) {
                ("config", Installation::Incomplete(set)) => {
                    assert_eq!((set.hooks.len(), set.problems.len()), (0, 1));
                }
                ("state", Installation::Gone(set)) => assert_eq!(set.hooks.len(), 2),
                _ => panic!("{folder}"),
            }
        }
    }

    #[test]
    fn invalid_id_is_unknown() {
        let home = tempfile::tempdir().unwrap();
        let mut places = places(&home);
        keep(&places, "0123456789ab").unwrap();
        for wrong in ["", "../config", "0123456789a", "0123456789abc", "0123456789ax"] {
            places.installation = Some(wrong.to_owned());
            assert!(matches!(check(&places, None), Installation::Gone(_)), "{wrong}");
        }
        forget(&places);
        assert_eq!(id(&places), None);
    }
}
