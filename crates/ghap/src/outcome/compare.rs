//! Compares a finding with a prediction, and writes the question for the agent.

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

/// The text for the agent about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text; a prediction of another session is quoted separately.
    pub words: Quoting,
    /// The suggested next step.
    pub suggests: Suggests,
}

impl Prompt {
    /// The JSON for hook scripts.
    pub fn json(&self, auto_captured: bool) -> Value {
        json!({
            "type": "outcome",
            "content": self.words.content,
            "suggested_action": self.suggests.as_str(),
            "auto_captured": auto_captured,
        })
    }
}

/// The step that follows from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggests {
    /// Resolve as confirmed.
    Confirming,
    /// Resolve as falsified.
    Falsifying,
    /// The agent decides.
    Deciding,
    /// Run it again: it could not start.
    Rerunning,
}

impl Suggests {
    /// The value of `suggested_action` in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirming => "resolve_confirmed",
            Self::Falsifying => "resolve_falsified",
            Self::Deciding => "resolve_or_update",
            Self::Rerunning => "run_again",
        }
    }

    /// The status that it proves, if any.
    pub fn status(self) -> Option<Status> {
        match self {
            Self::Confirming => Some(Status::Confirmed),
            Self::Falsifying => Some(Status::Falsified),
            Self::Deciding | Self::Rerunning => None,
        }
    }
}

/// The text for an agent with this entry; none if the run has no result or is not about the prediction.
pub fn compare(finding: &Finding, entry: &Entry, ran: Ran<'_>) -> Option<Prompt> {
    let about = subject(&entry.prediction, finding.kind);
    let expected = expects(&entry.prediction);
    let suggests = match (finding.verdict, about) {
        (Verdict::NoTests | Verdict::Unknown, _) | (Verdict::Passed | Verdict::NotRun, Subject::Other) => {
            return None;
        }
        (Verdict::NotRun, _) => Suggests::Rerunning,
        // A successful build does not answer an unclear prediction.
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
        unchanged => unchanged,
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

/// Whether a run with the expected result proves the whole prediction. A run of other tests, or a single run where the
/// prediction is about many, proves nothing.
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

/// Whether a run with another result contradicts the prediction.
fn falsifies(prediction: &str, expected: Expects, finding: &Finding, ran: Ran<'_>) -> bool {
    let claims = Claims::parse(prediction);
    let failed = finding.verdict == Verdict::Failed && expected == Expects::Pass;
    // The test that should fail may be among the skipped ones.
    let skipped = finding.verdict == Verdict::Passed && finding.counts.skipped > 0;
    let is_open = claims.is_open() || finding.doubtful || skipped;
    // One failure is enough against `all pass`.
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
        // A run that broke before the test is not the predicted failure.
        (Verdict::Errored, Expects::Fail)
        | (_, Expects::Unclear)
        | (Verdict::NotRun | Verdict::NoTests | Verdict::Unknown, _) => Suggests::Deciding,
    }
}

/// The result on one line.
pub fn actual(finding: &Finding) -> String {
    let result = match (finding.verdict, finding.kind) {
        (Verdict::Passed, Kind::Test) => "the tests pass",
        (Verdict::Passed, Kind::Build) => "the build succeeds",
        (Verdict::Failed, Kind::Test) => "the tests fail",
        (Verdict::Failed, Kind::Build) => "the build fails",
        (Verdict::Errored | Verdict::NotRun, Kind::Test) => "the tests could not be run",
        (Verdict::Errored | Verdict::NotRun, Kind::Build) => "the build could not be run",
        (Verdict::NoTests, _) => "there was nothing to run",
        (Verdict::Unknown, _) => "it is not known",
    };
    let mut line = result.to_owned();
    if !finding.summary.is_empty() {
        line.extend([" (", finding.summary.trim_end_matches('.'), ")"]);
    }
    if !finding.failing.is_empty() {
        line.extend([": ", &finding.failing.join(", ")]);
    }
    line
}

#[cfg(test)]
mod tests;
