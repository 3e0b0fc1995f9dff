//! Refuses to install if the environment moves tenter's own folders into the project, where tenter never uses them.

use std::env;
use std::path::{Path, PathBuf};

use tenter_host::Places;

use crate::error::CliError;
use crate::listing::typed;

pub(crate) fn refuse() -> Result<(), CliError> {
    let (named, used) = (Places::from_environment(None), Places::of_process());
    let Some(trouble) = used.trouble.filter(|trouble| trouble.refused) else { return Ok(()) };
    let (cause, hint) = trouble.message.text.split_once("\nhint: ").unwrap_or_default();
    let cause = cause.split_once(": ").map_or(cause, |(_, cause)| cause);
    let account = Places::of_account();
    let pairs = [
        ("XDG_CONFIG_HOME", named.config_folder, used.config_folder.or(account.config_folder)),
        ("XDG_STATE_HOME", named.state_folder, used.state_folder.or(account.state_folder)),
    ];
    let moved: Vec<(&str, Option<PathBuf>, PathBuf)> = pairs
        .into_iter()
        .filter(|(_, named, used)| named != used)
        .map(|(variable, named, used)| (variable, named, used.unwrap_or_default()))
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    if !cause.contains("into this project") {
        let hint = hint.split("; until then").next().unwrap_or_default();
        return Err(CliError::usage(format!("{cause}; nothing was written"), hint));
    }
    let list = |paths: Vec<&PathBuf>| {
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" and ")
    };
    let around = |path: &Path| path.parent().unwrap_or(path).display().to_string();
    let set = |(variable, _, path): &(&str, _, PathBuf)| format!(" {variable}={}", typed(&around(path)));
    let message = format!(
        "the environment moves tenter's own folders into this project ({}), where they are not used: agents' settings would be written below {}, and tenter's own files into {}; nothing was written",
        list(moved.iter().filter_map(|(_, named, _)| named.as_ref()).collect()),
        env::var_os("HOME").unwrap_or_default().to_string_lossy(),
        list(moved.iter().map(|(_, _, used)| used).collect())
    );
    let hint = format!(
        "to use these folders, export them for the agents too: `export{}`; otherwise restore your home: `unset XDG_CONFIG_HOME XDG_STATE_HOME; eval export HOME=~$(id -un)`",
        moved.iter().map(set).collect::<String>()
    );
    Err(CliError::usage(message, hint))
}
