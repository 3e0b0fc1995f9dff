//! The output of a tool, for the model and for people.

use std::path::PathBuf;

/// A tool that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// The text for the model.
    pub output: String,
    /// Whether it failed; the output explains why, and the next step.
    pub failed: bool,
    /// The exit code of a command that ended by itself.
    pub exit_code: Option<i32>,
    /// Stdout of a command, bounded like the output.
    pub stdout: Option<String>,
    /// Stderr of a command.
    pub stderr: Option<String>,
    /// The text for people.
    pub display: ToolDisplay,
}

/// The output of a tool for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolDisplay {
    /// Only that it ran.
    #[default]
    Nothing,
    /// One line: `12 lines`.
    Line(String),
    /// A file before and after.
    Change(Change),
    /// The list of tasks.
    Todos(Vec<Todo>),
    /// Text of a command or a server, bounded.
    Text(String),
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// Whether it is new.
    pub created: bool,
    /// New lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
    /// The unified diff, bounded.
    pub diff: String,
}

/// A task of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// The task: `Run the tests`.
    pub content: String,
    /// The task in progress: `Running the tests`.
    pub active_form: String,
    /// Its state.
    pub state: TodoState,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
}

impl TodoState {
    /// All states, in order.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// The spelling in the tool's input.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }

    /// Parses that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl ToolOutput {
    /// A success.
    pub fn done(output: impl Into<String>, display: ToolDisplay) -> Self {
        Self { output: output.into(), display, ..Self::default() }
    }

    /// A failure; the text explains why, and the next step.
    pub fn failed(why: impl Into<String>) -> Self {
        let output = why.into();
        let first = output.lines().next().unwrap_or_default().to_owned();
        Self { output, failed: true, display: ToolDisplay::Line(first), ..Self::default() }
    }
}

/// `1 line` or `2 lines`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
