//! The approver that a hook file names for questions that no other approver accepts.

/// Where questions go if `tenter approvals watch` does not run and the agent cannot ask. Only the user and the owner
/// of the machine name one: a project could otherwise answer its own questions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum ApproverName {
    /// They wait until the user runs `tenter approvals`.
    Watch,
    /// They wait as files in a folder that another program serves.
    File {
        /// The folder; tenter's own if none is named.
        folder: Option<String>,
    },
    /// Every question is denied without asking.
    Deny,
    /// Every question is granted without asking. For tests.
    Allow,
}

impl ApproverName {
    /// The spellings in hook files.
    pub const SPELLED: [(&'static str, Self); 4] = [
        ("watch", Self::Watch),
        ("file", Self::File { folder: None }),
        ("deny", Self::Deny),
        ("allow", Self::Allow),
    ];
}
