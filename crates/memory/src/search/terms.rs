//! The words of a question that say what it is about.
//!
//! Words that stand everywhere cost most and say least. Which those are depends on what is stored, so the store is
//! asked how often each word occurs, up to a limit, and the rarest are taken until looking at all places where they
//! stand would take too long.

/// So many places are looked at for one question. A place costs about a microsecond.
const PLACES: usize = 4000;
/// A word that stands in more places than this is not counted further.
const COUNTED: usize = 2000;
/// A long question is not asked with more words than this.
const WORDS: usize = 24;
/// What a question is asked with at least, however common the words are.
const AT_LEAST: usize = 2;

/// Words that English and the way people talk to agents need everywhere. Sorted, so that they can be searched.
const STOP_WORDS: [&str; 138] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "between", "but", "by", "can", "could", "did", "do", "does",
    "doing", "don", "done", "down", "during", "each", "few", "for", "from", "further", "get", "give", "go",
    "had", "has", "have", "having", "he", "help", "her", "here", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "know", "let", "like", "ll", "look", "make", "me", "more", "most",
    "my", "need", "no", "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our",
    "out", "over", "own", "please", "re", "s", "same", "see", "she", "should", "so", "some", "still", "such",
    "t", "take", "than", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "try", "under", "until", "up", "us", "use", "very", "want", "was",
    "way", "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would",
    "yes", "you", "your",
];

/// The different words of a text, as FTS5 would split it, without those that say nothing; all if all say nothing.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !all.contains(&word) {
            all.push(word);
        }
        if all.len() == WORDS * 8 {
            break;
        }
    }
    let telling: Vec<String> =
        all.iter().filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err()).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// The query that finds any of the words, given how often each occurs (counted up to [`counted_up_to`]); none if none
/// of them occurs.
pub(crate) fn query(mut words: Vec<(String, usize)>) -> Option<String> {
    words.retain(|(_, places)| *places > 0);
    words.sort_by_key(|(_, places)| *places);
    words.truncate(WORDS);
    let mut sum = 0;
    let mut taken = Vec::new();
    for (word, places) in words {
        sum += places;
        if taken.len() >= AT_LEAST && sum > PLACES {
            break;
        }
        taken.push(quoted(&word));
    }
    (!taken.is_empty()).then(|| taken.join(" OR "))
}

/// Up to where it is worth counting.
pub(crate) const fn counted_up_to() -> usize {
    COUNTED
}

/// A word as a string of FTS5, in which nothing has a meaning but the quotation mark.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}
