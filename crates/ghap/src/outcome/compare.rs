//! A finding next to a prediction, and the words with which the agent is asked what it makes of it.

use serde_json::{Value, json};

use super::claims::Claims;
use super::elsewhere::is_elsewhere;
use super::finding::{Finding, Verdict};
use super::named::{Ran, all_failed, is_about, names_tests, none_else_failed};
use super::numbers::numbers;
use super::prediction::{Expects, Subject, expects, repeats, subject};
use super::run::Kind;
use crate::entry::Entry;
use crate::quote::{Quoting, is_own, shown};
use crate::words::Status;

/// What the agent is reported about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text, and the prediction apart from it if another session made it.
    pub words: Quoting,
    /// What it is likely to do next.
    pub suggests: Suggests,
}

impl Prompt {
    /// As programs that take JSON get it.
    pub fn json(&self, auto_captured: bool) -> Value {
        json!({
            "type": "outcome",
            "content": self.words.content,
            "suggested_action": self.suggests.as_str(),
            "auto_captured": auto_captured,
        })
    }
}

/// What follows from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggests {
    /// The prediction came true.
    Confirming,
    /// It did not.
    Falsifying,
    /// Only the agent knows.
    Deciding,
    /// Nothing: it could not be run.
    Rerunning,
}

impl Suggests {
    /// As it is in JSON, under `suggested_action`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirming => "resolve_confirmed",
            Self::Falsifying => "resolve_falsified",
            Self::Deciding => "resolve_or_update",
            Self::Rerunning => "run_again",
        }
    }

    /// What it says about the prediction, if it says anything.
    pub fn status(self) -> Option<Status> {
        match self {
            Self::Confirming => Some(Status::Confirmed),
            Self::Falsifying => Some(Status::Falsified),
            Self::Deciding | Self::Rerunning => None,
        }
    }
}

/// What an agent that works on this is reported about what came out; nothing where nothing came out, or where it is not
/// what was predicted about.
pub fn compare(finding: &Finding, entry: &Entry, ran: Ran<'_>) -> Option<Prompt> {
    let about = subject(&entry.prediction, finding.kind);
    let expected = expects(&entry.prediction);
    let suggests = match (finding.verdict, about) {
        (Verdict::NoTests | Verdict::Unknown, _) | (Verdict::Passed | Verdict::NotRun, Subject::Other) => {
            return None;
        }
        (Verdict::NotRun, _) => Suggests::Rerunning,
        // That it can be built is no answer to a prediction that nothing can read.
        (Verdict::Passed, Subject::Unsaid) if finding.kind == Kind::Build && expected == Expects::Unclear => {
            return None;
        }
        (_, Subject::Unsaid) if finding.kind == Kind::Build => Suggests::Deciding,
        (_, Subject::Other) => Suggests::Deciding,
        (verdict, Subject::This | Subject::Unsaid) => match numbers(&entry.prediction) {
            Some(numbers) => match numbers.hold(finding) {
                Some(true) => Suggests::Confirming,
                Some(false) => Suggests::Falsifying,
                None => Suggests::Deciding,
            },
            None => suggests(verdict, expected),
        },
    };
    let suggests = match suggests {
        Suggests::Confirming if !confirms(&entry.prediction, expected, finding, ran) => Suggests::Deciding,
        Suggests::Falsifying if !falsifies(&entry.prediction, expected, finding, ran) => Suggests::Deciding,
        as_it_is => as_it_is,
    };
    let (kind, actual) = (finding.kind.word(), actual(finding));
    let result = finding.verdict.word().unwrap_or_default();
    let prediction = shown(&entry.prediction);
    let (was, is) = if is_own(entry) {
        (format!("was: '{prediction}'"), format!(": '{prediction}'"))
    } else {
        ("is the one quoted above".to_owned(), " is the one quoted above".to_owned())
    };
    let content = match suggests {
        Suggests::Confirming => format!(
            "{kind} {result}. Your prediction {was}.\n\nDoes this confirm your hypothesis? If yes, resolve GHAP as CONFIRMED."
        ),
        Suggests::Falsifying => format!(
            "{kind} {result}. Your prediction{is}.\n\nActual: {actual}.\n\nThis falsifies your hypothesis. Please:\n1. What surprised you?\n2. What was the root cause?\n3. What did you learn?"
        ),
        Suggests::Deciding => format!(
            "{kind} {result}. Your prediction {was}.\n\nActual: {actual}.\n\nDoes this confirm or falsify your hypothesis? Resolve GHAP as CONFIRMED or FALSIFIED, or update it if your understanding evolved."
        ),
        Suggests::Rerunning => {
            let content = format!("This says nothing about your prediction: {actual}.");
            return Some(Prompt { words: Quoting { quoted: None, content }, suggests });
        }
    };
    let quoted = (!is_own(entry)).then(|| format!("Prediction: {prediction}"));
    Some(Prompt { words: Quoting { quoted, content }, suggests })
}

