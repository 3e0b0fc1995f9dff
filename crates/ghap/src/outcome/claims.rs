//! Reads the claims of a prediction. A run proves a prediction only if it proves every claim.
//!
//! | prediction | proved by |
//! |---|---|
//! | `all tests pass` | a run of all tests |
//! | `the build succeeds and the page loads faster` | no run: it measures no loading time |
//! | `test_a or test_b fails`, `all pass except test_b` | no run: the agent is asked |
//! | `it fails with a TypeError` | a run that prints this error |

use tenter_shell::contains_word;

use super::finding::{Finding, Verdict};
use super::named::{has_word, is_name};
use super::prediction::{Clause, Expects, Subject, THINGS, clauses, is_error_name, subject_of};
use super::recognise::recognise;
use super::run::{Kind, Runner};

/// Words for every test.
const ALL: &str =
    "all every everything each whole entire full complete suite suites nothing none any anything";
/// After `no` these mean every test too.
const OF_ALL: &str = "test tests failure failures failing failed regression regressions";
/// Words for an alternative or an exception.
const OPEN: &str = "or either except excluding unless apart besides otherwise maybe nor";

/// Words that claim nothing: `I expect that`, `both`.
const FILLERS: &str = "\
    the a an both also i we expect expected predict prediction think believe result outcome that this it \
    then now again still will should would to too therefore hence thus finally as well probably likely \
    yes ok of code 0";
/// Words that begin a circumstance, which claims nothing.
const SETTINGS: &str = "\
    with using under on in for via through at from which confirming showing proving meaning indicating \
    suggesting adding changing fixing removing replacing increasing setting";
/// Words for measurements, which a test run does not take.
const MEASURES: &str = "\
    fast twice quick faster slower quicker second seconds sec secs ms millisecond milliseconds minute \
    minutes percent coverage memory kb mb gb kib mib gib bytes latency throughput warning warnings \
    quickly times flaky deterministically";

pub(super) struct Claims {
    clauses: Vec<Clause>,
    lower: String,
}

impl Claims {
    pub(super) fn parse(prediction: &str) -> Self {
        let mut clauses = clauses(prediction);
        // `after adding the lock and the retry` is one reason.
        for at in 1..clauses.len() {
            let goes_on = clauses[at - 1].is_reason && clauses[at].after_and;
            if goes_on && clauses[at].signs().is_empty() {
                clauses[at].is_reason = true;
            }
        }
        clauses.retain(|clause| !clause.words.is_empty());
        Self { clauses, lower: prediction.to_lowercase() }
    }

