//! Reads the counts of a prediction: `3 of 5 tests pass`, `at most one failure`, `2 tests fail`.
//!
//! A claim about some of the tests must not be read as one about all of them. A count that is not understood, or that
//! comes with another claim, makes the prediction impossible to compare with the run.

use tenter_shell::contains_word;

use super::finding::{Counts, Finding, Verdict};
use super::prediction::{Expects, REASONS, THINGS, signs};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Claims(Vec<Claim>),
    Unclear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    bound: Bound,
    /// The stated total: 5 in `3 of 5`.
    of: Option<u64>,
    fails: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// A bare number: all failures, but perhaps only some of the passing tests.
    Bare(u64),
    Exactly(u64),
    AtMost(u64),
    AtLeast(u64),
}

/// The counts in a prediction; none if no number counts tests.
pub(super) fn numbers(prediction: &str) -> Option<Numbers> {
    let (mut claims, mut unclear, mut other) = (Vec::new(), false, false);
    for words in clauses(prediction) {
        let says = signs(words.iter().map(String::as_str));
        match phrase(&words) {
            Phrase::Claim(claim, rest) => {
                // `fails with 2 failures` says the same twice.
                let again = |sign: &Expects| claim.wants_failures() && *sign == Expects::Fail;
                other |= !signs(rest.iter().map(|word| word.as_str())).iter().all(again);
                claims.push(claim);
            }
            Phrase::Unclear => unclear |= !says.is_empty(),
            Phrase::None => other |= !says.is_empty(),
        }
    }
    // If some tests fail, the others are all tests that pass.
    if claims.iter().any(|claim: &Claim| claim.wants_failures()) {
        claims.iter_mut().filter(|claim| !claim.fails).for_each(|claim| claim.bound = claim.bound.exactly());
    }
    // `0 failures` means `all pass`, and is read as that.
    let numbered = claims.iter().any(|claim| claim.of.is_some() || claim.bound != Bound::Bare(0));
    match (numbered, unclear) {
        (false, false) => None,
        (true, false) if !other => Some(Numbers::Claims(claims)),
        (true | false, _) => Some(Numbers::Unclear),
    }
}

impl Numbers {
    pub(super) fn hold(&self, finding: &Finding) -> Option<bool> {
        let Self::Claims(claims) = self else { return None };
        let held: Vec<Option<bool>> = claims.iter().map(|claim| claim.holds(finding)).collect();
        if held.contains(&Some(false)) {
            return Some(false);
        }
        held.iter().all(Option::is_some).then_some(true)
    }
}

impl Claim {
    fn wants_failures(self) -> bool {
        let least = match self.bound {
            Bound::Bare(number) | Bound::Exactly(number) | Bound::AtLeast(number) => number,
            Bound::AtMost(_) => 0,
        };
        self.fails && least > 0
    }

    fn holds(self, finding: &Finding) -> Option<bool> {
        let Counts { passed, failed, errors, skipped, filtered } = finding.counts;
        let ran = passed + failed;
        // Tests that could not run neither passed nor failed.
        let counted = ran > 0 && errors == 0;
        let failed = match finding.verdict {
            Verdict::Passed => 0,
            Verdict::Failed if counted && failed > 0 => failed,
            Verdict::Failed | Verdict::Errored | Verdict::NotRun | Verdict::NoTests | Verdict::Unknown => {
                return None;
            }
        };
        if let Some(of) = self.of {
            // The prediction is about another run.
            if !counted || of != ran && of != ran + skipped {
                return None;
            }
            return Some(self.bound.takes(if self.fails { failed } else { passed }));
        }
        // The results of filtered tests are unknown.
        let is_least = match self.bound {
            Bound::AtLeast(_) => true,
            Bound::Bare(_) => !self.fails,
            Bound::Exactly(_) | Bound::AtMost(_) => false,
        };
        if filtered > 0 && !is_least {
            let too_many = matches!(self.bound, Bound::AtMost(most) if self.fails && failed > most);
            return too_many.then_some(false);
        }
        if self.fails {
            let holds = self.bound.takes(failed);
            return (holds || filtered == 0).then_some(holds);
        }
        match self.bound {
            Bound::Bare(_) if !counted => Some(true),
            Bound::Bare(number) if failed == 0 => (passed >= number).then_some(true),
            Bound::Bare(number) => (passed < number).then_some(false),
            Bound::Exactly(_) | Bound::AtMost(_) | Bound::AtLeast(_) if !counted => None,
            Bound::Exactly(number) => Some(passed == number),
            Bound::AtLeast(number) if passed >= number => Some(true),
            // Too few tests ran to decide.
            Bound::AtLeast(number) => (ran >= number).then_some(false),
            Bound::AtMost(number) if passed > number => Some(false),
            Bound::AtMost(_) => (failed > 0).then_some(true),
        }
    }
}

