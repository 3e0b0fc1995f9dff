use proptest::prelude::*;

use super::*;

/// A store of 1,000 texts, and a question of words that each occur in a given number of them.
fn question(places: &[usize]) -> QueryWeights {
    let mut question = QueryWeights::new(1000);
    for places in places {
        question.add_word("word", *places);
    }
    question
}

fn evidence(bm25: f32, cosine: f32) -> Evidence {
    Evidence { bm25: Some(bm25), cosine: Some(cosine), ..Evidence::default() }
}

fn meaning(cosine: f32) -> Evidence {
    Evidence { cosine: Some(cosine), ..Evidence::default() }
}

#[test]
fn the_only_text_with_a_rare_word_comes_before_one_that_means_nearly_the_same() {
    let question = question(&[1]);
    assert!(blend(&question, &evidence(6.5, 0.2)) > blend(&question, &meaning(0.6)));
}

#[test]
fn a_like_meaning_comes_before_one_chance_word_of_many() {
    let question = question(&[5, 3, 8, 0, 0, 2]);
    assert!(blend(&question, &evidence(5.0, 0.1)) < blend(&question, &meaning(0.3)));
}

#[test]
fn a_name_in_a_long_prompt_comes_before_a_like_meaning() {
    let mut question = question(&[0, 0, 5, 9, 0, 40, 0]);
    let name = question.add_name(1);
    let named = Evidence { named: question.named(name), ..evidence(6.0, 0.1) };
    assert!(blend(&question, &named) > blend(&question, &meaning(0.4)));
    // Of two names, one says half.
    question.add_name(1);
    assert!((question.named(name) - 0.5).abs() < 0.01);
}

#[test]
fn the_floor_lets_through_what_is_about_the_question() {
    let shown = |question: &QueryWeights, texts, evidence| relevance(question, &evidence) >= floor(texts);
    let [long, short] = [question(&[3, 0, 0, 5, 0]), question(&[100, 90])];
    for (what, question, texts, evidence, expected) in [
        ("the same in other words", &long, 1_000, meaning(0.6), true),
        ("somewhat alike among many", &long, 1_000, meaning(0.4), false),
        ("as much alike, and there is nothing else", &long, 1, meaning(0.4), true),
        ("nothing alike, and there is nothing else", &long, 1, meaning(0.2), false),
        ("a prompt that says nothing", &short, 10, meaning(0.6), false),
        ("all the words", &long, 10_000, Evidence { covered: 1.0, ..meaning(0.0) }, true),
        (
            "half of the words and a like meaning",
            &long,
            1_000,
            Evidence { covered: 0.5, ..meaning(0.4) },
            true,
        ),
        ("a chance word", &long, 1_000, Evidence { covered: 0.25, ..meaning(0.4) }, false),
        ("a chance word and another meaning", &long, 1_000, Evidence { covered: 0.3, ..meaning(0.2) }, false),
        ("a name and a like meaning", &long, 1_000, Evidence { named: 1.0, ..meaning(0.3) }, true),
        ("a name among few", &short, 1, Evidence { named: 1.0, ..meaning(0.0) }, true),
    ] {
        assert_eq!(shown(question, texts, evidence), expected, "{what}: {}", relevance(question, &evidence));
    }
}

#[test]
fn rare_words_cover_a_question_and_words_of_the_trade_do_not() {
    let mut question = QueryWeights::new(3);
    let [flaky, cache, test, fix] = ["flaky", "cache", "test", "fix"].map(|word| question.add_word(word, 1));
    assert!(question.covered(flaky + cache) > 0.5);
    assert!(question.covered(test + fix) < 0.1);
    let mut alone = QueryWeights::new(3);
    let hello = alone.add_word("hello", 1);
    assert!(alone.covered(hello) < 0.5, "one word is not much of a question");
}

#[test]
fn a_name_that_stands_in_many_texts_is_not_much_of_one() {
    let mut question = QueryWeights::new(1000);
    let everywhere = question.add_name(100);
    assert!(question.named(everywhere) < 0.5);
}

proptest! {
    #[test]
    fn more_words_or_more_likeness_never_make_less_of_a_text(
        places in proptest::collection::vec(0_usize..2000, 0..8),
        bm25 in 0.0_f32..50.0,
        cosine in -1.0_f32..1.0,
        share in 0.0_f32..1.0,
        more in 0.0_f32..1.0,
    ) {
        let question = question(&places);
        let less = Evidence { bm25: Some(bm25), cosine: Some(cosine), covered: share, named: share };
        for greater in [
            Evidence { bm25: Some(bm25 + more), ..less },
            Evidence { cosine: Some(cosine + more), ..less },
            Evidence { covered: share + more, ..less },
            Evidence { named: share + more, ..less },
        ] {
            prop_assert!(blend(&question, &greater) >= blend(&question, &less));
            prop_assert!(relevance(&question, &greater) >= relevance(&question, &less));
        }
        prop_assert!(blend(&question, &less).is_finite() && relevance(&question, &less).is_finite());
    }

    #[test]
    fn more_texts_never_lower_the_floor(texts in 0_usize..200_000, more in 0_usize..1000) {
        prop_assert!(floor(texts + more) >= floor(texts) && floor(texts + more) < VERBATIM);
    }
}
