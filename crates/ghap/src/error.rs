//! The error of entries and of memory.

use std::fmt;

/// The kind of an error; the spelling is what MCP clients see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is missing, too long or unknown.
    Validation,
    /// The named thing does not exist.
    NotFound,
    /// There is an active entry already.
    ActiveExists,
    /// A file or the store cannot be used.
    Internal,
}

impl ErrorKind {
    /// The spelling for MCP clients.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation_error",
            Self::NotFound => "not_found",
            Self::ActiveExists => "active_ghap_exists",
            Self::Internal => "internal_error",
        }
    }
}

/// An error of entries or memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhapError {
    /// The kind.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub hint: Option<Hint>,
}

/// What to do about an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The same words for tools and commands.
    Text(String),
    /// A step that tools and commands call by different names.
    Step(NextStep),
}

/// A step that a tool of the MCP server and a command of `tenter` can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Begin an entry.
    Start,
    /// Wait for the session that has the entry, or begin another.
    LeaveOrStart,
    /// End the entry.
    Resolve,
    /// End the entry of a sub-agent.
    ResolveOfAgent,
    /// End or change the entry that is active.
    ResolveOrUpdate,
    /// Pass at least one of the texts of an entry.
    PassChange,
    /// Say why a prediction failed.
    ExplainFailure,
    /// See the entries that were left behind.
    ShowOrphan,
    /// See the entries of the journal.
    ListJournal,
}

impl NextStep {
    /// The step in the words of the tools.
    const fn with_tools(self) -> &'static str {
        match self {
            Self::Start => "`start_ghap` begins one",
            Self::LeaveOrStart => "leave it to that one, or begin one of your own with `start_ghap`",
            Self::Resolve => "`resolve_ghap` ends it",
            Self::ResolveOfAgent => "`resolve_ghap` with that `agent_id` ends it",
            Self::ResolveOrUpdate => "resolve or update it first",
            Self::PassChange => "give at least one of hypothesis, action, prediction, strategy, note",
            Self::ExplainFailure => {
                "send `surprise` (what you did not expect) and `root_cause` (category and description)"
            }
            Self::ShowOrphan => "`get_orphan` lists the orphans",
            Self::ListJournal => "`list_journal_entries` lists the ids",
        }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<NextStep> for Hint {
    fn from(step: NextStep) -> Self {
        Self::Step(step)
    }
}

impl GhapError {
    /// An invalid argument.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Validation, message)
    }

    /// The named thing does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A file or the store cannot be used.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The message and the hint on one line, in the words of the tools.
impl fmt::Display for GhapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(Hint::Text(hint)) => write!(f, "{}; {hint}", self.message),
            Some(Hint::Step(step)) => write!(f, "{}; {}", self.message, step.with_tools()),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for GhapError {}
