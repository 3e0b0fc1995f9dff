//! The light form: the best lessons and the latest work, for a session that begins.

use super::Assembled;
use super::items::Item;
use super::share::{Section, compose};

#[derive(Default)]
pub(super) struct LightContext {
    pub(super) lessons: Vec<Item>,
    pub(super) work: Vec<Item>,
    pub(super) remembered: Vec<Item>,
}

/// At most `limit` lines per section. Work that is already a lesson is not replaced by older work. Lessons get twice the
/// room of the others, because each also names its goal.
pub(super) fn light(light_context: LightContext, limit: usize, max_tokens: usize) -> Assembled {
    let LightContext { mut lessons, mut work, remembered } = light_context;
    lessons.truncate(limit);
    work.truncate(limit);
    work.retain(|item| !lessons.iter().any(|lesson| lesson.id == item.id));
    let section =
        |heading, weight, items| Section { weight, most: limit, ..Section::new(heading, "\n", items) };
    let sections = vec![
        section("Top Values (lessons learned):", 2, lessons),
        section("Recent Work:", 1, work),
        Section { rest: Some("tenter memory list"), ..section("Remembered:", 1, remembered) },
    ];
    compose("## Session Context", super::rich::FOOTER, sections, max_tokens)
}
