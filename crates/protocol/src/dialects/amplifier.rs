//! Amplifier: its `HookResult`, and what `hook-shell` reads next to Claude Code's form.

use std::time::Duration;

use serde_json::{Map, Value};
use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{
    Choice, Effect, Event, HookReply, Injection, Level, Message, OutputPatch, Patch, Policy, Rewrite, Role,
    Strategy, Verdict,
};

use super::text_of;
use crate::v1::reply::{self, Garbled, Read, ReplyContext};

pub(super) fn variables(event: &Event) -> Vec<(&'static str, String)> {
    let mut variables = vec![
        ("AMPLIFIER_SESSION_ID", event.session_text().to_owned()),
        ("CLAUDE_SESSION_ID", event.session_text().to_owned()),
    ];
    variables.extend(event.project_root.clone().map(|root| ("AMPLIFIER_PROJECT_DIR", root)));
    variables
}

/// Fields of a `HookResult`; one of them makes it one.
const RESULT: [&str; 8] = [
    "action",
    "context_injection",
    "context_injections",
    "user_message",
    "suppress_output",
    "approval_prompt",
    "contextInjection",
    "data",
];

/// Injections and messages count under any action, and a rewrite next to an injection is kept.
pub(super) fn read(
    object: &Map<String, Value>,
    text: &str,
    context: &ReplyContext<'_>,
) -> Result<HookReply, Garbled> {
    if !RESULT.iter().any(|key| object.contains_key(*key)) {
        return match reply::read(text, context)? {
            Read::Reply(reply) => Ok(reply),
            Read::NoReply { detail } => Err(detail),
        };
    }
    // What `hook-shell` takes from Claude Code may be next to it.
    let claude = ["decision", "reason", "systemMessage", "continue", "stopReason", "hookSpecificOutput"];
    let theirs: Map<String, Value> = object
        .iter()
        .filter(|(key, _)| {
            claude.contains(&key.as_str()) && (*key != "reason" || object.contains_key("decision"))
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut reply = HookReply { verdict: action(object)?, effects: rewrites(object)? };
    if !theirs.is_empty() {
        let claude = crate::v1::claude_reply::read(&theirs, context)?;
        reply.verdict = reply::agree(reply.verdict, claude.verdict)?;
        reply.effects.extend(claude.effects);
    }
    reply.effects.extend(injections(object, context)?.into_iter().map(Effect::Inject));
    reply.effects.extend(message(object)?.map(Effect::Notify));
    match object.get("suppress_output") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => reply.effects.push(Effect::SuppressOutput),
        Some(_) => return Err("`suppress_output` must be true or false".to_owned()),
    }
    Ok(reply)
}

fn action(object: &Map<String, Value>) -> Result<Verdict, Garbled> {
    let reason = text_of(object, "reason")?;
    match object.get("action").map(Value::as_str) {
        None | Some(Some("continue" | "modify" | "inject_context")) => Ok(Verdict::Abstain),
        Some(Some("deny")) => Ok(Verdict::Deny { reason: reason.unwrap_or("no reason given".to_owned()) }),
        Some(Some("ask_user")) => question(object).map(Verdict::Ask),
        Some(Some(other)) => Err(format!(
            "unknown action `{other}`; it may be continue, deny, modify, inject_context or ask_user"
        )),
        Some(None) => Err("`action` must be a text".to_owned()),
    }
}

fn question(object: &Map<String, Value>) -> Result<ApprovalPrompt, Garbled> {
    let options = match object.get("approval_options") {
        None => Vec::new(),
        Some(Value::Array(options)) => options
            .iter()
            .map(|option| option.as_str().map(Choice::named).ok_or("`approval_options` must be texts"))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err("`approval_options` must be a list of texts".to_owned()),
    };
    let timeout = match object.get("approval_timeout") {
        None => None,
        Some(value) => {
            let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0);
            let seconds = seconds.ok_or("`approval_timeout` must be a number of seconds, at most a day")?;
            Some(Duration::from_secs_f64(seconds))
        }
    };
    let default = match object.get("approval_default").map(Value::as_str) {
        None | Some(Some("deny")) => Policy::Deny,
        Some(Some("allow")) => Policy::Allow,
        Some(_) => return Err("`approval_default` must be `allow` or `deny`".to_owned()),
    };
    let prompt = text_of(object, "approval_prompt")?.unwrap_or(DEFAULT_PROMPT.to_owned());
    Ok(ApprovalPrompt { prompt, options, timeout, default })
}

