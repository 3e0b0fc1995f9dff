//! Whether a run is one of the tests that a prediction names. `test_login passes` says nothing about a run of something
//! else, and that others fail beside it says nothing about `test_login`.

use super::finding::{Finding, Verdict};

/// What was run, and what it printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ran<'a> {
    /// The command line.
    pub line: &'a str,
    /// What came out.
    pub printed: &'a str,
}

/// Whether what came out is about what the prediction names; a prediction that names no test is about any.
pub(super) fn is_about(prediction: &str, finding: &Finding, ran: Ran<'_>) -> bool {
    let names: Vec<&str> = names(prediction).collect();
    let has = |text: &str| names.iter().any(|name| text.contains(own_part(name)));
    if names.is_empty() || finding.failing.iter().any(|failed| has(failed)) {
        return true;
    }
    let others_failed = finding.verdict == Verdict::Failed && !finding.failing.is_empty();
    !others_failed && (has(ran.line) || has(ran.printed) || self::names(ran.line).next().is_none())
}

/// The words that name a test or a file of tests: `test_login`, `tests/login.py::test_it`, `LoginTest`, `cart.spec.ts`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let between = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '(' | ')' | '=');
    let words = text.split(between).map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    words.filter(|word| is_name(word))
}

fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    let has_hump = || {
        word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    };
    // `tests/` and `npm:test` are all of them.
    let is_joined =
        |mark: &str| word.split(mark).filter(|part| !is_any_test(part)).count() > 0 && word.contains(mark);
    (lower.contains("test") || lower.contains("spec"))
        && (["_", "::", "/"].into_iter().any(is_joined) || has_hump() || has_extension(word))
}

/// What stands for all tests.
fn is_any_test(part: &str) -> bool {
    matches!(
        part,
        "" | "." | ".." | "test" | "tests" | "spec" | "specs" | "src" | "unittest" | "pytest" | "bin" | "usr"
    )
}

fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(before, after)| !before.is_empty() && (1..=4).contains(&after.len()))
}

/// The part of a name that no other has: the test of `file::test`, the file of `folder/file.py`, without its extension.
fn own_part(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('.').next().filter(|part| !part.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::{read, recognise};
    use super::*;

    #[test]
    fn a_run_is_about_a_named_test_if_it_ran_it_and_no_other_failed() {
        let passed = "test_login.py::test_login PASSED\n1 passed in 0.1s";
        let other =
            "test_login.py::test_login PASSED\nFAILED test_pay.py::test_card - x\n1 failed, 1 passed in 0.1s";
        let same = "FAILED test_login.py::test_login - x\n1 failed in 0.1s";
        for (prediction, line, code, printed, expected) in [
            ("the tests pass", "pytest tests/test_pay.py", 1, other, true),
            ("pytest tests/test_login.py passes", "pytest tests/test_pay.py", 0, "1 passed in 0.1s", false),
            (
                "pytest tests/test_login.py passes",
                "pytest tests/test_login.py -q",
                0,
                "1 passed in 0.1s",
                true,
            ),
            ("pytest tests/test_login.py passes", "pytest", 0, "9 passed in 0.1s", true),
            ("`test_login` passes", "pytest -v", 0, passed, true),
            ("`test_login` passes", "pytest -v", 1, other, false),
            ("test_login will fail", "pytest", 1, same, true),
            ("test_login and test_card pass", "pytest", 1, other, true),
            ("LoginTest passes", "phpunit tests/PayTest.php", 0, "OK (1 test, 1 assertion)", false),
            ("cargo test passes in src/", "cargo test --test it", 1, "", true),
        ] {
            let finding = read(&recognise(line, &[]), Some(code), printed).unwrap();
            assert_eq!(
                is_about(prediction, &finding, Ran { line, printed }),
                expected,
                "{prediction}: {line}"
            );
        }
    }
}
