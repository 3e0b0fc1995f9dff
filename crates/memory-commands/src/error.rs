//! Errors of the memory: messages name tools, people type commands.

use tenter_console::error::CliError;
use tenter_console::listing::visible;
use tenter_memory::{ErrorKind, MemoryError};

/// An error of these commands: one of the memory becomes one of the command line.
#[derive(Debug)]
pub struct CommandError(CliError);

/// The exit code of a command, or its error.
pub(crate) type CommandResult = Result<u8, CommandError>;

impl From<CliError> for CommandError {
    fn from(error: CliError) -> Self {
        Self(error)
    }
}

impl From<CommandError> for CliError {
    fn from(error: CommandError) -> Self {
        error.0
    }
}

/// What is typed for the tools and parameters that messages name.
const COMMANDS: [(&str, &str); 11] = [
    (
        "leave it to that one, or begin one of your own with `start_ghap`",
        "leave it to that one, or end it with `tenter ghap abandon WHY --session ID`",
    ),
    ("with that `agent_id`", "with `--agent-id`"),
    ("`start_ghap`", "`tenter ghap start`"),
    ("`get_orphan`", "`tenter ghap show`"),
    ("`list_journal_entries`", "`tenter memory list --journal`"),
    ("`resolve_ghap`", "`tenter ghap resolve`"),
    ("`update_ghap`", "`tenter ghap update`"),
    ("resolve or update it first", "`tenter ghap resolve` ends it, `tenter ghap update` changes it"),
    ("needs `surprise` (what", "needs `--surprise` (what"),
    ("`root_cause` (category and description)", "`--cause` with `--because` (why it was wrong)"),
    (
        "at least one of hypothesis, action, prediction, strategy, note",
        "at least one of `--hypothesis`, `--action`, `--prediction`, `--strategy`, `--note`",
    ),
];

impl From<MemoryError> for CommandError {
    /// A message says what happened and, after the last semicolon, what to do about it.
    fn from(error: MemoryError) -> Self {
        let mut message = visible(&error.message);
        for (tool, command) in COMMANDS {
            message = message.replace(tool, command);
        }
        let otherwise = match error.kind {
            ErrorKind::Validation => "`--help` says what it takes",
            ErrorKind::NotFound => {
                "`tenter ghap show`, `tenter ghap list` and `tenter memory list` show what there is"
            }
            ErrorKind::ActiveExists => "`tenter ghap resolve` ends it, `tenter ghap show` shows it",
            ErrorKind::Internal => "`tenter doctor` looks at the folder",
        };
        let (happened, next) = match message.rsplit_once("; ") {
            Some((happened, next)) => (happened.to_owned(), next.to_owned()),
            None => (message, otherwise.to_owned()),
        };
        match error.kind {
            ErrorKind::Validation | ErrorKind::NotFound | ErrorKind::ActiveExists => {
                Self(CliError::usage(happened, next))
            }
            ErrorKind::Internal => Self(CliError::internal(happened, next)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_become_commands() {
        let error = MemoryError::not_found("there is no active entry to resolve; `start_ghap` begins one");
        let error = CliError::from(CommandError::from(error));
        assert_eq!(error.happened(), "there is no active entry to resolve");
        assert_eq!(error.hint(), "`tenter ghap start` begins one");
    }
}
