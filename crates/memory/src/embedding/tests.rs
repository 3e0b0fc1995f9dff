use proptest::prelude::*;

use super::*;

/// What the teacher's tokenizer says for a word that it does not know; ours says nothing.
const UNKNOWN: u16 = 100;

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
fn names_in_code_are_read_as_words() {
    for (name, words) in [
        ("readTimeout", "read timeout"),
        ("HTTPServer", "http server"),
        ("snake_case_name", "snake _ case _ name"),
        ("ConnectionResetError", "connection reset error"),
        ("utf8Decoder", "utf8 decoder"),
    ] {
        assert_eq!(Embedding::of(name), Embedding::of(words), "{name}");
    }
}

#[test]
fn a_text_is_most_like_itself_and_unlike_another() {
    let test = Embedding::of("the tests fail on the build server only");
    let other_words = Embedding::of("CI is red although everything passes locally");
    let bread = Embedding::of("a recipe for sourdough bread with seeds");
    assert!(test.cosine(&test) > 0.98);
    assert!(test.cosine(&other_words) > test.cosine(&bread) + 0.1);
}

#[test]
fn what_has_no_word_is_near_to_nothing() {
    for text in ["", "   \n\t", "\u{0}\u{fffd}", "\u{10ffff}"] {
        assert_eq!(Embedding::of(text), Embedding([0; DIMENSIONS]), "{text:?}");
    }
}

#[test]
fn a_stored_vector_is_read_back() {
    let embedding = Embedding::of("stored and read back");
    assert_eq!(Embedding::from_bytes(&embedding.to_bytes()), Some(embedding));
    assert_eq!(Embedding::from_bytes(&[0; 255]), None);
}

#[test]
fn the_nearest_come_best_first_and_only_those_that_are_wanted() {
    let texts =
        ["slow query on a large table", "bake a cake", "the database is slow", "slow query on a large table"];
    let vectors: Vec<u8> = texts.iter().flat_map(|text| Embedding::of(text).to_bytes()).collect();
    let asked = Embedding::of("slow query on a large table");
    let places = |most, wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        nearest(&asked, &vectors, most, wanted).iter().map(|near| near.place).collect()
    };
    assert_eq!(places(9, &|_| true), [0, 3, 2, 1]);
    assert_eq!(places(2, &|place| place != 0), [3, 2]);
    assert_eq!(places(0, &|_| true), [0_usize; 0]);
}

proptest! {
    #[test]
    fn any_text_has_a_vector_of_one_length_or_of_none(text in any::<String>()) {
        let embedding = Embedding::of(&text);
        let alike = embedding.cosine(&embedding);
        prop_assert!(embedding == Embedding([0; DIMENSIONS]) || alike > 0.9, "{alike}");
    }

    #[test]
    fn the_nearest_are_those_that_comparing_one_by_one_finds(
        vectors in proptest::collection::vec(proptest::array::uniform32(any::<u8>()), 0..40),
        most in 0_usize..10,
    ) {
        // 32 bytes, eight times: the numbers are arbitrary, the length is right.
        let vectors: Vec<[u8; DIMENSIONS]> =
            vectors.iter().map(|part| std::array::from_fn(|at| part[at % 32])).collect();
        let asked = Embedding::of("anything at all");
        let mut expected: Vec<(usize, i32)> = vectors
            .iter()
            .map(|vector| scan::dot(&asked.0, &vector.map(u8::cast_signed)))
            .enumerate()
            .collect();
        expected.sort_by_key(|(place, dot)| (std::cmp::Reverse(*dot), *place));
        expected.truncate(most);
        let found = nearest(&asked, vectors.as_flattened(), most, |_| true);
        prop_assert_eq!(
            found.iter().map(|near| near.place).collect::<Vec<_>>(),
            expected.iter().map(|(place, _)| *place).collect::<Vec<_>>()
        );
    }
}
