//! The chat loop: typed lines go to the agent or to a slash command until the user leaves.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenter_agent::{Agent, AgentParts, TurnEnd as TurnEnded};
use tenter_contract::Layer;
use tenter_models::client::{Item, Model, Usage};

use crate::approver::ChatApprover;
use crate::arguments::ChatArguments;
use crate::calls::one_line;
use crate::chat_context::{ChatContext, ChatUi};
use crate::editor::{Editor, Typed};
use crate::error::{self, code};
use crate::interrupts::Interrupts;
use crate::notifications::IdleWatch;
use crate::screen::{Screen, Voice};
use crate::slash::Next;
use crate::terminal::Silenced;
use crate::{Ready, leave_message, resume_hint, slash, source, terminal};
use tenter_console::change_log::now;
use tenter_console::error::{CliError, CommandResult, without_numbers};
use tenter_console::listing::visible;
use tenter_console::printer::{Printer, Tone};

pub(crate) struct Conversation<'a> {
    pub(crate) agent: Agent,
    pub(crate) chat_context: &'a ChatContext,
    pub(crate) printer: &'a Printer,
    pub(crate) always_shows_context: bool,
    parts: AgentParts,
    screen: Arc<Screen>,
    interrupts: Interrupts,
    /// Idle time before `user:notification` is emitted; zero for never.
    notify_after: Duration,
    began_with: Option<String>,
}

pub(crate) fn run(arguments: &ChatArguments, ready: Ready, printer: &Printer) -> CommandResult {
    let back = ready.resume_hint();
    let Ready { chat_context, model, opened, .. } = ready;
    let interrupts = Interrupts::install(leave_message(back)).map_err(error::no_interrupt_handler)?;
    let mut editor = Editor::new(&chat_context.state)?;
    let screen = Arc::new(Screen::new(Voice::Whole));
    let ui = ChatUi {
        observer: screen.clone(),
        display: screen.clone(),
        screen: Some(Arc::clone(&screen)),
        stream: None,
        approver: Some(Arc::new(ChatApprover::new(Arc::clone(&screen)))),
        interrupts: interrupts.clone(),
    };
    let (source, id) = (source(&opened), opened.id.clone());
    let heading = format!("tenter chat with {}", model.in_words());
    let began_with = opened.model.clone();
    let parts = chat_context.parts(model.model, ui, arguments.allow.permission(), &id);
    let agent = Agent::new(parts.clone(), &id, opened.journal);
    let chat_context = &chat_context;
    let always_shows_context = false;
    let mut chat = Conversation {
        agent,
        chat_context,
        printer,
        always_shows_context,
        parts,
        screen,
        interrupts,
        notify_after: Duration::from_secs(arguments.notify_after),
        began_with,
    };
    chat.greet(&heading, source);
    chat_context.warn_about_other_project(&opened.project, &*chat.screen);
    chat.start(source);
    let ended = chat.talk(&mut editor);
    chat.leave();
    ended
}

