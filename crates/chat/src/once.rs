//! `tenter chat -p`: one prompt, its answer on standard output, and an exit code.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use tenter_agent::{Agent, TurnEnd as TurnEnded, TurnError};
use tenter_contract::ports::Approver;
use tenter_host::approvers::TerminalApprover;

use crate::approver::{BesidePipe, ChatApprover};
use crate::arguments::ChatArguments;
use crate::chat_context::ChatUi;
use crate::error::{self, code, exit_code_of};
use crate::interrupts::Interrupts;
use crate::markdown::Markdown;
use crate::screen::{Screen, Voice};
use crate::{Ready, leave_message, source};
use tenter_console::error::{CommandResult, without_numbers};
use tenter_console::listing::visible;
use tenter_console::printer::{Printer, is_coloured, write_error};

pub(crate) fn run(arguments: &ChatArguments, ready: Ready, prompt: &str, printer: &Printer) -> CommandResult {
    let back = ready.resume_hint();
    let Ready { chat_context, model, opened, .. } = ready;
    let interrupts = Interrupts::install(leave_message(back.clone())).map_err(error::no_interrupt_handler)?;
    let stop = interrupts.begin();
    let (source, id) = (source(&opened), opened.id.clone());
    let voice = if io::stderr().is_terminal() { Voice::Progress } else { Voice::Messages };
    let screen = Arc::new(Screen::new(voice));
    let approver = TerminalApprover::of_process().map(|terminal| -> Arc<dyn Approver> {
        if io::stdin().is_terminal() {
            return Arc::new(ChatApprover::new(screen.clone()));
        }
        Arc::new(BesidePipe { screen: screen.clone(), terminal })
    });
    let ui = ChatUi {
        observer: screen.clone(),
        display: screen.clone(),
        screen: Some(screen.clone()),
        stream: None,
        approver,
        interrupts: interrupts.clone(),
    };
    chat_context.warn_about_other_project(&opened.project, &*screen);
    model.show(&*screen);
    let parts = chat_context.parts(model.model, ui, arguments.allow.permission(), &id);
    let mut agent = Agent::new(parts, &id, opened.journal);
    let ended = screen.while_working(|| {
        agent.start(source);
        agent.prompt(prompt, &stop)
    });
    interrupts.begin();
    agent.end("exit");
    Ok(print_end(&ended, &back, printer))
}

fn print_end(ended: &Result<TurnEnded, TurnError>, back: &str, printer: &Printer) -> u8 {
    match ended {
        Ok(TurnEnded::Done(text)) => {
            printer.line(words(text));
            code::DONE
        }
        Ok(TurnEnded::Short(text, shortfall)) => {
            if !text.trim().is_empty() {
                printer.line(words(text));
            }
            write_error(&format!("warning: {shortfall}\nhint: {back}\n"));
            code::UNANSWERED
        }
        Ok(TurnEnded::Denied(why)) => {
            write_error(&format!("{}\n", visible(why)));
            code::UNANSWERED
        }
        Ok(TurnEnded::Stopped) => {
            write_error(&format!("stopped; {back}\n"));
            code::UNANSWERED
        }
        Err(trouble) => {
            let why = visible(&without_numbers(trouble.to_string()));
            write_error(&format!("error: {why}\nhint: the conversation is saved; {back}\n"));
            exit_code_of(trouble)
        }
    }
}

/// Prints the answer: Markdown for a program, rendered on a terminal. Control characters are removed in both, since
/// piped output often ends on a terminal; `--json` has every character.
fn words(text: &str) -> String {
    if !io::stdout().is_terminal() {
        return visible(text.trim_end());
    }
    let mut markdown = Markdown::new(is_coloured(&io::stdout()));
    let mut shown = markdown.add(text.trim_end());
    shown.push_str(&markdown.end());
    shown
}
