//! MassGen: hooks for all agents at the top level, and each agent's own below `agents[].backend`.

use std::collections::BTreeMap;

use tenter_contract::{Dialect, EventKind};

use super::draft::{Converted, Draft, Name};
use super::{Origin, matchers, nodes};
use crate::fields::Fields;
use crate::source::SourceText;
use crate::tree::{Key, Node, Value};
use crate::values;

pub(super) const ORIGIN: Origin = Origin { dialect: Dialect::MassGen, recognise, fits: recognise, convert };

const HOOK: &str = "matcher handler type timeout fail_closed name description";

/// Handlers below events, or agents with a backend.
fn recognise(root: &Node, _source: &SourceText<'_>) -> bool {
    let own = nodes::get(root, "hooks");
    own.is_some_and(has_handlers)
        || agents(root).iter().any(|(_, hooks)| has_handlers(hooks) || overrides(hooks))
}

fn has_handlers(hooks: &Node) -> bool {
    let lists = nodes::entries(hooks).unwrap_or_default().iter().filter_map(|(_, node)| listed(node));
    lists.flatten().any(|hook| nodes::has(hook, "handler"))
}

fn overrides(hooks: &Node) -> bool {
    nodes::entries(hooks).unwrap_or_default().iter().any(|(_, node)| nodes::has(node, "override"))
}

/// The hooks of an event: a list, or a table with one.
fn listed(node: &Node) -> Option<&[Node]> {
    nodes::items(node).or_else(|| nodes::items(nodes::get(node, "hooks")?))
}

fn agents(root: &Node) -> Vec<(String, &Node)> {
    let several = nodes::get(root, "agents").and_then(nodes::items).unwrap_or_default().iter();
    let all = several.chain(nodes::get(root, "agent"));
    let read = |agent| {
        let id = nodes::get(agent, "id").and_then(nodes::plain)?;
        Some((id, nodes::get(nodes::get(agent, "backend")?, "hooks")?))
    };
    all.filter_map(read).collect()
}

fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    converted.note_other_keys(root, &["hooks", "agents", "agent"]);
    let agents = agents(root);
    let mut left_out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, hooks) in &agents {
        for (event, node) in nodes::entries(hooks).unwrap_or_default() {
            if nodes::is_true(nodes::get(node, "override")) {
                left_out.entry(canonical(&event.text)).or_default().push(format!("!{id}"));
            }
        }
    }
    if let Some(hooks) = nodes::get(root, "hooks") {
        convert_section(hooks, None, source, converted);
    }
    for draft in &mut converted.drafts {
        if let Some(agents) = left_out.get(&canonical(&draft.event)) {
            draft.put("agents", nodes::texts(draft.place, agents.iter().map(String::as_str)));
        }
    }
    for (id, hooks) in &agents {
        convert_section(hooks, Some(id), source, converted);
    }
}

fn canonical(event: &str) -> String {
    EventKind::parse(event).map_or(event.to_owned(), |kind| kind.as_str().to_owned())
}

fn convert_section(hooks: &Node, agent: Option<&str>, source: &SourceText<'_>, converted: &mut Converted) {
    for (event, node) in converted.events(hooks) {
        let list = nodes::get(node, "hooks").unwrap_or(node);
        for hook in converted.list(event, list) {
            let Some(fields) = converted.fields(hook) else { continue };
            let draft = converted.draft(&event.text, hook);
            let draft = convert_hook(event, &fields, agent, source, draft);
            converted.drafts.push(draft);
        }
    }
}

fn convert_hook(
    event: &Key,
    fields: &Fields<'_>,
    agent: Option<&str>,
    source: &SourceText<'_>,
    mut draft: Draft,
) -> Draft {
    draft.name = match nodes::text_of(fields, "name") {
        Some(name) => Name::Stated(name.to_owned()),
        None => Name::From(agent.map_or(event.text.clone(), |id| format!("{id}-{}", event.text))),
    };
    draft.report_unknown_keys(fields, HOOK);
    draft.take(fields, "description", "description");
    matcher(fields, &mut draft);
    handler(fields, source, &mut draft);
    let place = draft.place;
    if let Some(id) = agent {
        draft.put("agents", nodes::texts(place, [id]));
    }
    draft.timeout(fields, "timeout", "s");
    on_failure(fields, &mut draft);
    draft
}

fn matcher(fields: &Fields<'_>, draft: &mut Draft) {
    let Some(field) = fields.get("matcher") else { return };
    if field.node.value == Value::Null {
        return;
    }
    let place = field.node.place;
    let Some(text) = draft.keep(values::text(&field)) else { return };
    for kind in matchers::kinds_named(text) {
        let text = format!("`{kind}` is every tool of that kind here, not one tool of that name");
        draft.changed(place, "matcher", text);
    }
    draft.matched(place, text, matchers::massgen(text));
}

/// A file, a command line, or a function.
fn handler(fields: &Fields<'_>, source: &SourceText<'_>, draft: &mut Draft) {
    let place = draft.place;
    let Some(field) = fields.get("handler") else {
        return draft.refuse(place, "it has no `handler`", "say what is to be run");
    };
    let place = field.node.place;
    let Some(handler) = draft.keep(values::filled_text(&field)) else { return };
    let handler = handler.trim();
    let program = handler.split_whitespace().next().unwrap_or_default();
    let has_arguments = program != handler;
    let is_file = interpreter(program).is_some() || program.contains('/');
    let kind = nodes::text_of(fields, "type");
    draft.kept.push("handler".to_owned());
    match kind {
        Some("command") | None if has_arguments => {
            let line = match interpreter(program) {
                Some(interpreter) => format!("{interpreter} {handler}"),
                None => handler.to_owned(),
            };
            draft.put_text("command", place, line);
            if source.folder.starts_with('/') {
                draft.put_text("cwd", place, source.folder);
            }
            draft.changed(
                place,
                "handler",
                "has arguments, so it is a line for `sh`, run in the folder of the file",
            );
        }
        Some("command") => draft.put_text("script", place, handler),
        None if is_file => draft.put_text("script", place, handler),
        Some("python") | None => {
            draft.put_text("python", place, handler);
            if is_file {
                draft.changed(
                    place,
                    "type",
                    format!("`python` means a function; if `{handler}` is a file, write `type: command`"),
                );
            }
        }
        Some(other) => {
            draft.refuse(place, format!("no hook is of type `{other}`"), "write `python` or `command`");
        }
    }
    if kind.is_some() {
        draft.kept.push("type".to_owned());
    }
}

/// What runs a file that need not be executable.
fn interpreter(file: &str) -> Option<&'static str> {
    match file.rsplit_once('.')?.1 {
        "py" => Some("python3"),
        "sh" => Some("bash"),
        "js" => Some("node"),
        _ => None,
    }
}

/// What cannot be started is a mistake in the configuration and denies; after a tool has run there is nothing
/// left to deny.
fn on_failure(fields: &Fields<'_>, draft: &mut Draft) {
    let before = canonical(&draft.event) == EventKind::ToolPre.as_str();
    let place = draft.place;
    if nodes::is_true(fields.get("fail_closed").map(|field| field.node)) {
        draft.put_text("on_failure", place, "deny");
        draft.kept.push("fail_closed".to_owned());
    } else if before {
        let allow = || nodes::text(place, "allow");
        draft.put(
            "on_failure",
            nodes::table(
                place,
                [("timeout", allow()), ("error", allow()), ("missing", nodes::text(place, "deny"))],
            ),
        );
    } else {
        draft.put_text("on_failure", place, "allow");
    }
}