    fn clauses_about_outcome(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| !clause.is_reason)
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.clauses_about_outcome().flat_map(|clause| clause.words.iter().map(String::as_str))
    }

    pub(super) fn is_about_all(&self) -> bool {
        let of_none = |words: &[String]| {
            words.iter().enumerate().any(|(at, word)| {
                contains_word("no zero 0 without", word)
                    && words[at + 1..].iter().take(2).any(|next| contains_word(OF_ALL, next))
            })
        };
        self.words().any(|word| contains_word(ALL, word))
            || self.clauses_about_outcome().any(|clause| of_none(&clause.words))
    }

    /// Whether it is about each test, so that a skipped test is missing.
    pub(super) fn is_about_each(&self) -> bool {
        self.words().any(|word| contains_word("all every everything each", word))
    }

    /// Whether it is about a feature and no test: `the login works`.
    pub(super) fn is_about_a_thing(&self) -> bool {
        let is_thing = |word: &String| {
            let word = word.as_str();
            !(contains_word(FILLERS, word)
                || contains_word(THINGS, word)
                || contains_word(ALL, word)
                || is_name(word))
        };
        self.clauses_about_outcome().any(|clause| {
            let before = clause.words.len() - clause.behind_sign().len();
            !clause.signs().is_empty() && clause.words[..before.saturating_sub(1)].iter().any(is_thing)
        })
    }

    /// Whether it claims that no other test fails.
    pub(super) fn excludes_others(&self) -> bool {
        self.words().any(|word| contains_word("only just solely alone", word))
    }

    /// Whether it has an alternative or an exception.
    pub(super) fn is_open(&self) -> bool {
        let open = self.clauses.iter().flat_map(|clause| &clause.words).any(|word| contains_word(OPEN, word));
        // `test_a passes, but not test_b`
        let elliptic = |clause: &Clause| {
            clause.signs().is_empty() && clause.words.iter().any(|word| contains_word("not only", word))
        };
        let excepts = self.clauses.iter().any(|clause| clause.after_except);
        open || excepts || self.clauses_about_outcome().any(elliptic)
    }

    /// Whether a run decides every claim.
    pub(super) fn are_all_shown_by(&self, finding: &Finding) -> bool {
        self.clauses_about_outcome().all(|clause| {
            let signs = clause.signs();
            if signs.is_empty() {
                return claims_nothing(clause);
            }
            let is_shown = match subject_of(&clause.words, finding.kind) {
                Subject::This | Subject::Unsaid => true,
                // Some runners build before they test.
                Subject::Other => {
                    finding.kind == Kind::Test
                        && finding.verdict == Verdict::Passed
                        && builds(finding.runner)
                        && signs.iter().all(|sign| *sign == Expects::Pass)
                }
            };
            is_shown && !clause.behind_sign().iter().any(|word| is_measure(word))
        })
    }

    pub(super) fn predicts_this_failure(&self, finding: &Finding, printed: &str) -> bool {
        let printed = report_lines(printed);
        let failing: Vec<&Clause> =
            self.clauses_about_outcome().filter(|clause| clause.signs().contains(&Expects::Fail)).collect();
        let errors: Vec<String> = failing.iter().flat_map(|clause| named_errors(&clause.words)).collect();
        errors.iter().all(|error| shows(&printed, error, finding))
            && failing
                .iter()
                .filter_map(|clause| exit_code(&clause.words))
                .all(|code| finding.exit_code == Some(code))
            && failing.iter().filter_map(|clause| line_number(&clause.words)).all(|line| {
                printed.contains(&format!(":{line}")) || printed.contains(&format!("line {line}"))
            })
            && quoted(&self.lower).all(|text| printed.contains(text))
    }

    /// Whether it only claims that an error is gone, and the run has another error.
    pub(super) fn is_about_another_failure(&self, printed: &str) -> bool {
        let printed = report_lines(printed);
        let errors: Vec<String> =
            self.clauses_about_outcome().flat_map(|clause| named_errors(&clause.words)).collect();
        let passes = self.words().any(|word| contains_word("pass passes passing green succeeds", word));
        !errors.is_empty() && !passes && !errors.iter().any(|error| has_word(&printed, error))
    }
}

/// The lines of pytest's own report, or the whole output of other runners, in lower case.
fn report_lines(printed: &str) -> String {
    let is_error = |line: &&str| {
        line.starts_with("E  ")
            || line.starts_with("FAILED ")
            || line.starts_with("ERROR ")
            || line.split_once(".py:").is_some_and(|(file, _)| !file.contains(' '))
    };
    if !printed.lines().any(|line| line.starts_with("E  ") || line.starts_with("FAILED ")) {
        return printed.to_lowercase();
    }
    printed.lines().filter(is_error).collect::<Vec<_>>().join("\n").to_lowercase()
}

fn builds(runner: Runner) -> bool {
    matches!(
        runner,
        Runner::Cargo | Runner::Nextest | Runner::Go | Runner::Gradle | Runner::Maven | Runner::Dotnet
    )
}

fn claims_nothing(clause: &Clause) -> bool {
    let begins = clause.words.first().is_some_and(|word| contains_word(SETTINGS, word));
    let is_filler = |word: &String| {
        contains_word(FILLERS, word)
            || contains_word(THINGS, word)
            || is_name(word)
            || contains_word("py rs ts js go", word)
    };
    let measured = clause.words.iter().any(|word| is_measure(word));
    !measured && (begins || clause.words.iter().all(is_filler))
}

fn is_measure(word: &str) -> bool {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let counts =
        !digits.is_empty() && digits.len() < word.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
    contains_word(MEASURES, word) || counts && contains_word("s ms x m min mb gb", &word[digits.len()..])
}

/// Words before `error` that do not name it.
const ANY_ERROR: &str = "\
    a an the this that same no any some another new first old one original compile compiler compilation \
    build test tests fatal unexpected lint with of an its by more previous current other following";

