//! Kiro's files of version 1: `{version: "v1", hooks: [{name, trigger, matcher, action, timeout, enabled}]}`.

use tenter_contract::EventKind;

use super::super::draft::{Converted, Draft, Name};
use super::super::matchers::{self, Translation};
use super::super::{nodes, shell};
use crate::fields::Fields;
use crate::tree::{Node, Value};
use crate::values;

const HOOK: &str = "name description trigger matcher action timeout enabled version";
/// Triggers that a program can block by failing.
const BLOCKING: [EventKind; 2] = [EventKind::ToolPre, EventKind::PromptSubmit];

pub(super) fn recognise(root: &Node) -> bool {
    nodes::get(root, "version").and_then(nodes::as_text) == Some("v1")
        && nodes::get(root, "hooks").is_some_and(|hooks| nodes::items(hooks).is_some())
}

pub(super) fn convert(root: &Node, converted: &mut Converted) {
    converted.note_other_keys(root, &["hooks", "version"]);
    for hook in nodes::get(root, "hooks").and_then(nodes::items).unwrap_or_default() {
        let Some(fields) = converted.fields(hook) else { continue };
        let trigger = nodes::text_of(&fields, "trigger").unwrap_or_default().to_owned();
        let draft = converted.draft(&trigger, hook);
        converted.drafts.push(convert_hook(&trigger, &fields, draft));
    }
}

fn convert_hook(trigger: &str, fields: &Fields<'_>, mut draft: Draft) -> Draft {
    let place = draft.place;
    draft.name = match nodes::text_of(fields, "name") {
        Some(name) => Name::Stated(name.to_owned()),
        None => Name::From(trigger.to_owned()),
    };
    draft.report_unknown_keys(fields, HOOK);
    draft.take(fields, "description", "description");
    let subject = matcher_subject(trigger, &mut draft);
    matcher(subject, fields, &mut draft);
    action(fields, &mut draft);
    timeout(fields, &mut draft);
    draft.take(fields, "enabled", "enabled");
    if EventKind::parse(trigger).is_some_and(|kind| BLOCKING.contains(&kind)) {
        let allow = || nodes::text(place, "allow");
        let policy = [("timeout", allow()), ("error", nodes::text(place, "deny")), ("missing", allow())];
        draft.put("on_failure", nodes::table(place, policy));
        draft.changed(
            place,
            "trigger",
            "any exit code but 0 blocks, as there; the reason then says that the hook failed",
        );
    } else {
        draft.put_text("on_failure", place, "allow");
    }
    draft
}

/// What the matcher of a trigger is compared with.
#[derive(Clone, Copy, PartialEq)]
enum MatcherSubject {
    Tool,
    File,
    Prompt,
    Nothing,
}

fn matcher_subject(trigger: &str, draft: &mut Draft) -> MatcherSubject {
    let place = draft.place;
    match trigger {
        "PreToolUse" | "PostToolUse" => MatcherSubject::Tool,
        "UserPromptSubmit" => MatcherSubject::Prompt,
        "PostFileCreate" | "PostFileSave" => {
            EventKind::ToolPost.as_str().clone_into(&mut draft.event);
            let kinds = if trigger == "PostFileCreate" { "write" } else { "write|edit" };
            draft.put_text("matcher", place, kinds);
            draft.changed(
                place,
                "trigger",
                "files that the agent writes count here, not those that you save yourself",
            );
            MatcherSubject::File
        }
        "PostFileDelete" | "PreTaskExec" | "PostTaskExec" | "Manual" => {
            draft.refuse(place, format!("there is no event for `{trigger}`"), "leave it in Kiro's own file");
            MatcherSubject::Nothing
        }
        // Other spellings of them.
        _ => match EventKind::parse(trigger) {
            Some(EventKind::ToolPre | EventKind::ToolPost) => MatcherSubject::Tool,
            Some(EventKind::PromptSubmit) => MatcherSubject::Prompt,
            _ => MatcherSubject::Nothing,
        },
    }
}

fn matcher(subject: MatcherSubject, fields: &Fields<'_>, draft: &mut Draft) {
    let Some(field) = fields.get("matcher") else { return };
    let place = field.node.place;
    let Some(text) = draft.keep(values::text(&field)) else { return };
    match (subject, matchers::kiro(text)) {
        (MatcherSubject::Tool, translation) => draft.matched(place, text, translation),
        (_, Translation::Everything | Translation::Nothing) => draft.kept.push("matcher".to_owned()),
        (MatcherSubject::File | MatcherSubject::Prompt, Translation::Unknowable) => {
            draft.matched(place, text, Translation::Unknowable);
        }
        (
            MatcherSubject::File | MatcherSubject::Prompt,
            Translation::Matcher(_) | Translation::Translated(_),
        ) => {
            let key = if subject == MatcherSubject::File { "path" } else { "prompt" };
            draft.put("when", nodes::table(place, [(key, nodes::text(place, format!("/{text}/")))]));
            draft.kept.push("matcher".to_owned());
        }
        (
            MatcherSubject::Nothing,
            Translation::Matcher(_) | Translation::Translated(_) | Translation::Unknowable,
        ) => {
            draft.changed(place, "matcher", "is left out: nothing is compared with it there");
        }
    }
}

fn action(fields: &Fields<'_>, draft: &mut Draft) {
    let place = draft.place;
    let action = fields.get("action").map(|field| field.node);
    let part = |key: &str| action.and_then(|action| nodes::get(action, key));
    let kind = part("type").and_then(nodes::as_text).unwrap_or("command");
    let command = part("command").and_then(|node| Some((node, nodes::as_text(node)?)));
    let prompt = part("prompt").and_then(|node| Some((node, nodes::as_text(node)?)));
    match (kind, command, prompt) {
        ("command", Some((node, line)), _) => {
            draft.put("command", shell::bash(node.place, line));
            if shell::leaves_something_running(line) {
                draft.put("detach", nodes::switch(node.place, true));
            }
            draft.kept.push("action".to_owned());
        }
        ("agent" | "askAgent", _, Some((node, text))) => {
            draft.put_text("inject", node.place, text);
            draft.kept.push("action".to_owned());
        }
        ("command", None, _) => draft.refuse(place, "its action has no `command`", "say what is to be run"),
        ("agent" | "askAgent", _, None) => {
            draft.refuse(place, "its action has no `prompt`", "write the text for the agent");
        }
        (other, ..) => {
            draft.refuse(place, format!("no action is of type `{other}`"), "write `command` or `agent`");
        }
    }
}

/// Seconds, 60 if not stated; 0 is as long as a day, which is as long as anything can be.
fn timeout(fields: &Fields<'_>, draft: &mut Draft) {
    let place = draft.place;
    match fields.get("timeout") {
        None => draft.put_text("timeout", place, "60s"),
        Some(field) if field.node.value == Value::Int(0) => {
            draft.put_text("timeout", field.node.place, "24h");
            draft.changed(field.node.place, "timeout", "0 is a day here; nothing waits longer");
        }
        Some(_) => draft.timeout(fields, "timeout", "s"),
    }
}
