//! Hook files of other systems, read as they are: their keys, their matcher rules, their units and their
//! failure policy.
//!
//! ```text
//! their tree ── recognise ── convert ──▶ drafts: our tables, at their places ── hook ──▶ hooks
//!                                          └─ notes: what changed meaning, what is not kept
//! ```
//!
//! There is one file or folder per origin, all of the same shape. A draft is a table with *our* keys whose
//! values keep the places they have in the foreign file. So everything else is done once: the checks of
//! `hook`, the problems with file and line, and the YAML that `tenter import` prints, which therefore means
//! what the foreign file means when it is read in place.

mod amazonq;
mod amplifier;
mod claude;
mod draft;
mod gemini;
mod ghap;
mod matchers;
mod massgen;
mod names;
mod nodes;
mod report;
mod shell;
mod tool_names;
mod yaml;

use tenter_contract::Dialect;

use crate::source::SourceText;
use crate::suggest;
use crate::tree::Node;

pub(crate) use draft::{Converted, Draft};
pub use names::is_generated;
pub use report::{ImportError, Imported, ImportedHook, Note, NoteKind, State, import};
pub(crate) use yaml::scalar as yaml_scalar;

/// What is known about one other system.
struct Origin {
    dialect: Dialect,
    /// Whether a file that says no version of ours has its shape.
    recognise: fn(&Node, &SourceText<'_>) -> bool,
    /// Whether it can be read as such if a person says so; a shape that two systems share has to be named.
    fits: fn(&Node, &SourceText<'_>) -> bool,
    /// Makes drafts of its hooks.
    convert: fn(&Node, &SourceText<'_>, &mut Converted),
}

/// A key of another system's hook file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The key, or several of the same meaning, with the table they are in where that matters.
    pub key: &'static str,
    /// What becomes of it.
    pub becomes: &'static str,
}

/// In the order in which a file is compared with them: the most particular shapes first.
const ORIGINS: [Origin; 6] =
    [amazonq::ORIGIN, massgen::ORIGIN, ghap::ORIGIN, amplifier::ORIGIN, gemini::ORIGIN, claude::ORIGIN];

/// The system whose shape a file has; none if it may be one of ours.
pub(crate) fn recognise(root: &Node, source: &SourceText<'_>) -> Option<Dialect> {
    ORIGINS.iter().find(|origin| (origin.recognise)(root, source)).map(|origin| origin.dialect)
}

/// Makes drafts of a file's hooks; none if it does not have the shape of that system.
pub(crate) fn convert(dialect: Dialect, root: &Node, source: &SourceText<'_>) -> Option<Converted> {
    let origin = ORIGINS.iter().find(|origin| origin.dialect == dialect)?;
    if !has_no_hooks(root) && !(origin.fits)(root, source) {
        return None;
    }
    let mut converted = Converted::new(dialect);
    (origin.convert)(root, source, &mut converted);
    for draft in &mut converted.drafts {
        draft.check_event();
    }
    names::assign_names(&mut converted);
    Some(converted)
}

/// Settings without hooks have every shape, as long as they are settings.
fn has_no_hooks(root: &Node) -> bool {
    let empty = |hooks: &Node| nodes::entries(hooks).is_some_and(<[_]>::is_empty);
    nodes::entries(root).is_some()
        && nodes::get(root, "hooks").is_none_or(empty)
        && ["context", "agents", "agent"].iter().all(|key| !nodes::has(root, key))
        && !has_misspelled_hooks(root)
}

/// Whether settings have a key that nearly is `hooks`. No system has one.
fn has_misspelled_hooks(root: &Node) -> bool {
    let mut keys = nodes::entries(root).into_iter().flatten().map(|(key, _)| key.text.as_str());
    !nodes::has(root, "hooks") && keys.any(|key| suggest::nearest(key, ["hooks"]).is_some())
}

/// The keys of each system's hook files, for the reference page.
pub fn foreign_keys() -> impl Iterator<Item = (Dialect, Vec<KeyRow>)> {
    let rows = |section: &'static str| {
        let rows = section.lines().filter_map(|line| line.split_once(" => "));
        rows.map(|(key, becomes)| KeyRow { key, becomes }).collect()
    };
    let sections = include_str!("keys.txt").split("\n[");
    let sections = sections.filter_map(|section| section.trim_start_matches('[').split_once("]\n"));
    sections.filter_map(move |(name, section)| Some((Dialect::parse(name)?, rows(section))))
}
