//! The light form: the best lessons and the latest work, for a session that begins.

use super::items::Item;
use super::share::{Around, Section, compose};
use super::{Assembled, Occasion};

/// What a session that begins may want to know, best or latest first.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) lessons: Vec<Item>,
    pub(super) work: Vec<Item>,
    pub(super) remembered: Vec<Item>,
}

/// At most so many lines of each. Nothing stands there twice: whoever asks gets the lesson of an entry; whoever does not
/// ask gets the latest as what was worked on, because their lessons come with the prompt that they are about.
pub(super) fn light(
    mut standing: Standing,
    occasion: Occasion,
    limit: usize,
    max_tokens: usize,
) -> Assembled {
    let Standing { lessons, work, .. } = &mut standing;
    match occasion {
        Occasion::Asked => {
            lessons.truncate(limit);
            work.retain(|item| !lessons.iter().any(|lesson| lesson.id == item.id));
        }
        Occasion::Unasked => {
            work.truncate(limit);
            lessons.retain(|lesson| !work.iter().any(|item| item.id == lesson.id));
        }
    }
    let around = Around { title: "## Session Context".to_owned(), footer: super::rich::FOOTER };
    let section = |heading, items| Section { heading, between: "\n", weight: 1, items, most: limit };
    let sections = vec![
        section("Top Values:", standing.lessons),
        section("Recent Work:", standing.work),
        section("Remembered:", standing.remembered),
    ];
    compose(&around, sections, max_tokens)
}
