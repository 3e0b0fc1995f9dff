//! `/ghap`: what the agent of this session tries and predicts.

use tenter_ghap::Who;

use crate::commands::chat::conversation::Conversation;
use crate::error::CliError;
use crate::memory::render;

pub(crate) fn run(chat: &Conversation<'_>) -> Result<(), CliError> {
    let session = chat.agent.session().id().clone();
    let memory = tenter_host::memory::open(chat.chat_context.state.clone());
    match memory.active_ghap(&Who::new(session.clone()))? {
        Some(entry) => render::entry(&entry, chat.printer),
        None => chat.printer.line(format!(
            "Nothing is tracked in this session. The tool `start_ghap` of `tenter mcp` begins, and so does `tenter ghap start --session {}`; `tenter ghap list` has what was tried before.",
            session.as_str()
        )),
    }
    Ok(())
}
