//! What may be put into a context, and how one of them reads.

use tenter_contract::Timestamp;
use tenter_ghap::{Entry, Status};

use super::age::ago;
use super::text::{on_one_line, title};
use super::{ContextSource, Form};
use crate::questions::{JournalEntry, MemoryItem};

/// Something that may be put into a context.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) source: ContextSource,
    pub(super) id: String,
    /// What it says. This is compared and, where it is too long, cut.
    pub(super) body: String,
    /// What stands behind it in any case: how it is looked up.
    pub(super) citation: String,
    /// How much of it this is.
    pub(super) form: Form,
}

impl Item {
    /// An experience, in lines: what was wanted, and what was learned.
    pub(super) fn experience(entry: &Entry, now: Timestamp) -> Option<Self> {
        let lesson = lesson(entry)?;
        let mut body = format!("Goal: {}\nLesson: {lesson}", on_one_line(&entry.goal));
        for (name, text) in further(entry) {
            if !body.contains(&text) {
                body.extend(["\n", name, ": ", text.as_str()]);
            }
        }
        Some(Self::of_entry(entry, body, format!("\n{}", standing(entry, now)), Form::Whole))
    }

    /// The same on a line: the lesson, and what it is about, which few lessons say themselves.
    pub(super) fn lesson(entry: &Entry) -> Option<Self> {
        let how = ended(entry).map(|how| format!(" ({how})")).unwrap_or_default();
        let body = format!("- {}{how}: {}", title(&entry.goal), lesson(entry)?);
        Some(Self::of_entry(entry, body, format!(" [{}]", entry.id), Form::Short))
    }

    /// What was worked on, on a line. Where there is a lesson, the id comes with it, when it matters.
    pub(super) fn work(entry: &Entry, now: Timestamp) -> Self {
        let how = ended(entry).map(|how| format!(", {how}")).unwrap_or_default();
        let id = if lesson(entry).is_none() { format!(" [{}]", entry.id) } else { String::new() };
        let citation = format!("{how} ({}){id}", ago(resolved_at(entry), now));
        Self::of_entry(entry, format!("- {}", on_one_line(&entry.goal)), citation, Form::Named)
    }

    /// What the context has as a line already, for somebody who turns to it: how that line begins, and what it does not
    /// say. Its id stands there.
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

    /// What a session did, and what it said is next, on a line.
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

    /// A memory, on a line.
    pub(super) fn memory(memory: &MemoryItem) -> Self {
        Self {
            source: ContextSource::Memories,
            id: memory.id.clone(),
            body: format!("- {}", on_one_line(&memory.content)),
            citation: format!(" [{}]", memory.id),
            form: Form::Whole,
        }
    }

    /// Anything that is known of an entry, on a line.
    pub(super) fn line(entry: &Entry, text: &str) -> Self {
        Self::of_entry(entry, format!("- {}", on_one_line(text)), format!(" [{}]", entry.id), Form::Whole)
    }

    fn of_entry(entry: &Entry, body: String, citation: String, form: Form) -> Self {
        Self { source: ContextSource::Experiences, id: entry.id.clone(), body, citation, form }
    }
}

/// What was not expected, and why it came so.
fn further(entry: &Entry) -> impl Iterator<Item = (&'static str, String)> {
    let surprise = entry.surprise.as_deref();
    let cause = entry.root_cause.as_ref().map(|cause| cause.description.as_str());
    let both = [("Surprise", surprise), ("Root cause", cause)];
    both.into_iter().filter_map(|(name, text)| Some((name, on_one_line(text?))))
}

/// What is to be learned from an entry; none if nothing is.
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

/// How an entry ended, unless it simply came out as predicted. What a run has contradicted never reads like a success.
pub(super) fn ended(entry: &Entry) -> Option<&'static str> {
    match (entry.status()?, entry.contradicted().is_some()) {
        (Status::Confirmed, false) => None,
        (Status::Confirmed, true) => Some("said to be right, but its last run says otherwise"),
        (Status::Falsified, false) => Some("prediction was wrong"),
        (Status::Falsified, true) => Some("said to be wrong, but its last run says otherwise"),
        (Status::Abandoned, _) => Some("abandoned"),
    }
}

/// When an entry was done with; until then, when it was begun.
pub(super) fn resolved_at(entry: &Entry) -> Timestamp {
    entry.outcome.as_ref().map_or(entry.created_at, |outcome| outcome.captured_at)
}

/// How far it can be relied upon, and how it is looked up.
fn standing(entry: &Entry, now: Timestamp) -> String {
    let words = [entry.status().map(Status::as_str), entry.confidence_tier.map(tenter_ghap::Tier::as_str)];
    let otherwise = entry.contradicted().map(|_| "but its last run says otherwise");
    let words: Vec<&str> = words.into_iter().flatten().chain(otherwise).collect();
    format!("[{}; {}, {}]", entry.id, words.join(", "), ago(resolved_at(entry), now))
}
