//! What keeps our own agent from working: what happened, and what to type next.

use std::fmt;

use strum::{IntoStaticStr, VariantNames};
use tenter_agent::Trouble;
use tenter_models::talk::{Fault, SpecError};

use crate::listing::visible;

/// How `tenter chat` ends, as every command does. Scripts tell by this whether to try again.
pub(crate) mod code {
    use crate::error::exit;

    /// It was done.
    pub(crate) const DONE: u8 = 0;
    /// It ended without a whole answer: the model gave none, or half of one, a hook or a person did not want it, or somebody stopped it.
    pub(crate) const UNANSWERED: u8 = exit::FINDING;
    /// Something was typed wrong, or there is neither a terminal nor anything to do.
    pub(crate) const USAGE: u8 = exit::USAGE;
    /// Something of ours is broken: nothing can be kept, or the terminal cannot be used.
    pub(crate) const INTERNAL: u8 = exit::INTERNAL;
}

/// The exit code of a turn that broke off.
pub(super) fn of_trouble(trouble: &Trouble) -> u8 {
    match trouble {
        Trouble::Model(_) | Trouble::TooLong { .. } | Trouble::Endless => code::UNANSWERED,
        Trouble::Store(_) => code::INTERNAL,
    }
}

/// An expected error.
#[derive(Debug, IntoStaticStr, VariantNames)]
pub(crate) enum ChatError {
    /// Nobody said which model.
    NoModel { keys: Vec<&'static str> },
    /// A model that cannot be asked.
    Model(SpecError),
    /// Neither a terminal nor anything to do.
    NothingToDo,
    /// A prompt without a word.
    EmptyPrompt,
    /// A stream without a prompt: nobody talks in it.
    NoPrompt,
    /// A folder that cannot be worked in.
    Folder { folder: String, cause: std::io::Error },
    /// There is nothing to go on with.
    NoSession { latest: Vec<String> },
    /// A session that does not exist.
    UnknownSession { id: String, latest: Vec<String> },
    /// There is no place for state.
    NoState,
    /// A session that cannot be kept or read.
    Unkept { what: String, cause: std::io::Error },
    /// Keys that cannot be put out of the reach of what the agent runs.
    Keys { cause: std::io::Error },
    /// The terminal cannot be used.
    Terminal { why: String },
    /// Nobody could stop the agent.
    Unheard { cause: std::io::Error },
    /// A mistake of ours.
    Broken,
}

impl ChatError {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Model(error) if error.fault == Fault::Server => code::UNANSWERED,
            Self::NoModel { .. }
            | Self::Model(_)
            | Self::NothingToDo
            | Self::EmptyPrompt
            | Self::NoPrompt
            | Self::Folder { .. }
            | Self::NoSession { .. }
            | Self::UnknownSession { .. } => code::USAGE,
            Self::Unkept { cause, .. } if is_busy(cause) => code::UNANSWERED,
            Self::NoState
            | Self::Unkept { .. }
            | Self::Keys { .. }
            | Self::Terminal { .. }
            | Self::Unheard { .. }
            | Self::Broken => code::INTERNAL,
        }
    }

    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        let listed = |latest: &[String]| format!("the latest: `{}`", latest.join("`, `"));
        match self {
            Self::NoModel { keys } => no_model(keys),
            Self::Model(error) => error.hint.clone(),
            Self::NothingToDo => {
                "run it in a terminal, or say what to do: `tenter chat -p \"Explain this project\"`"
                    .to_owned()
            }
            Self::EmptyPrompt => {
                "say what to do: `tenter chat -p \"Explain this project\"`; without `-p` you can talk"
                    .to_owned()
            }
            Self::NoPrompt => {
                "say what to do: `tenter chat --json -p \"Explain this project\"`, or pipe it in".to_owned()
            }
            Self::Folder { .. } => "name a folder that exists and that you may enter: `--cd DIR`".to_owned(),
            Self::NoSession { latest } if latest.is_empty() => "leave `--resume` out to begin one".to_owned(),
            Self::NoSession { .. } => "`tenter chat --resume list` lists those of other projects".to_owned(),
            Self::UnknownSession { latest, .. } if latest.is_empty() => {
                "there is none yet; leave `--resume` out to begin one".to_owned()
            }
            Self::UnknownSession { latest, .. } => {
                format!("{}; `tenter chat --resume list` lists all", listed(latest))
            }
            Self::NoState => "set HOME, or XDG_STATE_HOME to an absolute path".to_owned(),
            Self::Unkept { cause, .. } if is_busy(cause) => {
                "leave `--resume` out to begin another session meanwhile".to_owned()
            }
            Self::Unkept { cause, .. } if cause.kind() == std::io::ErrorKind::InvalidData => {
                "mend that line, or leave `--resume` out to begin another session".to_owned()
            }
            Self::Unkept { .. } => {
                "check the folder's owner and the free space on its disk; XDG_STATE_HOME names another place"
                    .to_owned()
            }
            Self::Keys { .. } => {
                "type it again; for a model that needs no key, unset the variables that hold one".to_owned()
            }
            Self::Terminal { .. } => {
                "say what to do instead: `tenter chat -p \"Explain this project\"`".to_owned()
            }
            Self::Unheard { .. } => "close programs that are not needed, and type it again".to_owned(),
            Self::Broken => "what was said until then is kept: `tenter chat --resume` goes on".to_owned(),
        }
    }
}

