//! `tenter audit verify`: is the trail as it was written?

use serde_json::json;
use tenter_store::audit::verify::{Condition, Verification, verify};

use crate::arguments::JsonArgument;
use crate::commands::{Ended, json_line, state};
use crate::error::{CliError, exit};
use crate::printer::{Printer, Tone};

/// Checks the chain and says what was found.
pub(crate) fn run(arguments: &JsonArgument, printer: &Printer) -> Ended {
    let verification = verify(&state()?).map_err(CliError::Trail)?;
    if arguments.json {
        printer.line(json_line(&as_json(&verification)));
    } else {
        tell(&verification, printer);
    }
    Ok(if verification.is_sound() { 0 } else { exit::FINDING })
}

/// The finding in words.
pub(crate) fn tell(verification: &Verification, printer: &Printer) {
    match &verification.trail {
        Condition::Empty => printer.line("the trail is empty"),
        Condition::Intact { records, last_hash } => {
            let count = if *records == 1 { "record" } else { "records" };
            printer.line(format!(
                "{} {records} {count}, every one in its place; the last has the hash {}",
                printer.tone(Tone::Good, "intact:"),
                &last_hash[..last_hash.len().min(16)]
            ));
        }
        Condition::Broken { seq, line, what } => {
            printer
                .line(format!("{} record {seq} (line {line}): {what}", printer.tone(Tone::Bad, "broken:")));
            printer.line(format!(
                "hint: the {} records before it are as they were written; copy the folder `audit` away before anything else",
                seq.saturating_sub(1)
            ));
        }
    }
    for folder in &verification.set_aside {
        let text = format!(
            "a damaged trail was set aside: {}\n  look at its file `why`; move the folder away when you have dealt with it",
            folder.display()
        );
        printer.line(printer.tone(Tone::Bad, text));
    }
    for file in &verification.torn {
        printer.line(
            printer.tone(Tone::Caution, format!("a write that was cut short is kept in {}", file.display())),
        );
    }
}

fn as_json(verification: &Verification) -> serde_json::Value {
    let trail = match &verification.trail {
        Condition::Empty => json!({"condition": "empty"}),
        Condition::Intact { records, last_hash } => {
            json!({"condition": "intact", "records": records, "last_hash": last_hash})
        }
        Condition::Broken { seq, line, what } => {
            json!({"condition": "broken", "seq": seq, "line": line, "what": what})
        }
    };
    json!({"sound": verification.is_sound(), "trail": trail, "set_aside": verification.set_aside, "torn": verification.torn})
}