impl Conversation<'_> {
    fn talk(&mut self, editor: &mut Editor) -> Result<u8, CliError> {
        let mut cleared = false;
        let mut has_worked = false;
        while !self.interrupts.is_over() && !self.printer.is_over() {
            self.interrupts.rest();
            let wait = if std::mem::take(&mut has_worked) { self.notify_after } else { Duration::ZERO };
            let idle = IdleWatch::begin(wait, self.agent.shared_session());
            let typed = editor.next();
            drop(idle);
            match typed {
                Ok(Typed::Text(text)) => {
                    cleared = false;
                    if text.starts_with('/') {
                        if slash::run(&text, self) == Next::Quits {
                            return Ok(code::DONE);
                        }
                    } else if !text.trim().is_empty() {
                        self.turn(text.trim());
                        has_worked = true;
                    }
                }
                Ok(Typed::Cleared) if cleared => return Ok(code::DONE),
                Ok(Typed::Cleared) => {
                    cleared = true;
                    self.printer.line(self.printer.tone(Tone::Quiet, "Ctrl-C again or Ctrl-D leaves"));
                }
                // A terminal that was closed is no trouble of its own; its signal may come later than that.
                Ok(Typed::Over) | Err(_) if self.interrupts.is_over() || !terminal::is_there() => {
                    return Ok(code::UNANSWERED);
                }
                Ok(Typed::Over) => return Ok(code::DONE),
                Err(error) => return Err(error),
            }
        }
        Ok(code::UNANSWERED)
    }

    fn greet(&self, heading: &str, source: &str) {
        let session = self.agent.session().id();
        let again = if source == "resume" { ", gone on with" } else { "" };
        self.printer.line(self.printer.tone(Tone::Heading, heading));
        let allowed = match self.parts.permission.as_str() {
            "look" => "it asks before it changes anything or looks outside the project",
            "edits" => "it changes files of the project without asking, except those that run by themselves",
            _ => "it asks for nothing: hooks are the only guard",
        };
        let text = format!("session {session}{again}; {allowed}; /help lists commands");
        self.printer.line(self.printer.tone(Tone::Quiet, text));
        if let Some(last) = self.last_prompt() {
            let text = format!("your last message: {}", one_line(&last, 100));
            self.printer.line(self.printer.tone(Tone::Quiet, text));
        }
    }

    fn last_prompt(&self) -> Option<String> {
        let last = self.agent.talk().now();
        last.items.iter().rev().find_map(|item| match item {
            Item::Prompt(text) => Some(text.clone()),
            Item::Reply(_) | Item::Result(_) | Item::Note(_) => None,
        })
    }

    fn start(&self, source: &str) {
        self.interrupts.begin();
        let _silenced = Silenced::terminal();
        self.screen.while_working(|| self.agent.start(source));
    }

    /// Runs only the profile's hooks for the start of a session.
    pub(crate) fn start_profile(&self) {
        self.chat_context.hooks.only(Layer::Profile, || self.start("startup"));
    }

    fn turn(&mut self, text: &str) {
        self.chat_context.contributions.next_prompt(now());
        let stop = self.interrupts.begin();
        let ended = {
            let _silenced = Silenced::terminal();
            self.screen.while_working(|| self.agent.prompt(text, &stop))
        };
        match ended {
            Ok(TurnEnded::Done(_)) => {}
            Ok(TurnEnded::Short(_, shortfall)) => {
                self.screen.line(Some(Tone::Caution), &format!("warning: {shortfall}"));
            }
            Ok(TurnEnded::Denied(why)) => self.screen.line(Some(Tone::Bad), &visible(&why)),
            Ok(TurnEnded::Stopped) => {
                self.screen.line(Some(Tone::Caution), "stopped; say how to go on");
            }
            Err(trouble) => {
                let why = without_numbers(trouble.to_string());
                self.screen.line(Some(Tone::Bad), &format!("error: {}", visible(&why)));
            }
        }
        self.print_cost();
        if let Err(error) = slash::show_if_wanted(self) {
            self.screen.line(Some(Tone::Bad), error.shown().trim_end());
        }
    }

    fn print_cost(&self) {
        let Usage { input, output, cache_read, cache_written } = self.screen.take_spent();
        if input + output == 0 {
            return;
        }
        let mut cached = Vec::new();
        if cache_read > 0 {
            cached.push(format!("{} cached", grouped(cache_read)));
        }
        if cache_written > 0 {
            cached.push(format!("{} put into the cache", grouped(cache_written)));
        }
        let cached = if cached.is_empty() { String::new() } else { format!(" ({})", cached.join(", ")) };
        let text = format!("tokens: {} in{cached}, {} out", grouped(input), grouped(output));
        self.screen.line(Some(Tone::Quiet), &text);
    }

    pub(crate) fn compact(&mut self) {
        let stop = self.interrupts.begin();
        let compacted = {
            let _silenced = Silenced::terminal();
            self.screen.while_working(|| self.agent.compact("manual", &stop))
        };
        match compacted {
            Ok(true) => {}
            Ok(false) => self.screen.line(Some(Tone::Bad), "a hook does not want that; nothing was changed"),
            Err(trouble) => {
                let why = without_numbers(trouble.to_string());
                let text = format!("error: {}; nothing was changed", visible(&why));
                self.screen.line(Some(Tone::Bad), &text);
            }
        }
        self.print_cost();
    }

    /// Starts a new session. The old one can be resumed.
    pub(crate) fn begin_anew(&mut self) -> Result<(), CliError> {
        let opened = self.chat_context.kept.begin(self.agent.model().name())?;
        let back = self.resume_hint();
        self.began_with.clone_from(&opened.model);
        // Hooks at the end of a session can be stopped like those of a turn.
        self.interrupts.begin();
        self.agent.end("clear");
        self.chat_context.contributions.begin_anew();
        self.agent = Agent::new(self.parts.clone(), &opened.id, opened.journal);
        self.interrupts.on_leave(leave_message(self.resume_hint()));
        self.printer.line(format!("A new session, {}; {back} with the old one", opened.id));
        self.start("clear");
        Ok(())
    }

    pub(crate) fn use_model(&mut self, model: Arc<dyn Model>) {
        self.parts.model = Arc::clone(&model);
        self.agent.change_model(model);
        self.interrupts.on_leave(leave_message(self.resume_hint()));
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.parts.place.folder()
    }

    fn leave(&self) {
        let _silenced = Silenced::terminal();
        self.interrupts.begin();
        self.screen.while_working(|| self.agent.end("exit"));
        // On a terminal that was closed no one reads it, and that it cannot be written is no trouble of ours.
        if terminal::is_there() {
            self.printer.line(self.printer.tone(Tone::Quiet, self.resume_hint()));
        }
    }

    /// How to resume the session, with the latest model if the session has another.
    pub(crate) fn resume_hint(&self) -> String {
        let (session, model) = (self.agent.session(), self.agent.model());
        resume_hint(session.id().as_str(), self.began_with.as_deref(), model.name())
    }
}

/// `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        for (number, shown) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), shown);
        }
    }
}
