//! `tenter chat`: tenter's own agent on a terminal or in a script.
//!
//! ```text
//! arguments ─▶ chat_context ─▶ agent ─▶ screen     words, calls, questions: for people
//!              hooks          │     stream     one object per line: for programs
//!              model          └───▶ saved_session  the session, to resume
//!              tools
//! ```

mod arguments;
mod error;
mod keys;
mod redacting;
mod chat_context;
mod live_hooks;
mod interrupts;
mod once;
mod stream;
mod streamed;
mod screen;
mod markdown;
mod table;
mod calls;
mod approver;
mod conversation;
mod editor;
mod history;
mod terminal;
mod slash;
mod contributions;
mod instruction_files;
mod memory_tools;
mod notifications;
mod saved_session;

use std::io::{self, IsTerminal, Read};

use serde_json::json;
use tenter_contract::Timestamp;

pub use crate::arguments::ChatArguments;
use crate::chat_context::{ChatContext, Chosen};
use crate::saved_session::{Opened, SavedSessions};
use tenter_console::error::{CliError, CommandResult};
use tenter_console::listing::{typed, visible};
use tenter_console::printer::{Printer, Tone, is_lively, json_line, write_to_terminal};

/// The value of `--resume` that lists all sessions.
const LIST: &str = "list";

/// Runs `tenter chat`.
pub fn run(arguments: &ChatArguments, printer: &Printer) -> CommandResult {
    if arguments.resume.as_deref() == Some(LIST) {
        return list(&ChatContext::here(arguments)?.kept, arguments.json, printer);
    }
    if arguments.json {
        return streamed::run(arguments);
    }
    let mut ready = ready(arguments)?;
    match ready.prompt.take() {
        Some(prompt) => once::run(arguments, ready, &prompt, printer),
        None => conversation::run(arguments, ready, printer),
    }
}

/// Everything that is checked before the model is called.
struct Ready {
    chat_context: ChatContext,
    prompt: Option<String>,
    model: Chosen,
    opened: Opened,
}

impl Ready {
    fn resume_hint(&self) -> String {
        resume_hint(&self.opened.id, self.opened.model.as_deref(), self.model.model.name())
    }
}

fn ready(arguments: &ChatArguments) -> Result<Ready, CliError> {
    let chat_context = ChatContext::here(arguments)?;
    let prompt = prompt(arguments)?;
    let (model, opened) = choose(arguments, &chat_context)?;
    Ok(Ready { chat_context, prompt, model, opened })
}

/// Chooses the model and the session. A resumed session may name the model; a new one starts only if the model can be
/// used.
fn choose(arguments: &ChatArguments, chat_context: &ChatContext) -> Result<(Chosen, Opened), CliError> {
    let named = arguments.model.as_deref();
    if let Some(which) = &arguments.resume {
        let opened = chat_context.kept.resume(which)?;
        return Ok((chat_context.model(named, opened.model.as_deref())?, opened));
    }
    let chosen = chat_context.model(named, None)?;
    let opened = chat_context.kept.begin(chosen.model.name())?;
    Ok((chosen, opened))
}

/// The prompt from the arguments and standard input; none in an interactive terminal.
fn prompt(arguments: &ChatArguments) -> Result<Option<String>, CliError> {
    let piped = read_piped()?;
    let typed_prompt = arguments.prompt.clone().unwrap_or_default();
    let both = [typed_prompt.trim(), piped.trim()].into_iter().filter(|text| !text.is_empty());
    let prompt = both.collect::<Vec<_>>().join("\n\n");
    let attended = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !prompt.is_empty() {
        return Ok(Some(prompt));
    }
    if arguments.prompt.is_some() {
        return Err(error::empty_prompt());
    }
    if arguments.json {
        return Err(error::json_without_prompt());
    }
    if attended { Ok(None) } else { Err(error::chat_without_terminal()) }
}

fn read_piped() -> Result<String, CliError> {
    let mut stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| {
        CliError::bad_input(
            "what is piped in",
            error.to_string(),
            "put `</dev/null` behind the command if nothing is meant to be",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn source(opened: &Opened) -> &'static str {
    if opened.resumed { "resume" } else { "startup" }
}

/// How to resume a session, with the current model if the session began with another.
fn resume_hint(id: &str, began_with: Option<&str>, asked: &str) -> String {
    let asked = saved_session::lasting(asked);
    if began_with == Some(asked.as_str()) {
        return format!("`tenter chat --resume {id}` goes on");
    }
    format!("`tenter chat --resume {id} --model {}` goes on", visible(&typed(&asked)))
}

/// Prints how to resume when the user leaves before the agent has stopped.
fn leave_message(back: String) -> impl Fn() + Send + 'static {
    move || {
        let clean = if is_lively(&io::stderr()) { "\r\u{1b}[K" } else { "" };
        write_to_terminal(&format!("{clean}left in the middle; {back}\n"));
    }
}

fn list(kept: &SavedSessions, as_json: bool, printer: &Printer) -> CommandResult {
    let (here, elsewhere) = kept.listed()?;
    if as_json {
        for found in here.iter().chain(&elsewhere) {
            let began = Timestamp::from_unix_ms(found.head.began).to_string();
            printer.line(json_line(&json!({
                "session": found.head.session, "project": found.head.project, "began": began,
                "first_prompt": found.first_prompt,
            })));
        }
        return Ok(error::code::DONE);
    }
    if here.is_empty() && elsewhere.is_empty() {
        printer.line("no sessions yet: `tenter chat` begins one");
    }
    for (title, sessions, is_here) in [("of this project:", &here, true), ("of others:", &elsewhere, false)] {
        if sessions.is_empty() {
            continue;
        }
        printer.line(printer.tone(Tone::Heading, title));
        let row = |found: &tenter_agent::journal::StoredSession| {
            let first = found.first_prompt.as_deref().unwrap_or("(nothing was typed)");
            let project = if is_here { "" } else { found.head.project.as_str() };
            vec![format!("  {}", found.head.session), calls::one_line(first, 60), project.to_owned()]
        };
        printer.table(&sessions.iter().map(row).collect::<Vec<_>>());
    }
    Ok(error::code::DONE)
}