/// Whether a run that came out as predicted proves all of the prediction. What came out of something else, or once where
/// it was to happen often, proves nothing.
fn confirms(prediction: &str, expected: Expects, finding: &Finding, ran: Ran<'_>) -> bool {
    let claims = Claims::parse(prediction);
    let left_out = finding.counts.filtered > 0
        || finding.narrowed && !names_tests(prediction)
        || finding.counts.skipped > 0 && claims.is_about_each();
    let skipped = finding.counts.skipped > 0 && claims.is_about_a_thing();
    let failed = finding.verdict == Verdict::Failed && expected == Expects::Fail;
    let as_predicted =
        claims.predicts_this_failure(finding, ran.printed) && all_failed(prediction, finding, ran);
    let is_open =
        claims.is_open() || repeats(prediction) || finding.mixed || finding.doubtful || !finding.shown;
    let alone =
        !claims.excludes_others() || finding.counts.filtered == 0 && none_else_failed(prediction, finding);
    if is_open || skipped || claims.is_about_all() && left_out || failed && !(as_predicted && alone) {
        return false;
    }
    is_about(prediction, finding, ran)
        && !is_elsewhere(prediction, finding, ran)
        && claims.are_all_shown_by(finding)
}

/// Whether a run that came out otherwise contradicts the prediction.
fn falsifies(prediction: &str, expected: Expects, finding: &Finding, ran: Ran<'_>) -> bool {
    let claims = Claims::parse(prediction);
    let failed = finding.verdict == Verdict::Failed && expected == Expects::Pass;
    // What is expected to fail may be among those that were skipped.
    let skipped = finding.verdict == Verdict::Passed && finding.counts.skipped > 0;
    let is_open = claims.is_open() || finding.doubtful || skipped;
    // One failure is enough where none was to be.
    let mixed = finding.mixed && !(failed && claims.is_about_all());
    let another = failed && claims.is_about_another_failure(ran.printed);
    if is_open || mixed || another {
        return false;
    }
    is_about(prediction, finding, ran) && !is_elsewhere(prediction, finding, ran)
}

fn suggests(verdict: Verdict, expected: Expects) -> Suggests {
    match (verdict, expected) {
        (Verdict::Passed, Expects::Pass) | (Verdict::Failed, Expects::Fail) => Suggests::Confirming,
        (Verdict::Passed, Expects::Fail) | (Verdict::Failed | Verdict::Errored, Expects::Pass) => {
            Suggests::Falsifying
        }
        // What broke before a test could fail has not failed as it was predicted.
        (Verdict::Errored, Expects::Fail)
        | (_, Expects::Unclear)
        | (Verdict::NotRun | Verdict::NoTests | Verdict::Unknown, _) => Suggests::Deciding,
    }
}

/// What came out, in a line.
pub fn actual(finding: &Finding) -> String {
    let kind = match finding.kind {
        Kind::Test => "the tests",
        Kind::Build => "the build",
    };
    let what = match finding.verdict {
        Verdict::Passed if finding.kind == Kind::Test => format!("{kind} pass"),
        Verdict::Passed => format!("{kind} succeeds"),
        Verdict::Errored | Verdict::NotRun => format!("{kind} could not be run"),
        Verdict::Failed if finding.kind == Kind::Test => format!("{kind} fail"),
        Verdict::Failed => format!("{kind} fails"),
        Verdict::NoTests => "there was nothing to run".to_owned(),
        Verdict::Unknown => "it is not known".to_owned(),
    };
    let mut line = what;
    if !finding.summary.is_empty() {
        line = format!("{line} ({})", finding.summary.trim_end_matches('.'));
    }
    if !finding.failing.is_empty() {
        line = format!("{line}: {}", finding.failing.join(", "));
    }
    line
}

#[cfg(test)]
mod tests;
