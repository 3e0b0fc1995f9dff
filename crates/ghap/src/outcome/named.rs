//! Compares the tests that a prediction names with the tests that ran. `test_login passes` says nothing about a run of
//! other tests, and a failure of another test says nothing about `test_login`.

use tenter_shell::contains_word;

use super::finding::{Finding, Verdict};

/// A command line and its output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ran<'a> {
    /// The command line.
    pub line: &'a str,
    /// Its output.
    pub printed: &'a str,
}

/// The word after one of these is not a test, or does not run.
const NOT_RUN: &str = "not cd tee --deselect --ignore --skip --exclude -o --output --junitxml --rootdir";
/// Those of them that exclude the next word.
const LEFT_OUT: &str = "not --deselect --ignore --skip --exclude";
/// Options that select tests.
const CHOOSING: &str = "-k -t -g -run -m -R -E -f --grep --filter --tests --testNamePattern";
/// Words of a command line that runs all tests.
const OF_ALL: &str = "\
    pytest python python3 unittest discover cargo test tests nextest run npm pnpm yarn npx node jest \
    vitest mocha go make mvn gradle gradlew dotnet rspec phpunit ctest bats spec poetry uv bundle exec \
    check verify build && .";
/// Extensions of test files.
const EXTENSIONS: &str = "py rs js mjs cjs jsx ts tsx rb go php java kt cs bats c cpp cc ex sh";

pub(super) fn is_about(prediction: &str, finding: &Finding, ran: Ran<'_>) -> bool {
    let names = names(prediction);
    if names.is_empty()
        || names.iter().any(|name| finding.failing.iter().any(|failed| has_word(failed, name)))
    {
        return true;
    }
    if names.iter().any(|name| leaves_out(ran.line, name)) {
        return false;
    }
    let asked_for = |name: &&str| arguments(ran.line).any(|word| has_word(word, name));
    match finding.verdict {
        // Other tests failed, or the names of those that failed are unknown.
        Verdict::Failed => finding.failing.is_empty() && names.iter().all(asked_for),
        // The test may be among the skipped ones, unless the command line names its file.
        Verdict::Passed if finding.counts.skipped + finding.counts.filtered > 0 => {
            let is_file = |name: &&str| {
                let is_source =
                    |word: &str| word.rsplit_once('.').is_some_and(|(_, end)| contains_word(EXTENSIONS, end));
                arguments(ran.line).any(|word| has_word(word, name) && is_source(word))
            };
            let is_chosen = |name: &&str| finding.counts.skipped == 0 && asked_for(name);
            names.iter().all(|name| is_file(name) || is_chosen(name) || is_shown_passed(ran.printed, name))
        }
        _ => {
            names.iter().all(|name| asked_for(name) || has_word(ran.printed, name))
                || runs_all(ran.line) && !lists_tests(ran.printed)
        }
    }
}

/// The tests and test files that a prediction names.
fn names(prediction: &str) -> Vec<&str> {
    words(prediction).filter(|word| is_name(word)).map(own_part).collect()
}

pub(super) fn names_tests(prediction: &str) -> bool {
    !names(prediction).is_empty()
}

pub(super) fn all_failed(prediction: &str, finding: &Finding, ran: Ran<'_>) -> bool {
    names(prediction).iter().all(|name| {
        finding.failing.iter().any(|failed| has_word(failed, name))
            || finding.failing.is_empty() && arguments(ran.line).any(|word| has_word(word, name))
    })
}

/// Whether the output names each test, so that a test without a line did not run.
fn lists_tests(printed: &str) -> bool {
    printed.lines().any(|line| {
        line.starts_with("test ") && line.ends_with(" ... ok")
            || line.split_once(" PASSED").is_some_and(|(name, _)| name.contains("::"))
    })
}

/// Whether only tests that the prediction names failed. False if not all failing tests are known.
pub(super) fn none_else_failed(prediction: &str, finding: &Finding) -> bool {
    let names = names(prediction);
    let is_named = |failed: &String| names.iter().any(|name| has_word(failed, name));
    let all_known = finding.counts.failed == finding.failing.len() as u64;
    names.is_empty() || all_known && finding.failing.iter().all(is_named)
}

fn is_shown_passed(printed: &str, name: &str) -> bool {
    let passed = |line: &str| {
        let lower = line.to_lowercase();
        let good = [" passed", "... ok", "✓", "✔", "pass:", "ok "].iter().any(|mark| lower.contains(mark));
        good && !["skip", "xfail", "ignored", "todo", "not ok"].iter().any(|mark| lower.contains(mark))
    };
    printed.lines().any(|line| has_word(line, name) && passed(line))
}

