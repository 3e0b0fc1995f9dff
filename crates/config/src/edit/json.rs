//! A hook in a JSON file with comments.

use serde_json::{Map, Value as Json};
use tenter_json_edit::{Child, JsonText, Step};

use super::NewEntry;

fn under_event(entry: &NewEntry) -> Json {
    Json::Object(Map::from_iter([(entry.event.clone(), Json::Array(vec![entry.keys()]))]))
}

pub(super) fn alone(entry: &NewEntry) -> String {
    let file = serde_json::json!({"version": 1, "hooks": under_event(entry)});
    format!("{}\n", serde_json::to_string_pretty(&file).unwrap_or_default())
}

pub(super) fn on_one_line(entry: &NewEntry) -> String {
    entry.keys().to_string()
}

/// The text with the hook as the last of its event, if the file has the expected types.
pub(super) fn ways(entry: &NewEntry, text: &str) -> Vec<String> {
    added(entry, text).into_iter().collect()
}

fn added(entry: &NewEntry, text: &str) -> Option<String> {
    let mut file = JsonText::parse(text).ok()?;
    let value = file.value().filter(Json::is_object)?;
    let path = [Step::Key("hooks"), Step::Key(&entry.event)];
    let list = Json::Array(vec![entry.keys()]);
    match value.get("hooks").map(|hooks| (hooks.is_object(), hooks.get(&entry.event))) {
        Some((true, Some(Json::Array(_)))) => file.append(&path, Child::Spread(None, &entry.keys())),
        Some((true, None)) => file.append(&path[..1], Child::Spread(Some(&entry.event), &list)),
        None => file.append(&[], Child::Spread(Some("hooks"), &under_event(entry))),
        Some(_) => return None,
    }
    .ok()?;
    Some(file.into_text())
}

/// Texts from which the hook may have been added: without it, without an event that becomes empty, and without `hooks`.
pub(super) fn without(entry: &NewEntry, text: &str) -> Vec<String> {
    let Ok(file) = JsonText::parse(text) else { return Vec::new() };
    let value = file.value().unwrap_or_default();
    let hooks = value.pointer("/hooks").and_then(|hooks| hooks.get(&entry.event)).and_then(Json::as_array);
    let Some(index) = hooks.and_then(|hooks| hooks.iter().rposition(|hook| *hook == entry.keys())) else {
        return Vec::new();
    };
    let path = [Step::Key("hooks"), Step::Key(&entry.event), Step::Item(index)];
    let without = |path: &[Step<'_>]| {
        let mut file = file.clone();
        file.remove(path).ok().map(|()| file.into_text())
    };
    [&path[..1], &path[..2], &path[..]].into_iter().filter_map(without).collect()
}
