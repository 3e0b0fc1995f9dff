//! What came of a tool: for the model, and for people.

use std::path::PathBuf;

/// A tool that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// What the model reads.
    pub output: String,
    /// Whether it did not do what it was asked to; the output then says why, and what to do instead.
    pub failed: bool,
    /// The exit code, where it was a command that ended by itself.
    pub exit_code: Option<i32>,
    /// What a command wrote to its stdout, bounded like the output.
    pub stdout: Option<String>,
    /// What it wrote to its stderr.
    pub stderr: Option<String>,
    /// What people see.
    pub display: Shown,
}

/// What people see of a tool that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Nothing but that it ran.
    #[default]
    Nothing,
    /// One line: `12 lines`.
    Line(String),
    /// A file as it was and as it is.
    Change(Change),
    /// The list of what is to be done.
    Todos(Vec<Todo>),
    /// Text of a command or a server, bounded.
    Text(String),
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which one.
    pub path: PathBuf,
    /// Whether it was not there before.
    pub created: bool,
    /// So many lines are new.
    pub added: usize,
    /// So many lines are gone.
    pub removed: usize,
    /// Both as a unified diff, bounded.
    pub diff: String,
}

/// Something the model means to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What: `Run the tests`.
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

impl Ran {
    /// It did what it was asked to.
    pub fn done(output: impl Into<String>, display: Shown) -> Self {
        Self { output: output.into(), display, ..Self::default() }
    }

    /// It did not; the text says why, and what to do instead.
    pub fn failed(why: impl Into<String>) -> Self {
        let output = why.into();
        let first = output.lines().next().unwrap_or_default().to_owned();
        Self { output, failed: true, display: Shown::Line(first), ..Self::default() }
    }
}
