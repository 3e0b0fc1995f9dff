//! From text to tree: one file for each format.

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's events are an open enum of others")]
mod yaml;
mod yaml_scalar;
mod toml;
mod json;

use crate::problem::{Finding, ProblemKind};
use crate::source::Format;
use crate::tree::Node;

/// Reads a whole file. What cannot be read as a whole is not read in part: which half of a broken file its
/// author wanted is anyone's guess.
pub(crate) fn read(format: Format, text: &str) -> Result<Node, Finding> {
    // Editors on Windows put a byte order mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => yaml::read(text),
        Format::Toml => toml::read(text),
        Format::Json => json::read(text),
    }
}

/// Deeper nesting than any hook file needs, and shallow enough for every stack.
const DEPTH_LIMIT: usize = 64;

fn syntax(format: Format, detail: impl Into<String>) -> ProblemKind {
    ProblemKind::Syntax { format, detail: detail.into(), advice: None }
}

fn syntax_with(format: Format, detail: impl Into<String>, advice: &'static str) -> ProblemKind {
    ProblemKind::Syntax { format, detail: detail.into(), advice: Some(advice) }
}
