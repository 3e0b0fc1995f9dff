//! Which turn of a script answers which request, and the report about it. No I/O.

use std::fmt;

use serde::Serialize;

use super::agent_request::AgentRequest;
use super::schema_value::minimal_value;
use crate::script::{Script, ScriptCall, ScriptFailure, Turn};

const AFTER_END_REPLY: &str = "The script has ended.";
const SIDE_REPLY: &str = "ok";

#[derive(Debug)]
pub(crate) struct ScriptState {
    script: Script,
    /// All requests so far.
    pub(crate) requests: usize,
    pub(crate) report: ScriptReport,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScriptedReply {
    pub(crate) step: ScriptStep,
    pub(crate) say: Option<String>,
    pub(crate) calls: Vec<ScriptCall>,
    pub(crate) fails: Option<ScriptFailure>,
}

/// The place of a request in the script. Turns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptStep {
    Turn(usize),
    SideRequest,
    AfterEnd,
    /// The request does not meet the expectation of this turn.
    Mismatch(usize),
}

/// A turn whose expectation a request did not meet. The script ends there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The turn, from 1.
    pub turn: usize,
    /// Texts that the request lacks, or must not have.
    pub missing: Vec<String>,
}

/// The result of a script run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScriptReport {
    /// Turns in the script.
    pub turns: usize,
    /// Turns that were played.
    pub played: usize,
    /// Requests outside the conversation: titles, quota probes, summaries.
    pub side_requests: usize,
    /// Requests after the last turn, or after a mismatch.
    pub after_end: usize,
    /// Refused requests: too large, malformed, or for an unknown path.
    pub refused: usize,
    /// The expectation that was not met.
    pub mismatch: Option<Mismatch>,
    /// Requests that could not be recorded.
    pub unrecorded: Vec<String>,
}

impl ScriptState {
    pub(crate) fn new(script: Script) -> Self {
        let report = ScriptReport { turns: script.turns.len(), ..ScriptReport::default() };
        Self { script, requests: 0, report }
    }

    pub(crate) fn answer(&mut self, request: &AgentRequest) -> ScriptedReply {
        let report = &mut self.report;
        if !request.offers_tools {
            report.side_requests += 1;
            let schema = request.schema.as_ref();
            let say = schema.map_or(SIDE_REPLY.to_owned(), |schema| minimal_value(schema).to_string());
            return ScriptedReply::text(ScriptStep::SideRequest, say);
        }
        if let Some(mismatch) = &report.mismatch {
            report.after_end += 1;
            return ScriptedReply::text(ScriptStep::Mismatch(mismatch.turn), mismatch.to_string());
        }
        let Some(turn) = self.script.turns.get(report.played) else {
            report.after_end += 1;
            return ScriptedReply::text(ScriptStep::AfterEnd, AFTER_END_REPLY.to_owned());
        };
        let number = report.played + 1;
        let missing = missing(turn, request);
        if missing.is_empty() {
            report.played = number;
            let Turn { say, calls, fails, .. } = turn.clone();
            return ScriptedReply { step: ScriptStep::Turn(number), say, calls, fails };
        }
        let mismatch = report.mismatch.insert(Mismatch { turn: number, missing });
        ScriptedReply::text(ScriptStep::Mismatch(number), mismatch.to_string())
    }
}

impl ScriptedReply {
    fn text(step: ScriptStep, say: String) -> Self {
        Self { step, say: Some(say), calls: Vec::new(), fails: None }
    }
}

impl ScriptReport {
    /// Whether all turns were played and all requests recorded.
    pub fn is_complete(&self) -> bool {
        self.played == self.turns && self.mismatch.is_none() && self.unrecorded.is_empty()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {} does not match the script: {}", self.turn, self.missing.join("; "))
    }
}

