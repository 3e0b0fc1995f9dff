//! What was typed wrong, told as every other error is: what happened, and what to type next.

use std::error::Error as _;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use tenter_contract::similar;

use crate::arguments::other_words;
use crate::listing::typed;

/// The message; none if this is no mistake (help, a version) or one that the parser tells better.
pub(crate) fn in_words(error: &clap::Error, root: Command, words: &[String]) -> Option<String> {
    let (path, command) = meant(root, words);
    let help = format!("`{path} --help` says what it takes");
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
            // With what was typed, more may be wanted than in general.
            let wanted = match error.get(ContextKind::Usage) {
                Some(ContextValue::StyledStr(usage)) => form(&usage.to_string()),
                Some(_) | None => usage(),
            };
            (format!("{missing} {are} missing"), wanted)
        }
        ErrorKind::InvalidSubcommand => {
            let wrong = context.one(ContextKind::InvalidSubcommand);
            // The parser suggests everything with a few letters in common, such as `trust` for `status`.
            let near = similar::nearest(&wrong, command.get_subcommands().map(Command::get_name));
            let near = near.map(|word| format!("did you mean `{path} {word}`?"));
            let listed = || format!("`{path} --help` lists the commands");
            let hint = other_words::command(&path, &wrong).or(near).unwrap_or_else(listed);
            (format!("there is no command `{path} {wrong}`"), hint)
        }
        ErrorKind::UnknownArgument => {
            let wrong = context.one(ContextKind::InvalidArg);
            if wrong.starts_with("--") {
                let longs = || command.get_opts().chain(command.get_arguments()).filter_map(Arg::get_long);
                let near = similar::nearest(wrong.trim_start_matches('-'), longs());
                let near = near.map(|long| format!("did you mean `--{long}`?"));
                let hint = other_words::option(&path, &wrong, longs()).or(near);
                let hint = hint.or_else(|| as_a_value(&path, &command, words, &wrong));
                let hint = hint.or_else(|| as_a_word(&path, &command, &wrong)).unwrap_or(help);
                (format!("`{path}` has no option `{wrong}`"), hint)
            } else if wrong.starts_with('-') {
                let hint = as_a_value(&path, &command, words, &wrong);
                let hint = hint.or_else(|| as_a_word(&path, &command, &wrong)).unwrap_or(help);
                (format!("`{path}` has no option `{wrong}`"), hint)
            } else if command.get_name() == "chat" {
                let said = format!("to say it to the agent, type `{path} -p {}`", typed(&wrong));
                (format!("`{wrong}` is more than `{path}` takes"), said)
            } else {
                (format!("`{wrong}` is more than `{path}` takes"), usage())
            }
        }
        ErrorKind::InvalidValue => {
            let (option, wrong) =
                (context.one(ContextKind::InvalidArg), context.one(ContextKind::InvalidValue));
            let possible = context.all(ContextKind::ValidValue);
            let name = option.split(' ').next().unwrap_or_default();
            let hint = match (possible.as_slice(), wrong.as_str()) {
                ([], "") => format!("one that begins with `-` is written `{name}=-…`; {help}"),
                ([], _) => help,
                (possible, _) => format!("it is one of {}", possible.join(", ")),
            };
            // The parser finds everything similar that has two letters in common.
            let meant = similar::nearest(&wrong, possible.iter().map(String::as_str));
            let suggested = meant.map(|meant| format!("did you mean `{meant}`?"));
            match wrong.as_str() {
                "" => (format!("`{option}` wants a value"), hint),
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
                (format!("`{wrong}` is given more than once"), "give it once".to_owned())
            } else {
                (format!("`{wrong}` does not go together with {with}"), help)
            }
        }
        _ => return None,
    };
    Some(format!("error: {what}\nhint: {hint}\n"))
}

/// What to type if a word that begins with a dash was meant as the value of the option before it.
fn as_a_value(path: &str, command: &Command, words: &[String], wrong: &str) -> Option<String> {
    // Of letters behind one dash the parser names the first it does not know.
    let at = words.iter().position(|word| word.starts_with(wrong));
    let before = at.and_then(|at| words.get(at.checked_sub(1)?)).and_then(|word| word.strip_prefix("--"));
    let takes_value = |option: &&Arg| option.get_long() == before && option.get_action().takes_values();
    let option = command.get_opts().find(takes_value).and_then(Arg::get_long)?;
    let value = typed(&words[at?]);
    Some(format!("a value that begins with `-` is written with `=`: `{path} --{option}={value}`"))
}

/// What to type if it was meant as one of the words that the command takes. A name that only lacks its option is reported
/// the options instead.
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

/// Words of a command that may begin with anything.
const FREE_TEXT: [&str; 4] = ["TEXT", "PROMPT", "QUERY", "QUESTION"];

/// The command that a user was typing: as far as the words name one.
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
