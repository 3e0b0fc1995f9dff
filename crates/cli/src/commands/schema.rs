//! `tenter schema [NAME]`: the promises of our JSON.

use tenter_contract::similar;
use tenter_protocol::schemas;

use super::Ended;
use crate::arguments::SchemaArguments;
use crate::error::CliError;
use crate::printer::Printer;

/// Prints a schema, or the names of all.
pub(crate) fn run(arguments: &SchemaArguments, printer: &Printer) -> Ended {
    let Some(name) = &arguments.name else {
        for (name, _) in schemas::ALL {
            printer.line(name);
        }
        return Ok(0);
    };
    match schemas::ALL.into_iter().find(|(known, _)| known == name) {
        Some((_, text)) => {
            printer.bytes(text.as_bytes());
            Ok(0)
        }
        None => Err(CliError::UnknownSchema {
            name: name.clone(),
            suggestion: similar::nearest(name, schemas::ALL.into_iter().map(|(known, _)| known))
                .map(str::to_owned),
        }),
    }
}
