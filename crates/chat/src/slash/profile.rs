//! `/profile`: shows or changes the profile of this session.

use tenter_host::profile;

use crate::conversation::Conversation;
use tenter_console::error::CliError;
use tenter_console::hooks::check_profile;
use tenter_console::listing::visible;
use tenter_console::printer::Tone;

pub(crate) fn list(chat: &Conversation<'_>) {
    let places = chat.chat_context.hooks.places();
    let active = profile::active(&places);
    let all = profile::all(&places);
    let printer = chat.printer;
    if all.is_empty() {
        printer.line("no profiles: write one as `profiles/NAME.yaml` in the folder of your hook file");
    }
    for name in &all {
        if active.as_ref() == Some(name) {
            printer.line(printer.tone(Tone::Good, format!("* {} (active)", visible(name))));
        } else {
            printer.line(format!("  {}", visible(name)));
        }
    }
}

/// Activates a profile in this session and runs its hooks for the start of a session.
pub(crate) fn choose(chat: &Conversation<'_>, name: &str) -> Result<(), CliError> {
    if name != profile::NONE {
        check_profile(&chat.chat_context.hooks.places(), name)?;
    }
    chat.chat_context.hooks.use_profile(name);
    chat.printer.line(format!("Profile in this session: {}", visible(name)));
    chat.start_profile();
    Ok(())
}
