//! `python`: a function to call, as `module.function` or with more to say.

use tenter_contract::Python;

use super::handler::{require, table_beside_text};
use crate::fields::Field;
use crate::problem::{Finding, Findings, ProblemKind};
use crate::values;

const KEYS: &str = "function interpreter keep";

pub(super) fn read(field: &Field<'_>, findings: &mut Findings) -> Option<Python> {
    let Some(fields) = table_beside_text(field, "python", findings)? else {
        return Some(Python { function: findings.keep(function(field))?, interpreter: None, keep: None });
    };
    fields.check(KEYS, findings);
    require(&fields, field, ("function", "python.function"), findings);
    let interpreter = fields.read("interpreter", findings, values::filled_text).map(str::to_owned);
    let keep = fields.read("keep", findings, values::duration);
    Some(Python { function: fields.read("function", findings, function)?, interpreter, keep })
}

/// At least a module and a name in it, each of which Python would take for a name.
fn function(field: &Field<'_>) -> Result<String, Finding> {
    let text = values::filled_text(field)?;
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
            && letters.all(|letter| letter == '_' || letter.is_alphanumeric())
    };
    if text.contains('.') && text.split('.').all(is_name) {
        Ok(text.to_owned())
    } else {
        Err(field.problem(ProblemKind::BadFunction { found: text.to_owned() }))
    }
}
