//! Slash commands.

mod ghap;
mod hooks;
mod context;
mod profile;

use std::sync::Arc;

use tenter_contract::similar;
use tenter_models::client::Model;

use crate::conversation::Conversation;
use tenter_console::error::CliError;
use tenter_console::listing::visible;
use tenter_console::printer::Tone;

pub(crate) use context::show_if_wanted;
pub(crate) use hooks::event_label;

/// All commands: form and description. Words in capitals are placeholders.
const COMMANDS: [(&str, &str); 16] = [
    ("/hooks", "list the hooks of this session"),
    ("/hooks disable NAME", "switch a hook off in this session"),
    ("/hooks enable NAME", "switch it on again"),
    ("/context show", "show what the model is given: files, and hooks that add to them"),
    ("/context show --hooks", "only what hooks have put there, and what it cost"),
    ("/context show --previous", "what they put there with your last prompt, in full"),
    ("/context show --always", "show that after each prompt; again to stop"),
    ("/context add PATH…", "give files to the model with your next prompt"),
    ("/context rm PATH…", "give them no longer"),
    ("/profile [NAME]", "list your profiles, or use one in this session"),
    ("/model [SPEC]", "say which model is asked, or ask another"),
    ("/ghap", "show what the agent is trying and predicts"),
    ("/compact", "put the conversation into fewer words"),
    ("/clear", "begin a new one; this one can be gone on with"),
    ("/help", "this list"),
    ("/quit", "leave; Ctrl-D does it too"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoesOn,
    Quits,
}

pub(crate) fn beginning_with(typed: &str) -> Vec<String> {
    let fits = |whole: &&str| typed.starts_with('/') && whole.starts_with(typed);
    COMMANDS.iter().map(|(form, _)| fixed(form)).filter(fits).map(str::to_owned).collect()
}

/// The literal words of a form, such as `/hooks disable `.
fn fixed(form: &str) -> &str {
    let end = form.find(|c: char| c == '[' || c.is_uppercase()).unwrap_or(form.len());
    &form[..end]
}

/// Runs a line. A mistake is reported and the chat continues.
pub(crate) fn run(line: &str, chat: &mut Conversation<'_>) -> Next {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["/quit" | "/exit" | "/q"] => return Next::Quits,
        ["/help" | "/?"] => {
            help(chat);
            Ok(())
        }
        ["/hooks"] => hooks::list(chat),
        ["/hooks", "disable", name @ ..] if !name.is_empty() => hooks::switch(chat, &name.join(" "), true),
        ["/hooks", "enable", name @ ..] if !name.is_empty() => hooks::switch(chat, &name.join(" "), false),
        ["/context"] | ["/context", "show"] => context::show(chat),
        ["/context", "show", "--hooks"] => context::show_hooks(chat),
        ["/context", "show", "--previous"] => context::show_previous(chat),
        ["/context", "show", "--always"] => {
            context::show_always(chat);
            Ok(())
        }
        ["/context", "add", paths @ ..] if !paths.is_empty() => {
            context::add(chat, paths);
            Ok(())
        }
        ["/context", "rm" | "remove", paths @ ..] if !paths.is_empty() => {
            context::remove(chat, paths);
            Ok(())
        }
        ["/profile"] => {
            profile::list(chat);
            Ok(())
        }
        ["/profile", name] => profile::choose(chat, name),
        ["/model"] => {
            let name = visible(chat.agent.model().name());
            chat.printer.line(format!("Model: {name}"));
            Ok(())
        }
        ["/model", spec] => change_model(chat, spec),
        ["/compact"] => {
            chat.compact();
            Ok(())
        }
        ["/clear"] => chat.begin_anew(),
        ["/ghap"] => ghap::run(chat),
        _ => {
            chat.printer.line(chat.printer.tone(Tone::Bad, mistake(line)));
            Ok(())
        }
    };
    if let Err(error) = done {
        chat.printer.line(chat.printer.tone(Tone::Bad, error.shown().trim_end()));
    }
    Next::GoesOn
}

