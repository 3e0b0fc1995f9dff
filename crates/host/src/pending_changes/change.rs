//! One pending change.

use std::path::{Path, PathBuf};

use tenter_protocol::shorten::sha256_hex;
use tenter_store::GrantedChange;

/// How many lines of a change a notice shows.
const SHOWN_LINES: usize = 8;

/// A change that the user must accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChange {
    /// The file.
    pub path: PathBuf,
    /// The active text.
    pub active_text: String,
    /// The text on disk; none if the file is gone or cannot be read.
    pub found: Option<String>,
    /// Why it is pending.
    pub reason: String,
    /// What kind of file it is.
    pub kind: ChangeKind,
}

/// A kind of protected file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A hook file, a profile or a switch.
    HookFile,
    /// An agent's settings; the texts say what counts in them.
    Settings,
    /// A file that grants something: trust, a rule or a session grant.
    Grant(GrantedChange),
}

impl PendingChange {
    pub(crate) fn explain(&self) -> String {
        explain(&self.reason, &self.active_text, self.found.as_deref().unwrap_or_default())
    }

    /// Whether a path on the command line names this file.
    pub fn is(&self, named: &Path) -> bool {
        let absolute = std::path::absolute(named);
        self.path == named || absolute.is_ok_and(|path| path == self.path)
    }

    /// The hash of the text on disk.
    pub fn hash(&self) -> Option<String> {
        self.found.as_deref().map(|text| sha256_hex(text.as_bytes()))
    }
}

/// A reason with the lines that differ, at most `SHOWN_LINES` of them. The file may change again while the change
/// is pending, so the lines are compared when they are shown.
pub(crate) fn explain(reason: &str, active_text: &str, found: &str) -> String {
    let before: Vec<&str> = active_text.lines().collect();
    let after: Vec<&str> = found.lines().collect();
    let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let removed = before[start..before.len() - end].iter().map(|line| format!("- {line}"));
    let added = after[start..after.len() - end].iter().map(|line| format!("+ {line}"));
    let lines: Vec<String> = removed.chain(added).collect();
    let more = lines.len().saturating_sub(SHOWN_LINES);
    let mut shown: Vec<String> = lines.into_iter().take(SHOWN_LINES).collect();
    if more > 0 {
        shown.push(format!("({more} more lines)"));
    }
    format!("{reason}:\n{}", shown.join("\n"))
}
