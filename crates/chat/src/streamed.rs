//! `tenter chat --json`: one prompt, one JSON line per event. The first line is always `session`, the last one `done`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tenter_agent::{Agent, TurnEnd as TurnEnded, TurnError};

use crate::arguments::ChatArguments;
use crate::chat_context::ChatUi;
use crate::error::{self, code, exit_code_of};
use crate::interrupts::Interrupts;
use crate::stream::{End, Stream};
use crate::{Ready, ready, source};
use tenter_console::error::CommandResult;

/// Runs one prompt. Errors before the session starts go to the stream and to standard error.
pub(crate) fn run(arguments: &ChatArguments) -> CommandResult {
    let stream = Arc::new(Stream::default());
    let done = catch_unwind(AssertUnwindSafe(|| work(arguments, &stream)));
    let done = done.unwrap_or(Err(error::chat_crashed()));
    if let Err(error) = &done {
        let exit_code = error.exit_code();
        let kind = match (error.is_of_model, exit_code) {
            (_, code::USAGE) => "usage",
            (true, _) => "model",
            (_, code::UNANSWERED) => "busy",
            _ => "internal",
        };
        let happened = error.happened();
        stream.fail(kind, &happened, Some(&error.hint()));
        stream.end(&End { reason: "error", text: &happened, exit_code });
    }
    done
}

fn work(arguments: &ChatArguments, stream: &Arc<Stream>) -> CommandResult {
    let left = Arc::clone(stream);
    let interrupts = Interrupts::install(move || left.break_off()).map_err(error::no_interrupt_handler)?;
    let Ready { chat_context, prompt, model, opened } = ready(arguments)?;
    let Some(prompt) = prompt else { return Err(error::json_without_prompt()) };
    let stop = interrupts.begin();
    stream.stops(stop.clone());
    stream.begin(&opened.id, model.model.name(), source(&opened));
    let ui = ChatUi {
        observer: stream.clone(),
        display: stream.clone(),
        screen: None,
        stream: Some(Arc::clone(stream)),
        approver: None,
        interrupts: interrupts.clone(),
    };
    chat_context.warn_about_other_project(&opened.project, &**stream);
    let parts = chat_context.parts(model.model, ui, arguments.allow.permission(), &opened.id);
    let source = source(&opened);
    let mut agent = Agent::new(parts, &opened.id, opened.journal);
    agent.start(source);
    let ended = agent.prompt(&prompt, &stop);
    // Hooks at the end of a session run, also of one that was stopped.
    interrupts.begin();
    agent.end("exit");
    Ok(write_end(stream, &ended))
}

fn write_end(stream: &Stream, ended: &Result<TurnEnded, TurnError>) -> u8 {
    let words;
    let end = match ended {
        Ok(TurnEnded::Done(text)) => End { reason: "done", text, exit_code: code::DONE },
        Ok(TurnEnded::Short(text, shortfall)) => {
            End { reason: shortfall.kind(), text, exit_code: code::UNANSWERED }
        }
        Ok(TurnEnded::Denied(why)) => End { reason: "denied", text: why, exit_code: code::UNANSWERED },
        Ok(TurnEnded::Stopped) => End::STOPPED,
        Err(trouble) => {
            words = trouble.to_string();
            stream.fail(trouble.kind(), &words, None);
            End { reason: "error", text: &words, exit_code: exit_code_of(trouble) }
        }
    };
    stream.end(&end);
    end.exit_code
}
