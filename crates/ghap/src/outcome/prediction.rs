//! Reads whether a prediction expects a run to pass or to fail.
//!
//! Each clause is read with its negations (`no longer fails`, `will not pass`). A clause after `after`, `because` or
//! `when` is a reason; it counts only if no other clause says pass or fail. A prediction that contradicts itself is
//! unclear, and then the agent is asked.

use tenter_shell::contains_word;

use super::run::Kind;

/// The expected result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// The run passes.
    Pass,
    /// The run fails.
    Fail,
    /// The prediction says neither, or both.
    Unclear,
}

/// Reads the expected result of a prediction.
pub fn expects(prediction: &str) -> Expects {
    let clauses = clauses(prediction);
    let expected = |reasons: bool| {
        let mut signs = clauses.iter().filter(|clause| clause.is_reason == reasons).flat_map(Clause::signs);
        let first = signs.next()?;
        Some(if signs.all(|sign| sign == first) { first } else { Expects::Unclear })
    };
    expected(false).or_else(|| expected(true)).unwrap_or(Expects::Unclear)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    This,
    /// Only the other kind: tests while something was built, or the reverse.
    Other,
    Unsaid,
}

pub(super) fn subject(prediction: &str, kind: Kind) -> Subject {
    subject_of(&words(prediction), kind)
}

pub(super) fn subject_of(words: &[String], kind: Kind) -> Subject {
    let names = |own: &str| words.iter().any(|word| contains_word(own, word));
    let tests = names(TESTS) || words.iter().any(|word| word.starts_with("test_"));
    let builds = names(BUILDS);
    let (this, other) = match kind {
        Kind::Test => (tests, builds),
        Kind::Build => (builds, tests),
    };
    match (this, other) {
        (true, _) => Subject::This,
        (false, true) => Subject::Other,
        (false, false) => Subject::Unsaid,
    }
}

const TESTS: &str = "test tests suite spec specs pytest jest assertion assertions";
const BUILDS: &str =
    "build builds built compile compiles compiled compilation compiler tsc typecheck typechecks linker";

#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    /// It gives a condition or a reason.
    pub(super) is_reason: bool,
    /// `and` joins it to the clause before.
    pub(super) after_and: bool,
    /// It is an exception to the clause before.
    pub(super) after_except: bool,
}

const PASSES: &str = "\
    pass passes passed passing succeed succeeds succeeded success successful successfully green work \
    works worked working compile compiles compiled ok clean cleanly okay";
const FAILS: &str = "\
    fail fails failed failing break breaks broken red crash crashes crashed panic panics panicked hang \
    hangs raise raises throw throws reproduce reproduces";
/// Nouns for failures.
const WRONGS: &str = "error errors failure failures exception exceptions bug regression warning";
/// Words by which a failure disappears.
const CURES: &str = "\
    free gone disappear disappears disappeared vanish vanishes away fix fixes fixed resolve resolves \
    resolved solve solves solved remove removes removed avoid avoids prevent prevents prevented \
    eliminate eliminates eliminated cure cures cured";
const NEGATIONS: &str = "\
    not no never without cannot neither nor zero stop stops stopped cease ceases instead rather none \
    nothing 0";
/// Words that begin a reason or a condition.
pub(super) const REASONS: &str = "after because since when once if by until unless as while before due given";
/// An adjective before one of these is a property: `the failing test`.
pub(super) const THINGS: &str =
    "test tests build builds case cases suite spec specs check checks assertion assertions fixture";

const ARTICLES: &str = "the this that a my our";

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '’')))
        .map(|word| word.trim_matches(['\'', '’']).to_lowercase().replace('’', "'"))
        .filter(|word| !word.is_empty())
        .collect()
}

pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for part in parts(text) {
        let mut clause = Clause::default();
        for word in words(part) {
            let reason = contains_word(REASONS, &word);
            if reason || matches!(word.as_str(), "but" | "and" | "so" | "then" | "except") {
                let next = Clause {
                    words: Vec::new(),
                    is_reason: reason,
                    after_and: word == "and",
                    after_except: matches!(word.as_str(), "except" | "unless"),
                };
                clauses.push(std::mem::replace(&mut clause, next));
            } else {
                clause.words.push(word);
            }
        }
        clauses.push(clause);
    }
    clauses
}

