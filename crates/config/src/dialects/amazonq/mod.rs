//! Amazon Q and Kiro: context hooks of the global configuration and of profiles, the older table by name,
//! hooks of agent files, files for the context (`context`), and Kiro's files of version 1 (`kiro`).

mod context;
mod kiro;

use tenter_contract::{Dialect, EventKind, builtin_names, event_names};

use super::draft::{Converted, Draft, Name};
use super::{Origin, ghap, matchers, nodes, shell};
use crate::fields::{Field, Fields, has_word};
use crate::source::SourceText;
use crate::suggest;
use crate::tree::{Key, Node, Value};
use crate::values;

pub(super) const ORIGIN: Origin = Origin { dialect: Dialect::AmazonQ, recognise, fits, convert };

const HOOK: &str = "name type path command url headers enabled disabled timeout_ms max_output_size cache_ttl_seconds matcher";
/// The same in the older form.
const HOOK_BY_NAME: &str = "trigger name type path command url headers enabled disabled timeout_ms \
    max_output_size cache_ttl_seconds matcher";
/// Keys that no hook of theirs has, and hooks of ours and of others do.
const OURS: &str = "hooks deny ask inject message builtin run when on_failure handler";
const CONTEXT_TRIGGERS: &str = "conversation_start per_prompt";
const AGENT_TRIGGERS: [&str; 5] = ["agentSpawn", "userPromptSubmit", "preToolUse", "postToolUse", "stop"];
/// What Amazon Q keeps of an output, and we of a text.
const OUTPUT: f64 = 10_240.0;

fn recognise(root: &Node, _source: &SourceText<'_>) -> bool {
    if kiro::recognise(root) {
        return true;
    }
    let Some(entries) = hooks_of(root).map_or(Some(&[][..]), nodes::entries) else { return false };
    if entries.is_empty() {
        return context::recognise(root);
    }
    let listed = entries.iter().any(|(key, _)| is_trigger(&key.text))
        && entries.iter().all(|(_, node)| is_flat(node))
        && (entries.iter().all(|(key, _)| is_trigger(&key.text) || event_names::find(&key.text).is_none())
            || is_their_own(root, entries));
    let context = entries.iter().all(|(key, _)| has_word(CONTEXT_TRIGGERS, &key.text));
    let has_trigger = |node: &Node| trigger_of(node).is_some_and(|it| has_word(CONTEXT_TRIGGERS, it));
    let named =
        entries.iter().any(|(_, node)| has_trigger(node)) && entries.iter().all(|(_, node)| by_name(node));
    listed || context || named
}

/// Lists of hooks without keys of others, whatever their events are called.
fn fits(root: &Node, source: &SourceText<'_>) -> bool {
    let entries = hooks_of(root).and_then(nodes::entries).unwrap_or_default();
    let lists = !entries.is_empty() && entries.iter().all(|(_, node)| nodes::items(node).is_some());
    recognise(root, source) || lists && entries.iter().all(|(_, node)| is_flat(node))
}

fn is_trigger(text: &str) -> bool {
    has_word(CONTEXT_TRIGGERS, text) || AGENT_TRIGGERS.contains(&text)
}

/// Whether no hook of an event has a key that hooks of theirs never have.
fn is_flat(node: &Node) -> bool {
    let foreign = |hook: &Node| OURS.split(' ').any(|key| nodes::has(hook, key));
    nodes::items(node).is_none_or(|hooks| !hooks.iter().any(foreign))
}

/// Whether a file that also names events of others is theirs all the same: it is an agent's, or its hooks could not
/// be ours, because they have no name or keys that only theirs have.
fn is_their_own(root: &Node, entries: &[(Key, Node)]) -> bool {
    let agent = ["tools", "allowedTools", "mcpServers", "resources", "prompt", "name", "description"];
    let own_key = |hook: &Node| {
        ["timeout_ms", "max_output_size", "cache_ttl_seconds"].iter().any(|key| nodes::has(hook, key))
    };
    let mut hooks = entries.iter().filter_map(|(_, node)| nodes::items(node)).flatten();
    agent.iter().any(|key| nodes::has(root, key))
        || nodes::has_more_keys(entries, is_trigger, |key| has_word(ghap::TOOL_EVENTS, key))
            && hooks.any(|hook| !nodes::has(hook, "name") || own_key(hook))
}

