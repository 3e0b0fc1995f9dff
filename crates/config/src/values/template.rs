//! Texts with placeholders.

use tenter_contract::{Template, TemplateError};

use super::{filled_text, text};
use crate::fields::Field;
use crate::problem::{Finding, ProblemKind};

/// A text with placeholders that says something.
pub(crate) fn template(field: &Field<'_>) -> Result<Template, Finding> {
    checked(field, Template::parse(filled_text(field)?))
}

/// One that may be empty: an argument of a program.
pub(crate) fn any_template(field: &Field<'_>) -> Result<Template, Finding> {
    checked(field, Template::parse(text(field)?))
}

/// A line for the shell, in which placeholders may only be where they can be quoted.
pub(crate) fn shell_template(field: &Field<'_>, line: &str) -> Result<Template, Finding> {
    checked(field, Template::parse_shell(line))
}

fn checked(field: &Field<'_>, template: Result<Template, TemplateError>) -> Result<Template, Finding> {
    template.map_err(|error| field.problem(ProblemKind::BadTemplate { key: field.path.clone(), error }))
}
