//! The hook scripts of the learning memory: `session_start`, `user_prompt_submit`, `ghap_checkin`,
//! `outcome_capture` and `session_end` as tables, or lists below `SessionStart`, `PreToolCall` and so on.
//! Times are milliseconds.

use tenter_contract::{Dialect, event_names};

use super::draft::{Converted, Draft, Name};
use super::{Origin, nodes, shell};
use crate::fields::{Field, Fields, has_word};
use crate::source::SourceText;
use crate::tree::{Key, Node, Value};
use crate::values;

pub(super) const ORIGIN: Origin = Origin { dialect: Dialect::Ghap, recognise, fits: recognise, convert };

const HOOK: &str = "script command timeout_ms timeout enabled once matcher matchers frequency inject_light_context \
    context_depth token_budget include_code auto_capture";
/// Settings that only the script can act on.
const FOR_THE_SCRIPT: &str =
    "inject_light_context context_depth token_budget include_code auto_capture frequency";
const SECTIONS: &str = "session_start user_prompt_submit ghap_checkin outcome_capture session_end";
/// Scripts after a tool receive its result, so they are asked at both of our events: agents have one for tools
/// that failed.
const AFTER_A_TOOL: [&str; 2] = ["outcome_capture", "PostToolCall"];
const FAILED: &str = "tool:error";
/// Events that no other system calls so.
pub(super) const TOOL_EVENTS: &str = "PreToolCall PostToolCall";
const EVENTS: &str = "SessionStart UserPromptSubmit PreToolCall PostToolCall SessionEnd";

/// The five sections; or its events with flat hooks that have no name. Such a list with names is a file of
/// ours whose version was forgotten.
fn recognise(root: &Node, _source: &SourceText<'_>) -> bool {
    let Some(entries) = nodes::get(root, "hooks").and_then(nodes::entries).filter(|it| !it.is_empty()) else {
        return false;
    };
    let section = |node: &Node| nodes::has(node, "script") || nodes::has(node, "timeout_ms");
    let known = |events: &str, key: &Key| has_word(events, &key.text);
    if entries.iter().any(|(key, node)| known(SECTIONS, key) && section(node))
        && entries.iter().all(|(_, node)| nodes::entries(node).is_some())
    {
        return true;
    }
    // An unknown event, or one of other systems, makes its hook invalid, and not the file another system's.
    let own = entries.iter().any(|(key, _)| known(TOOL_EVENTS, key));
    let could_be = |key: &Key| own || known(EVENTS, key) || event_names::find(&key.text).is_none();
    let flat =
        |hook: &Node| nodes::has(hook, "command") && !nodes::has(hook, "name") && !nodes::has(hook, "hooks");
    let of_others = |hook: &Node| ["name", "hooks", "handler"].iter().any(|key| nodes::has(hook, key));
    let hooks = |node| nodes::items(node).unwrap_or_default();
    entries.iter().any(|(key, node)| known(EVENTS, key) && hooks(node).iter().any(flat))
        && entries.iter().all(|(key, node)| {
            could_be(key) && nodes::items(node).is_some() && !hooks(node).iter().any(of_others)
        })
}

fn convert(root: &Node, _source: &SourceText<'_>, converted: &mut Converted) {
    converted.note_other_keys(root, &["hooks"]);
    let Some(hooks) = nodes::get(root, "hooks") else { return };
    for (event, node) in converted.events(hooks) {
        if nodes::entries(node).is_some() {
            let draft = converted.draft(&event.text, node);
            let Some(fields) = converted.fields(node) else { continue };
            let mut draft = convert_hook(&fields, draft);
            let name = event.text.replace('_', "-");
            draft.name = Name::Stated(name.clone());
            converted.drafts.push(draft);
            if event.text == AFTER_A_TOOL[0] {
                let mut failed = convert_hook(&fields, converted.draft(FAILED, node));
                failed.name = Name::Stated(format!("{name}-failed"));
                converted.drafts.push(failed);
            }
            continue;
        }
        for hook in converted.list(event, node) {
            let Some(fields) = converted.fields(hook) else { continue };
            let draft = converted.draft(&event.text, hook);
            converted.drafts.push(convert_hook(&fields, draft));
            if event.text == AFTER_A_TOOL[1] {
                let mut failed = convert_hook(&fields, converted.draft(FAILED, hook));
                failed.name = Name::From(format!("{}-failed", event.text));
                converted.drafts.push(failed);
            }
        }
    }
}

fn convert_hook(fields: &Fields<'_>, mut draft: Draft) -> Draft {
    draft.report_unknown_keys(fields, HOOK);
    program(fields, &mut draft);
    draft.take(fields, "enabled", "enabled");
    draft.take(fields, "matcher", "matcher");
    if let Some(field) = fields.get("matchers") {
        commands(&field, &mut draft);
    }
    draft.timeout(fields, "timeout", "ms");
    draft.timeout(fields, "timeout_ms", "ms");
    if nodes::is_true(fields.get("once").map(|field| field.node)) {
        let place = draft.place;
        draft.put_text("once", place, "session");
        draft.kept.push("once".to_owned());
    }
    for key in FOR_THE_SCRIPT.split(' ') {
        let Some(field) = fields.get(key) else { continue };
        let Some(value) = nodes::plain(field.node) else { continue };
        let variable = format!("GHAP_{}", key.to_ascii_uppercase());
        draft.set_variable(field.node.place, &variable, &value);
        if key != "frequency" {
            draft.changed(field.node.place, key, format!("the script finds it as the variable `{variable}`"));
        }
    }
    if let Some(field) = fields.get("frequency") {
        draft.put_when_known(
            ("frequency", "every"),
            field.node.clone(),
            "the script is asked at every call, and finds the number as the variable `GHAP_FREQUENCY`",
        );
    }
    let place = draft.place;
    draft.put_text("on_failure", place, "allow");
    draft
}

/// The script, by its path from the project root.
fn program(fields: &Fields<'_>, draft: &mut Draft) {
    match (fields.get("script"), fields.get("command")) {
        (Some(field), _) => {
            if let Some(path) = draft.keep(values::filled_text(&field)) {
                draft.put_text("command", field.node.place, shell::word(path));
                draft.kept.push("script".to_owned());
            }
        }
        (None, Some(field)) => {
            if let Some(line) = draft.keep(values::filled_text(&field)) {
                draft.put_text("command", field.node.place, line);
                draft.kept.push("command".to_owned());
            }
        }
        (None, None) => {
            let place = draft.place;
            draft.refuse(place, "it has neither `script` nor `command`", "say what is to be run");
        }
    }
}

/// `["pytest", "npm test"]`: beginnings of commands.
fn commands(field: &Field<'_>, draft: &mut Draft) {
    let place = field.node.place;
    let Some(commands) = draft.keep(values::texts(field)) else { return };
    let commands: Vec<&str> = commands.into_iter().map(str::trim).filter(|it| !it.is_empty()).collect();
    if commands.is_empty() {
        if !matches!(&field.node.value, Value::List(items) if items.is_empty()) {
            draft.refuse(place, "its `matchers` match nothing", "name the commands it is for");
        }
        return;
    }
    draft.put_text("matcher", place, format!("Bash({})", commands.join("|")));
    draft.kept.push("matchers".to_owned());
}
