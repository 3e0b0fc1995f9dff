//! The names in a question: error codes, identifiers, files, and words that are not everyday English.
//!
//! One of them says what a prompt is about, however much is stated around it. BM25 does not know this: to it, a code that
//! is in one text weighs hardly more than any other rare word.

use crate::embedding::{is_everyday, is_of_software};

/// A pasted log has hundreds; the first ones say enough.
const MOST: usize = 24;
/// Shorter words that the model does not know as a whole are abbreviations of anything.
const SHORTEST: usize = 4;
/// Shorter numbers are everywhere.
const SHORTEST_NUMBER: usize = 3;

pub(super) fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let belongs = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let mut began = false;
    for token in text.split(|letter: char| !belongs(letter)) {
        let ends = token.is_empty() || token.ends_with('.');
        let token = token.trim_matches(|letter: char| !letter.is_alphanumeric());
        let words = token.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.map(str::to_lowercase);
        let found: Vec<String> = if is_name(token) {
            vec![words.collect::<Vec<_>>().join(" ")]
        } else {
            // A large letter in the middle of a sentence is a name's: *a Makefile*, *in Redis*.
            let is_named = began && token.starts_with(char::is_uppercase);
            words
                .filter(|word| word.chars().count() >= SHORTEST)
                .filter(|word| !is_everyday(word) || is_named && is_of_software(word))
                .collect()
        };
        began = !ends;
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() >= MOST {
            break;
        }
    }
    names
}

/// Whether a token resembles something out of code: `get_or_create`, `E0382`, `tsconfig.json`, `useMemo`, `ENOSPC`.
fn is_name(token: &str) -> bool {
    let letters = token.chars().filter(|letter| letter.is_alphabetic()).count();
    let has_digit = token.chars().any(char::is_numeric);
    let parts: Vec<&str> = token.split('.').collect();
    token.contains('_')
        || parts.windows(2).any(|pair| pair.iter().all(|part| part.chars().count() > 1))
        || has_digit && (letters > 0 || token.len() >= SHORTEST_NUMBER)
        || has_hump(token)
        || letters >= SHORTEST && token.chars().all(char::is_uppercase)
}

fn has_hump(token: &str) -> bool {
    token.chars().zip(token.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_out_of_a_sentence_is_a_name() {
        for (text, expected) in [
            ("how did we get rid of SQLITE_BUSY?", vec!["sqlite busy"]),
            ("E0382 again, in src/main.rs.", vec!["e0382", "main rs"]),
            ("the build stops with exit code 137", vec!["137"]),
            (
                "useLayoutEffect and ENOSPC, in docker-compose.yml",
                vec!["uselayouteffect", "enospc", "docker compose yml"],
            ),
            ("why does pgbouncer drop the kubeconfig", vec!["pgbouncer", "kubeconfig"]),
            ("add a login page with 2 ten-year-old tests, e.g. for caching", vec![]),
            ("I AM IN A HURRY", vec!["hurry"]),
            ("Write a Makefile for Linux", vec!["makefile"]),
            ("Makefile or makefile? Makefile", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn a_pasted_log_is_not_read_to_its_end() {
        let log: Vec<String> = (1000..9000).map(|number| format!("at {number}")).collect();
        assert_eq!(names(&log.join(" ")).len(), MOST);
    }
}
