//! Turns errors of the parser into messages like all others: what happened, and what to type.

use std::error::Error as _;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use tenter_contract::similar;

use crate::arguments::other_words;
use crate::listing::typed;

/// The message; `None` for help, versions, and errors that the parser describes better.
pub(crate) fn in_words(error: &clap::Error, root: Command, words: &[String]) -> Option<String> {
    let (path, command) = meant(root, words);
    let help = format!("run `{path} --help` to see the arguments");
    let form = |usage: &str| {
        let form = usage.trim_start_matches("Usage: ").lines().next().unwrap_or_default();
        format!("the form is `{form}`; {help}")
    };
    let usage = || form(&command.clone().bin_name(path.as_str()).render_usage().to_string());
    let context = ClapContext(error);
    let (what, hint) = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            let missing = context.all(ContextKind::InvalidArg);
            let are = if missing.len() == 1 { "is" } else { "are" };
            let missing = quoted(&missing, " and ");
            // The usage depends on the other arguments.
            let wanted = match error.get(ContextKind::Usage) {
                Some(ContextValue::StyledStr(usage)) => form(&usage.to_string()),
                Some(_) | None => usage(),
            };
            (format!("{missing} {are} missing"), wanted)
        }
        ErrorKind::InvalidSubcommand => {
            let wrong = context.one(ContextKind::InvalidSubcommand);
            // The suggestions of the parser are too vague, such as `trust` for `status`.
            let near = similar::nearest(&wrong, command.get_subcommands().map(Command::get_name));
            let near = near.map(|word| format!("did you mean `{path} {word}`?"));
            let listed = || format!("run `{path} --help` to see the commands");
            let hint = other_words::command(&path, &wrong).or(near).unwrap_or_else(listed);
            (format!("command `{path} {wrong}` not found"), hint)
        }
        ErrorKind::UnknownArgument => {
            let wrong = context.one(ContextKind::InvalidArg);
            if wrong.starts_with('-') {
                let longs = || command.get_opts().chain(command.get_arguments()).filter_map(Arg::get_long);
                let near = similar::nearest(wrong.trim_start_matches('-'), longs());
                let near = near.map(|long| format!("did you mean `--{long}`?"));
                let hint = other_words::option(&path, &wrong, longs()).or(near);
                let hint = hint.filter(|_| wrong.starts_with("--"));
                let hint = hint.or_else(|| as_a_value(&path, &command, words, &wrong));
                let hint = hint.or_else(|| as_a_word(&path, &command, &wrong)).unwrap_or(help);
                (format!("`{path}` has no option `{wrong}`"), hint)
            } else {
                let hint = if command.get_name() == "chat" {
                    format!("to send it to the agent, run `{path} -p {}`", typed(&wrong))
                } else {
                    usage()
                };
                (format!("unexpected argument `{wrong}` for `{path}`"), hint)
            }
        }
        ErrorKind::InvalidValue => {
            let (option, wrong) =
                (context.one(ContextKind::InvalidArg), context.one(ContextKind::InvalidValue));
            let possible = context.all(ContextKind::ValidValue);
            let name = option.split(' ').next().unwrap_or_default();
            let hint = match (possible.as_slice(), wrong.as_str()) {
                ([], "") => format!("a value that begins with `-` is written `{name}=-…`; {help}"),
                ([], _) => help,
                (possible, _) => format!("use one of {}", possible.join(", ")),
            };
            let meant = similar::nearest(&wrong, possible.iter().map(String::as_str));
            let suggested = meant.map(|meant| format!("did you mean `{meant}`?"));
            match wrong.as_str() {
                "" => (format!("`{option}` needs a value"), hint),
                wrong => (format!("`{option}` cannot be `{wrong}`"), suggested.unwrap_or(hint)),
            }
        }
        ErrorKind::ValueValidation => {
            let (option, wrong) =
                (context.one(ContextKind::InvalidArg), context.one(ContextKind::InvalidValue));
            let why = error.source().map(|source| match source.downcast_ref::<ParseIntError>() {
                Some(_) => "write a whole number".to_owned(),
                None => source.to_string(),
            });
            (format!("`{option}` cannot be `{wrong}`"), why.unwrap_or(help))
        }
        ErrorKind::TooManyValues => {
            (format!("`{}` takes no value", context.one(ContextKind::InvalidArg)), help)
        }
        ErrorKind::ArgumentConflict => {
            let with = quoted(&context.all(ContextKind::PriorArg), " or ");
            let wrong = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
            let wrong = wrong.into_iter().flat_map(|kind| context.all(kind)).next()?;
            if context.all(ContextKind::PriorArg).contains(&wrong) {
                (format!("`{wrong}` is given more than once"), "pass it once".to_owned())
            } else {
                (format!("`{wrong}` cannot be used with {with}"), help)
            }
        }
        _ => return None,
    };
    Some(format!("error: {what}\nhint: {hint}\n"))
}

/// The hint if a word that begins with a dash was meant as the value of the option before it.
fn as_a_value(path: &str, command: &Command, words: &[String], wrong: &str) -> Option<String> {
    // For letters behind one dash, the parser reports the first unknown one.
    let at = words.iter().position(|word| word.starts_with(wrong));
    let before = at.and_then(|at| words.get(at.checked_sub(1)?)).and_then(|word| word.strip_prefix("--"));
    let takes_value = |option: &&Arg| option.get_long() == before && option.get_action().takes_values();
    let option = command.get_opts().find(takes_value).and_then(Arg::get_long)?;
    let value = typed(&words[at?]);
    Some(format!("a value that begins with `-` is written with `=`: `{path} --{option}={value}`"))
}

/// The hint if it was meant as a positional argument. Something like an option gets the list of options instead.
fn as_a_word(path: &str, command: &Command, wrong: &str) -> Option<String> {
    let looks_like_option = wrong.strip_prefix("--").is_some_and(|name| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
    });
    let takes_text = |takes: &&Arg| {
        takes
            .get_value_names()
            .is_some_and(|names| names.iter().any(|name| FREE_TEXT.contains(&name.as_str())))
    };
    if looks_like_option && !command.get_positionals().any(|takes| takes_text(&takes)) {
        return None;
    }
    let takes = command.get_positionals().next()?;
    let name = takes.get_value_names().and_then(|names| names.first()).map_or("TEXT", |name| name.as_str());
    Some(format!("words that begin with `-` and are no options come after `--`: `{path} -- {name}`"))
}

/// Positional arguments with free text.
const FREE_TEXT: [&str; 4] = ["TEXT", "PROMPT", "QUERY", "QUESTION"];

/// The command that the words name, as far as they do.
fn meant(root: Command, words: &[String]) -> (String, Command) {
    let mut path = root.get_name().to_owned();
    let mut command = root;
    for word in words {
        let Some(next) = command.find_subcommand(word).cloned() else { break };
        path = format!("{path} {word}");
        command = next;
    }
    (path, command)
}

struct ClapContext<'e>(&'e clap::Error);

impl ClapContext<'_> {
    fn all(&self, kind: ContextKind) -> Vec<String> {
        match self.0.get(kind) {
            Some(ContextValue::String(one)) => vec![one.clone()],
            Some(ContextValue::Strings(all)) => all.clone(),
            Some(_) | None => Vec::new(),
        }
    }

    fn one(&self, kind: ContextKind) -> String {
        self.all(kind).into_iter().next().unwrap_or_default()
    }
}

fn quoted(words: &[String], between: &str) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(between)
}