fn leaves_out(line: &str, name: &str) -> bool {
    let before = std::iter::once("").chain(words(line));
    before.zip(words(line)).any(|(before, word)| {
        let option = word.split_once('=').map_or(before, |(option, _)| option);
        (contains_word(LEFT_OUT, option) || contains_word(LEFT_OUT, before)) && has_word(word, name)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let between =
        |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '(' | ')' | '"' | '\'' | '`');
    text.split(between)
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .filter(|word| !word.is_empty())
}

/// The operands of a command line, without excluded tests, folders and output files.
fn arguments(line: &str) -> impl Iterator<Item = &str> {
    let before = std::iter::once("").chain(words(line));
    let pairs = before.zip(words(line)).take_while(|(_, word)| !word.contains(['|', '>']));
    pairs
        .filter(|(before, word)| {
            !contains_word(NOT_RUN, before)
                && !contains_word(NOT_RUN, word)
                && !word.starts_with('-')
                && !word.contains('=')
        })
        .map(|(_, word)| word)
}

fn runs_all(line: &str) -> bool {
    fn last(word: &str) -> &str {
        word.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
    let is_of_all = |word: &str| word == "./..." || contains_word(OF_ALL, last(word));
    // `python -m pytest` selects no tests.
    let chooses = |(word, next): (&str, &str)| contains_word(CHOOSING, word) && !is_of_all(next);
    let next = words(line).skip(1).chain(std::iter::once(""));
    arguments(line).all(is_of_all) && !words(line).zip(next).any(chooses)
}

/// Whether a text has this name as a word: `TypeError` is not in `MyTypeError`.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let belongs = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(belongs) && !text[at + name.len()..].starts_with(belongs))
}

/// Whether a word names a test or a test file: `test_login`, `tests/login.py::test_it`, `LoginTest`, `cart.spec.ts`.
pub(super) fn is_name(word: &str) -> bool {
    let stem = match word.rsplit_once('.') {
        Some((stem, end)) if contains_word(EXTENSIONS, end) => stem,
        _ => word,
    };
    let parts: Vec<String> = stem
        .split(|letter: char| !letter.is_alphanumeric())
        .flat_map(humps)
        .map(str::to_lowercase)
        .filter(|part| !part.is_empty())
        .collect();
    let is_any = |part: &String| matches!(part.as_str(), "test" | "tests" | "spec" | "specs");
    let of_all = |part: &String| is_any(part) || part == "src";
    parts.iter().any(is_any) && !parts.iter().all(of_all)
        // `unit-tests` is a suite and no single test.
        && (word.contains(['_', '.', '/']) || word.contains("::") || !word.contains('-'))
        && parts.len() > 1
}

/// `LoginTest` is `Login` and `Test`.
fn humps(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut was_lower = false;
    for (at, letter) in word.char_indices() {
        if was_lower && letter.is_uppercase() {
            parts.push(&word[begin..at]);
            begin = at;
        }
        was_lower = letter.is_lowercase();
    }
    parts.push(&word[begin..]);
    parts
}

/// The last part of a name: the test of `file::test` and `package.Class.test`, the stem of `folder/file.py`.
fn own_part(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((before, end)) if contains_word(EXTENSIONS, end) => before,
        Some((_, end)) => end,
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read, recognise};
    use super::*;

    #[test]
    fn run_matches_named_test() {
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
            (
                "test_login passes",
                "pytest",
                1,
                "FAILED a.py::test_login_redirect - x\n1 failed in 0.1s",
                false,
            ),
            ("test_login passes", "pytest -k 'not test_login'", 0, "1 passed in 0.1s", false),
            ("test_login passes", "pytest --ignore=tests/test_login.py", 0, "1 passed in 0.1s", false),
            ("test_login passes", "pytest --deselect a.py::test_login", 0, "1 passed in 0.1s", false),
            ("test_login passes", "pytest -q -k pay", 0, "1 passed in 0.1s", false),
            ("test_login and test_card pass", "pytest tests/test_login.py", 0, "1 passed in 0.1s", false),
            (
                "test_login passes",
                ".venv/bin/pytest -q | tee /tmp/test_output.txt",
                0,
                "1 passed in 0.1s",
                true,
            ),
            ("test_login passes", "cd /srv/latest/app && python -m pytest", 0, "1 passed in 0.1s", true),
            ("test_login passes", "npm test -- cart", 0, "", false),
            ("all tests pass with latest_version", "pytest tests/test_pay.py", 1, other, true),
            ("com.acme.LoginTest passes", "mvn test", 1, "Failed tests:   com.acme.PayTest", false),
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
