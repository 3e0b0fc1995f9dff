//! The state folder that commands work with.

use tenter_host::Places;
use tenter_store::StateFolder;

use crate::error::CliError;

/// The state folder of this process.
pub fn state() -> Result<StateFolder, CliError> {
    Places::of_process().state().ok_or(CliError::no_state())
}
