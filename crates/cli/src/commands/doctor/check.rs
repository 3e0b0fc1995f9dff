//! One thing that was looked at.

use std::path::Path;

use serde::Serialize;
use tenter_contract::template::shell_quote;

use crate::listing::visible;
use crate::printer::Tone;

/// What was looked at, and what was found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    pub(super) about: &'static str,
    #[serde(rename = "result")]
    pub(super) grade: Grade,
    pub(super) finding: String,
    /// What to type: a line that a shell takes as it is.
    pub(super) repair: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grade {
    /// As it should be.
    Ok,
    /// It works, but not as somebody might expect.
    Warning,
    /// Something does not work.
    Problem,
}

impl Grade {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    pub(super) fn tone(self) -> Tone {
        match self {
            Self::Ok => Tone::Good,
            Self::Warning => Tone::Caution,
            Self::Problem => Tone::Bad,
        }
    }
}

impl Check {
    pub(super) fn ok(about: &'static str, finding: impl Into<String>) -> Self {
        Self { about, grade: Grade::Ok, finding: one_line(&finding.into()), repair: None }
    }

    pub(super) fn warning(
        about: &'static str,
        finding: impl Into<String>,
        repair: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Warning, repair: Some(one_line(&repair.into())), ..Self::ok(about, finding) }
    }

    pub(super) fn problem(
        about: &'static str,
        finding: impl Into<String>,
        repair: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Problem, ..Self::warning(about, finding, repair) }
    }
}

/// Text that cannot pass for another line of ours.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

/// The command that opens a file in the user's editor.
pub(super) fn edit(path: &Path) -> String {
    format!("${{EDITOR:-vi}} {}", typed(path))
}

/// The command that installs this program again.
pub(super) const INSTALL: &str = "cargo install --path crates/cli";

/// A path as one would type it: quoted only if it must be.
pub(super) fn typed(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { shell_quote(&text) }
}
