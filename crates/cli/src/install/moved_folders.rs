//! An environment that leads tenter's own folders into the project, where they are never used: what is installed then
//! would lie in two places, so it is reported before anything is written.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use tenter_host::Places;

use crate::error::CliError;
use crate::listing::typed;

/// Where things would be written.
#[derive(Debug)]
pub(crate) struct MovedFolders {
    /// What the environment names.
    pub(crate) named: String,
    /// Where agents look for their settings.
    pub(crate) home: String,
    /// What is wrong, in the words that the user sees at every call.
    pub(crate) cause: String,
    /// What to type.
    pub(crate) way_out: String,
    /// The folders that would be used instead, each with the variable that names the folder around it.
    pub(crate) folders: Vec<(&'static str, PathBuf)>,
}

/// Refuses to go on, unless what the environment names is what is used.
pub(crate) fn refuse() -> Result<(), CliError> {
    let (named, used) = (Places::from_environment(None), Places::of_process());
    let Some(trouble) = used.trouble.filter(|trouble| trouble.refused) else { return Ok(()) };
    let (cause, way_out) = trouble.message.text.split_once("\nhint: ").unwrap_or_default();
    let cause = cause.split_once(": ").map_or(cause, |(_, cause)| cause).to_owned();
    let way_out = way_out.split("; until then").next().unwrap_or_default().to_owned();
    let account = Places::of_account();
    let pairs = [
        ("XDG_CONFIG_HOME", named.config_folder, used.config_folder.or(account.config_folder)),
        ("XDG_STATE_HOME", named.state_folder, used.state_folder.or(account.state_folder)),
    ];
    let moved = pairs.into_iter().filter(|(_, named, used)| named != used);
    let (named, folders): (Vec<_>, Vec<_>) =
        moved.map(|(variable, named, used)| (named, (variable, used.unwrap_or_default()))).unzip();
    if folders.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = named.into_iter().flatten().map(|path| path.display().to_string()).collect();
    let home = env::var_os("HOME").unwrap_or_default().to_string_lossy().into_owned();
    let moved = MovedFolders { named: named.join(" and "), home, cause, way_out, folders };
    Err(CliError::usage(&moved, moved.hint()))
}

impl fmt::Display for MovedFolders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_in_project() {
            return write!(f, "{}; nothing was written", self.cause);
        }
        let folders: Vec<String> = self.folders.iter().map(|(_, path)| path.display().to_string()).collect();
        write!(
            f,
            "the environment moves tenter's own folders into this project ({}), where they are not used: agents' settings would be written below {}, and tenter's own files into {}; nothing was written",
            self.named,
            self.home,
            folders.join(" and ")
        )
    }
}

impl MovedFolders {
    fn is_in_project(&self) -> bool {
        self.cause.contains("into this project")
    }

    /// What to type next: these folders by name, or the home that was meant.
    pub(crate) fn hint(&self) -> String {
        if !self.is_in_project() {
            return self.way_out.clone();
        }
        let around = |path: &Path| path.parent().unwrap_or(path).display().to_string();
        let set = |(variable, path): &(&str, PathBuf)| format!(" {variable}={}", typed(&around(path)));
        let named: String = self.folders.iter().map(set).collect();
        format!(
            "if these are the folders you want, name them, to the agents too: `export{named}`; if not, go home: `unset XDG_CONFIG_HOME XDG_STATE_HOME; eval export HOME=~$(id -un)`"
        )
    }
}
