//! Compares texts, to remove near-duplicates from a context.

use std::collections::HashMap;

/// The share of common words in the same order, in percent.
const SAME: usize = 90;
/// The minimum length of the shorter text, in percent of the longer one.
const LENGTH: usize = 80;
/// Longer texts are compared by their first words.
const WORDS: usize = 250;

pub(super) struct Wording(Vec<String>);

impl Wording {
    pub(super) fn new(text: &str) -> Self {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        Self(words.take(WORDS).map(str::to_lowercase).collect())
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (one, two) = (&self.0, &other.0);
        let (short, long) = (one.len().min(two.len()), one.len().max(two.len()));
        let enough = |same: usize| same * 2 * 100 >= SAME * (one.len() + two.len());
        short * 100 >= LENGTH * long && enough(in_any_order(one, two)) && enough(in_order(one, two))
    }
}

/// How many words are in both: an upper bound of [`in_order`] in linear time.
fn in_any_order(one: &[String], two: &[String]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in one {
        *left.entry(word).or_default() += 1;
    }
    two.iter()
        .filter(|word| match left.get_mut(word.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count()
}

/// The longest sequence of words that both have in this order.
fn in_order(one: &[String], two: &[String]) -> usize {
    let mut row = vec![0_usize; two.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, other) in two.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_the_same_words_in_the_same_order_say_the_same() {
        let of = Wording::new;
        let text = "The flaky cache test shared a directory with the login test, so each needs its own";
        for (other, expected) in [
            (text.to_owned(), true),
            (text.to_uppercase(), true),
            (text.replace("directory", "folder"), true),
            (text.replace("directory", "folder").replace("login", "logout").replace("flaky", "slow"), false),
            (format!("{text}, as we found out only after a long day of reading logs"), false),
            (
                "own its needs each so test login the with directory a shared test cache flaky the"
                    .to_owned(),
                false,
            ),
            ("Timeouts".to_owned(), false),
        ] {
            assert_eq!(of(text).is_like(&of(&other)), expected, "{other}");
            assert_eq!(of(&other).is_like(&of(text)), expected, "{other}");
        }
    }
}
