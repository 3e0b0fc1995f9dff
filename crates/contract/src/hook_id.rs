//! The address of a hook: the layer it comes from, and its name there.

use crate::spelling::spelled;
use std::fmt;

/// The address of a hook: names are unique within a layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookId {
    /// The layer it comes from.
    pub layer: Layer,
    /// Its name there.
    pub name: String,
}

impl HookId {
    /// The rule for names, for messages.
    pub const NAME_RULE: &str =
        "begin with a letter or digit; then letters, digits, spaces, `_`, `.` and `-`; at most 80 characters";

    /// The hook of that name in that layer.
    pub fn new(layer: Layer, name: impl Into<String>) -> Self {
        Self { layer, name: name.into() }
    }

    /// Whether this can be the name of a hook. Names are typed in commands, shown in one line, written into records
    /// and read by models, so nothing in one may look like something else.
    pub fn is_proper_name(name: &str) -> bool {
        name.len() <= 80
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-'))
    }

    /// `user/git-status`: unambiguous, for records and commands.
    pub fn address(&self) -> String {
        format!("{}/{}", self.layer.as_str(), self.name)
    }
}

impl fmt::Display for HookId {
    /// The bare name, as people and agents see it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

spelled! {
    /// Where a hook file comes from. Lowest first: at equal priority, hooks of earlier layers run first.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Layer {
        /// Set by the owner of the machine. Other layers cannot disable its hooks, and every failure of them denies.
        Managed = "managed",
        /// The user's own.
        User = "user",
        /// The active profile.
        Profile = "profile",
        /// The project's, trusted by content.
        Project = "project",
        /// The project's, not committed.
        Local = "local",
        /// Registered by a program that embeds tenter.
        Embedded = "embedded",
    }
}