/// The older form: a table by name, each with its trigger.
fn by_name(node: &Node) -> bool {
    trigger_of(node).is_some()
}

fn trigger_of(node: &Node) -> Option<&str> {
    nodes::get(node, "trigger").and_then(nodes::as_text)
}

fn hooks_of(root: &Node) -> Option<&Node> {
    nodes::get(root, "context")
        .and_then(|context| nodes::get(context, "hooks"))
        .or_else(|| nodes::get(root, "hooks"))
}

fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    if kiro::recognise(root) {
        return kiro::convert(root, converted);
    }
    converted.note_other_keys(root, &["hooks", "context", "paths", "resources"]);
    context::convert(root, source, converted);
    let Some(hooks) = hooks_of(root) else { return };
    for (key, node) in converted.events(hooks) {
        if by_name(node) {
            let trigger = trigger_of(node).unwrap_or_default().to_owned();
            if let Some(mut draft) = convert_hook(&trigger, node, converted) {
                draft.name = Name::Stated(key.text.clone());
                draft.kept.push("trigger".to_owned());
                converted.drafts.push(draft);
            }
            continue;
        }
        for hook in converted.list(key, node) {
            if let Some(draft) = convert_hook(&key.text, hook, converted) {
                converted.drafts.push(draft);
            }
        }
    }
    servers(root, converted);
}

fn convert_hook(trigger: &str, node: &Node, converted: &mut Converted) -> Option<Draft> {
    let fields = converted.fields(node)?;
    let mut draft = converted.draft(trigger, node);
    if let Some(name) = nodes::text_of(&fields, "name") {
        draft.name = Name::Stated(name.to_owned());
        draft.kept.push("name".to_owned());
    }
    if !is_trigger(trigger) {
        let what = format!("Amazon Q has no event `{trigger}`");
        draft.refuse(node.place, what, instead_of(trigger));
    }
    draft.report_unknown_keys(&fields, if by_name(node) { HOOK_BY_NAME } else { HOOK });
    convert_handler(&fields, &mut draft);
    matcher(trigger, &fields, &mut draft);
    let place = draft.place;
    if ["conversation_start", "agentSpawn"].contains(&trigger) {
        draft.put_text("once", place, "session");
    }
    // All hooks of a trigger run together there.
    draft.put("parallel", nodes::switch(place, true));
    draft.timeout(&fields, "timeout_ms", "ms");
    max_output(&fields, &mut draft);
    if let Some(field) = fields.get("cache_ttl_seconds")
        && let Some(seconds) = draft.number(&field).filter(|seconds| *seconds > 0.0)
    {
        let ttl = nodes::text(field.node.place, format!("{seconds}s"));
        draft.put_when_known(("cache_ttl_seconds", "cache"), ttl, "the hook runs every time");
    }
    draft.take(&fields, "enabled", "enabled");
    if let Some(field) = fields.get("disabled").filter(|field| field.node.value == Value::Bool(true)) {
        draft.put("enabled", nodes::switch(field.node.place, false));
        draft.kept.push("disabled".to_owned());
    }
    draft.put_text("on_failure", place, "allow");
    Some(draft)
}

/// The trigger that was meant, or all of them.
fn instead_of(trigger: &str) -> String {
    let kind = EventKind::parse(trigger);
    let meant = AGENT_TRIGGERS.iter().find(|it| kind.is_some() && EventKind::parse(it) == kind);
    let meant = meant.copied().or_else(|| suggest::nearest(trigger, AGENT_TRIGGERS));
    meant.map_or_else(
        || format!("write one of `{}`, or put it into a hook file of ours", AGENT_TRIGGERS.join("`, `")),
        |meant| format!("write `{meant}`"),
    )
}

