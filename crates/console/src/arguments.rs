//! Arguments that several commands take.

use std::path::PathBuf;

use clap::Args;

/// The option `--json`.
#[derive(Debug, Args)]
pub struct JsonArgument {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options that say where hooks are looked for.
#[derive(Clone, Debug, Default, Args)]
pub struct ConfigArgument {
    /// Use this hook file instead of your own
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Use this profile instead of the active one
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

impl ConfigArgument {
    /// Where hooks are looked for.
    pub fn places(&self) -> tenter_host::Places {
        tenter_host::Places::from_environment(self.config.as_deref()).with_profile(self.profile.as_deref())
    }
}
