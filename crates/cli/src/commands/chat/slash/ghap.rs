//! `/ghap`: what the agent of this session tries and predicts.

use tenter_ghap::Who;

use super::super::conversation::Conversation;
use crate::commands::memory::shown;
use crate::error::CliError;

/// Shows it.
pub(super) fn run(chat: &Conversation<'_>) -> Result<(), CliError> {
    let session = chat.agent.session().id().clone();
    let memory = tenter_host::memory::open(chat.workshop.state.clone());
    match memory.active_ghap(&Who::of(session.clone()))? {
        Some(entry) => shown::entry(&entry, chat.printer),
        None => chat.printer.line(format!(
            "Nothing is tracked in this session. The tool `start_ghap` of `tenter mcp` begins, and so does `tenter ghap start --session {}`; `tenter ghap list` has what was tried before.",
            session.as_str()
        )),
    }
    Ok(())
}