impl Bound {
    fn exactly(self) -> Self {
        match self {
            Self::Bare(number) => Self::Exactly(number),
            Self::Exactly(_) | Self::AtMost(_) | Self::AtLeast(_) => self,
        }
    }

    fn takes(self, count: u64) -> bool {
        match self {
            Self::Bare(number) | Self::Exactly(number) => count == number,
            Self::AtMost(number) => count <= number,
            Self::AtLeast(number) => count >= number,
        }
    }
}

enum Phrase<'a> {
    Claim(Claim, Vec<&'a String>),
    Unclear,
    None,
}

type Bounding = fn(u64) -> Bound;

/// Words that bound the next number.
const BOUNDS: [(&[&str], Bounding); 13] = [
    (&["at", "most"], Bound::AtMost),
    (&["no", "more", "than"], Bound::AtMost),
    (&["not", "more", "than"], Bound::AtMost),
    (&["up", "to"], Bound::AtMost),
    (&["fewer", "than"], |number| Bound::AtMost(number.saturating_sub(1))),
    (&["less", "than"], |number| Bound::AtMost(number.saturating_sub(1))),
    (&["at", "least"], Bound::AtLeast),
    (&["no", "fewer", "than"], Bound::AtLeast),
    (&["no", "less", "than"], Bound::AtLeast),
    (&["more", "than"], |number| Bound::AtLeast(number.saturating_add(1))),
    (&["exactly"], Bound::Exactly),
    (&["only"], Bound::Exactly),
    (&["just"], Bound::Exactly),
];
/// Words for a part of unknown size.
const PARTS: &str = "most half many several few percent majority";
/// After a part word these express certainty: `most likely`, `90% confident`.
const SURENESS: &str = "likely probably recent sure confident certain certainly chance";
/// Approximation before a number or `all`; `the test about logins` is none.
const NEARLY: &str = "about around roughly nearly almost";
const UNITS: &str = "\
    s sec secs second seconds ms millisecond milliseconds microseconds min mins minute minutes h hour \
    hours day days bytes kb mb gb kib mib gib lines threads workers retries attempts";
const COUNTED: [&str; 11] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// A bare number counts tests if it begins its clause or follows one of these; `Python 3 tests` are others.
const BEFORE: &str = "\
    that expect expecting predict see get have has there be are is will now still with shows show \
    reports report leaves leave";
/// Words between a count and its verb.
const BETWEEN: &str = "will would should shall must to still now then be are is have has";
const PASS: &str = "pass passes passed passing succeed succeeds green";
const FAIL: &str = "fail fails failed failing failure failures red";