/// The errors that a clause names: `typeerror`, `e0308`, `sigsegv`, `import error` as `importerror`.
fn named_errors(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        if is_error_name(word)
            || is_error_code(word)
            || CRASHES.iter().any(|(words, ..)| contains_word(words, word))
        {
            found.push(word.clone());
        } else if contains_word("error errors exception exceptions", word)
            && before.len() > 1
            && before.chars().all(char::is_alphabetic)
            && !contains_word(ANY_ERROR, before)
        {
            found.push(format!("{before}{}", word.trim_end_matches('s')));
        } else if word == "out" && contains_word("times timed time", before) {
            found.push("timeout".to_owned());
        } else if word == "fault" && before == "segmentation" {
            found.push("segfault".to_owned());
        }
    }
    found
}

/// `E0308`, `TS2322`
fn is_error_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    (1..=4).contains(&letters)
        && word.len() >= letters + 3
        && word.bytes().skip(letters).all(|it| it.is_ascii_digit())
}

/// Words for a crash or a hang, the texts that show it, and the signal that ends such a process.
const CRASHES: [(&str, &[&str], Option<i64>); 6] = [
    ("panic panics panicked", &["panicked at", "panic:"], None),
    ("segfault segfaults sigsegv", &["sigsegv", "segmentation fault"], Some(11)),
    ("sigabrt", &["sigabrt", "aborted"], Some(6)),
    ("oom", &["out of memory", "oom"], Some(9)),
    ("timeout", &["timeout", "timed out"], None),
    // A process that ended did not hang.
    ("hang hangs deadlock deadlocks", &["deadlock"], None),
];

fn shows(printed: &str, error: &str, finding: &Finding) -> bool {
    if let Some((_, marks, signal)) = CRASHES.iter().find(|(words, ..)| contains_word(words, error)) {
        return marks.iter().any(|mark| printed.contains(mark))
            || signal.is_some_and(|signal| finding.exit_code == Some(128 + signal));
    }
    match error {
        "assertionerror" | "assertionexception" => printed.contains("assert"),
        _ => has_word(printed, error),
    }
}

/// The exit code that a clause predicts, other than 0.
fn exit_code(words: &[String]) -> Option<i64> {
    let at = words.iter().position(|word| contains_word("exit exits exited status", word))?;
    words[at + 1..].iter().take(3).find_map(|word| word.parse().ok()).filter(|code| *code != 0)
}

/// The line of a file at which a clause predicts a failure.
fn line_number(words: &[String]) -> Option<u32> {
    words.windows(2).find_map(|pair| (pair[0] == "line").then(|| pair[1].parse().ok()).flatten())
}

fn quoted(prediction: &str) -> impl Iterator<Item = &str> {
    let marks = [('"', '"'), ('`', '`'), ('“', '”'), ('‘', '’')];
    marks.into_iter().flat_map(move |(open, close)| {
        let mut found = Vec::new();
        let mut rest = prediction;
        while let Some((_, behind)) = rest.split_once(open)
            && let Some((text, after)) = behind.split_once(close)
        {
            found.push(text.trim());
            rest = after;
        }
        found.into_iter().filter(|text| text.len() > 2 && !is_name(text) && recognise(text, &[]).is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_about_all_tests_are_found() {
        for (prediction, expected) in [
            ("All tests pass", true),
            ("every test passes", true),
            ("the suite is green", true),
            ("no test fails", true),
            ("0 failures", true),
            ("nothing breaks", true),
            ("it does not break any test", true),
            ("the test passes", false),
            ("test_login passes", false),
            ("it passes after all the fixes", false),
            ("no errors", false),
        ] {
            assert_eq!(Claims::parse(prediction).is_about_all(), expected, "{prediction}");
        }
    }

    #[test]
    fn named_errors_are_found() {
        for (prediction, expected) in [
            ("it fails with a TypeError", &["typeerror"][..]),
            ("fails with E0308 or TS2322", &["e0308", "ts2322"]),
            ("an import error is raised", &["importerror"]),
            ("it fails with the same error", &[]),
            ("a compile error", &[]),
            ("it times out", &["timeout"]),
            ("a segmentation fault", &["segfault"]),
            ("java.lang.NullPointerException is thrown", &["nullpointerexception"]),
            ("3 tests fail", &[]),
        ] {
            let clauses = Claims::parse(prediction).clauses;
            let words: Vec<String> = clauses.into_iter().flat_map(|clause| clause.words).collect();
            assert_eq!(named_errors(&words), expected, "{prediction}");
        }
    }
}