impl fmt::Display for ScriptReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mismatch) = &self.mismatch {
            writeln!(f, "{mismatch}")?;
        }
        let first_unused = self.played + 1 + usize::from(self.mismatch.is_some());
        match self.turns {
            last if last < first_unused => {}
            last if last == first_unused => writeln!(f, "turn {last} was never requested")?,
            last => writeln!(f, "turns {first_unused} to {last} were never requested")?,
        }
        for problem in &self.unrecorded {
            writeln!(f, "not recorded: {problem}")?;
        }
        write!(f, "{} of {} turns played", self.played, self.turns)?;
        for (count, what) in [
            (self.side_requests, "outside the conversation"),
            (self.after_end, "after the end of the script"),
            (self.refused, "refused"),
        ] {
            if count > 0 {
                write!(f, "; {count} {} {what}", if count == 1 { "request" } else { "requests" })?;
            }
        }
        Ok(())
    }
}

/// Texts that the request lacks, or must not have.
fn missing(turn: &Turn, request: &AgentRequest) -> Vec<String> {
    let contains = |texts: &[String], part: &str| texts.iter().any(|text| text.contains(part));
    let expect = &turn.expect;
    let absent = expect.contains.iter().filter(|part| !contains(&request.texts, part));
    let present = expect.lacks.iter().filter(|part| contains(&request.texts, part));
    let results = expect.tool_result_contains.iter().filter(|part| !contains(&request.results, part));
    absent
        .map(|part| format!("the request does not contain {part:?}"))
        .chain(present.map(|part| format!("the request contains {part:?}")))
        .chain(results.map(|part| format!("no tool result contains {part:?}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Expectation;

    fn request(texts: &[&str], results: &[&str]) -> AgentRequest {
        let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        AgentRequest {
            offers_tools: true,
            texts: list(texts),
            results: list(results),
            ..AgentRequest::default()
        }
    }

    fn turn(text: &str, expect: Expectation) -> Turn {
        Turn { expect, say: Some(text.to_owned()), ..Turn::default() }
    }

    fn state(turns: Vec<Turn>) -> ScriptState {
        ScriptState::new(Script { turns })
    }

    #[test]
    fn turns_are_played_in_order() {
        let mut state = state(vec![turn("one", Expectation::default()), turn("two", Expectation::default())]);
        let steps: Vec<_> = (0..3).map(|_| state.answer(&request(&[], &[])).step).collect();
        assert_eq!(steps, [ScriptStep::Turn(1), ScriptStep::Turn(2), ScriptStep::AfterEnd]);
        assert!(state.report.is_complete());
    }

    #[test]
    fn request_without_tools_uses_no_turn() {
        let mut state = state(vec![turn("one", Expectation::default())]);
        let title = AgentRequest { texts: vec!["Write a title".to_owned()], ..AgentRequest::default() };
        assert_eq!(state.answer(&title).step, ScriptStep::SideRequest);
        assert_eq!(state.answer(&request(&[], &[])).step, ScriptStep::Turn(1));
    }

    #[test]
    fn mismatch_ends_the_script_and_is_reported() {
        let text = |text: &str| vec![text.to_owned()];
        let expect = Expectation {
            contains: text("context"),
            lacks: text("secret"),
            tool_result_contains: text("Syntax error"),
        };
        let mut state = state(vec![turn("one", expect), turn("two", Expectation::default())]);
        let reply = state.answer(&request(&["a secret"], &["ok"]));
        let mismatch = "turn 1 does not match the script: the request does not contain \"context\"; \
            the request contains \"secret\"; no tool result contains \"Syntax error\"";
        assert_eq!(reply, ScriptedReply::text(ScriptStep::Mismatch(1), mismatch.to_owned()));
        assert_eq!(state.answer(&request(&["context"], &["Syntax error"])).step, ScriptStep::Mismatch(1));
        assert!(!state.report.is_complete());
        assert_eq!(
            state.report.to_string(),
            format!(
                "{mismatch}\nturn 2 was never requested\n0 of 2 turns played; \
                 1 request after the end of the script"
            )
        );
    }
}
