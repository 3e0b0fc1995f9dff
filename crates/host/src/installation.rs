//! The id of an installation: `tenter init` writes it into the entries of agents, and keeps it in the folders of the
//! configuration and of the state. An entry whose id neither folder knows finds no guards where they were, and denies.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_contract::{
    Event, EventKind, Handler, HookId, HookSet, HookSpec, Layer, Level, Message, Template,
};
use tenter_store::{GoodVersion, StateFolder, our_file, read_regular};

use crate::install::{MadeFolders, SettingsFile, SettingsFileError};
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

/// An id that nobody has.
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
            MadeFolders::of(places).write_file(&file, "")?;
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
            let _ = MadeFolders::of(places).tidy_up(&file);
        }
    }
}

/// A hook file that was in force.
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

/// The files that were in force when this installation last read them, by what both folders noted.
pub(crate) fn noted_files(places: &Places) -> Vec<NotedFile> {
    let Some(id) = places.installation.as_deref().filter(|id| is_id(id)) else { return Vec::new() };
    let noted = folders(places).into_iter().map(|folder| folder.join(format!("{NAME}{id}")));
    let texts = noted.filter_map(|path| read_regular(&path, LARGEST_NOTE).ok());
    texts.filter_map(|text| serde_json::from_slice::<Vec<NotedFile>>(&text).ok()).flatten().collect()
}

/// Notes in both folders which files are in force: one that is removed together with tenter's record of it is missed.
pub(crate) fn note_files(places: &Places, versions: &[GoodVersion]) {
    let Some(id) = places.installation.as_deref().filter(|id| is_id(id)) else { return };
    let active_hooks = versions.iter().filter(|version| version.removed_at.is_none());
    let noted: Vec<NotedFile> = active_hooks.map(NotedFile::new).collect();
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

/// What is left of an installation.
pub enum Remains {
    /// Both folders know it.
    Everything,
    /// One folder does not know it.
    Some(PathBuf),
    /// No folder knows it.
    Nothing,
}

/// Looks for an id, at the cost of two looks.
pub fn remains(places: &Places, id: &str) -> Remains {
    let knows = |folder: &Option<PathBuf>| folder.as_ref().is_some_and(|folder| is_known_in(folder, id));
    match (knows(&places.config_folder), knows(&places.state_folder)) {
        (true, true) => Remains::Everything,
        (false, true) => Remains::Some(places.config_folder.clone().unwrap_or_default()),
        (true, false) => Remains::Some(places.state_folder.clone().unwrap_or_default()),
        (false, false) => Remains::Nothing,
    }
}

/// What an entry finds that names an installation.
pub(crate) enum Found {
    /// Nothing is wrong.
    Installed,
    /// One of the folders is gone: the hooks count, and this comes to them.
    Partly(HookSet),
    /// All that is left is to deny.
    Gone(HookSet),
}

/// Looks for the installation that the entry names, if it names one.
pub(crate) fn look(places: &Places, event: Option<&Event>) -> Found {
    let Some(id) = &places.installation else { return Found::Installed };
    match remains(places, id) {
        Remains::Everything => Found::Installed,
        Remains::Some(folder) => partly(places, &folder, event),
        Remains::Nothing => Found::Gone(closed(places)),
    }
}

#[cold]
#[inline(never)]
fn partly(places: &Places, folder: &Path, event: Option<&Event>) -> Found {
    let text = format!(
        "error: {} was removed or replaced: it is not the folder that `tenter init` set up\nhint: restore it if you did not do that; `tenter doctor` shows what is in force",
        folder.display()
    );
    let notice = Message { text, level: Level::Error };
    // A session begins with the notice; after that the folder counts as the one that it is now.
    if event.is_some_and(|event| event.kind == EventKind::SessionStart) {
        let _ = places.installation.as_ref().map(|id| keep_in(folder, id));
    } else if places.state_folder.as_deref() == Some(folder) {
        // With the state went what tells a changed hook file from the one before.
        return Found::Partly(
            HookSet { hooks: closed(places).hooks, ..HookSet::default() }.with_problem(notice),
        );
    }
    Found::Partly(HookSet::default().with_problem(notice))
}

#[cold]
#[inline(never)]
fn closed(places: &Places) -> HookSet {
    let shown: Vec<String> = folders(places).iter().map(|folder| folder.display().to_string()).collect();
    let shown = if shown.is_empty() { "its folders".to_owned() } else { shown.join(" and ") };
    let reason = format!(
        "tenter's configuration or state is gone (looked for in {shown}), so its guards cannot be checked. Ask the user to restore them or to run `tenter init`."
    );
    // Braces in a path would be placeholders.
    let Ok(template) = Template::parse(&reason.replace(['{', '}'], "")) else { return HookSet::default() };
    let deny = |event| {
        let id = HookId::new(Layer::Managed, "installation");
        Arc::new(HookSpec::new(id, event, Handler::Deny(template.clone())))
    };
    let hooks = vec![deny(EventKind::ToolPre), deny(EventKind::PermissionRequest)];
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
    fn an_installation_is_known_until_both_folders_are_gone() {
        let home = tempfile::tempdir().unwrap();
        let mut places = places(&home);
        assert!(matches!(look(&places, None), Found::Installed), "an entry without an id");
        let id = new_id().unwrap();
        places.installation = Some(id.clone());
        assert!(matches!(look(&places, None), Found::Gone(_)));
        keep(&places, &id).unwrap();
        assert_eq!(super::id(&places), Some(id));
        assert!(matches!(look(&places, None), Found::Installed));
        for folder in ["config", "state"] {
            fs::remove_dir_all(home.path().join(folder)).unwrap();
            match (folder, look(&places, None)) {
                ("config", Found::Partly(set)) => assert_eq!((set.hooks.len(), set.problems.len()), (0, 1)),
                ("state", Found::Gone(set)) => assert_eq!(set.hooks.len(), 2),
                _ => panic!("{folder}"),
            }
        }
    }

    #[test]
    fn an_id_that_is_none_is_not_known() {
        let home = tempfile::tempdir().unwrap();
        let mut places = places(&home);
        keep(&places, "0123456789ab").unwrap();
        for wrong in ["", "../config", "0123456789a", "0123456789abc", "0123456789ax"] {
            places.installation = Some(wrong.to_owned());
            assert!(matches!(look(&places, None), Found::Gone(_)), "{wrong}");
        }
        forget(&places);
        assert_eq!(id(&places), None);
    }
}
