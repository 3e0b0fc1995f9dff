//! Whether a question has a line of a text in it, word for word: a goal or a lesson, however much is stated around it.
//!
//! How rare the words are does not matter here. Where a thousand goals are alike each of their words is in hundreds
//! of texts, and the whole goal still says exactly what is meant.

use std::collections::HashMap;

use super::terms::{self, COMMON, Places};
use crate::fusion::is_software_term;

/// So many different words a goal has at least, which is the first line; fewer are stated by chance.
pub(super) const LEAST: usize = 3;
/// So many a question has that is in a text as a whole.
pub(super) const LEAST_QUERY_WORDS: usize = 4;
/// So many a later line has. What came of something is often stated in few words, and the same ones.
const LEAST_LATER: usize = 5;
/// So many of them are not what everybody says all day.
const LEAST_OF_ITS_OWN: usize = 2;

/// No store has so many rows.
const BELIEVED: usize = 50_000_000;

/// A prompt is not checked further than this many words.
const CHECKED_LINES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct VerbatimLines(HashMap<String, Vec<usize>>);

impl VerbatimLines {
    pub(super) fn new(question: &str) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in all_words(question).take(CHECKED_LINES).enumerate() {
            places.entry(singular(&word.to_lowercase()).to_owned()).or_default().push(at);
        }
        Self(places)
    }

    pub(super) fn has(&self, text: &str) -> bool {
        let least = std::iter::once(LEAST).chain(std::iter::repeat(LEAST_LATER));
        text.lines().zip(least).any(|(line, least)| self.has_line(line, least))
    }

    fn has_line(&self, line: &str, least: usize) -> bool {
        let words = terms::words(line);
        words.len() >= least
            && words.iter().filter(|word| !is_software_term(word)).count() >= LEAST_OF_ITS_OWN
            && self.are_in_one_place(&words, all_words(line).count())
    }

    fn are_in_one_place(&self, words: &[String], length: usize) -> bool {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (which, word) in words.iter().enumerate() {
            let Some(at) = self.0.get(singular(word)) else { return false };
            places.extend(at.iter().map(|at| (*at, which)));
        }
        places.sort_unstable();
        // The latest place of each word, while the question is read from its beginning.
        let mut latest: Vec<Option<usize>> = vec![None; words.len()];
        places.iter().any(|(at, which)| {
            latest[*which] = Some(*at);
            let first = latest.iter().copied().try_fold(*at, |first, place| Some(first.min(place?)));
            first.is_some_and(|first| at - first < 2 * length)
        })
    }
}

fn all_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The rows that share most words with a question, at most so many: one of them has a line of it, if any has. Of those
/// that share as many the later.
pub(super) fn likely(words: &[Places], most: usize, wanted: impl Fn(i64) -> bool) -> Vec<i64> {
    // Of common words it is unknown where they are.
    let common = words.iter().filter(|places| places.texts >= COMMON).count();
    // Rows are numbered from one on, so that counting needs no map; a number beyond belief is damage.
    let rows = || words.iter().flat_map(|places| &places.rows).filter_map(|row| usize::try_from(*row).ok());
    let last = rows().filter(|row| *row < BELIEVED).max().unwrap_or(0);
    let mut shared: Vec<u8> = vec![0; last + 1];
    for row in rows() {
        if let Some(count) = shared.get_mut(row) {
            *count = count.saturating_add(1);
        }
    }
    let least = LEAST.saturating_sub(common).max(1);
    let enough = shared.iter().zip(0_i64..).filter(|(count, _)| usize::from(**count) >= least);
    let mut rows: Vec<(u8, i64)> = enough.map(|(count, row)| (*count, row)).collect();
    rows.sort_unstable_by(|one, other| other.cmp(one));
    rows.into_iter().map(|(_, row)| row).filter(|row| wanted(*row)).take(most).collect()
}

/// *Makefiles* and *Makefile* are one word here, as they are one to FTS5.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_with_most_words_of_the_question_are_looked_at() {
        let places = |word: &str, rows: &[i64]| Places {
            word: word.to_owned(),
            texts: rows.len(),
            rows: rows.to_vec(),
        };
        let words =
            [places("a", &[1, 3, 5]), places("b", &[3, 5, 7]), places("c", &[3, 5]), places("d", &[5, 7])];
        assert_eq!(likely(&words, 9, |_| true), [5, 3]);
        assert_eq!(likely(&words, 1, |row| row != 5), [3]);
        let with_common = [&words[..2], &[Places::of_common("e".to_owned())]].concat();
        assert_eq!(likely(&with_common, 9, |_| true), [5, 3]);
        assert_eq!(likely(&[], 9, |_| true), [0; 0]);
    }

    #[test]
    fn a_goal_is_recognised_in_a_longer_prompt_and_an_everyday_one_is_not() {
        for (prompt, text, expected) in [
            ("Fix the login form in the gateway", "Fix the login form in the gateway\nwhy", true),
            (
                "as said on Monday: fix the login form of the gateways, please",
                "Fix the login form in the gateway",
                true,
            ),
            ("fix the login form", "Fix the login form in the gateway", false),
            ("run the tests and fix the code", "Run the tests and fix the code", false),
            ("hello there", "Hello there", false),
            (
                "the form is too wide, and by the way, when you have a moment, please see whether people can login there and what the gateway says",
                "Fix the login form in the gateway",
                false,
            ),
            (
                "always lock rows in order of their ids?",
                "Stop it\nLock rows always in the order of their ids",
                true,
            ),
            ("it works, all tests are green now", "Stop it\nAll tests are green now", false),
            ("anything", "", false),
        ] {
            assert_eq!(VerbatimLines::new(prompt).has(text), expected, "{prompt}");
        }
    }
}
