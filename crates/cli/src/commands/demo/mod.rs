//! `tenter demo`: a recorded Claude Code conversation, answered by the real hook path.
//!
//! Every answer comes from a process of its own, `tenter hook claude`, exactly as the agent would call it,
//! with hooks, trail and project in a temporary folder. The demo checks what it shows: if an answer is not
//! as it should be, it fails.

mod conversation;
mod project;

use std::time::Instant;

use serde_json::Value;
use tenter_contract::Answer;
use tenter_store::StateFolder;
use tenter_store::audit::read::{Content, Filter, read};
use tenter_store::audit::verify::verify;

use self::conversation::{Expect, Scene, scenes};
use self::project::Project;
use super::audit::deliveries::FirstDeliveries;
use super::audit::{show, verify::tell};
use super::{Ended, explain};
use crate::arguments::DemoArguments;
use crate::error::CliError;
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone};

/// Plays the conversation, then shows the record of it and checks it.
pub(crate) fn run(arguments: &DemoArguments, printer: &Printer) -> Ended {
    let started = Instant::now();
    let mut project = Project::create()?;
    printer.line(printer.tone(Tone::Heading, "A recorded Claude Code conversation, answered by tenter"));
    printer
        .line("Four hooks: git-status, production-guard, safe-push, shell-lint (a real linter in a script).");
    if arguments.keep {
        printer.line(format!("Its project, hooks and trail stay in {}", project.keep().display()));
    }
    for (number, scene) in scenes(&project).iter().enumerate() {
        play(number + 1, scene, &project, printer)?;
    }
    let state = project.state();
    let denied = record(&state, printer)?;
    printer.gap();
    printer
        .line(printer.tone(Tone::Heading, format!("Why was that write denied? (tenter explain {denied})")));
    if let Some(record) = tenter_store::audit::read::read_one(&state, denied).map_err(CliError::Trail)? {
        explain::tell(record, printer);
    }
    check(&state, printer)?;
    printer.gap();
    printer.line(format!("{:.1} seconds, no key, no network, no daemon.", started.elapsed().as_secs_f64()));
    Ok(0)
}

fn play(number: usize, scene: &Scene, project: &Project, printer: &Printer) -> Result<(), CliError> {
    printer.gap();
    printer.line(printer.tone(Tone::Heading, format!("{number}. {}", scene.title)));
    if let Some(act) = &scene.act {
        printer.line(format!("   {}", printer.tone(Tone::Quiet, act)));
    }
    project.agent_does(scene)?;
    let answer = project.hook(&scene.payload)?;
    scene.expect.check(&answer).map_err(|what| CliError::Demo { what: format!("scene {number}: {what}") })?;
    for line in shown(&answer, &scene.expect) {
        printer.line(indented(&line.text(printer), "   "));
    }
    Ok(())
}

/// A line of what the agent gets, and how it reads.
struct Shown {
    tone: Tone,
    label: &'static str,
    text: String,
}

impl Shown {
    fn text(&self, printer: &Printer) -> String {
        format!("{} {}", printer.tone(self.tone, self.label), self.text.replace('\n', "\n    "))
    }
}

/// What the agent makes of an answer.
fn shown(answer: &Answer, expect: &Expect) -> Vec<Shown> {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let line = |tone, label, text: Option<String>| text.map(|text| Shown { tone, label, text });
    let begins = text("/hookSpecificOutput/hookEventName").as_deref() == Some("SessionStart");
    let reads = if begins {
        "+ the model reads, before the first prompt:\n   "
    } else {
        "+ the model reads, in this turn:\n   "
    };
    let lines = [
        line(Tone::Bad, "✗ stopped; the model reads:", text("/hookSpecificOutput/permissionDecisionReason")),
        line(Tone::Caution, "↻ runs instead:", text("/hookSpecificOutput/updatedInput/command")),
        line(Tone::Good, reads, text("/hookSpecificOutput/additionalContext")),
        line(Tone::Quiet, "i the user reads:", text("/systemMessage")),
    ];
    let mut lines: Vec<Shown> = lines.into_iter().flatten().collect();
    if lines.is_empty() {
        let why = match expect {
            Expect::Silence(why) => (*why).to_owned(),
            Expect::Context(_) | Expect::Deny(_) | Expect::Rewrite(_) => String::new(),
        };
        lines.push(Shown { tone: Tone::Quiet, label: "· no answer:", text: why });
    }
    lines
}

/// Shows the trail; returns the number of the record that denied.
fn record(state: &StateFolder, printer: &Printer) -> Result<u64, CliError> {
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "The record of it all (tenter audit show)"));
    let mut denied = 0;
    let mut rows = Vec::new();
    for entry in read(state, Filter::default()).map_err(CliError::Trail)? {
        if let Content::Record(record) = entry.map_err(CliError::Trail)?.content {
            if record.decision.as_ref().is_some_and(|decision| decision.verdict == "deny") {
                denied = record.seq;
            }
            rows.push(show::row(&record, &FirstDeliveries::default()));
        }
    }
    for line in columns(&rows) {
        printer.line(line);
    }
    Ok(denied)
}

/// Verifies the trail, changes one byte of a copy, and shows that it is found.
fn check(state: &StateFolder, printer: &Printer) -> Result<(), CliError> {
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "Is it still what was written? (tenter audit verify)"));
    let verification = verify(state).map_err(CliError::Trail)?;
    tell(&verification, printer);
    if !verification.is_sound() {
        return Err(CliError::Demo { what: "the trail does not verify".to_owned() });
    }
    let forged = project::with_one_byte_changed(state)?;
    let verification = verify(&forged.state()).map_err(CliError::Trail)?;
    printer.line("and after changing one letter of the denied call in a copy:");
    tell(&verification, printer);
    if verification.is_sound() {
        return Err(CliError::Demo { what: "a changed byte was not found".to_owned() });
    }
    Ok(())
}