/// Another program works with it, for a while.
fn is_busy(cause: &std::io::Error) -> bool {
    cause.kind() == std::io::ErrorKind::ResourceBusy
}

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

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel { .. } => f.write_str("no model is named"),
            Self::Model(error) => f.write_str(&visible(&error.message)),
            Self::NothingToDo => f.write_str("there is no terminal to talk on, and nothing to do"),
            Self::EmptyPrompt => f.write_str("there is nothing to do: the prompt is empty"),
            Self::NoPrompt => f.write_str("there is nothing to do: nobody talks with `--json`"),
            Self::Folder { folder, cause } => {
                write!(f, "`{}` cannot be worked in: {cause}", visible(folder))
            }
            Self::NoSession { .. } => f.write_str("there is no session of this project to go on with"),
            Self::UnknownSession { id, .. } => write!(f, "there is no session `{}`", visible(id)),
            Self::NoState => f.write_str("there is no folder for tenter's state"),
            Self::Unkept { what, cause } => write!(f, "{} cannot be used: {cause}", visible(what)),
            Self::Keys { cause } => {
                write!(f, "the keys in the environment cannot be kept from what the agent runs: {cause}")
            }
            Self::Terminal { why } => write!(f, "the terminal cannot be used: {why}"),
            Self::Unheard { cause } => write!(f, "Ctrl-C could not be heard: {cause}"),
            Self::Broken => f.write_str("tenter broke; this is a mistake of the program, not of yours"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::CliError;

    #[test]
    fn every_error_says_what_happened_and_what_to_type_next() {
        let latest = || vec!["chat-20261116-1324-k3f9".to_owned()];
        let full = || std::io::ErrorKind::StorageFull.into();
        let all = [
            ChatError::NoModel { keys: Vec::new() },
            ChatError::NoModel { keys: vec!["ANTHROPIC_API_KEY", "GEMINI_API_KEY"] },
            ChatError::Model(SpecError {
                fault: Fault::User,
                message: "`antropic:x` names no model".to_owned(),
                hint: "did you mean `anthropic:x`?".to_owned(),
            }),
            ChatError::Model(SpecError {
                fault: Fault::Server,
                message: "http://localhost:1 cannot be reached: Connection refused".to_owned(),
                hint: "start the server, or check the address".to_owned(),
            }),
            ChatError::NothingToDo,
            ChatError::EmptyPrompt,
            ChatError::NoPrompt,
            ChatError::Folder { folder: "nowhere".to_owned(), cause: std::io::ErrorKind::NotFound.into() },
            ChatError::NoSession { latest: Vec::new() },
            ChatError::NoSession { latest: latest() },
            ChatError::UnknownSession { id: "x".to_owned(), latest: Vec::new() },
            ChatError::UnknownSession { id: "x".to_owned(), latest: latest() },
            ChatError::NoState,
            ChatError::Unkept { what: "session x".to_owned(), cause: full() },
            ChatError::Unkept {
                what: "session x".to_owned(),
                cause: std::io::Error::new(
                    std::io::ErrorKind::ResourceBusy,
                    "another program is working on it",
                ),
            },
            ChatError::Keys { cause: std::io::ErrorKind::OutOfMemory.into() },
            ChatError::Terminal { why: "it is gone".to_owned() },
            ChatError::Unheard { cause: std::io::ErrorKind::OutOfMemory.into() },
            ChatError::Broken,
        ];
        let shown: BTreeSet<&str> = all.iter().map(Into::into).collect();
        assert_eq!(shown, ChatError::VARIANTS.iter().copied().collect(), "an error has no snapshot");
        let text = all.map(CliError::Chat).map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
