//! A finding beside a prediction, and the words with which the agent is asked what it makes of it.

use serde_json::{Value, json};

use super::finding::{Finding, Verdict};
use super::prediction::{Expects, expects, is_about_other};
use super::run::Kind;

/// What the agent is told about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub content: String,
    /// What it is likely to do next.
    pub suggests: Suggests,
}

impl Prompt {
    /// As programs that take JSON get it.
    pub fn json(&self, auto_captured: bool) -> Value {
        json!({
            "type": "outcome",
            "content": self.content,
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
    /// Nobody but the agent can tell.
    Deciding,
}

impl Suggests {
    /// As it stands in JSON, under `suggested_action`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirming => "resolve_confirmed",
            Self::Falsifying => "resolve_falsified",
            Self::Deciding => "resolve_or_update",
        }
    }
}

/// What an agent with this prediction is told about what came out; nothing where nothing came out, or where it is not
/// what was predicted about.
pub fn compare(finding: &Finding, prediction: &str) -> Option<Prompt> {
    let result = finding.verdict.word()?;
    let other = is_about_other(prediction, finding.kind);
    if other && finding.verdict == Verdict::Passed {
        return None;
    }
    let suggests = if other { Suggests::Deciding } else { suggests(finding.verdict, expects(prediction)) };
    let kind = finding.kind.word();
    let actual = actual(finding);
    let content = match suggests {
        Suggests::Confirming => format!(
            "{kind} {result}. Your prediction was: '{prediction}'.\n\nDoes this confirm your hypothesis? If yes, resolve GHAP as CONFIRMED."
        ),
        Suggests::Falsifying => format!(
            "{kind} {result}. Your prediction: '{prediction}'.\n\nActual: {actual}.\n\nThis falsifies your hypothesis. Please:\n1. What surprised you?\n2. What was the root cause?\n3. What did you learn?"
        ),
        Suggests::Deciding => format!(
            "{kind} {result}. Your prediction was: '{prediction}'.\n\nActual: {actual}.\n\nDoes this confirm or falsify your hypothesis? Resolve GHAP as CONFIRMED or FALSIFIED, or update it if your understanding evolved."
        ),
    };
    Some(Prompt { content, suggests })
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
        | (Verdict::NoTests | Verdict::Unknown, _) => Suggests::Deciding,
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
        Verdict::Errored => format!("{kind} could not be run"),
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
mod tests {
    use super::super::{read, recognise};
    use super::*;

    fn told(line: &str, code: i64, output: &str, prediction: &str) -> Option<Prompt> {
        compare(&read(&recognise(line, &[]), Some(code), output)?, prediction)
    }

    #[test]
    fn what_was_predicted_is_to_be_confirmed() {
        let prompt = told(
            "pytest test_auth.py",
            0,
            "test_auth.py::test_login PASSED",
            "Test will pass after fixing isolation",
        );
        let prompt = prompt.unwrap();
        assert_eq!(
            prompt.content,
            "Test PASSED. Your prediction was: 'Test will pass after fixing isolation'.\n\nDoes this confirm your hypothesis? If yes, resolve GHAP as CONFIRMED."
        );
        let json = prompt.json(true);
        assert_eq!(
            (&json["type"], &json["suggested_action"], &json["auto_captured"]),
            (&json!("outcome"), &json!("resolve_confirmed"), &json!(true))
        );
        let prompt = told("cargo build", 101, "", "the build will fail").unwrap();
        assert!(prompt.content.starts_with("Build FAILED. Your prediction was: 'the build will fail'."));
        assert_eq!(prompt.suggests, Suggests::Confirming);
    }

    #[test]
    fn what_was_not_predicted_is_asked_about() {
        let output = "FAILED test_cache.py::test_expiry - TimeoutError\n1 failed in 0.1s";
        let prompt =
            told("pytest -q test_cache.py", 1, output, "Test will pass after timeout increase").unwrap();
        assert_eq!(
            prompt.content,
            "Test FAILED. Your prediction: 'Test will pass after timeout increase'.\n\nActual: the tests fail (1 failed in 0.1s): test_cache.py::test_expiry.\n\nThis falsifies your hypothesis. Please:\n1. What surprised you?\n2. What was the root cause?\n3. What did you learn?"
        );
        assert_eq!(prompt.suggests, Suggests::Falsifying);
        let prompt = told("pytest", 0, "", "it will still fail").unwrap();
        assert!(prompt.content.contains("Actual: the tests pass.\n"), "{}", prompt.content);
    }

    #[test]
    fn what_cannot_be_told_is_left_to_the_agent() {
        for (line, code, prediction) in [
            ("pytest", 0, "the response gets faster"),
            ("pytest", 2, "test_x will fail"),
            ("cargo build", 101, "the test will pass"),
        ] {
            let prompt = told(line, code, "", prediction).unwrap();
            assert_eq!(prompt.suggests, Suggests::Deciding, "{line}: {prediction}");
            assert!(prompt.content.contains("confirm or falsify"), "{}", prompt.content);
        }
    }

    #[test]
    fn what_came_to_nothing_is_not_mentioned() {
        for (line, code, prediction) in [
            ("pytest", 5, "it passes"),
            ("pytest", 127, "it passes"),
            ("cargo build", 0, "the test will pass"),
        ] {
            assert_eq!(told(line, code, "", prediction), None, "{line}");
        }
    }
}
