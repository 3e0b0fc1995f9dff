//! The approver that a hook file names for questions that nobody else takes.

/// Where questions go if nobody is watching and the agent cannot ask. Only the user and the owner of the machine
/// name one: a project could otherwise answer its own questions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum ApproverName {
    /// They wait for somebody who runs `tenter approvals`.
    Watch,
    /// They wait as files in a folder that another program serves.
    File {
        /// The folder; tenter's own if none is named.
        folder: Option<String>,
    },
    /// Every question is denied, and nobody is asked.
    Deny,
    /// Every question is granted, and nobody is asked: for tests.
    Allow,
}

impl ApproverName {
    /// Those that need nothing more, with their spelling in hook files.
    pub const SPELLED: [(&'static str, Self); 4] = [
        ("watch", Self::Watch),
        ("file", Self::File { folder: None }),
        ("deny", Self::Deny),
        ("allow", Self::Allow),
    ];
}
