//! `tenter audit verify`: checks whether the trail was changed.

mod anchors;

use std::path::Path;

use serde_json::{Value, json};
use tenter_store::audit::anchor;
use tenter_store::audit::verify::{Condition, KeyFile, Macs, Verification, what_was_wrong};

use crate::arguments::AuditVerifyArguments;
use crate::commands::audit::verify::anchors::Checked;
use crate::error::{CommandResult, exit};
use crate::listing::counted;
use crate::places::state;
use crate::printer::{Printer, Tone, json_line};

pub(crate) fn run(arguments: &AuditVerifyArguments, printer: &Printer) -> CommandResult {
    let lines = arguments.anchor.as_deref().map(anchors::read).transpose()?.unwrap_or_default();
    let signed: Vec<anchor::Anchor> = lines.iter().filter_map(|lines| lines.anchor.clone().ok()).collect();
    let (verification, holds) = anchor::check(&state()?, &signed)?;
    let checked = anchors::with_findings(lines, holds);
    if arguments.json {
        printer.line(json_line(&as_json(&verification, &checked)));
    } else {
        print(&verification, printer);
        for anchor in &checked {
            printer.line(anchor.in_words(printer));
        }
    }
    let sound = verification.is_sound() && checked.iter().all(Checked::holds);
    Ok(if sound { 0 } else { exit::FINDING })
}

const LOOK: &str = "look at its file `why`; move the folder away when you have dealt with it";

pub(crate) fn print(verification: &Verification, printer: &Printer) {
    print_condition(verification, printer);
    let chain_alone =
        matches!(verification.trail, Condition::Intact { .. }) && verification.macs.unchecked > 0;
    if verification.key == KeyFile::Damaged && !chain_alone {
        let text = "the file `key` is damaged (it is not 32 bytes long): no mac can be checked, and nothing is recorded";
        printer.line(printer.tone(Tone::Bad, text));
        print_how_to_go_on(printer);
    }
    let print = |tone, text: String| printer.line(printer.tone(tone, text));
    for seq in &verification.losses {
        print(Tone::Caution, format!("record {seq} reports lost records (`tenter explain {seq}`)"));
    }
    for gone in &verification.gone {
        printer.line(format!("{} {}", printer.tone(Tone::Bad, "gone:"), gone.in_words()));
    }
    if !verification.gone.is_empty() {
        let files: Vec<String> =
            verification.witnesses.iter().map(|path| path.display().to_string()).collect();
        printer.line(format!(
            "hint: look for copies of the folder `audit` in your backups; if you removed the records yourself, \
             remove {} and this is no finding any more",
            files.join(" and ")
        ));
    }
    for path in &verification.unusable_witnesses {
        let path = path.display();
        print(
            Tone::Bad,
            format!(
                "{path} is no file that tenter can write, so a removed trail would not be missed\nhint: move it away; the next event writes it again"
            ),
        );
    }
    for folder in &verification.quarantined {
        let wrong = wrong_in(folder);
        print(Tone::Bad, format!("a damaged trail was quarantined: {}{wrong}\n  {LOOK}", folder.display()));
    }
    for folder in &verification.lost {
        print(Tone::Bad, format!("records were lost in a power cut: {}\n  {LOOK}", folder.display()));
    }
    for file in &verification.torn {
        print(Tone::Caution, format!("a write that was cut short is kept in {}", file.display()));
    }
    for file in &verification.spilled {
        print(
            Tone::Caution,
            format!("records wait in {}; the next event adds them to the trail", file.display()),
        );
    }
}

fn wrong_in(folder: &Path) -> String {
    match state().ok().and_then(|state| what_was_wrong(&state, folder)) {
        Some(Condition::Broken { seq, file, line, what }) => {
            format!("\n  broken: record {seq} ({file}, line {line}): {what}")
        }
        _ => String::new(),
    }
}