/// `data` of a modify, key by key: the parts of the event that can be rewritten, and an embedder's own data.
/// What merely repeats the event (`session_id`, `timestamp`, the tool's name) changes nothing.
fn rewrites(object: &Map<String, Value>) -> Result<Vec<Effect>, Garbled> {
    if object.get("action").and_then(Value::as_str) != Some("modify") {
        return Ok(Vec::new());
    }
    let data = match object.get("data") {
        None => return Ok(Vec::new()),
        Some(Value::Object(data)) => data,
        Some(_) => return Err("`data` must be an object".to_owned()),
    };
    let mut rewrites = Vec::new();
    let mut own = Map::new();
    for (key, value) in data {
        match key.as_str() {
            "tool_input" => {
                let input = value.as_object().ok_or("`data.tool_input` must be an object")?;
                rewrites.push(Rewrite::ToolInput(Patch::Replace(input.clone())));
            }
            "result" | "tool_output" | "tool_response" => {
                rewrites.push(Rewrite::ToolOutput(OutputPatch::Replace(value.clone())));
            }
            "prompt" => {
                let prompt = value.as_str().ok_or("`data.prompt` must be a text")?;
                rewrites.push(Rewrite::Prompt(prompt.to_owned()));
            }
            "session_id" | "parent_id" | "timestamp" | "tool_name" | "tool_call_id" | "parallel_group_id"
            | "event" => {}
            _ => {
                own.insert(key.clone(), value.clone());
            }
        }
    }
    if !own.is_empty() {
        rewrites.push(Rewrite::Data(Patch::Merge(own)));
    }
    Ok(rewrites.into_iter().map(Effect::Rewrite).collect())
}

/// One text, or a list of items with their own role; never one for another.
fn injections(object: &Map<String, Value>, context: &ReplyContext<'_>) -> Result<Vec<Injection>, Garbled> {
    let mut all = Vec::new();
    for key in ["context_injection", "contextInjection"] {
        if let Some(content) = text_of(object, key)? {
            all.push(injection(object, "context_injection_role", content, context)?);
        }
    }
    let items = match object.get("context_injections") {
        None => return Ok(all),
        Some(Value::Array(items)) => items,
        Some(_) => return Err("`context_injections` must be a list".to_owned()),
    };
    for item in items {
        let item = item.as_object().ok_or("`context_injections` must be a list of objects")?;
        if let Some(content) = text_of(item, "content")? {
            let one = injection(item, "role", content, context)?;
            // The merged text of the same result repeats its items.
            all.retain(|other| !other.content.contains(&one.content));
            all.push(one);
        }
    }
    Ok(all)
}

fn injection(
    object: &Map<String, Value>,
    role: &str,
    content: String,
    context: &ReplyContext<'_>,
) -> Result<Injection, Garbled> {
    let role = match object.get(role).filter(|value| !value.is_null()) {
        None => context.role,
        Some(word) => word
            .as_str()
            .and_then(Role::parse)
            .ok_or(format!("`{role}` must be system, user or assistant"))?,
    };
    let flag = |key: &str| object.get(key) == Some(&Value::Bool(true));
    let strategy = if flag("append_to_last_tool_result") { Strategy::ToolResult } else { context.strategy };
    let ephemeral = context.ephemeral || flag("ephemeral");
    Ok(Injection { role, strategy, ephemeral, ..context.text(content) })
}

fn message(object: &Map<String, Value>) -> Result<Option<Message>, Garbled> {
    let level = match object.get("user_message_level") {
        None => Level::Info,
        Some(level) => level
            .as_str()
            .and_then(Level::parse)
            .ok_or("`user_message_level` must be info, warning or error")?,
    };
    Ok(text_of(object, "user_message")?.map(|text| Message { text, level }))
}
