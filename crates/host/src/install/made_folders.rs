//! Folders that were made because an agent's settings had none to lie in.
//!
//! They are listed, because nothing else distinguishes them from an empty folder of the user. A folder of ours that is
//! left would look like an agent to the next `init`.

use std::path::PathBuf;
use std::{fs, io};

use tenter_store::{StateFolder, read_plain};

use super::{SettingsFile, SettingsFileError};
use crate::places::Places;

const NAME: &str = "made-folders.json";

/// The list of them.
#[derive(Debug)]
pub struct MadeFolders {
    state: Option<StateFolder>,
}

impl MadeFolders {
    /// The list in the user's state folder.
    pub fn new(places: &Places) -> Self {
        Self { state: places.state_folder.clone().map(StateFolder::new) }
    }

    /// Writes a settings file and notes the folders that had to be made for it. One that cannot be noted stays when it
    /// is empty again, which is no reason not to write.
    pub fn write_file(&self, file: &SettingsFile, text: &str) -> Result<(), SettingsFileError> {
        let made = file.missing_folders();
        file.write(text)?;
        let _ = self.add(made);
        Ok(())
    }

    /// Adds what writing a settings file has made. Without a place for state nothing is remembered, and nothing
    /// removed.
    fn add(&self, made: Vec<PathBuf>) -> io::Result<()> {
        let mut known = self.read();
        let before = known.len();
        for folder in made {
            if !known.contains(&folder) {
                known.push(folder);
            }
        }
        if known.len() == before { Ok(()) } else { self.write(&known) }
    }

    /// Removes those in which a settings file lay, from the inside out and as far as nothing else is in them.
    pub fn tidy_up(&self, file: &SettingsFile) -> io::Result<()> {
        let mut known = self.read();
        let before = known.len();
        for folder in file.folders() {
            // The folders above one that stays are not empty.
            if folder.exists() && !(known.contains(&folder) && fs::remove_dir(&folder).is_ok()) {
                break;
            }
            known.retain(|known| *known != folder);
        }
        if known.len() == before { Ok(()) } else { self.write(&known) }
    }

    fn read(&self) -> Vec<PathBuf> {
        let bytes = self.path().and_then(|path| read_plain(&path).ok());
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    fn write(&self, folders: &[PathBuf]) -> io::Result<()> {
        let (Some(state), Some(path)) = (&self.state, self.path()) else { return Ok(()) };
        if folders.is_empty() {
            fs::remove_file(path)?;
            // The state itself stays, if there is any.
            let _ = fs::remove_dir(state.path());
            return Ok(());
        }
        state.replace(NAME, &serde_json::to_vec_pretty(folders)?)
    }

    fn path(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|state| state.path().join(NAME))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn made(home: &Path) -> MadeFolders {
        MadeFolders::new(&Places { state_folder: Some(home.join("state")), ..Places::default() })
    }

    fn install(home: &Path, path: &str) -> SettingsFile {
        let file = SettingsFile::read(&home.join(path)).unwrap();
        made(home).write_file(&file, "{}").unwrap();
        SettingsFile::read(&home.join(path)).unwrap()
    }

    fn uninstall(home: &Path, file: &SettingsFile) {
        file.remove().unwrap();
        made(home).tidy_up(file).unwrap();
    }

    #[test]
    fn made_folders_are_removed_when_empty() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        fs::create_dir(home.join("theirs")).unwrap();
        let [deep, shallow, theirs] =
            ["ours/a/b/one.json", "ours/two.json", "theirs/three.json"].map(|path| install(home, path));
        uninstall(home, &theirs);
        assert!(home.join("theirs").is_dir());
        uninstall(home, &deep);
        assert!(!home.join("ours/a").exists() && home.join("ours").is_dir());
        uninstall(home, &shallow);
        assert!(!home.join("ours").exists() && !home.join("state").exists());
    }

    #[test]
    fn used_folder_stays() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let file = install(home, "agent/hooks/one.json");
        fs::write(home.join("agent/mine"), "").unwrap();
        uninstall(home, &file);
        assert!(!home.join("agent/hooks").exists() && home.join("agent/mine").exists());
    }
}
