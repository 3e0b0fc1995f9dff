//! The light form: the best lessons and the latest work, for a session that begins.

use super::Assembled;
use super::items::Item;
use super::share::{Around, Section, compose};

/// What a session that begins may want to know, best or latest first.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) lessons: Vec<Item>,
    pub(super) work: Vec<Item>,
    pub(super) remembered: Vec<Item>,
}

/// At most so many lines of each.
pub(super) fn light(standing: Standing, limit: usize, max_tokens: usize) -> Assembled {
    let around = Around { title: "## Session Context".to_owned(), footer: super::rich::FOOTER };
    let section = |heading, items| Section { heading, between: "\n", weight: 1, items, most: limit };
    let sections = vec![
        section("Top Values:", standing.lessons),
        section("Recent Work:", standing.work),
        section("Remembered:", standing.remembered),
    ];
    compose(&around, sections, max_tokens)
}
