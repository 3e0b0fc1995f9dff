//! `tenter audit verify --anchor`: checks anchors that the user kept.

use std::path::Path;

use serde_json::{Value, json};
use tenter_store::audit::anchor::{Anchor, Holds, NoAnchor};

use crate::error::CliError;
use crate::input_file;
use crate::printer::{Printer, Tone};

pub(crate) struct AnchorLine {
    line: usize,
    pub(crate) anchor: Result<Anchor, NoAnchor>,
}

pub(crate) enum Checked {
    Anchor { anchor: Anchor, holds: Holds },
    NoAnchor { line: usize, why: NoAnchor },
}

pub(crate) fn read(path: &Path) -> Result<Vec<AnchorLine>, CliError> {
    let from_stdin = path == Path::new("-");
    let what = if from_stdin { "stdin".to_owned() } else { format!("`{}`", path.display()) };
    let bad = |detail: String| {
        CliError::bad_input(
            what.clone(),
            detail,
            "give a file with what `tenter audit anchor` printed after `--anchor`, or `-` for stdin",
        )
    };
    let text = input_file::read_text(path).map_err(|error| bad(error.to_string()))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<AnchorLine> =
        lines.map(|(line, text)| AnchorLine { line, anchor: Anchor::parse(text) }).collect();
    if lines.is_empty() {
        return Err(bad("there is no anchor in it".to_owned()));
    }
    Ok(lines)
}

/// Adds its finding to each anchor.
pub(crate) fn with_findings(lines: Vec<AnchorLine>, holds: Vec<Holds>) -> Vec<Checked> {
    let mut holds = holds.into_iter();
    let checked = lines.into_iter().map(|AnchorLine { line, anchor }| match anchor {
        Ok(anchor) => Checked::Anchor { anchor, holds: holds.next().unwrap_or(Holds::Gone) },
        Err(why) => Checked::NoAnchor { line, why },
    });
    checked.collect()
}

impl Checked {
    pub(crate) fn holds(&self) -> bool {
        match self {
            Self::Anchor { holds: Holds::Yes, .. } => true,
            Self::Anchor { holds: Holds::Gone | Holds::Other { .. }, .. } | Self::NoAnchor { .. } => false,
        }
    }

    pub(crate) fn in_words(&self, printer: &Printer) -> String {
        let tone = if self.holds() { Tone::Good } else { Tone::Bad };
        let text = match self {
            Self::Anchor { anchor: Anchor { seq, public_key, .. }, holds: Holds::Yes } => {
                format!("record {seq} is the one that was signed; the key is {}", &public_key[..16])
            }
            Self::Anchor { anchor: Anchor { seq, .. }, holds: Holds::Gone } => {
                format!(
                    "record {seq} was signed and is gone: the trail was rolled back, begun anew or broken before it"
                )
            }
            Self::Anchor { anchor: Anchor { seq, .. }, holds: Holds::Other { .. } } => {
                format!(
                    "another record {seq} was signed: the trail was rolled back and went on, or made anew"
                )
            }
            Self::NoAnchor { line, why } => format!("line {line}: {why}"),
        };
        format!("{} {text}", printer.tone(tone, "anchor:"))
    }

    pub(crate) fn as_json(&self) -> Value {
        match self {
            Self::Anchor { anchor: Anchor { seq, public_key, .. }, holds } => {
                let holds = match holds {
                    Holds::Yes => "yes",
                    Holds::Gone => "gone",
                    Holds::Other { .. } => "other",
                };
                json!({"seq": seq, "public_key": public_key, "holds": holds})
            }
            Self::NoAnchor { line, why } => json!({"line": line, "problem": why.to_string()}),
        }
    }
}
