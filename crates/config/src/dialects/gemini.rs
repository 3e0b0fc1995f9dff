//! Gemini CLI's settings. They have Claude Code's form, with other events, milliseconds and a switch of their own.

use tenter_contract::{Dialect, event_names};

use super::claude::{self, Rules};
use super::draft::{Converted, Draft, Name};
use super::{Origin, matchers, nodes};
use crate::fields::has_word;
use crate::source::SourceText;
use crate::tree::{Node, Value};

pub(super) const ORIGIN: Origin =
    Origin { dialect: Dialect::Gemini, recognise, fits: claude::recognise, convert };

/// Events that Claude Code does not have.
const EVENTS: &str =
    "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection PreCompress";

const SHARED: &str = "SessionStart SessionEnd Notification";

/// Where the switches are; older versions have them next to the events.
const SWITCHES: [&str; 2] = ["hooksConfig", "hooks"];

/// Whether settings of Claude Code's form are Gemini CLI's: they name more of its events than of Claude Code's.
pub(super) fn is_gemini(root: &Node) -> bool {
    let events = nodes::get(root, "hooks").and_then(nodes::entries).unwrap_or_default();
    let of_claude =
        |key: &str| !has_word(SHARED, key) && event_names::EVENTS.iter().any(|it| it.claude == key);
    let own = |key: &str| has_word(EVENTS, key);
    nodes::has(root, "hooksConfig") || nodes::has_more_keys(events, own, |key| !own(key) && of_claude(key))
}

fn recognise(root: &Node, source: &SourceText<'_>) -> bool {
    is_gemini(root) && claude::recognise(root, source)
}

pub(super) fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    converted.dialect = Dialect::Gemini;
    let rules = Rules { matcher: matchers::gemini, unit: "ms", default: |_| "60s", bash: true };
    claude::walk(root, source, &rules, converted);
    converted.other_keys.retain(|key| key != "hooksConfig");
    for section in SWITCHES.iter().filter_map(|key| nodes::get(root, key)) {
        let all_off = nodes::get(section, "enabled").is_some_and(|node| node.value == Value::Bool(false));
        let named = nodes::get(section, "disabled").and_then(nodes::items).unwrap_or_default();
        let named: Vec<&str> = named.iter().filter_map(nodes::as_text).collect();
        for draft in &mut converted.drafts {
            let key = if all_off { "hooksConfig.enabled" } else { "hooksConfig.disabled" };
            if all_off || named.iter().any(|name| is_called(draft, name)) {
                draft.put("enabled", nodes::switch(draft.place, false));
                draft.changed(section.place, key, "the hook is off, as it is there");
            }
        }
    }
    claude::note_who_runs_hooks(root, "Gemini CLI", converted);
}

/// Gemini CLI knows a hook by its name, else by its command.
fn is_called(draft: &Draft, name: &str) -> bool {
    let by_name = matches!(&draft.name, Name::Stated(stated) if stated == name);
    let command = draft.fields.iter().find(|(key, _)| key.text == "command").map(|(_, node)| node);
    let by_command = command.and_then(nodes::items).and_then(<[_]>::last).and_then(nodes::as_text);
    by_name || by_command == Some(name)
}
