//! The output of a tool, for the model and for people.

use std::path::PathBuf;

/// A tool that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// The text for the model.
    pub output: String,
    /// Whether it failed; the output explains why, and the next step.
    pub failed: bool,
    /// The exit code, where it was a command that ended by itself.
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
    /// Nothing but that it output.
    #[default]
    Nothing,
    /// One line: `12 lines`.
    Line(String),
    /// A file as it was and as it is.
    Change(Change),
    /// The list of tasks.
    Todos(Vec<Todo>),
    /// Text of a command or a server, bounded.
    Text(String),
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which one.
    pub path: PathBuf,
    /// Whether it was not there before.
    pub created: bool,
    /// New lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
    /// Both as a unified diff, bounded.
    pub diff: String,
}

/// Something the model means to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// The task: `Run the tests`.
    pub content: String,
    /// The same while it is being done: `Running the tests`.
    pub active_form: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far a todo is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

impl TodoState {
    /// All states, in the order of a todo's life.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// The spelling in the tool's input.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }

    /// Reads that spelling.
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
