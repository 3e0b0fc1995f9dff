//! Errors and exit codes of `tenter chat`.

use std::fmt::Display;
use std::io::{self, ErrorKind};

use tenter_agent::TurnError;
use tenter_models::client::{Fault, SpecError};

use tenter_console::error::CliError;
use tenter_console::listing::visible;

/// How `tenter chat` ends, as every command does. Scripts tell by this whether to try again.
pub(crate) mod code {
    use tenter_console::error::exit;

    pub(crate) const DONE: u8 = 0;
    /// It ended without a whole answer: the model gave none, or half of one, a hook or a person did not want it, or a user stopped it.
    pub(crate) const UNANSWERED: u8 = exit::FINDING;
    pub(crate) const USAGE: u8 = exit::USAGE;
    /// Something of ours is broken: nothing can be kept, or the terminal cannot be used.
    pub(crate) const INTERNAL: u8 = exit::INTERNAL;
}

pub(crate) fn exit_code_of(trouble: &TurnError) -> u8 {
    match trouble {
        TurnError::Model(_) | TurnError::TooLong { .. } | TurnError::Endless => code::UNANSWERED,
        TurnError::Store(_) => code::INTERNAL,
    }
}

pub(crate) fn chat_without_model(keys: &[&'static str]) -> CliError {
    CliError::usage("no model is named", no_model(keys))
}

pub(crate) fn model(error: &SpecError) -> CliError {
    let message = visible(&error.message);
    let mut this = match error.fault {
        Fault::Server => CliError::finding(message, &error.hint),
        Fault::User => CliError::usage(message, &error.hint),
    };
    this.is_of_model = true;
    this
}

pub(crate) fn chat_without_terminal() -> CliError {
    CliError::usage(
        "there is no terminal and no prompt",
        format!("run it in a terminal, or pass a prompt: {EXAMPLE}"),
    )
}

pub(crate) fn empty_prompt() -> CliError {
    CliError::usage("the prompt is empty", format!("pass a prompt: {EXAMPLE}; omit `-p` to chat"))
}

pub(crate) fn json_without_prompt() -> CliError {
    CliError::usage(
        "`--json` needs a prompt",
        "pass a prompt: `tenter chat --json -p \"Explain this project\"`, or pipe it in",
    )
}

pub(crate) fn chat_folder(folder: &str, cause: impl Display) -> CliError {
    CliError::usage(
        format!("the folder `{}` cannot be used: {cause}", visible(folder)),
        "pass a folder that exists and that you may enter: `--cd DIR`",
    )
}

pub(crate) fn no_chat_session(latest: &[String]) -> CliError {
    let hint = if latest.is_empty() {
        "omit `--resume` to start a session"
    } else {
        "run `tenter chat --resume list` to see the sessions of other projects"
    };
    CliError::usage("this project has no session to resume", hint)
}

pub(crate) fn unknown_chat_session(id: &str, latest: &[String]) -> CliError {
    let hint = match latest {
        [] => "there is no session yet; omit `--resume` to start one".to_owned(),
        latest => format!("the latest: `{}`; `tenter chat --resume list` lists all", latest.join("`, `")),
    };
    CliError::usage(format!("session `{}` not found", visible(id)), hint)
}

pub(crate) fn chat_session_unusable(what: &str, cause: &io::Error) -> CliError {
    let message = format!("{} cannot be used: {cause}", visible(what));
    match cause.kind() {
        ErrorKind::ResourceBusy => {
            CliError::finding(message, "omit `--resume` to start another session in the meantime")
        }
        ErrorKind::InvalidData => {
            CliError::internal(message, "fix that line, or omit `--resume` to start another session")
        }
        _ => CliError::internal(
            message,
            "check the owner of the folder and the free space on its disk; XDG_STATE_HOME names another place",
        ),
    }
}

pub(crate) fn keys_exposed(cause: impl Display) -> CliError {
    CliError::internal(
        format!("the API keys in the environment cannot be hidden from the commands of the agent: {cause}"),
        "run it again; if the model needs no key, unset the variables that hold one",
    )
}

pub(crate) fn terminal_unusable(why: impl Display) -> CliError {
    CliError::internal(
        format!("the terminal cannot be used: {why}"),
        format!("pass a prompt instead: {EXAMPLE}"),
    )
}

pub(crate) fn no_interrupt_handler(cause: impl Display) -> CliError {
    CliError::internal(
        format!("Ctrl-C cannot be handled: {cause}"),
        "close programs that you do not need, and run it again",
    )
}

pub(crate) fn chat_crashed() -> CliError {
    CliError::internal(
        "tenter crashed; this is a bug",
        "the conversation is saved: run `tenter chat --resume` to continue",
    )
}

const EXAMPLE: &str = "`tenter chat -p \"Explain this project\"`";

/// Which model can be asked at once, by the keys that are set.
fn no_model(keys: &[&'static str]) -> String {
    let of = |provider: &str, variable: &&str| {
        format!("`tenter chat --model {provider}:NAME` ({variable} is set)")
    };
    let ready: Vec<String> = keys
        .iter()
        .filter_map(|variable| {
            let provider = KEYS.iter().find(|(name, _)| name == variable)?.1;
            Some(of(provider, variable))
        })
        .collect();
    if ready.is_empty() {
        "type `tenter chat --model http://localhost:11434/v1` for a server on this machine, or set one of \
ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY (none is set) and type `--model anthropic:NAME`, `openai:NAME` or \
`gemini:NAME`; TENTER_MODEL makes it last"
            .to_owned()
    } else {
        format!("type {}; TENTER_MODEL makes it last", ready.join(" or "))
    }
}

/// Variables with keys, and whose models they are for.
pub(crate) const KEYS: [(&str, &str); 4] = [
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("GEMINI_API_KEY", "gemini"),
    ("GOOGLE_API_KEY", "gemini"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chat_errors_have_message_and_hint() {
        let latest = ["chat-20261116-1324-k3f9".to_owned()];
        let spec = |fault, message: &str, hint: &str| SpecError {
            fault,
            message: message.to_owned(),
            hint: hint.to_owned(),
        };
        let all = [
            chat_without_model(&[]),
            chat_without_model(&["ANTHROPIC_API_KEY", "GEMINI_API_KEY"]),
            model(&spec(Fault::User, "`antropic:x` names no model", "did you mean `anthropic:x`?")),
            model(&spec(
                Fault::Server,
                "http://localhost:1 cannot be reached: Connection refused",
                "start the server, or check the address",
            )),
            chat_without_terminal(),
            empty_prompt(),
            json_without_prompt(),
            chat_folder("nowhere", io::Error::from(ErrorKind::NotFound)),
            no_chat_session(&[]),
            no_chat_session(&latest),
            unknown_chat_session("x", &[]),
            unknown_chat_session("x", &latest),
            chat_session_unusable("session x", &ErrorKind::StorageFull.into()),
            chat_session_unusable(
                "session x",
                &io::Error::new(ErrorKind::ResourceBusy, "another program is working on it"),
            ),
            keys_exposed(io::Error::from(ErrorKind::OutOfMemory)),
            terminal_unusable("it is gone"),
            no_interrupt_handler(io::Error::from(ErrorKind::OutOfMemory)),
            chat_crashed(),
        ];
        let text = all.map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
