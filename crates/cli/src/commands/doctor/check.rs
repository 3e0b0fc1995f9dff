//! One check of `tenter doctor`.

use std::path::Path;

use serde::Serialize;

use crate::listing::{self, visible};
use crate::printer::Tone;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    pub(crate) about: &'static str,
    #[serde(rename = "result")]
    pub(crate) grade: Grade,
    pub(crate) finding: String,
    /// A command line for a shell.
    pub(crate) repair: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Grade {
    Ok,
    Warning,
    Problem,
}

impl Grade {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    pub(crate) fn tone(self) -> Tone {
        match self {
            Self::Ok => Tone::Good,
            Self::Warning => Tone::Caution,
            Self::Problem => Tone::Bad,
        }
    }
}

impl Check {
    pub(crate) fn ok(about: &'static str, finding: impl Into<String>) -> Self {
        Self { about, grade: Grade::Ok, finding: one_line(&finding.into()), repair: None }
    }

    pub(crate) fn warning(
        about: &'static str,
        finding: impl Into<String>,
        repair: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Warning, repair: Some(one_line(&repair.into())), ..Self::ok(about, finding) }
    }

    pub(crate) fn problem(
        about: &'static str,
        finding: impl Into<String>,
        repair: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Problem, ..Self::warning(about, finding, repair) }
    }
}

/// Text that cannot look like another line of the report.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

pub(crate) fn edit(path: &Path) -> String {
    format!("${{EDITOR:-vi}} {}", typed(path))
}

pub(crate) const INSTALL: &str = "cargo install --path crates/cli";

pub(crate) fn typed(path: &Path) -> String {
    listing::typed(&path.to_string_lossy())
}
