//! Where things lie on this machine.

use std::env;
use std::path::{Path, PathBuf};

/// Where hook files and state are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The folder of the machine owner's hook file.
    pub managed_folder: Option<PathBuf>,
    /// A hook file that takes the place of the user's own and of the profile's.
    pub config: Option<PathBuf>,
    /// The profile that is asked for, if one is.
    pub profile: Option<String>,
    /// The folder of the user's hook file.
    pub config_folder: Option<PathBuf>,
    /// The folder of everything that lasts.
    pub state_folder: Option<PathBuf>,
}

impl Places {
    /// The places the environment names, by the XDG rules. A variable that is empty or relative counts as
    /// unset, because otherwise the file would land in whatever directory the agent is in.
    pub fn from_environment(config: Option<&Path>) -> Self {
        let home = absolute("HOME");
        let below = |variable: &str, fallback: &str| {
            absolute(variable)
                .or_else(|| home.as_ref().map(|home| home.join(fallback)))
                .map(|base| base.join("tenter"))
        };
        Self {
            // Fixed: what the machine's owner says, no environment can move.
            managed_folder: Some(PathBuf::from("/etc/tenter")),
            config: config.map(Path::to_path_buf),
            profile: env::var("TENTER_PROFILE").ok().filter(|name| !name.is_empty()),
            config_folder: below("XDG_CONFIG_HOME", ".config"),
            state_folder: below("XDG_STATE_HOME", ".local/state"),
        }
    }
}

fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
