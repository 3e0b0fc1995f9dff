//! The condition under which a hook is asked. Data only; `kernel::matching` compares it with an event.

use crate::{Pattern, WantedFacts};

/// The pieces of a matcher; an event matches if one of them does. Empty matches everything.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Matcher {
    /// The pieces between `|`, in the order they were written.
    pub selectors: Vec<Selector>,
}

/// One piece of a matcher.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Selector {
    /// Compared with canonical name, native name and kind of the tool, or with the event's subject.
    Name(Pattern),
    /// `Bash(git push|npm test)`: a tool, and the words its command begins with.
    Call {
        /// The tool.
        tool: Pattern,
        /// Alternatives, each a sequence of words.
        commands: Vec<Vec<Pattern>>,
    },
}

/// Further conditions; all of them must be true.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct When {
    /// One of the tool's paths.
    pub path: Vec<Pattern>,
    /// The shell command.
    pub command: Vec<Pattern>,
    /// The user's prompt.
    pub prompt: Vec<Pattern>,
    /// The agent's directory.
    pub cwd: Vec<Pattern>,
    /// The agent's name.
    pub agent: Vec<Pattern>,
    /// The exit code of the tool.
    pub exit_code: Vec<Pattern>,
    /// The branch that is checked out.
    pub branch: Vec<Pattern>,
    /// Variables of the agent's environment; each must fit.
    pub env: Vec<(String, Vec<Pattern>)>,
    /// Paths and globs from the project root, one of which must be there.
    pub file_exists: Vec<String>,
    /// The layer that the hook itself comes from.
    pub layer: Vec<Pattern>,
}

impl When {
    /// True if nothing is asked.
    pub fn is_empty(&self) -> bool {
        let Self { path, command, prompt, cwd, agent, exit_code, branch, env, file_exists, layer } = self;
        [path, command, prompt, cwd, agent, exit_code, branch, layer].into_iter().all(Vec::is_empty)
            && env.is_empty()
            && file_exists.is_empty()
    }

    /// Adds what must be known of the place to judge these conditions.
    pub fn want(&self, wanted: &mut WantedFacts) {
        wanted.branch |= !self.branch.is_empty();
        for (name, _) in &self.env {
            if !wanted.variables.contains(name) {
                wanted.variables.push(name.clone());
            }
        }
        for path in &self.file_exists {
            if !wanted.files.contains(path) {
                wanted.files.push(path.clone());
            }
        }
    }
}