/// The parts between punctuation marks. A mark inside a word, as in `test_auth.py` and `a::b`, separates nothing.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut begin = 0;
    let mut parts = Vec::new();
    for (at, mark) in text.char_indices() {
        if !matches!(mark, '.' | ',' | ';' | ':' | '\n' | '(' | ')' | '—' | '–') {
            continue;
        }
        let behind = at + mark.len_utf8();
        let next = text[behind..].chars().next();
        let inside = matches!(mark, '.' | ':')
            && next.is_some_and(|next| next.is_alphanumeric() || next == ':' || next == '_')
            && text[..at]
                .ends_with(|before: char| before.is_alphanumeric() || before == ':' || before == '_');
        if !inside {
            parts.push(&text[begin..at]);
            begin = behind;
        }
    }
    parts.push(&text[begin..]);
    parts.into_iter()
}

pub(super) fn signs<'w>(of: impl Iterator<Item = &'w str>) -> Vec<Expects> {
    Clause { words: of.flat_map(words).collect(), ..Clause::default() }.signs()
}

impl Clause {
    /// The words after the first one that says pass or fail.
    pub(super) fn behind_sign(&self) -> &[String] {
        let says = |word: &String| {
            [PASSES, FAILS, WRONGS, CURES].iter().any(|list| contains_word(list, word)) || is_error_name(word)
        };
        self.words.iter().position(says).map_or(&[], |at| &self.words[at + 1..])
    }

    pub(super) fn signs(&self) -> Vec<Expects> {
        let cured = self.words.iter().any(|word| contains_word(CURES, word));
        let mut signs = Vec::new();
        let mut negated = false;
        let mut at = 0;
        while let Some(word) = self.words.get(at) {
            let word = word.as_str();
            let next = self.words.get(at + 1).map(String::as_str).unwrap_or_default();
            at += 1;
            let sign = if contains_word(NEGATIONS, word) || word.ends_with("n't") {
                // `not without errors` is a double negation.
                negated = !(negated && word == "without");
                continue;
            } else if contains_word("exit exits exited status", word) {
                match self.words[at..].iter().take(3).find_map(|word| word.parse::<i64>().ok()) {
                    Some(0) => Expects::Pass,
                    Some(_) => Expects::Fail,
                    None => continue,
                }
            } else if contains_word(THINGS, next)
                && contains_word("failing failed broken passing red green", word)
            {
                continue;
            } else if word == "fix" && at > 1 && contains_word(ARTICLES, &self.words[at - 2]) {
                // `this fix` is a noun, and may work or not.
                continue;
            } else if contains_word(PASSES, word) || contains_word(CURES, word) {
                Expects::Pass
            } else if contains_word(FAILS, word) || contains_word("time times", word) && next == "out" {
                // `fails to compile`
                let consumed = next == "to" || contains_word(WRONGS, next) || next == "with";
                at += if consumed { self.words.len() - at } else { 0 };
                Expects::Fail
            } else if contains_word(WRONGS, word) || is_error_name(word) {
                // `the error will be gone`: the cure counts.
                if cured {
                    continue;
                }
                Expects::Fail
            } else {
                continue;
            };
            signs.push(match (sign, std::mem::take(&mut negated)) {
                (Expects::Pass, true) => Expects::Fail,
                (Expects::Fail, true) => Expects::Pass,
                (sign, _) => sign,
            });
        }
        // `the TypeError no longer occurs`, `it passes no more`
        if negated
            && !self.words.iter().any(|word| contains_word("instead rather without 0 zero nothing", word))
            && let Some(last) = signs.last_mut()
        {
            *last = Expects::Unclear;
        }
        signs
    }
}

/// `KeyError`, `ValueError`, `NullPointerException`
pub(super) fn is_error_name(word: &str) -> bool {
    ["error", "exception"].iter().any(|end| word.len() > end.len() && word.ends_with(end))
}

