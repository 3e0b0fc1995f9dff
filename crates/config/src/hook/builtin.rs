//! `builtin`: something that comes with tenter, by name or with its settings.

use serde_json::Map;
use tenter_contract::Builtin;
use tenter_contract::builtin_names::{self, BUILTINS, BuiltinName};

use super::handler::{require, table_beside_text};
use crate::fields::Field;
use crate::problem::{Finding, Findings, ProblemKind};
use crate::suggest;
use crate::values;

pub(super) fn read(field: &Field<'_>, findings: &mut Findings) -> Option<Builtin> {
    let Some(fields) = table_beside_text(field, "builtin", findings)? else {
        let row = findings.keep(named(field, values::filled_text(field).ok()?))?;
        return Some(Builtin { name: row.name.to_owned(), options: Map::new() });
    };
    require(&fields, field, ("name", "builtin.name"), findings);
    let row = fields.read("name", findings, |field| named(field, values::filled_text(field)?))?;
    let mut options = Map::new();
    for (key, option) in fields.all().filter(|(key, _)| *key != "name") {
        if !row.options.contains(&key) {
            let suggestion = suggest::nearest(key, row.options.iter().copied());
            let key = option.path.clone();
            let kind = ProblemKind::UnknownKey { key, suggestion, known: row.options };
            findings.add(option.key_place, kind);
        }
        options.insert(key.to_owned(), values::json(option.node));
    }
    Some(Builtin { name: row.name.to_owned(), options })
}

/// The short form, `/git.status`; `None` if nothing has that name, which may then be a path.
pub(super) fn short(text: &str) -> Option<Builtin> {
    let row = builtin_names::find(text.trim().strip_prefix('/')?)?;
    Some(Builtin { name: row.name.to_owned(), options: Map::new() })
}

fn named(field: &Field<'_>, name: &str) -> Result<&'static BuiltinName, Finding> {
    builtin_names::find(name).ok_or_else(|| {
        let suggestion = suggest::nearest(name, BUILTINS.iter().map(|row| row.name));
        field.problem(ProblemKind::UnknownBuiltin { name: name.to_owned(), suggestion })
    })
}
