//! `builtin`: something that comes with tenter, by name or with its settings.

use serde_json::{Map, Value as Json};
use tenter_contract::builtin_names::{self, BUILTINS, BuiltinName, BuiltinOption, OptionType, Presence};
use tenter_contract::{Builtin, Dialect};

use super::handler::{self, require, table_beside_text};
use crate::context;
use crate::fields::{Field, Fields};
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::suggest;
use crate::tree::Value;
use crate::values;

pub(super) fn read(field: &Field<'_>, findings: &mut Findings) -> Option<Builtin> {
    let Some(fields) = table_beside_text(field, "builtin", findings)? else {
        let row = findings.keep(values::filled_text(field).and_then(|name| named(field, name)))?;
        require_options(row, None, field, findings);
        return Some(Builtin { name: row.name.to_owned(), options: Map::new() });
    };
    require(&fields, field, ("name", "builtin.name"), findings);
    let row = fields.read("name", findings, |field| named(field, values::filled_text(field)?))?;
    require_options(row, Some(&fields), field, findings);
    let mut options = Map::new();
    for (key, stated) in fields.all().filter(|(key, _)| *key != "name") {
        match row.option(key) {
            Some(option) => {
                options.extend(findings.keep(value(&stated, option)).map(|value| (key.to_owned(), value)));
            }
            None => findings.add(stated.key_place, unknown(row, key)),
        }
    }
    Some(Builtin { name: row.name.to_owned(), options })
}

/// The short form, `/git.status`; `None` if nothing has that name, which may then be a path. One that needs a
/// setting has no short form.
pub(super) fn short(field: &Field<'_>, text: &str) -> Option<Result<Builtin, Finding>> {
    let row = builtin_names::find(text.trim().strip_prefix('/')?)?;
    let builtin = Builtin { name: row.name.to_owned(), options: Map::new() };
    let missing = row.options.iter().find(|option| option.presence == Presence::Required);
    Some(match missing {
        Some(option) => Err(field.problem(ProblemKind::MissingKey { key: option.key })),
        None => Ok(builtin),
    })
}

fn named(field: &Field<'_>, name: &str) -> Result<&'static BuiltinName, Finding> {
    builtin_names::find(name).ok_or_else(|| {
        let suggestion = suggest::nearest(name, BUILTINS.iter().map(|row| row.name));
        field.problem(ProblemKind::UnknownBuiltin { name: name.to_owned(), suggestion })
    })
}

fn require_options(
    row: &'static BuiltinName,
    stated: Option<&Fields<'_>>,
    field: &Field<'_>,
    findings: &mut Findings,
) {
    let required = row.options.iter().filter(|option| option.presence == Presence::Required);
    for option in required.filter(|option| stated.is_none_or(|fields| fields.get(option.key).is_none())) {
        findings.add(field.node.place, ProblemKind::MissingKey { key: option.key });
    }
}

fn unknown(row: &'static BuiltinName, key: &str) -> ProblemKind {
    let known: Vec<&'static str> = row.options.iter().map(|option| option.key).collect();
    let suggestion = suggest::nearest(key, known.iter().copied());
    ProblemKind::UnknownOption { key: key.to_owned(), builtin: row.name, suggestion, known }
}

/// The value of a setting, checked as the table says and kept as it was written.
fn value(field: &Field<'_>, option: &BuiltinOption) -> Result<Json, Finding> {
    match option.takes {
        OptionType::Count { least, most } => count(field, least, most)?,
        OptionType::Template => drop(values::template(field)?),
        OptionType::Text => drop(values::filled_text(field)?),
        OptionType::Texts => each(field, |item| values::filled_text(item).map(drop))?,
        OptionType::Switch => drop(values::switch(field)?),
        OptionType::Command => drop(handler::command(field, Dialect::Tenter)?),
        OptionType::Word(words) => one_of(field, words)?,
        OptionType::Words(words) => each(field, |item| one_of(item, words))?,
        OptionType::Variables => each(field, variable)?,
        OptionType::Globs => drop(values::patterns(field)?),
        OptionType::Files => drop(context::files(field)?),
    }
    Ok(values::json(field.node))
}

fn count(field: &Field<'_>, least: u32, most: u32) -> Result<(), Finding> {
    let Value::Int(number) = field.node.value else { return Err(field.wrong_type(Expected::WholeNumber)) };
    if (i64::from(least)..=i64::from(most)).contains(&number) {
        return Ok(());
    }
    Err(field.problem(ProblemKind::OutOfRange { key: field.path.clone(), found: number, least, most }))
}

fn one_of(field: &Field<'_>, words: &[&'static str]) -> Result<(), Finding> {
    let choices: Vec<(&'static str, ())> = words.iter().map(|word| (*word, ())).collect();
    values::word(field, &choices)
}

fn variable(field: &Field<'_>) -> Result<(), Finding> {
    let name = values::text(field)?;
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(field.problem(ProblemKind::BadVariable { name: name.to_owned() }));
    }
    Ok(())
}

/// A list with something in it, each item right.
fn each(field: &Field<'_>, check: impl Fn(&Field<'_>) -> Result<(), Finding>) -> Result<(), Finding> {
    let items = values::items(field, Expected::List)?;
    if items.is_empty() {
        return Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }));
    }
    items.iter().try_for_each(check)
}
