use proptest::prelude::*;

use super::*;

/// A store of 1,000 texts, and a question of words that stand in so many of them.
fn question(places: &[usize]) -> Question {
    places.iter().fold(Question::new(1000), |question, places| question.with_word(*places))
}

fn ids(hits: &[Hit<u32>]) -> Vec<u32> {
    hits.iter().map(|hit| hit.id).collect()
}

#[test]
fn the_only_text_with_a_rare_word_comes_before_one_that_means_nearly_the_same() {
    let hits = fuse(&question(&[1]), &[(7, 6.5)], &[(3, 0.6), (7, 0.2)], |_| None);
    assert_eq!(ids(&hits), [7, 3]);
}

#[test]
fn a_like_meaning_comes_before_one_chance_word_of_many() {
    let hits = fuse(&question(&[5, 3, 8, 0, 0, 2]), &[(7, 5.0)], &[(3, 0.5), (7, 0.1)], |_| None);
    assert_eq!(ids(&hits), [3, 7]);
}

#[test]
fn a_hit_by_words_alone_is_asked_for_its_meaning() {
    let hits = fuse(&question(&[1, 1]), &[(1, 5.0), (2, 5.0)], &[], |id| (id == 2).then_some(0.4));
    assert_eq!(ids(&hits), [2, 1]);
    assert_eq!(hits[0].cosine, Some(0.4));
    assert_eq!(hits[1].cosine, None);
}

#[test]
fn of_equal_hits_the_smaller_id_comes_first() {
    assert_eq!(ids(&fuse(&question(&[1]), &[(9, 2.0), (4, 2.0)], &[], |_| None)), [4, 9]);
}

#[test]
fn nothing_found_is_nothing() {
    assert_eq!(ids(&fuse(&question(&[]), &[], &[], |_| None)), [0_u32; 0]);
}

#[test]
fn the_floor_lets_through_what_is_about_the_question() {
    let hit = |bm25, cosine| Hit { id: 1, score: 0.0, bm25, cosine };
    for (what, hit, words, shown) in [
        ("the same in other words", hit(None, Some(0.75)), &[3, 0, 0][..], true),
        ("all the words and a like meaning", hit(Some(13.0), Some(0.4)), &[1, 1], true),
        ("one error code and a like meaning", hit(Some(6.5), Some(0.5)), &[1], true),
        ("a meaning that is somewhat alike", hit(None, Some(0.5)), &[3, 0, 0], false),
        ("one common word, which is all of the prompt", hit(Some(4.0), Some(0.3)), &[40], false),
        ("one chance word of many", hit(Some(5.0), Some(0.3)), &[5, 3, 8, 0, 0, 2], false),
    ] {
        assert_eq!(
            is_relevant(&hit, &question(words)),
            shown,
            "{what}: {}",
            relevance(&hit, &question(words))
        );
    }
}

proptest! {
    #[test]
    fn more_words_or_more_likeness_never_make_less_of_a_hit(
        places in proptest::collection::vec(0_usize..2000, 0..8),
        bm25 in 0.0_f32..50.0,
        cosine in -1.0_f32..1.0,
        more in 0.0_f32..1.0,
    ) {
        let question = question(&places);
        let hit = |bm25, cosine| Hit { id: 0, score: 0.0, bm25: Some(bm25), cosine: Some(cosine) };
        let score = |bm25, cosine| blend(&question, Some(bm25), Some(cosine));
        prop_assert!(score(bm25 + more, cosine) >= score(bm25, cosine));
        prop_assert!(score(bm25, cosine + more) >= score(bm25, cosine));
        prop_assert!(relevance(&hit(bm25 + more, cosine), &question) >= relevance(&hit(bm25, cosine), &question));
        prop_assert!(score(bm25, cosine).is_finite());
    }

    #[test]
    fn every_id_comes_once_and_best_first(
        by_words in proptest::collection::btree_map(0_u32..50, 0.0_f32..20.0, 0..30),
        by_meaning in proptest::collection::btree_map(0_u32..50, -1.0_f32..1.0, 0..30),
    ) {
        let words: Vec<(u32, f32)> = by_words.clone().into_iter().collect();
        let meaning: Vec<(u32, f32)> = by_meaning.clone().into_iter().collect();
        let hits = fuse(&question(&[3, 4]), &words, &meaning, |_| None);
        let mut all: Vec<u32> = by_words.into_keys().chain(by_meaning.into_keys()).collect();
        all.sort_unstable();
        all.dedup();
        let mut found = ids(&hits);
        found.sort_unstable();
        prop_assert_eq!(found, all);
        prop_assert!(hits.is_sorted_by(|one, other| one.score >= other.score));
    }
}
