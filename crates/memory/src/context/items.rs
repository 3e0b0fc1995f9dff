//! The items of a context and their texts.

use tenter_contract::Timestamp;
use tenter_ghap::{Entry, Status};

use super::age::ago;
use super::text::{on_one_line, title};
use super::{ContextSource, Form};
use crate::types::{JournalEntry, MemoryItem};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) source: ContextSource,
    pub(super) id: String,
    /// The text, which may be cut.
    pub(super) body: String,
    /// The citation with the id, which is never cut.
    pub(super) citation: String,
    pub(super) form: Form,
}

impl Item {
    pub(super) fn experience(entry: &Entry, now: Timestamp) -> Option<Self> {
        let lesson = lesson(entry)?;
        let mut body = format!("Goal: {}\nLesson: {lesson}", on_one_line(&entry.goal));
        for (name, text) in further(entry) {
            if !body.contains(&text) {
                body.extend(["\n", name, ": ", text.as_str()]);
            }
        }
        Some(Self::of_entry(entry, body, format!("\n{}", light_context(entry, now)), Form::Whole))
    }

    pub(super) fn lesson(entry: &Entry) -> Option<Self> {
        let how = ended(entry).map(|how| format!(" ({how})")).unwrap_or_default();
        let body = format!("- {}{how}: {}", title(&entry.goal), lesson(entry)?);
        Some(Self::of_entry(entry, body, format!(" [{}]", entry.id), Form::Short))
    }

    pub(super) fn work(entry: &Entry, now: Timestamp) -> Self {
        let how = ended(entry).map(|how| format!(", {how}")).unwrap_or_default();
        let id = if lesson(entry).is_none() { format!(" [{}]", entry.id) } else { String::new() };
        let citation = format!("{how} ({}){id}", ago(resolved_at(entry), now));
        Self::of_entry(entry, format!("- {}", on_one_line(&entry.goal)), citation, Form::Named)
    }

    /// A pointer to a line that the context has: its beginning and what it does not contain.
    pub(super) fn pointer(entry: &Entry) -> Self {
        let line = lesson(entry).unwrap_or_default();
        let mut body = format!("- {}", title(&entry.goal));
        for (name, text) in further(entry) {
            if !line.contains(&text) && !body.contains(&text) {
                body.extend(["\n  ", name, ": ", text.as_str()]);
            }
        }
        Self::of_entry(entry, body, String::new(), Form::Whole)
    }

    pub(super) fn page(page: &JournalEntry, now: Timestamp) -> Self {
        let mut body = format!("- {}", on_one_line(&page.summary));
        let next = page.next_steps.iter().map(|step| on_one_line(step)).filter(|step| !step.is_empty());
        let next = next.collect::<Vec<_>>().join("; ");
        if !next.is_empty() {
            body.truncate(body.trim_end_matches('.').len());
            body.extend(["; next: ", next.as_str()]);
        }
        Self {
            source: ContextSource::Experiences,
            id: page.id.clone(),
            body,
            citation: format!(" ({}) [{}]", ago(page.created_at, now), page.id),
            form: Form::Named,
        }
    }

    pub(super) fn memory(memory: &MemoryItem) -> Self {
        Self {
            source: ContextSource::Memories,
            id: memory.id.clone(),
            body: format!("- {}", on_one_line(&memory.content)),
            citation: format!(" [{}]", memory.id),
            form: Form::Whole,
        }
    }

    /// A text of an entry on a line.
    pub(super) fn line(entry: &Entry, text: &str) -> Self {
        Self::of_entry(entry, format!("- {}", on_one_line(text)), format!(" [{}]", entry.id), Form::Whole)
    }

    fn of_entry(entry: &Entry, body: String, citation: String, form: Form) -> Self {
        Self { source: ContextSource::Experiences, id: entry.id.clone(), body, citation, form }
    }
}

fn further(entry: &Entry) -> impl Iterator<Item = (&'static str, String)> {
    let surprise = entry.surprise.as_deref();
    let cause = entry.root_cause.as_ref().map(|cause| cause.description.as_str());
    let both = [("Surprise", surprise), ("Root cause", cause)];
    both.into_iter().filter_map(|(name, text)| Some((name, on_one_line(text?))))
}

pub(super) fn lesson(entry: &Entry) -> Option<String> {
    let stated = entry.lesson.as_ref();
    let takeaway = stated.and_then(|lesson| lesson.takeaway.as_deref());
    let worked = stated.map(|lesson| lesson.what_worked.as_str());
    let text = match (takeaway, worked, entry.status()) {
        (Some(takeaway), _, _) => on_one_line(takeaway),
        (None, Some(worked), _) => on_one_line(worked),
        (None, None, Some(Status::Falsified)) => {
            let cause = entry.root_cause.as_ref()?;
            format!("not \"{}\", but {}", on_one_line(&entry.hypothesis), on_one_line(&cause.description))
        }
        (None, None, Some(Status::Confirmed)) => {
            format!("{} ({})", on_one_line(&entry.hypothesis), on_one_line(&entry.action))
        }
        (None, None, Some(Status::Abandoned) | None) => return None,
    };
    Some(text)
}

/// The outcome of an entry, unless it was simply confirmed. A contradicted entry never reads like a success.
pub(super) fn ended(entry: &Entry) -> Option<&'static str> {
    match (entry.status()?, entry.contradicted().is_some()) {
        (Status::Confirmed, false) => None,
        (Status::Confirmed, true) => Some("claimed right, but contradicted by its last run"),
        (Status::Falsified, false) => Some("prediction was wrong"),
        (Status::Falsified, true) => Some("claimed wrong, but contradicted by its last run"),
        (Status::Abandoned, _) => Some("abandoned"),
    }
}

/// The end of an entry, or its start while it is active.
pub(super) fn resolved_at(entry: &Entry) -> Timestamp {
    entry.outcome.as_ref().map_or(entry.created_at, |outcome| outcome.captured_at)
}

fn light_context(entry: &Entry, now: Timestamp) -> String {
    let words = [entry.status().map(Status::as_str), entry.confidence_tier.map(tenter_ghap::Tier::as_str)];
    let otherwise = entry.contradicted().map(|_| "but its last run says otherwise");
    let words: Vec<&str> = words.into_iter().flatten().chain(otherwise).collect();
    format!("[{}; {}, {}]", entry.id, words.join(", "), ago(resolved_at(entry), now))
}