/// Whether a prediction is about repeated runs, which one run cannot prove.
pub(super) fn repeats(prediction: &str) -> bool {
    const MANY: &str = "\
        two three four five six seven eight nine ten dozen twenty thirty fifty hundred thousand many \
        several multiple all consecutive";
    const COMPARED: &str = "faster slower quicker more less fewer smaller larger bigger as";
    let lower = prediction.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_many = |word: &str| contains_word(MANY, word) || word.parse::<u32>().is_ok_and(|count| count > 1);
    // `20x`, and not `20x faster`.
    let is_times =
        |word: &str| word.strip_suffix('x').is_some_and(|count| !count.is_empty() && is_many(count));
    words.iter().enumerate().any(|(at, word)| {
        let [next, second] = [1, 2].map(|behind| words.get(at + behind).copied().unwrap_or_default());
        let counted = matches!(next, "times" | "runs" | "iterations") && !contains_word(COMPARED, second);
        is_many(word) && counted
            || is_times(word) && !contains_word(COMPARED, next)
            || contains_word("repeatedly twice consecutive", word) && !contains_word(COMPARED, next)
            || *word == "every" && contains_word("time run", next)
            || (*word, next, second) == ("in", "a", "row")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prediction_expects_pass_or_fail() {
        use Expects::*;
        for (prediction, expected) in [
            ("Test will pass after fixing isolation", Pass),
            ("Test will pass after timeout increase", Pass),
            ("Test will pass after timeout fix", Pass),
            ("Increasing timeout to 60s will fix it", Pass),
            ("will still fail", Fail),
            ("The test still fails with a timeout", Fail),
            ("should pass after the failing fixture is removed", Pass),
            ("it no longer fails", Pass),
            ("the error disappears", Pass),
            ("The KeyError will be gone", Pass),
            ("no errors", Pass),
            ("runs without errors", Pass),
            ("The test will not pass", Fail),
            ("it won't pass", Fail),
            ("won’t pass", Fail),
            ("It doesn't fail anymore", Pass),
            ("the test stops failing", Pass),
            ("this fix will not work", Fail),
            ("won't fix the error", Fail),
            ("fails to compile", Fail),
            ("The build succeeds", Pass),
            ("cargo build will fail with E0308", Fail),
            ("the failing test passes", Pass),
            ("the previously failing tests will pass", Pass),
            ("raises a ValueError", Fail),
            ("After the fix, the test passes", Pass),
            ("If the cache is the cause, test_cache will fail", Fail),
            ("exit code 0", Pass),
            ("the process exits with status 1", Fail),
            ("0 failures", Pass),
            ("all green", Pass),
            ("an error-free build", Pass),
            ("no test fails, nothing breaks", Pass),
            ("fails without the fix", Fail),
            ("it stops working", Fail),
            ("I expect test_x to fail with an ImportError", Fail),
            ("pytest exits with code 0 and no failures", Pass),
            ("test_a passes but test_b fails", Unclear),
            ("3 tests fail and 2 pass", Unclear),
            ("response time drops below 100 ms", Unclear),
            ("The timeout is caused by the slow network", Unclear),
            ("Der Test wird grün", Unclear),
            ("", Unclear),
            ("it times out", Fail),
            ("because it fails now", Fail),
            ("the TypeError no longer occurs", Unclear),
            ("the failure does not occur again", Unclear),
            ("it passes no more", Unclear),
            ("it raises a ValueError instead", Fail),
        ] {
            assert_eq!(expects(prediction), expected, "{prediction}");
        }
    }

    #[test]
    fn prediction_names_tests_or_builds() {
        use Subject::*;
        for (prediction, of_tests, of_builds) in [
            ("Test will pass", This, Other),
            ("the build succeeds", Other, This),
            ("it builds, and the tests pass", This, This),
            ("it will work", Unsaid, Unsaid),
        ] {
            let subjects = (subject(prediction, Kind::Test), subject(prediction, Kind::Build));
            assert_eq!(subjects, (of_tests, of_builds), "{prediction}");
        }
    }
}
