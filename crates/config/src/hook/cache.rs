//! `cache`: for how long a hook's answer is kept, and what it depends on.

use tenter_contract::Cache;

use crate::fields::{Field, Fields};
use crate::problem::{Expected, Findings, ProblemKind};
use crate::tree::Value;
use crate::values;

const KEYS: &str = "ttl key files";

/// A time, or a table with more to say.
pub(super) fn read(field: &Field<'_>, findings: &mut Findings) -> Option<Cache> {
    let Value::Table(_) = field.node.value else {
        let ttl = findings.keep(values::duration(field))?;
        return Some(Cache { ttl, key: Vec::new(), files: Vec::new() });
    };
    let fields = findings.keep(Fields::from_field(field, "cache"))?;
    fields.check(KEYS, findings);
    if fields.get("ttl").is_none() {
        findings.add(field.node.place, ProblemKind::MissingKey { key: "cache.ttl" });
    }
    let ttl = fields.read("ttl", findings, values::duration);
    let key = fields.read("key", findings, |field| {
        values::items(field, Expected::List)?.iter().map(values::template).collect()
    });
    let files = fields.read("files", findings, values::texts).unwrap_or_default();
    let files = files.into_iter().map(str::to_owned).collect();
    Some(Cache { ttl: ttl?, key: key.unwrap_or_default(), files })
}
