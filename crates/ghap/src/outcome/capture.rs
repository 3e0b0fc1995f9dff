//! Handles the end of a test or build run: asks about the prediction, or warns.
//!
//! `tenter-hook` cannot search memory for the warning, so it leaves such an event to the full binary
//! ([`wants_premortem`]). Without a full binary it only prints [`start_tracking`].

use tenter_contract::Event;

use super::compare::{Prompt, compare};
use super::finding::{Finding, Verdict};
use super::named::Ran;
use super::{read, recognise, tool_output};
use crate::active::ActiveFolder;
use crate::error::GhapError;
use crate::run::RunSeen;
use crate::who::Who;

/// The settings of the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings<'a> {
    /// Prefixes of the commands that count; empty means all known commands.
    pub matchers: Vec<&'a str>,
    /// Whether the run is stored with the entry, as evidence for gold.
    pub auto_capture: bool,
}

/// The result for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Captured {
    /// The event has nothing to do with a prediction.
    Nothing,
    /// A question for the agent.
    Asks(Prompt),
    /// A failure without an active entry. The caller reports it once in a cycle
    /// ([`ActiveFolder::claim_premortem`]).
    Untracked(Finding),
}

/// Compares a run with the active entry of its agent, and stores the run with the entry.
pub fn capture(event: &Event, settings: &Settings<'_>, active: &ActiveFolder) -> Result<Captured, GhapError> {
    let Some((finding, printed)) = read_event(event, &settings.matchers) else {
        return Ok(Captured::Nothing);
    };
    let who = Who::from_event(event);
    let Some(entry) = active.active(&who)? else {
        return Ok(if finding.failed() { Captured::Untracked(finding) } else { Captured::Nothing });
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
        // The question is asked even if the run cannot be stored.
        if let Err(error) = active.note_run(&who, &run) {
            let warning = format!("\n\n(This run could not be kept with your entry: {error})");
            prompt.words.content.push_str(&warning);
        }
    }
    Ok(Captured::Asks(prompt))
}

/// Whether this event is a failure that needs a warning: there is no active entry, and no warning in this cycle. Changes
/// nothing.
pub fn wants_premortem(event: &Event, matchers: &[&str], active: &ActiveFolder) -> bool {
    if !read_event(event, matchers).is_some_and(|(finding, _)| finding.failed()) {
        return false;
    }
    let who = Who::from_event(event);
    // The process that runs the hook reports an unusable folder.
    active.active(&who).is_ok_and(|entry| entry.is_none()) && !active.is_premortem_claimed(&who)
}

/// The warning without earlier failures.
pub fn start_tracking(finding: &Finding) -> String {
    format!(
        "{} FAILED.\n\nConsider starting a GHAP entry (a tracked hypothesis: goal, hypothesis, action, prediction) to track \
         your debugging approach.",
        finding.kind.word()
    )
}

fn read_event(event: &Event, matchers: &[&str]) -> Option<(Finding, String)> {
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
