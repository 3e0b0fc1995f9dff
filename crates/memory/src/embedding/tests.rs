use proptest::prelude::*;

use super::*;
use crate::store::dot::{QueryVector, dot, inverse_length};

/// What the teacher's tokenizer says for a word that it does not know; ours says nothing.
const UNKNOWN: u16 = 100;

/// How alike two texts are, as the store compares them.
fn cosine(one: &Embedding, other: &Embedding) -> f32 {
    let other = other.to_bytes();
    QueryVector::new(&one.0).map_or(0.0, |query| dot(&other, &query) * inverse_length(&other))
}

/// The tokens of a text with nothing but the teacher's vocabulary and rules.
fn tokens(text: &str) -> Vec<u16> {
    let mut found = Vec::new();
    MODEL.each_word(text, false, |word| {
        MODEL.each_piece(word, MODEL.of_teacher, |piece| {
            found.push(piece);
            true
        })
    });
    found
}

#[test]
fn tokens_are_those_of_the_teacher_for_every_kind_of_character() {
    let mut texts = 0;
    for line in include_str!("fixtures/tokens.tsv").lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let expected: Vec<u16> = expected.split_whitespace().map(|token| token.parse().unwrap()).collect();
        let expected: Vec<u16> = expected.into_iter().filter(|token| *token != UNKNOWN).collect();
        assert_eq!(tokens(&text), expected, "{text:?}");
        texts += 1;
    }
    assert!(texts > 1000);
}

#[test]
fn tokens_are_those_of_the_teacher_in_every_text_of_the_evaluation() {
    let sets = [
        ("distractors.tsv", include_str!("../../evaluation/distractors.tsv")),
        ("exact-terms.tsv", include_str!("../../evaluation/exact-terms.tsv")),
        ("paraphrases.tsv", include_str!("../../evaluation/paraphrases.tsv")),
        ("unrelated.txt", include_str!("../../evaluation/unrelated.txt")),
    ];
    let found: Vec<String> = sets
        .iter()
        .map(|(name, text)| {
            let tokens: Vec<u16> = text.lines().flat_map(tokens).collect();
            let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
            let sum = bytes
                .iter()
                .fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
            format!("{name}\t{}\t{}\t{sum:08x}", text.lines().count(), tokens.len())
        })
        .collect();
    let expected: Vec<&str> = include_str!("fixtures/tokens-of-sets.tsv").lines().collect();
    assert_eq!(found, expected);
}

#[test]
fn the_models_page_names_the_file_that_is_here() {
    use sha2::Digest;
    let file = include_bytes!("../../model/static-256.bin");
    let sum: Vec<String> = sha2::Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect();
    let sum = sum.concat();
    let page = include_str!("../../model/README.md");
    assert!(page.contains(&sum), "write {sum} into crates/memory/model/README.md");
    assert!(page.contains(MODEL_ID) && MODEL_ID.starts_with(OUR_MODELS));
    assert!(file.len() <= 10_000_000);
}

#[test]
fn names_in_code_are_read_as_words() {
    for (name, words) in [
        ("readTimeout", "read timeout"),
        ("HTTPServer", "http server"),
        ("snake_case_name", "snake _ case _ name"),
        ("ConnectionResetError", "connection reset error"),
        ("utf8Decoder", "utf8 decoder"),
    ] {
        assert_eq!(Embedding::from_text(name), Embedding::from_text(words), "{name}");
    }
}

#[test]
fn a_text_is_most_like_itself_and_unlike_another() {
    let test = Embedding::from_text("the tests fail on the build server only");
    let other_words = Embedding::from_text("CI is red although everything passes locally");
    let bread = Embedding::from_text("a recipe for sourdough bread with seeds");
    assert!(cosine(&test, &test) > 0.98);
    assert!(cosine(&test, &other_words) > cosine(&test, &bread) + 0.1);
}

#[test]
fn what_has_no_word_is_near_to_nothing() {
    for text in ["", "   \n\t", "\u{0}\u{fffd}", "\u{10ffff}"] {
        assert_eq!(Embedding::from_text(text), Embedding([0; DIMENSIONS]), "{text:?}");
    }
}

#[test]
fn everyday_words_are_known_with_their_endings_and_names_are_not() {
    for word in ["test", "tests", "caching", "login", "quickly", "renamed"] {
        assert!(is_everyday(word), "{word}");
    }
    for word in ["e0382", "pgbouncer", "uselayouteffect", "goroutines"] {
        assert!(!is_everyday(word), "{word}");
    }
}

proptest! {
    #[test]
    fn any_text_has_a_vector_of_one_length_or_of_none(text in any::<String>()) {
        let embedding = Embedding::from_text(&text);
        let squares: f32 = embedding.0.iter().map(|number| (f32::from(*number) / SCALE).powi(2)).sum();
        prop_assert!(embedding == Embedding([0; DIMENSIONS]) || squares > 0.9, "{squares}");
    }
}
