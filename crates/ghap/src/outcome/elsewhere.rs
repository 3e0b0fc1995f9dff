//! Detects predictions about another suite, tool or place than the run: `the integration tests pass`,
//! `cargo test passes`, `it passes on Windows`. Such a run proves nothing.

use tenter_shell::contains_word;

use super::finding::{Finding, Verdict};
use super::named::Ran;
use super::prediction::{THINGS, clauses};

/// Tools that a prediction may name. The command line or the output of their runs names them too.
const TOOLS: &str = "\
    pytest unittest jest vitest mocha rspec phpunit ctest bats nextest cargo npm pnpm yarn gradle maven \
    dotnet eslint mypy clippy ruff playwright cypress tox nox valgrind";
/// Suites that often run separately.
const SUITES: &str = "\
    integration e2e frontend backend smoke acceptance functional ui browser api performance contract doc \
    nightly";
/// Places where tests may have other results.
const PLACES: &str = "\
    windows macos mac osx linux ubuntu debian alpine ci production staging docker container release \
    chrome firefox safari arm arm64 aarch64 x86 postgres postgresql mysql sqlite redis kubernetes asan \
    tsan miri";
/// Programs whose version matters: `on Python 3.9`.
const VERSIONED: &str = "python node rust java ruby php go";
/// Words before `tests` that name no suite.
const ANY: &str = "\
    the all any no every each this that these those my our its new old unit same other both first second \
    last next whole entire full own more most such flaky red green only python rust single one two of";

pub(super) fn is_elsewhere(prediction: &str, finding: &Finding, ran: Ran<'_>) -> bool {
    let seen = format!("{}\n{}", ran.line, ran.printed).to_lowercase();
    let names = |word: &str| seen.contains(if word == "maven" { "mvn" } else { word });
    clauses(prediction).iter().filter(|clause| !clause.is_reason).any(|clause| {
        let words = &clause.words;
        words.iter().enumerate().any(|(at, word)| {
            let word = word.as_str();
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            let is_place = || words[..at].iter().rev().take(3).any(|before| is_preposition(before));
            contains_word(TOOLS, word) && !names(word)
                || contains_word(PLACES, word) && is_place() && !names(word)
                || is_version(word, next) && !has_version(&seen, word, &words[at + 1..])
                || word.contains('_') && is_other_suite(word, finding, &names)
                || contains_word(THINGS, next) && is_other_suite(word, finding, &names)
        })
    })
}

fn is_preposition(word: &str) -> bool {
    contains_word("on in under against with using inside for", word)
}

fn is_version(word: &str, next: &str) -> bool {
    contains_word(VERSIONED, word) && next.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a text names `Python 3.9` or `python3.9`.
fn has_version(seen: &str, word: &str, behind: &[String]) -> bool {
    let is_number = |part: &&String| part.bytes().all(|byte| byte.is_ascii_digit());
    let number = behind.iter().take_while(is_number).map(String::as_str).collect::<Vec<_>>().join(".");
    [format!("{word} {number}"), format!("{word}{number}"), format!("{word}:{number}")]
        .iter()
        .any(|name| seen.contains(name.as_str()))
}

/// Whether `WORD tests` are not the tests that ran.
fn is_other_suite(word: &str, finding: &Finding, names: &dyn Fn(&str) -> bool) -> bool {
    let is_any = contains_word(ANY, word)
        || word.len() < 3 && word != "ui"
        || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || !word.contains('_') && ["ed", "ing", "ly", "ant", "ous"].iter().any(|end| word.ends_with(end))
        || contains_word(THINGS, word)
        || contains_word(TOOLS, word);
    if contains_word(SUITES, word) {
        return !names(word);
    }
    let failed = |name: &String| name.to_lowercase().contains(word);
    let others_failed = finding.verdict == Verdict::Failed
        && !finding.failing.is_empty()
        && !finding.failing.iter().any(failed);
    !is_any && (finding.narrowed && !names(word) || others_failed)
}

#[cfg(test)]
mod tests {
    use super::super::{read, recognise};
    use super::*;

    #[test]
    fn other_suites_tools_and_places_are_detected() {
        let passed = "2 passed in 0.1s";
        let failed = "FAILED test_pay.py::test_card - x\n1 failed in 0.1s";
        for (prediction, line, printed, expected) in [
            ("the tests pass", "pytest", passed, false),
            ("the integration tests pass", "pytest", passed, true),
            ("the integration tests pass", "pytest tests/integration", passed, false),
            ("the unit tests pass", "pytest", passed, false),
            ("cargo test passes", "pytest", passed, true),
            ("jest passes", "npm test", "> x test\n> jest\n\nTests: 1 passed, 1 total", false),
            ("it passes on Windows", "pytest", passed, true),
            ("it passes on Linux", "pytest", "platform linux -- Python 3.11.7\n2 passed in 0.1s", false),
            ("it passes on Python 3.9", "pytest", passed, true),
            ("it passes on Python 3.9", "python3.9 -m pytest", passed, false),
            ("it passes after fixing the Windows path", "pytest", passed, false),
            ("the auth tests pass", "pytest tests/test_pay.py", passed, true),
            ("the auth tests pass", "pytest tests/test_auth.py", passed, false),
            ("the auth tests pass", "pytest", passed, false),
            ("the auth tests pass", "pytest", failed, true),
            ("card_is_charged passes", "pytest", failed, true),
            ("the corrected test passes", "pytest tests/test_pay.py", passed, false),
        ] {
            let code = i64::from(printed == failed);
            let finding = read(&recognise(line, &[]), Some(code), printed).unwrap();
            assert_eq!(
                is_elsewhere(prediction, &finding, Ran { line, printed }),
                expected,
                "{prediction}: {line}"
            );
        }
    }
}
