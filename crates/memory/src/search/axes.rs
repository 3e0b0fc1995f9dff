//! The four texts under which an experience is found, one per axis.
//!
//! They have the fields that the system which introduced them gave them, without its labels: a word that is in
//! every text finds none of them.

use tenter_ghap::{Entry, Status};

use crate::store::{Collection, IndexedText};
use crate::words::Axis;

/// What an entry is found by. What was not expected, and why, is known only of what was wrong.
pub(crate) fn indexed_texts(entry: &Entry) -> Vec<IndexedText> {
    let mut indexed = vec![text_for(Axis::Full, &full(entry)), text_for(Axis::Strategy, &strategy(entry))];
    if entry.status() == Some(Status::Falsified) && entry.surprise.is_some() {
        indexed.push(text_for(Axis::Surprise, &surprise(entry)));
        indexed.push(text_for(Axis::RootCause, &root_cause(entry)));
    }
    indexed
}

fn text_for(axis: Axis, lines: &[&str]) -> IndexedText {
    IndexedText { collection: Collection::Experiences(axis), text: lines.join("\n") }
}

fn full(entry: &Entry) -> Vec<&str> {
    let mut lines: Vec<&str> = vec![&entry.goal, &entry.hypothesis, &entry.action, &entry.prediction];
    lines.extend(entry.outcome.as_ref().map(|outcome| outcome.result.as_str()));
    lines.extend(entry.surprise.as_deref());
    lines.extend(entry.root_cause.as_ref().map(|cause| cause.description.as_str()));
    lines.extend(lesson(entry));
    lines
}

fn strategy(entry: &Entry) -> Vec<&str> {
    let mut lines: Vec<&str> = vec![entry.strategy.as_str(), &entry.goal];
    lines.extend(entry.status().map(Status::as_str));
    lines.extend(lesson(entry));
    lines
}

fn surprise(entry: &Entry) -> Vec<&str> {
    let mut lines: Vec<&str> = vec![&entry.prediction];
    lines.extend(entry.outcome.as_ref().map(|outcome| outcome.result.as_str()));
    lines.extend(entry.surprise.as_deref());
    lines.extend(cause(entry));
    lines
}

fn root_cause(entry: &Entry) -> Vec<&str> {
    let mut lines = cause(entry);
    lines.extend([entry.domain.as_str(), entry.strategy.as_str(), &entry.hypothesis]);
    lines
}

fn cause(entry: &Entry) -> Vec<&str> {
    let cause = entry.root_cause.as_ref();
    cause.map(|cause| vec![cause.category.as_str(), &cause.description]).unwrap_or_default()
}

fn lesson(entry: &Entry) -> impl Iterator<Item = &str> {
    entry
        .lesson
        .iter()
        .flat_map(|lesson| [Some(lesson.what_worked.as_str()), lesson.takeaway.as_deref()])
        .flatten()
}
