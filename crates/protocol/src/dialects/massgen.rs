//! MassGen: `HookEvent` in, `HookResult` out.

use serde_json::{Map, Value, json};
use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{Effect, Event, HookReply, Injection, Patch, Rewrite, Strategy, Verdict};

use super::{output_text, text_of};
use crate::v1::reply::{self, Garbled, Read, ReplyContext};

pub(super) fn stdin(event: &Event) -> Map<String, Value> {
    let tool = event.tool.as_ref();
    let output = tool.and_then(|tool| tool.stdout.clone().or_else(|| tool.output.as_ref().map(output_text)));
    let mut object = Map::new();
    for (key, value) in [
        ("hook_type", Value::from(event.kind.claude_name())),
        ("session_id", Value::from(event.session_text())),
        ("orchestrator_id", Value::from(event.orchestrator.clone().unwrap_or_default())),
        ("agent_id", json!(event.agent_id)),
        ("timestamp", Value::from(event.at.to_string())),
        ("tool_name", Value::from(tool.map(|tool| tool.name.clone()).unwrap_or_default())),
        ("tool_input", Value::Object(tool.map(|tool| tool.input.clone()).unwrap_or_default())),
        ("tool_output", json!(output)),
    ] {
        object.insert(key.to_owned(), value);
    }
    object
}

pub(super) fn variables(event: &Event) -> Vec<(&'static str, String)> {
    let tool = event.tool.as_ref().map(|tool| tool.name.clone());
    let values = [
        ("MASSGEN_HOOK_TYPE", Some(event.kind.claude_name().to_owned())),
        ("MASSGEN_TOOL_NAME", tool),
        ("MASSGEN_SESSION_ID", Some(event.session_text().to_owned())),
        ("MASSGEN_AGENT_ID", event.agent_id.clone()),
        ("MASSGEN_ORCHESTRATOR_ID", event.orchestrator.clone()),
    ];
    values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Keys of our own form and Claude Code's that MassGen does not have.
const OTHERS: [&str; 9] = [
    "deny",
    "ask",
    "allow",
    "modify",
    "message",
    "suppress_output",
    "hookSpecificOutput",
    "systemMessage",
    "continue",
];

/// Keys that only MassGen has.
const OWN: [&str; 5] = ["allowed", "updated_input", "modified_args", "metadata", "hook_errors"];

/// MassGen's form, or another one by its own rules.
pub(super) fn read(
    object: &Map<String, Value>,
    text: &str,
    context: &ReplyContext<'_>,
) -> Result<Read, Garbled> {
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    let is_text = object.get("inject").is_some_and(|inject| !inject.is_object());
    if !has(&OWN) && (is_text || has(&OTHERS)) {
        return reply::read(text, context);
    }
    own_form(object, context).map(Read::Reply)
}

/// `allowed: false` or `decision: deny` denies. Fields with their default values (`allowed: true`, `decision:
/// allow`) are no verdicts, and unknown fields are ignored, as in MassGen.
fn own_form(object: &Map<String, Value>, context: &ReplyContext<'_>) -> Result<HookReply, Garbled> {
    let reason = text_of(object, "reason")?;
    let refused = match object.get("allowed") {
        None | Some(Value::Bool(true)) => false,
        Some(Value::Bool(false)) => true,
        Some(_) => return Err("`allowed` must be true or false".to_owned()),
    };
    let verdict = match object.get("decision").map(|decision| decision.as_str()) {
        Some(Some("deny")) => deny(reason),
        _ if refused => deny(reason),
        Some(Some("ask")) => Verdict::Ask(ApprovalPrompt::new(reason.unwrap_or(DEFAULT_PROMPT.to_owned()))),
        None | Some(Some("allow")) => Verdict::Abstain,
        Some(Some(other)) => return Err(format!("unknown decision `{other}`; it may be allow, ask or deny")),
        Some(None) => return Err("`decision` must be a text".to_owned()),
    };
    let mut effects = Vec::new();
    effects
        .extend(rewritten(object)?.map(|input| Effect::Rewrite(Rewrite::ToolInput(Patch::Replace(input)))));
    effects.extend(injected(object, context)?.map(Effect::Inject));
    Ok(HookReply { verdict, effects })
}

fn deny(reason: Option<String>) -> Verdict {
    Verdict::Deny { reason: reason.unwrap_or("no reason given".to_owned()) }
}

/// `modified_args`, which is JSON inside a text, counts more than `updated_input`.
fn rewritten(object: &Map<String, Value>) -> Result<Option<Map<String, Value>>, Garbled> {
    if let Some(arguments) = text_of(object, "modified_args")? {
        let arguments =
            super::object(&arguments).map_err(|why| format!("`modified_args` is no object: {why}"))?;
        return Ok(Some(arguments));
    }
    match object.get("updated_input") {
        None => Ok(None),
        Some(Value::Object(input)) => Ok(Some(input.clone())),
        Some(_) => Err("`updated_input` must be an object".to_owned()),
    }
}

/// Each keeps its own strategy; the default is next to the tool's result.
fn injected(object: &Map<String, Value>, context: &ReplyContext<'_>) -> Result<Option<Injection>, Garbled> {
    let inject = match object.get("inject") {
        None => return Ok(None),
        Some(Value::Object(inject)) => inject,
        Some(_) => return Err("`inject` must be an object".to_owned()),
    };
    let strategy = match inject.get("strategy").filter(|value| !value.is_null()) {
        None => Strategy::ToolResult,
        Some(value) => value
            .as_str()
            .and_then(Strategy::parse)
            .ok_or("`inject.strategy` must be tool_result or user_message")?,
    };
    let injection = |content| Injection { strategy, ..context.text(content) };
    Ok(text_of(inject, "content")?.map(injection))
}
