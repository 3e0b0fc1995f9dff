//! Errors of these commands: those of the memory in the words of the command line.

use tenter_console::error::CliError;
use tenter_console::listing::visible;
use tenter_memory::{ErrorKind, Hint, MemoryError, NextStep};

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

impl From<MemoryError> for CommandError {
    fn from(error: MemoryError) -> Self {
        let hint = match (error.hint, error.kind) {
            (Some(Hint::Text(text)), _) => visible(&text),
            (Some(Hint::Step(step)), _) => with_commands(step).to_owned(),
            (None, kind) => otherwise(kind).to_owned(),
        };
        let new = if error.kind == ErrorKind::Internal { CliError::internal } else { CliError::usage };
        Self(new(visible(&error.message), hint))
    }
}

/// A step in the words of the command line.
fn with_commands(step: NextStep) -> &'static str {
    match step {
        NextStep::Start => "`tenter ghap start` begins one",
        NextStep::LeaveOrStart => {
            "leave it to that one, or end it with `tenter ghap abandon WHY --session ID`"
        }
        NextStep::Resolve => "`tenter ghap resolve` ends it",
        NextStep::ResolveOfAgent => "`tenter ghap resolve` with `--agent-id` ends it",
        NextStep::ResolveOrUpdate => "`tenter ghap resolve` ends it, `tenter ghap update` changes it",
        NextStep::PassChange => {
            "give at least one of `--hypothesis`, `--action`, `--prediction`, `--strategy`, `--note`"
        }
        NextStep::ExplainFailure => {
            "add `--surprise` (what you did not expect) and `--cause` with `--because` (why it was wrong)"
        }
        NextStep::ShowOrphan => "`tenter ghap show` lists the orphans",
        NextStep::ListJournal => "`tenter memory list --journal` lists the ids",
    }
}

/// The hint of an error that has none.
fn otherwise(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Validation => "`--help` lists what the command accepts",
        ErrorKind::NotFound => {
            "`tenter ghap show`, `tenter ghap list` and `tenter memory list` show what there is"
        }
        ErrorKind::ActiveExists => "`tenter ghap resolve` ends it, `tenter ghap show` shows it",
        ErrorKind::Internal => "run `tenter doctor` to check the folder",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_commands() {
        let error = MemoryError::not_found("there is no active entry to resolve").with_hint(NextStep::Start);
        assert_eq!(error.to_string(), "there is no active entry to resolve; `start_ghap` begins one");
        let error = CliError::from(CommandError::from(error));
        assert_eq!(error.happened(), "there is no active entry to resolve");
        assert_eq!(error.hint(), "`tenter ghap start` begins one");
    }
}