fn help(chat: &Conversation<'_>) {
    let rows: Vec<Vec<String>> =
        COMMANDS.iter().map(|(typed, meaning)| vec![format!("  {typed}"), (*meaning).to_owned()]).collect();
    chat.printer.table(&rows);
    chat.printer.line("A line that ends with \\ goes on. Ctrl-C stops the agent while it works.");
    let session = chat.agent.session().id().clone();
    chat.printer
        .line(chat.printer.tone(Tone::Quiet, format!("This is session {session}; {}", chat.resume_hint())));
}

fn change_model(chat: &mut Conversation<'_>, spec: &str) -> Result<(), CliError> {
    let model: Arc<dyn Model> = match chat.chat_context.model(Some(spec), None) {
        Ok(chosen) => chosen.model,
        Err(error) => {
            let name = visible(chat.agent.model().name());
            let way = chat.resume_hint();
            let is_key = error.hint().contains("export ");
            let key =
                if is_key { format!(" Set the key before tenter starts; {way}.") } else { String::new() };
            chat.printer.line(chat.printer.tone(Tone::Bad, error.shown().trim_end()));
            chat.printer.line(format!("Model: {name}, as before.{key}"));
            return Ok(());
        }
    };
    let name = visible(model.name());
    chat.use_model(model);
    chat.printer.line(format!("Model: {name}"));
    Ok(())
}

/// The error for a mistyped line, with a suggestion.
fn mistake(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let shown = visible(first);
    // The forms that begin with the most of what was typed.
    let begin_so = |count: &usize| -> Vec<&str> {
        let begins = |form: &&str| form.split_whitespace().take(*count).eq(words[..*count].iter().copied());
        COMMANDS.iter().map(|(form, _)| *form).filter(begins).collect()
    };
    let nearest = (1..=words.len()).rev().map(|count| begin_so(&count)).find(|forms| !forms.is_empty());
    if let Some(forms) = nearest {
        let typed = visible(line.trim());
        let one = if forms.len() == 1 { "" } else { "one of " };
        return format!("`{typed}` is not how {shown} is used; type {one}{}", forms.join(", "));
    }
    match similar::nearest(first, COMMANDS.iter().filter_map(|(form, _)| form.split(' ').next())) {
        Some(meant) => format!("there is no command {shown}; did you mean {meant}?"),
        None => format!(
            "there is no command {shown}; /help lists them. To say it to the model, begin the line with a space."
        ),
    }
}

/// Splits a line into words; quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut inside) = (None, false);
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                if !inside {
                    words.push(String::new());
                }
                inside = true;
            }
            None if c.is_whitespace() => inside = false,
            Some(_) | None => {
                if !inside {
                    words.push(String::new());
                    inside = true;
                }
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_splits_at_unquoted_spaces() {
        for (line, expected) in [
            ("/hooks disable git-status", vec!["/hooks", "disable", "git-status"]),
            ("/context add 'a b.md'  \"c d\"", vec!["/context", "add", "a b.md", "c d"]),
            ("/model ''", vec!["/model", ""]),
            ("/x it's", vec!["/x", "its"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn mistake_gets_a_suggestion() {
        for (line, expected) in [
            ("/hoks", "there is no command /hoks; did you mean /hooks?"),
            (
                "/hooks of",
                "`/hooks of` is not how /hooks is used; type one of /hooks, /hooks disable NAME, /hooks enable NAME",
            ),
            ("/hooks disable", "`/hooks disable` is not how /hooks is used; type /hooks disable NAME"),
            (
                "/context show --foo",
                "`/context show --foo` is not how /context is used; type one of /context show, /context show --hooks, \
/context show --previous, /context show --always",
            ),
            ("/profile a b", "`/profile a b` is not how /profile is used; type /profile [NAME]"),
            ("/clear now", "`/clear now` is not how /clear is used; type /clear"),
            (
                "/etc/passwd",
                "there is no command /etc/passwd; /help lists them. To say it to the model, begin the line with a space.",
            ),
        ] {
            assert_eq!(mistake(line), expected);
        }
    }

    #[test]
    fn completion_stops_at_placeholders() {
        for (typed, expected) in [
            ("/hooks d", vec!["/hooks disable "]),
            ("/context show --p", vec!["/context show --previous"]),
            ("/m", vec!["/model "]),
            ("hello", vec![]),
        ] {
            assert_eq!(beginning_with(typed), expected, "{typed}");
        }
    }
}
