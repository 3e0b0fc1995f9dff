//! Recognises the rows of the store by their values, because pages do not name their table.

use tenter_contract::Timestamp;
use tenter_ghap::Entry;

use super::record::Value;
use crate::types::{Experience, JournalEntry, MemoryItem};
use crate::words::MemoryCategory;

pub(super) enum Row {
    Experience(Box<Experience>),
    Memory(MemoryItem),
    Page(JournalEntry),
    Identity(String, String),
    Forgotten(String, String, i64),
    /// A row of an index: a row with this id exists or existed.
    Id(String),
}

/// The kinds of things that can be forgotten.
const KINDS: [&str; 3] = ["experience", "memory", "journal"];

pub(super) fn recognise(values: &[Value]) -> Option<Row> {
    match values {
        [Value::Nothing, id, _, _, _, _, _, _, _, superseded, entry, ..] => experience(id, superseded, entry),
        [Value::Nothing, id, project, category, importance, tags, moment, superseded, content] => {
            let category = MemoryCategory::parse(category.text()?)?;
            let importance = importance.fraction().filter(|share| (0.0..=1.0).contains(share))?;
            Some(Row::Memory(MemoryItem {
                id: id.text().filter(|id| !id.is_empty())?.to_owned(),
                content: content.text()?.to_owned(),
                category,
                importance,
                tags: serde_json::from_str(tags.text()?).ok()?,
                created_at: Timestamp::from_unix_ms(u64::try_from(moment.whole()?).ok()?),
                project: project.text().map(str::to_owned),
                superseded_by: superseded.text().map(str::to_owned),
            }))
        }
        [id, _, _, _, _, _, page, log] => {
            let page: JournalEntry = serde_json::from_str(page.text()?).ok()?;
            (page.id == id.text()?).then_some(())?;
            Some(Row::Page(JournalEntry { session_log: log.text().map(str::to_owned), ..page }))
        }
        [id, kind, moment] => {
            let kind = kind.text().filter(|kind| KINDS.contains(kind))?;
            Some(Row::Forgotten(named(id)?, kind.to_owned(), moment.whole()?))
        }
        [Value::Text(mark), Value::Text(name)] if mark.starts_with("git:") || mark.starts_with("folder:") => {
            Some(Row::Identity(mark.clone(), name.clone()))
        }
        [id, Value::Whole(_)] => {
            let ours = |id: &String| id.starts_with("ghap_") || id.starts_with("mem_");
            named(id).filter(ours).map(Row::Id)
        }
        _ => None,
    }
}

fn experience(id: &Value, superseded: &Value, entry: &Value) -> Option<Row> {
    let entry: Entry = serde_json::from_str(entry.text()?).ok()?;
    let is_whole = entry.id == id.text()? && entry.outcome.is_some();
    let superseded_by = superseded.text().map(str::to_owned);
    is_whole.then(|| Row::Experience(Box::new(Experience { entry, superseded_by })))
}

/// An id: a short word.
fn named(value: &Value) -> Option<String> {
    let id = value.text()?;
    let is_word = id.len() < 100 && id.bytes().all(|byte| byte.is_ascii_graphic());
    (is_word && !id.is_empty()).then(|| id.to_owned())
}