/// What it does: by `type`, or by the first character of `command`.
fn convert_handler(fields: &Fields<'_>, draft: &mut Draft) {
    let place = draft.place;
    let kind = nodes::text_of(fields, "type");
    if kind.is_some() {
        draft.kept.push("type".to_owned());
    }
    match (kind, fields.get("path"), fields.get("url"), fields.get("command")) {
        (Some("script") | None, Some(_), _, None) => {
            draft.take(fields, "path", "script");
        }
        (Some("http") | None, _, Some(url), None) => {
            http(url.node.clone(), fields, draft);
            draft.kept.push("url".to_owned());
        }
        (Some("inline") | None, _, _, Some(command)) => convert_line(&command, fields, draft),
        (Some("script"), ..) => draft.refuse(place, "it has no `path`", "say which script is run"),
        (Some("http"), ..) => draft.refuse(place, "it has no `url`", "say which server is asked"),
        (Some("inline") | None, ..) => draft.refuse(place, "it has no `command`", "say what is to be run"),
        (Some(other), ..) => {
            draft.refuse(
                place,
                format!("no hook is of type `{other}`"),
                "write `script`, `http` or `inline`",
            );
        }
    }
}

fn http(url: Node, fields: &Fields<'_>, draft: &mut Draft) {
    let place = url.place;
    let mut table = vec![("url", url), ("method", nodes::text(place, "get"))];
    if let Some(headers) = fields.get("headers") {
        table.push(("headers", headers.node.clone()));
        draft.kept.push("headers".to_owned());
    }
    draft.put("http", nodes::table(place, table));
}

fn convert_line(field: &Field<'_>, fields: &Fields<'_>, draft: &mut Draft) {
    let place = field.node.place;
    let Some(text) = draft.keep(values::filled_text(field)) else { return };
    draft.kept.push("command".to_owned());
    let text = text.trim();
    match text.chars().next() {
        Some('#') => convert_tool(text[1..].trim_start(), field, fields, draft),
        Some('/') if builtin_names::find(&text[1..]).is_some() => {
            draft.put_text("builtin", place, &text[1..]);
        }
        first => {
            let line = if first == Some('!') { text[1..].trim_start() } else { text };
            draft.put("command", shell::bash(place, line));
            if shell::leaves_something_running(line) {
                draft.put("detach", nodes::switch(place, true));
            }
        }
    }
}

/// `#context-api URL` or `#server/tool {"key": "value"}`.
fn convert_tool(text: &str, field: &Field<'_>, fields: &Fields<'_>, draft: &mut Draft) {
    let place = field.node.place;
    if let Some(url) = text.strip_prefix("context-api").map(str::trim).filter(|url| !url.is_empty()) {
        return http(nodes::text(place, url), fields, draft);
    }
    draft.put_text("run", place, format!("#{text}"));
}

fn matcher(trigger: &str, fields: &Fields<'_>, draft: &mut Draft) {
    let Some(field) = fields.get("matcher") else { return };
    if field.node.value == Value::Null {
        return;
    }
    let place = field.node.place;
    let Some(text) = draft.keep(values::text(&field)) else { return };
    if !["preToolUse", "postToolUse"].contains(&trigger) {
        return draft.changed(
            place,
            "matcher",
            format!("is left out: at `{trigger}` nothing is compared with it there"),
        );
    }
    draft.matched(place, text, matchers::amazonq(text));
}

fn max_output(fields: &Fields<'_>, draft: &mut Draft) {
    let Some(field) = fields.get("max_output_size") else { return };
    let place = field.node.place;
    let Some(bytes) = draft.number(&field) else { return };
    if bytes > OUTPUT {
        draft.changed(
            place,
            "max_output_size",
            "a text is cut at `limits.injection_bytes`, 10,240 unless stated",
        );
    } else if bytes < 1024.0 {
        draft.put_text("max_output", place, "1KiB");
        draft.changed(place, "max_output_size", "is 1,024 bytes, the least that is read of a hook");
    } else {
        draft.take(fields, "max_output_size", "max_output");
    }
}

/// The MCP servers of an agent file, under our key.
fn servers(root: &Node, converted: &mut Converted) {
    let Some(servers) = nodes::get(root, "mcpServers").and_then(nodes::entries) else { return };
    let known = ["command", "args", "env", "url", "headers"];
    let ours = |(key, node): &(Key, Node)| {
        let entries =
            nodes::entries(node)?.iter().filter(|(key, _)| known.contains(&key.text.as_str())).cloned();
        Some((key.clone(), Node { value: Value::Table(entries.collect()), place: node.place }))
    };
    converted.servers = servers.iter().filter_map(ours).collect();
}
