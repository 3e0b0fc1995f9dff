//! The words of a question that say what it is about.
//!
//! Words that are everywhere cost most and say least. Which those are depends on what is stored, so the store is
//! asked in how many texts each word is, up to a limit, and the rarest are taken until looking at all of those
//! texts would take too long. If all words are common, texts are wanted in which all of them are.

/// So many texts are checked for one question; one costs about a microsecond.
const TEXTS: usize = 1500;
/// A word that is in so many texts is common, and not counted further.
pub(crate) const COMMON: usize = 1000;
/// A long question is not asked with more words than this.
pub(crate) const WORDS: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) word: String,
    /// In how many texts, counted up to [`COMMON`].
    pub(crate) texts: usize,
    /// In which, in order; no one asks of a common one.
    pub(crate) rows: Vec<i64>,
}

impl Places {
    pub(crate) fn of_common(word: String) -> Self {
        Self { word, texts: COMMON, rows: Vec::new() }
    }
}

/// What is asked of FTS5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MatchExpression {
    Any(Vec<String>),
    /// Texts with all of the words, each of which is common.
    All(Vec<String>),
}

impl MatchExpression {
    /// The question in FTS5's own language.
    pub(crate) fn query(&self) -> String {
        let (words, between) = match self {
            Self::Any(words) => (words, " OR "),
            Self::All(words) => (words, " AND "),
        };
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(between)
    }
}

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
    let distinctive: Vec<String> =
        all.iter().filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err()).cloned().collect();
    if distinctive.is_empty() { all } else { distinctive }
}

pub(crate) fn match_expression(words: &[Places]) -> Option<MatchExpression> {
    let mut words: Vec<&Places> = words.iter().filter(|places| places.texts > 0).collect();
    words.sort_by_key(|places| places.texts);
    words.truncate(WORDS);
    let named = |words: &[&Places]| words.iter().map(|places| places.word.clone()).collect();
    let rare = words.iter().filter(|places| places.texts < COMMON).count();
    if rare == 0 {
        return (!words.is_empty()).then(|| MatchExpression::All(named(&words)));
    }
    let mut sum = 0;
    let prefix = words[..rare].iter().take_while(|places| {
        sum += places.texts;
        sum <= TEXTS
    });
    let prefix = prefix.count().max(1);
    Some(MatchExpression::Any(named(&words[..prefix])))
}

/// A word as a string of FTS5, in which nothing has a meaning but the quotation mark.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(words: &[(&str, usize)]) -> Option<MatchExpression> {
        let places = |(word, texts): &(&str, usize)| Places {
            word: (*word).to_owned(),
            texts: *texts,
            rows: Vec::new(),
        };
        match_expression(&words.iter().map(places).collect::<Vec<_>>())
    }

    #[test]
    fn words_that_say_nothing_are_left_out_unless_there_are_no_others() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(words("Please fix the flaky Test, the TEST!"), ["fix", "flaky", "test"]);
        assert_eq!(words("what is it"), ["what", "is", "it"]);
        assert_eq!(words("größer/CamelCase_x2"), ["größer", "camelcase", "x2"]);
        assert_eq!(words(" \"*-"), Vec::<String>::new());
    }

    #[test]
    fn the_rarest_words_are_asked_for_while_there_is_room() {
        for (words, query, any) in [
            (vec![("a", 0)], None, false),
            (vec![("b", 7), ("a", 1), ("c", 0)], Some("\"a\" OR \"b\""), true),
            (vec![("a", 900), ("b", 800), ("c", 200)], Some("\"c\" OR \"b\""), true),
            (vec![("a", COMMON), ("b", 3)], Some("\"b\""), true),
            (vec![("a", COMMON), ("b", COMMON)], Some("\"a\" AND \"b\""), false),
        ] {
            let match_expression = counted(&words);
            assert_eq!(match_expression.as_ref().map(MatchExpression::query).as_deref(), query, "{words:?}");
            assert_eq!(matches!(match_expression, Some(MatchExpression::Any(_))), any, "{words:?}");
        }
    }
}
