//! Whether a question has a line of a text in it, word for word: a goal or a lesson, however much is said around it.
//!
//! How rare the words are does not matter here. Where a thousand goals are alike each of their words stands in hundreds
//! of texts, and the whole goal still says exactly what is meant.

use std::collections::HashSet;

use super::terms;
use crate::fusion::is_of_the_trade;

/// So many different words a goal has at least, which is the first line; fewer are said by chance.
pub(super) const LEAST: usize = 3;
/// So many a later line has. What came of something is often said in few words, and the same ones.
const LEAST_LATER: usize = 5;
/// So many of them are not what everybody says all day.
const LEAST_OF_ITS_OWN: usize = 2;

/// The words of a question that say something.
#[derive(Debug, Default)]
pub(super) struct Said(HashSet<String>);

impl Said {
    pub(super) fn new(words: impl Iterator<Item = String>) -> Self {
        Self(words.map(|word| singular(&word).to_owned()).collect())
    }

    /// Whether a line of a text stands in the question, in whichever order.
    pub(super) fn has(&self, text: &str) -> bool {
        let least = std::iter::once(LEAST).chain(std::iter::repeat(LEAST_LATER));
        text.lines().zip(least).any(|(line, least)| self.has_line(line, least))
    }

    fn has_line(&self, line: &str, least: usize) -> bool {
        let words = terms::words(line);
        words.len() >= least
            && words.iter().filter(|word| !is_of_the_trade(word)).count() >= LEAST_OF_ITS_OWN
            && words.iter().all(|word| self.0.contains(singular(word)))
    }
}

/// *Makefiles* and *Makefile* are one word here, as they are one to FTS5.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                "always lock rows in order of their ids?",
                "Stop it\nLock rows always in the order of their ids",
                true,
            ),
            ("it works, all tests are green now", "Stop it\nAll tests are green now", false),
            ("anything", "", false),
        ] {
            assert_eq!(Said::new(terms::words(prompt).into_iter()).has(text), expected, "{prompt}");
        }
    }
}