fn phrase(words: &[String]) -> Phrase<'_> {
    for at in 0..words.len() {
        let bound = BOUNDS.iter().find(|(begin, _)| starts_with(&words[at..], begin));
        let (begin, make) = match bound {
            Some((begin, make)) => (at + begin.len(), *make),
            None => (at, Bound::Bare as Bounding),
        };
        let Some(number) = words.get(begin).and_then(|word| number(word)) else { continue };
        let bare = bound.is_none();
        let elsewhere = bare && at > 0 && !contains_word(BEFORE, &words[at - 1]);
        if elsewhere || has_unit(words, begin + 1) {
            continue;
        }
        let (of, next) = out_of(words, begin + 1);
        if let Some((fails, end)) = done(words, next) {
            let claim = Claim { bound: make(number), of, fails };
            return Phrase::Claim(claim, words[..at].iter().chain(&words[end..]).collect());
        }
        if !bare || of.is_some() {
            return Phrase::Unclear;
        }
    }
    let is_part = |(at, word): (usize, &String)| {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        (contains_word(PARTS, word) || word.ends_with('%') && word != "100%")
            && !contains_word(SURENESS, next)
    };
    let counts = |word: &String| number(word).is_some();
    let is_near = |at: usize| {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        number(next).is_some() && !has_unit(words, at + 2) || matches!(next, "all" | "every")
    };
    let near = words.iter().enumerate().any(|(at, word)| contains_word(NEARLY, word) && is_near(at));
    let is_share = |three: &[String]| three[1] == "of" && counts(&three[0]) && counts(&three[2]);
    let of_part = near || words.iter().enumerate().any(is_part) || words.windows(3).any(is_share);
    if of_part { Phrase::Unclear } else { Phrase::None }
}

/// Whether the number before this word has a unit: `passes in less than 5 seconds`.
fn has_unit(words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|word| contains_word(UNITS, word))
}

/// The total of `of 5`, `out of the 5`, `of the`, and the position after it.
fn out_of(words: &[String], at: usize) -> (Option<u64>, usize) {
    let of = match words.get(at).map(String::as_str) {
        Some("of") => at + 1,
        Some("out") if words.get(at + 1).is_some_and(|word| word == "of") => at + 2,
        _ => return (None, at),
    };
    let article = words.get(of).is_some_and(|word| matches!(word.as_str(), "the" | "all" | "our" | "my"));
    let next = of + usize::from(article);
    match words.get(next).and_then(|word| number(word)) {
        Some(number) => (Some(number), next + 1),
        None => (None, next),
    }
}

/// `tests will fail`, `failures`, `failing tests`: whether they fail, and the position after it.
fn done(words: &[String], at: usize) -> Option<(bool, usize)> {
    let is = |at: usize, list: &str| words.get(at).is_some_and(|word| contains_word(list, word));
    let mut next = at + usize::from(is(at, THINGS));
    while is(next, BETWEEN) {
        next += 1;
    }
    let fails = is(next, FAIL);
    if !fails && !is(next, PASS) {
        return None;
    }
    next += 1;
    if is(next, THINGS) {
        next += 1;
        let ends = next == words.len() || is(next, "remain remains left");
        return ends.then_some((fails, next));
    }
    Some((fails, next))
}

fn starts_with(words: &[String], begin: &[&str]) -> bool {
    words.len() >= begin.len() && words.iter().zip(begin).all(|(word, own)| word == own)
}

fn number(word: &str) -> Option<u64> {
    match word {
        "none" | "zero" => Some(0),
        _ if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        _ => COUNTED.iter().position(|own| *own == word).map(|number| number as u64),
    }
}

/// The words of each clause without reasons and conditions. `3.12` stays one word, because it is no count.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let (mut clauses, mut clause, mut is_reason) = (Vec::new(), Vec::new(), false);
    let mut end = |clause: &mut Vec<String>, is_reason: bool| {
        let words = std::mem::take(clause);
        if !is_reason && !words.is_empty() {
            clauses.push(words);
        }
    };
    for raw in text.split_whitespace() {
        let word = raw.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '%').to_lowercase();
        if raw.starts_with(['(', '—', '–']) {
            end(&mut clause, is_reason);
            is_reason = false;
        }
        let reason = contains_word(REASONS, &word);
        if reason || contains_word("but and so then except while whereas", &word) {
            end(&mut clause, is_reason);
            is_reason = reason;
        } else if let Some((one, all)) = word.split_once('/').filter(|(one, all)| both_count(one, all)) {
            clause.extend([one, "of", all].map(str::to_owned));
        } else if !word.is_empty() {
            clause.push(word);
        }
        if raw.ends_with(['.', ',', ';', ':', ')', '!', '?']) {
            end(&mut clause, is_reason);
            is_reason = false;
        }
    }
    end(&mut clause, is_reason);
    clauses
}

fn both_count(one: &str, all: &str) -> bool {
    let counts = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    counts(one) && counts(all)
}

#[cfg(test)]
mod tests;
