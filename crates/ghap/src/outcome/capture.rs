//! What becomes of a test or build run that an agent has made: a question about its prediction, or a warning.
//!
//! A process that runs the hook decides what the warning says. The small program has nothing to search in, so it leaves the
//! event to the whole one before anything has happened ([`wants_premortem`]); where there is none, it says
//! [`start_tracking`] alone.

use tenter_contract::Event;

use super::compare::{Prompt, compare};
use super::finding::{Finding, Verdict};
use super::named::Ran;
use super::{read, recognise, tool_output};
use crate::active::ActiveFolder;
use crate::error::GhapError;
use crate::run::RunSeen;
use crate::who::Who;

/// What the user has set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings<'a> {
    /// Which commands count; all that are known if there are none.
    pub matchers: Vec<&'a str>,
    /// Whether the run is kept with the entry, as the proof that makes it gold.
    pub auto_capture: bool,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Captured {
    /// It is about nothing that was predicted.
    Nothing,
    /// The agent is asked what it makes of it.
    Asks(Prompt),
    /// Something failed while nothing is tracked. It is reported once in a cycle: the one that reports it claims that first
    /// ([`ActiveFolder::claim_premortem`]).
    Untracked(Finding),
}

/// What a run that has ended means for the entry of the one that made it. The run is kept with the entry.
pub fn capture(event: &Event, settings: &Settings<'_>, active: &ActiveFolder) -> Result<Captured, GhapError> {
    let Some((finding, printed)) = finding_of(event, &settings.matchers) else {
        return Ok(Captured::Nothing);
    };
    let who = Who::of_event(event);
    let Some(entry) = active.active(&who)? else {
        let failed = matches!(finding.verdict, Verdict::Failed | Verdict::Errored);
        return Ok(if failed { Captured::Untracked(finding) } else { Captured::Nothing });
    };
    let line = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
    let ran = Ran { line, printed: &printed };
    let Some(mut prompt) = compare(&finding, &entry, ran) else { return Ok(Captured::Nothing) };
    if settings.auto_capture && finding.verdict != Verdict::NotRun {
        let run = RunSeen {
            entry: entry.id,
            iteration: entry.iteration_count,
            seen_at: event.at,
            runner: finding.runner.name().to_owned(),
            passed: finding.verdict == Verdict::Passed,
            summary: super::compare::actual(&finding),
            says: prompt.suggests.status(),
        };
        // What was predicted can be read, and what came of it is in front of us: that is reported in any case.
        if let Err(error) = active.note_run(&who, &run) {
            prompt.words.content.push_str("\n\n(This run could not be kept with your entry: ");
            prompt.words.content.push_str(&error.to_string());
            prompt.words.content.push(')');
        }
    }
    Ok(Captured::Asks(prompt))
}

/// Whether this event is a failure of which the agent is to be warned now: nothing is tracked, and it was not warned in
/// this cycle. It changes nothing. At events that are no run it costs nothing.
pub fn wants_premortem(event: &Event, matchers: &[&str], active: &ActiveFolder) -> bool {
    let failed = finding_of(event, matchers)
        .is_some_and(|(finding, _)| matches!(finding.verdict, Verdict::Failed | Verdict::Errored));
    if !failed {
        return false;
    }
    let who = Who::of_event(event);
    // If the folder cannot be used, the one that runs the hook says so.
    active.active(&who).is_ok_and(|entry| entry.is_none()) && !active.is_premortem_claimed(&who)
}

/// The warning of a user who knows nothing of earlier failures.
pub fn start_tracking(finding: &Finding) -> String {
    format!("{} FAILED.\n\nConsider starting a GHAP to track your debugging approach.", finding.kind.word())
}

fn finding_of(event: &Event, matchers: &[&str]) -> Option<(Finding, String)> {
    let line = event.tool.as_ref()?.command.as_deref()?;
    let mut runs = recognise(line, matchers);
    if runs.is_empty() {
        return None;
    }
    let tool_output = tool_output(event)?;
    for run in &mut runs {
        run.end_shown &= tool_output.complete;
    }
    let finding = read(&runs, tool_output.exit_code, &tool_output.text)?;
    Some((finding, tool_output.text))
}
