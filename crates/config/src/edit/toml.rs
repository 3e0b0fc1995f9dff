//! A hook in a TOML file: a table of its own at the end.

use serde_json::Value as Json;

use super::{NewEntry, in_style, inline, without_piece};

pub(super) fn table(entry: &NewEntry) -> String {
    let heading = format!("[[hooks.{}]]\nname = {}\n", quoted(&entry.event), quoted(&entry.name));
    heading + &entry.lines("", " = ", quoted)
}

/// The entry as an item of a list that is written in one line.
pub(super) fn on_one_line(entry: &NewEntry) -> String {
    inline(&entry.keys(), " = ", quoted)
}

/// A basic string; JSON's escapes are among TOML's, and what JSON leaves bare and TOML does not is one character.
fn quoted(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007F")
}

pub(super) fn ways(entry: &NewEntry, text: &str) -> Vec<String> {
    vec![format!("{text}{}", in_style(&format!("{}{}", gap(text), table(entry)), text))]
}

fn gap(text: &str) -> &'static str {
    match (text.is_empty(), text.ends_with('\n')) {
        (true, _) => "",
        (false, true) => "\n",
        (false, false) => "\n\n",
    }
}

/// Every text into which the entry may have been put.
pub(super) fn without(entry: &NewEntry, text: &str) -> Vec<String> {
    ["\n", "\n\n", ""]
        .iter()
        .flat_map(|gap| without_piece(text, &in_style(&format!("{gap}{}", table(entry)), text)))
        .collect()
}
