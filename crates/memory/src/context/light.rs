//! The light form: the best lessons and the latest work, for a session that begins.

use super::Assembled;
use super::items::Item;
use super::share::{Around, Section, compose};

#[derive(Default)]
pub(super) struct LightContext {
    pub(super) lessons: Vec<Item>,
    pub(super) work: Vec<Item>,
    pub(super) remembered: Vec<Item>,
}

/// At most so many lines of each. Nothing is there twice, and what is left of the latest work is all the work there
/// is: older work in its place would be no recent work. Lessons get twice the room of the others, because each says what it is about as well.
pub(super) fn light(light_context: LightContext, limit: usize, max_tokens: usize) -> Assembled {
    let LightContext { mut lessons, mut work, remembered } = light_context;
    lessons.truncate(limit);
    work.truncate(limit);
    work.retain(|item| !lessons.iter().any(|lesson| lesson.id == item.id));
    let around = Around { title: "## Session Context".to_owned(), footer: super::rich::FOOTER };
    let section =
        |heading, weight, items| Section { weight, most: limit, ..Section::new(heading, "\n", items) };
    let sections = vec![
        section("Top Values (lessons learned):", 2, lessons),
        section("Recent Work:", 1, work),
        Section { rest: Some("tenter memory list"), ..section("Remembered:", 1, remembered) },
    ];
    compose(&around, sections, max_tokens)
}
