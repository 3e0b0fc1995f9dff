//! Which turn answers which request, and what came of it all. No I/O.

use std::fmt;

use serde::Serialize;

use crate::asked::Asked;
use crate::fitting::fitting;
use crate::script::{Failing, Script, ToolCall, Turn};

/// What is said after the last turn.
const BEYOND: &str = "The script has ended.";
/// What is said to requests that are not part of the conversation.
const BESIDE: &str = "ok";

/// A script being played.
#[derive(Debug)]
pub(crate) struct Stage {
    script: Script,
    played: usize,
    unmet: Option<Unmet>,
    beside: usize,
    beyond: usize,
}

/// What the model answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Which part of the play it is.
    pub(crate) part: Part,
    /// Text.
    pub(crate) say: Option<String>,
    /// Calls.
    pub(crate) calls: Vec<ToolCall>,
    /// How it goes wrong, if it does.
    pub(crate) fails: Option<Failing>,
}

/// Which part of the play a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// This turn, from 1.
    Turn(usize),
    /// None: the conversation is not what it is about.
    Beside,
    /// None: every turn has been played.
    Beyond,
    /// This turn, from 1, would have been next, but the conversation is not what the script expects.
    Unmet(usize),
}

/// A turn whose expectation the request did not meet. The play ends there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// Which turn, from 1.
    pub turn: usize,
    /// What the request should have had, or should not have had.
    pub missing: Vec<String>,
}

/// How a play went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many turns the script has.
    pub turns: usize,
    /// How many of them were played.
    pub played: usize,
    /// Requests beside the conversation: titles, quota probes, summaries.
    pub beside: usize,
    /// Requests after the last turn, or after an expectation that was not met.
    pub beyond: usize,
    /// Requests that were refused: too large, malformed, or for something that is not there.
    pub refused: usize,
    /// The expectation that was not met.
    pub unmet: Option<Unmet>,
    /// What could not be recorded.
    pub unrecorded: Vec<String>,
}

impl Stage {
    pub(crate) fn new(script: Script) -> Self {
        Self { script, played: 0, unmet: None, beside: 0, beyond: 0 }
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, asked: &Asked) -> Line {
        if !asked.offers_tools {
            self.beside += 1;
            let say = asked.schema.as_ref().map_or(BESIDE.to_owned(), |it| fitting(it).to_string());
            return Line::text(Part::Beside, say);
        }
        if let Some(unmet) = &self.unmet {
            self.beyond += 1;
            return Line::text(Part::Unmet(unmet.turn), unmet.to_string());
        }
        let Some(turn) = self.script.turns.get(self.played) else {
            self.beyond += 1;
            return Line::text(Part::Beyond, BEYOND.to_owned());
        };
        let number = self.played + 1;
        let missing = missing(turn, asked);
        if missing.is_empty() {
            self.played = number;
            let Turn { say, calls, fails, .. } = turn.clone();
            return Line { part: Part::Turn(number), say, calls, fails };
        }
        let unmet = Unmet { turn: number, missing };
        let line = Line::text(Part::Unmet(number), unmet.to_string());
        self.unmet = Some(unmet);
        line
    }

    /// How it went so far.
    pub(crate) fn report(&self) -> Report {
        Report {
            turns: self.script.turns.len(),
            played: self.played,
            beside: self.beside,
            beyond: self.beyond,
            unmet: self.unmet.clone(),
            ..Report::default()
        }
    }
}

impl Line {
    fn text(part: Part, say: String) -> Self {
        Self { part, say: Some(say), calls: Vec::new(), fails: None }
    }
}

