//! `/ghap`: shows the tracked hypothesis of this session.

use tenter_ghap::Who;

use crate::conversation::Conversation;
use tenter_console::error::CliError;
use tenter_memory_commands::{CommandError, render};

pub(crate) fn run(chat: &Conversation<'_>) -> Result<(), CliError> {
    let session = chat.agent.session().id().clone();
    let memory = tenter_host::memory::open(chat.chat_context.state.clone());
    match memory.active_ghap(&Who::new(session.clone())).map_err(CommandError::from)? {
        Some(entry) => render::entry(&entry, chat.printer),
        None => chat.printer.line(format!(
            "Nothing is tracked in this session. The tool `start_ghap` of `tenter mcp` begins, and so does `tenter ghap start --session {}`; `tenter ghap list` has what was tried before.",
            session.as_str()
        )),
    }
    Ok(())
}
