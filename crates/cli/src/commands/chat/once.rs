//! `tenter chat -p`: one prompt, its answer on standard output, and an exit code that says how it went.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use serde_json::json;
use tenter_agent::{Agent, Ended as TurnEnded, Trouble};
use tenter_contract::ports::ApprovalDesk;
use tenter_host::desks::TerminalDesk;
use tenter_models::talk::Model;

use super::desk::{BesidePipe, ChatDesk};
use super::error::code;
use super::interrupts::Interrupts;
use super::kept::Opened;
use super::markdown::Markdown;
use super::screen::{Screen, Voice};
use super::stream::{Stream, tokens};
use super::workshop::{Front, Workshop};
use super::{source, way_back};
use crate::arguments::ChatArguments;
use crate::commands::Ended;
use crate::error::CliError;
use crate::listing::visible;
use crate::printer::{Printer, write_error};

/// Does one thing.
pub(super) fn run(
    arguments: &ChatArguments,
    workshop: &Workshop,
    model: Arc<dyn Model>,
    opened: Opened,
    prompt: &str,
    printer: &Printer,
) -> Ended {
    let interrupts = Interrupts::hear(way_back(&opened.id))
        .map_err(|cause| CliError::NotWritten { what: "the wish to hear Ctrl-C".to_owned(), cause })?;
    let stop = interrupts.begin();
    let (source, id) = (source(&opened), opened.id.clone());
    if arguments.json {
        let stream = Arc::new(Stream::new(stop.clone()));
        let model_name = model.name().to_owned();
        let front = Front {
            listener: stream.clone(),
            display: stream.clone(),
            screen: None,
            desk: None,
            stop: interrupts.of_hooks(),
        };
        let parts = workshop.parts(model, front, arguments.allow.permission());
        let mut agent = Agent::new(parts, &id, opened.journal);
        stream.tell("session", json!({"session": id, "model": model_name, "source": source}));
        agent.start(source);
        let ended = agent.prompt(prompt, &stop);
        // Hooks at the end of a session run, also of one that was stopped.
        interrupts.begin();
        agent.end("exit");
        return Ok(told(&stream, &ended));
    }
    let voice = if io::stderr().is_terminal() { Voice::Progress } else { Voice::Messages };
    let screen = Arc::new(Screen::new(voice));
    let desk = TerminalDesk::of_process().map(|terminal| -> Arc<dyn ApprovalDesk> {
        if io::stdin().is_terminal() {
            return Arc::new(ChatDesk::new(screen.clone(), interrupts.clone()));
        }
        Arc::new(BesidePipe { screen: screen.clone(), terminal })
    });
    let front = Front {
        listener: screen.clone(),
        display: screen.clone(),
        screen: Some(screen.clone()),
        desk,
        stop: interrupts.of_hooks(),
    };
    let parts = workshop.parts(model, front, arguments.allow.permission());
    let mut agent = Agent::new(parts, &id, opened.journal);
    let ended = screen.while_working(|| {
        agent.start(source);
        agent.prompt(prompt, &stop)
    });
    interrupts.begin();
    agent.end("exit");
    Ok(said(&ended, &id, printer))
}

/// The end as a line of the stream.
fn told(stream: &Stream, ended: &Result<TurnEnded, Trouble>) -> u8 {
    let (reason, text, code) = match ended {
        Ok(TurnEnded::Done(text)) => ("done", text.clone(), code::DONE),
        Ok(TurnEnded::Denied(why)) => ("denied", why.clone(), code::DENIED),
        Ok(TurnEnded::Stopped) => ("stopped", String::new(), code::STOPPED),
        Err(trouble) => {
            stream.tell("error", json!({"kind": trouble.kind(), "message": trouble.to_string()}));
            ("error", trouble.to_string(), code::TROUBLE)
        }
    };
    let usage = tokens(&stream.spent());
    stream.tell("done", json!({"reason": reason, "text": text, "usage": usage, "exit_code": code}));
    code
}

/// The end for people and for pipes.
fn said(ended: &Result<TurnEnded, Trouble>, id: &str, printer: &Printer) -> u8 {
    match ended {
        Ok(TurnEnded::Done(text)) => {
            printer.line(words(text));
            code::DONE
        }
        Ok(TurnEnded::Denied(why)) => {
            write_error(&format!("{}\n", visible(why)));
            code::DENIED
        }
        Ok(TurnEnded::Stopped) => {
            write_error(&format!("stopped; {}\n", way_back(id)));
            code::STOPPED
        }
        Err(trouble) => {
            let why = visible(&trouble.to_string());
            write_error(&format!("error: {why}\nhint: what was said until then is kept; {}\n", way_back(id)));
            code::TROUBLE
        }
    }
}

/// The last words: as they are for a program, readable and safe for a terminal.
fn words(text: &str) -> String {
    if !io::stdout().is_terminal() {
        return text.trim_end().to_owned();
    }
    let mut markdown = Markdown::new(std::env::var_os("NO_COLOR").is_none());
    let mut shown = markdown.add(text.trim_end());
    shown.push_str(&markdown.end());
    shown
}
