//! `tenter schema [NAME]`: prints the JSON schemas.

use tenter_contract::similar;
use tenter_protocol::schemas;

use crate::arguments::SchemaArguments;
use crate::error::{CliError, CommandResult};
use crate::printer::Printer;

pub(crate) fn run(arguments: &SchemaArguments, printer: &Printer) -> CommandResult {
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
        None => Err(CliError::unknown_schema(
            name.clone(),
            similar::nearest(name, schemas::ALL.into_iter().map(|(known, _)| known)).map(str::to_owned),
        )),
    }
}
