//! `imports`: files of other systems that are to be read next to a hook file.

use tenter_contract::{Dialect, Layer};

use crate::fields::{Field, Fields};
use crate::hook::may_allow;
use crate::place::Place;
use crate::problem::{Expected, Findings};
use crate::tree::Value;
use crate::values;

/// A file of another system, for a caller that may read files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// Whose file it is; if not stated, its form decides.
    pub from: Option<Dialect>,
    /// The file, or a folder of files; `~` is the user's home, and a relative path begins at the hook file.
    pub file: String,
    /// The agents its hooks are for; empty means all.
    pub agents: Vec<String>,
    /// Whether an `allow` of its hooks lifts the agent's own permission check.
    pub may_allow: bool,
    /// Where it is asked for.
    pub place: Place,
}

const KEYS: &str = "file from agents may_allow";

/// Reads the list. An entry is the path of a file, or a table that says more.
pub(crate) fn read(field: &Field<'_>, layer: Layer, findings: &mut Findings) -> Vec<ImportRequest> {
    let Some(items) = findings.keep(values::items(field, Expected::List)) else { return Vec::new() };
    items.iter().filter_map(|item| read_entry(item, layer, findings)).collect()
}

fn read_entry(field: &Field<'_>, layer: Layer, findings: &mut Findings) -> Option<ImportRequest> {
    let place = field.node.place;
    if let Value::Text(_) = field.node.value {
        let file = findings.keep(values::filled_text(field))?.to_owned();
        return Some(ImportRequest { from: None, file, agents: Vec::new(), may_allow: false, place });
    }
    let fields = findings.keep(Fields::from_field(field, "imports"))?;
    fields.check(KEYS, findings);
    let known: Vec<(&'static str, Dialect)> =
        Dialect::ALL.into_iter().skip(1).map(|dialect| (dialect.as_str(), dialect)).collect();
    let from = match fields.get("from") {
        // A file that is read under the wrong rules is worse than one that is not read.
        Some(field) => Some(findings.keep(values::word(&field, &known))?),
        None => None,
    };
    let agents = match fields.get("agents") {
        Some(field) => findings.keep(values::patterns(&field))?,
        None => Vec::new(),
    };
    let may_allow = fields.read("may_allow", findings, |field| may_allow(field, layer)).unwrap_or(false);
    let Some(file) = fields.get("file") else {
        findings.add(place, crate::problem::ProblemKind::MissingKey { key: "imports.file" });
        return None;
    };
    let file = findings.keep(values::filled_text(&file))?.to_owned();
    let agents = agents.iter().map(|pattern| pattern.as_str().to_owned()).collect();
    Some(ImportRequest { from, file, agents, may_allow, place })
}
