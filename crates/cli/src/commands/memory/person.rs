//! Whether a person types a command, or an agent.
//!
//! What is told in every project, and whose memory a clone shares, is a person's to say. A command is an agent's if tenter
//! runs it as a hook, or if the agent of a session that goes on has started it, however many shells stand between. An agent
//! whose hooks do not run is not known here, nor is a process that has left its parents.

use tenter_memory::live::LiveSessions;

use crate::commands::state;
use crate::error::CliError;

/// Whether a person may be typing.
pub(super) fn is_here() -> Result<bool, CliError> {
    let is_hook = std::env::var_os("TENTER_RUN").is_some();
    Ok(!is_hook && !LiveSessions::new(state()?).is_below_agent())
}

/// Refuses what only a person may do.
pub(super) fn required(what: &str, command: &str) -> Result<(), CliError> {
    if is_here()? {
        return Ok(());
    }
    Err(CliError::BadInput {
        what: what.to_owned(),
        detail: "an agent has started this command, and it needs a person".to_owned(),
        hint: format!("type `{command}` in a terminal of your own"),
    })
}