fn print_condition(verification: &Verification, printer: &Printer) {
    let macs = verification.macs;
    match &verification.trail {
        Condition::Empty if !verification.gone.is_empty() => {
            printer.line("the trail is empty, but it was not");
        }
        Condition::Empty => printer.line("the trail is empty"),
        Condition::Intact { records, last_hash, ahead } => {
            let count = counted(*records, "record");
            let last = &last_hash[..last_hash.len().min(16)];
            if macs.unchecked == 0 {
                let good = printer.tone(Tone::Good, "intact:");
                printer.line(format!("{good} {count}, every one in its place; the last has the hash {last}"));
            } else {
                print_unproven(&count, last, verification, printer);
            }
            if *ahead > 0 {
                let text = format!("the head does not know the last {ahead} yet: their writer was stopped");
                printer.line(printer.tone(Tone::Caution, text));
            }
            print_old(macs, printer);
        }
        Condition::Lost { seq: _, what } => {
            printer.line(format!("{} {what}", printer.tone(Tone::Bad, "lost:")));
            printer.line("hint: the next event records this and goes on");
            print_old(macs, printer);
        }
        Condition::Broken { seq, file, line, what } => {
            let place =
                if file == "trail.jsonl" { format!("line {line}") } else { format!("{file}, line {line}") };
            printer.line(format!("{} record {seq} ({place}): {what}", printer.tone(Tone::Bad, "broken:")));
            let before = before(seq.saturating_sub(1), macs);
            printer.line(format!("hint: {before}copy the folder `audit` away before anything else"));
        }
    }
}

/// Describes the records before a bad one. Only macs prove that they are unchanged.
fn before(count: u64, macs: Macs) -> String {
    let proven = macs.without == 0 && macs.unchecked == 0;
    match (count, proven) {
        (0, _) => String::new(),
        (1, true) => "the record before it is as it was written; ".to_owned(),
        (1, false) => "no mac shows whether the record before it is as it was written; ".to_owned(),
        (_, true) => format!("the {count} records before it are as they were written; "),
        (_, false) => {
            format!("the chain of the {count} records before it holds, but not all have proven macs; ")
        }
    }
}

/// A chain alone proves nothing: any program that can write the trail can make one.
fn print_unproven(count: &str, last: &str, verification: &Verification, printer: &Printer) {
    let why = match verification.key {
        KeyFile::Damaged => "damaged (it is not 32 bytes long)",
        KeyFile::Missing | KeyFile::Whole => "missing",
    };
    printer.line(format!(
        "{} the macs of {} of {count} cannot be checked, because the file `key` is {why}",
        printer.tone(Tone::Bad, "not proven:"),
        verification.macs.unchecked
    ));
    printer.line(format!("the chain of {count} holds by itself; the last has the hash {last}"));
    print_how_to_go_on(printer);
}

fn print_how_to_go_on(printer: &Printer) {
    let key = state().map(|state| state.path().join("audit/key").display().to_string()).unwrap_or_default();
    printer.line(format!(
        "hint: put {key} back from a backup; if there is none, `tenter doctor` says how to begin a new trail"
    ));
}

fn print_old(macs: Macs, printer: &Printer) {
    let which = match macs.without {
        0 => return,
        1 => "1 record from before there were keys; its".to_owned(),
        more => format!("{more} records from before there were keys; their"),
    };
    printer.line(printer.tone(Tone::Caution, format!("without a key: {which} chain holds")));
}

fn as_json(verification: &Verification, anchors: &[Checked]) -> Value {
    let trail = match &verification.trail {
        Condition::Empty => json!({"condition": "empty"}),
        Condition::Intact { records, last_hash, ahead } => {
            json!({"condition": "intact", "records": records, "last_hash": last_hash, "ahead": ahead})
        }
        Condition::Lost { seq, what } => json!({"condition": "lost", "seq": seq, "what": what}),
        Condition::Broken { seq, file, line, what } => {
            json!({"condition": "broken", "seq": seq, "file": file, "line": line, "what": what})
        }
    };
    let Macs { checked, without, unchecked } = verification.macs;
    let key = match verification.key {
        KeyFile::Whole => "whole",
        KeyFile::Missing => "missing",
        KeyFile::Damaged => "damaged",
    };
    let mut all = json!({
        "sound": verification.is_sound() && anchors.iter().all(Checked::holds),
        "trail": trail,
        "macs": {"checked": checked, "without": without, "unchecked": unchecked},
        "key": key,
        "anchors": anchors.iter().map(Checked::as_json).collect::<Vec<_>>(),
        "losses": verification.losses,
        "quarantined": verification.quarantined,
        "lost": verification.lost,
        "torn": verification.torn,
        "spilled": verification.spilled,
    });
    if !verification.gone.is_empty() {
        all["gone"] = json!(verification.gone);
        all["witnesses"] = json!(verification.witnesses);
    }
    if !verification.unusable_witnesses.is_empty() {
        all["unusable_witnesses"] = json!(verification.unusable_witnesses);
    }
    all
}
