//! Sessions and agents.

use std::fmt;

/// An agent's own id of a session. Never used as a file name; the store hashes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct SessionId(String);

impl SessionId {
    /// Parses the id of an agent; an empty text is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        (!text.trim().is_empty()).then(|| Self(text.to_owned()))
    }

    /// An id that tenter makes, for a program that names none.
    pub fn generate(prefix: &str, random: u64) -> Self {
        Self(format!("{prefix}-{random:016x}"))
    }

    /// The id under which memory keeps entries of events without a session.
    pub fn shared() -> Self {
        Self("no-session".to_owned())
    }

    /// The id as the agent spelled it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The short name of an agent, as in `tenter hook <agent>`: `claude`, `codex`, `gemini`, …
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct AgentName(std::borrow::Cow<'static, str>);

impl AgentName {
    /// A name known at compile time.
    pub const fn from_static(name: &'static str) -> Self {
        Self(std::borrow::Cow::Borrowed(name))
    }

    /// A name from outside; lower-cased, because agents are addressed in any case.
    pub fn new(name: &str) -> Self {
        Self(std::borrow::Cow::Owned(name.to_ascii_lowercase()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The stored facts about a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The project root, if it was found at an earlier event.
    pub project_root: Option<String>,
}