impl Report {
    /// Whether every turn was played and everything recorded.
    pub fn is_complete(&self) -> bool {
        self.played == self.turns && self.unmet.is_none() && self.unrecorded.is_empty()
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {} is not as the script expects: {}", self.turn, self.missing.join("; "))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(unmet) = &self.unmet {
            writeln!(f, "{unmet}")?;
        }
        let first_waiting = self.played + 1 + usize::from(self.unmet.is_some());
        match self.turns {
            last if last < first_waiting => {}
            last if last == first_waiting => writeln!(f, "turn {last} was never asked for")?,
            last => writeln!(f, "turns {first_waiting} to {last} were never asked for")?,
        }
        for problem in &self.unrecorded {
            writeln!(f, "not recorded: {problem}")?;
        }
        write!(f, "{} of {} turns played", self.played, self.turns)?;
        for (count, what) in [
            (self.beside, "beside the conversation"),
            (self.beyond, "beyond the script"),
            (self.refused, "refused"),
        ] {
            if count > 0 {
                write!(f, "; {count} {} {what}", if count == 1 { "request" } else { "requests" })?;
            }
        }
        Ok(())
    }
}

/// What a request should have and does not, or has and should not.
fn missing(turn: &Turn, asked: &Asked) -> Vec<String> {
    let within = |texts: &[String], part: &str| texts.iter().any(|text| text.contains(part));
    let expect = &turn.expect;
    let lacking = expect.contains.iter().filter(|part| !within(&asked.told, part));
    let present = expect.lacks.iter().filter(|part| within(&asked.told, part));
    let results = expect.tool_result_contains.iter().filter(|part| !within(&asked.results, part));
    lacking
        .map(|part| format!("the request does not contain {part:?}"))
        .chain(present.map(|part| format!("the request contains {part:?}")))
        .chain(results.map(|part| format!("no tool result contains {part:?}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Expectation;

    fn asked(told: &[&str], results: &[&str]) -> Asked {
        let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        Asked { offers_tools: true, told: list(told), results: list(results), ..Asked::default() }
    }

    fn says(text: &str, expect: Expectation) -> Turn {
        Turn { expect, say: Some(text.to_owned()), ..Turn::default() }
    }

    fn stage(turns: Vec<Turn>) -> Stage {
        Stage::new(Script { turns })
    }

    #[test]
    fn turns_are_played_in_order_and_then_the_script_has_ended() {
        let mut stage = stage(vec![says("one", Expectation::default()), says("two", Expectation::default())]);
        let parts: Vec<_> = (0..3).map(|_| stage.answer(&asked(&[], &[])).part).collect();
        assert_eq!(parts, [Part::Turn(1), Part::Turn(2), Part::Beyond]);
        assert!(stage.report().is_complete());
    }

    #[test]
    fn a_request_without_tools_takes_no_turn() {
        let mut stage = stage(vec![says("one", Expectation::default())]);
        let title = Asked { told: vec!["Write a title".to_owned()], ..Asked::default() };
        assert_eq!(stage.answer(&title).part, Part::Beside);
        assert_eq!(stage.answer(&asked(&[], &[])).part, Part::Turn(1));
    }

    #[test]
    fn an_unmet_expectation_ends_the_play_and_says_what_is_missing() {
        let text = |text: &str| vec![text.to_owned()];
        let expect = Expectation {
            contains: text("context"),
            lacks: text("secret"),
            tool_result_contains: text("Syntax error"),
        };
        let mut stage = stage(vec![says("one", expect), says("two", Expectation::default())]);
        let line = stage.answer(&asked(&["a secret"], &["ok"]));
        let told = "turn 1 is not as the script expects: the request does not contain \"context\"; \
            the request contains \"secret\"; no tool result contains \"Syntax error\"";
        assert_eq!(line, Line::text(Part::Unmet(1), told.to_owned()));
        assert_eq!(stage.answer(&asked(&["context"], &["Syntax error"])).part, Part::Unmet(1));
        let report = stage.report();
        assert!(!report.is_complete());
        assert_eq!(
            report.to_string(),
            format!("{told}\nturn 2 was never asked for\n0 of 2 turns played; 1 request beyond the script")
        );
    }
}
