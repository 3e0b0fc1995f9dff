//! Claude Code's form of a reply.

use serde_json::{Map, Value};
use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{Effect, EventKind, HookReply, Level, Message, OutputPatch, Patch, Rewrite, Verdict};

use super::reply::{Garbled, ReplyContext, agree, text};

/// The top-level keys of Claude Code's form.
pub(crate) const KEYS: [&str; 9] = [
    "hookSpecificOutput",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "additionalContext",
    "terminalSequence",
];

/// Keys of `hookSpecificOutput` by which hooks steer one agent in ways that tenter does not pass on.
const NOT_PASSED_ON: [&str; 8] = [
    "clearContext",
    "tailToolCallRequest",
    "llm_request",
    "llm_response",
    "toolConfig",
    "updatedPermissions",
    "watchPaths",
    "initialUserMessage",
];

/// The keys of a reply that have no effect here.
pub fn not_passed_on(reply: &str) -> Vec<&'static str> {
    if !reply.contains("hookSpecificOutput") {
        return Vec::new();
    }
    let names = |key: &&str| reply.contains(&format!("\"{key}\""));
    NOT_PASSED_ON.into_iter().filter(names).collect()
}

/// Reads the keys of Claude Code's form; other keys are ignored, as Claude Code does.
pub(crate) fn read(object: &Map<String, Value>, context: &ReplyContext<'_>) -> Result<HookReply, Garbled> {
    let reason = object.get("reason").and_then(Value::as_str);
    let verdict = object.get("decision").map(|decision| permission(decision, reason)).transpose()?;
    let mut reply = HookReply { verdict: verdict.unwrap_or_default(), effects: Vec::new() };
    let specific = match object.get("hookSpecificOutput") {
        None => &Map::new(),
        Some(Value::Object(specific)) => specific,
        Some(_) => return Err("`hookSpecificOutput` must be an object".to_owned()),
    };
    let present = |key: &str| specific.get(key).filter(|value| !value.is_null());
    if let Some(decision) = present("permissionDecision") {
        let reason = present("permissionDecisionReason").and_then(Value::as_str);
        reply.verdict = agree(reply.verdict, permission(decision, reason)?)?;
    }
    if let Some(decision) = present("decision") {
        let asked = permission_request(decision)?;
        reply.verdict = agree(reply.verdict, asked.verdict)?;
        reply.effects.extend(asked.effects);
    }
    match object.get("continue") {
        None | Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => {
            let HookReply { verdict, effects } = stopped(reply.verdict, object, context.event);
            reply.verdict = verdict;
            reply.effects.retain(|effect| !matches!(effect, Effect::StopAgent { .. }));
            reply.effects.extend(effects);
        }
        Some(_) => return Err("`continue` must be true or false".to_owned()),
    }
    if let Some(input) = present("updatedInput") {
        let input = input.as_object().ok_or("`updatedInput` must be an object")?;
        reply.effects.push(Effect::Rewrite(Rewrite::ToolInput(Patch::Replace(input.clone()))));
    }
    // Gemini CLI's name. It lays the keys over the input.
    if let Some(input) = present("tool_input") {
        let input = input.as_object().ok_or("`tool_input` must be an object")?;
        reply.effects.push(Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(input.clone()))));
    }
    if let Some(output) = present("updatedToolOutput").or_else(|| present("updatedMCPToolOutput")) {
        reply.effects.push(Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(output.clone()))));
    }
    for value in [object.get("additionalContext"), present("additionalContext")].into_iter().flatten() {
        let content = text(value, "additionalContext")?;
        if !content.is_empty() {
            reply.effects.push(Effect::Inject(context.text(content)));
        }
    }
    if let Some(value) = object.get("systemMessage") {
        let text = text(value, "systemMessage")?;
        reply.effects.push(Effect::Notify(Message { text, level: Level::Info }));
    }
    if object.get("suppressOutput") == Some(&Value::Bool(true)) {
        reply.effects.push(Effect::SuppressOutput);
    }
    Ok(reply)
}

/// `continue: false` stops the agent, and the call is denied, whatever else the reply says of it. When the agent wants
/// to stop anyway, it is consent.
fn stopped(verdict: Verdict, object: &Map<String, Value>, event: &EventKind) -> HookReply {
    if matches!(event, EventKind::OrchestratorComplete | EventKind::SubagentComplete) {
        return HookReply::default();
    }
    let text_of = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let reason = text_of("stopReason").or_else(|| text_of("reason"));
    let reason = reason.unwrap_or_else(|| "the hook stops the agent".to_owned());
    let verdict = match verdict {
        Verdict::Deny { reason } => Verdict::Deny { reason },
        Verdict::Abstain | Verdict::Allow { .. } | Verdict::Ask(_) => {
            Verdict::Deny { reason: reason.clone() }
        }
    };
    HookReply { verdict, effects: vec![Effect::StopAgent { reason }] }
}

fn permission(decision: &Value, reason: Option<&str>) -> Result<Verdict, Garbled> {
    match decision.as_str() {
        Some("allow" | "approve") => Ok(Verdict::Allow { reason: reason.map(str::to_owned) }),
        Some("ask") => Ok(Verdict::Ask(ApprovalPrompt::new(reason.unwrap_or(DEFAULT_PROMPT)))),
        Some("deny" | "block") => {
            Ok(Verdict::Deny { reason: reason.unwrap_or("no reason given").to_owned() })
        }
        Some(other) => Err(format!("unknown decision `{other}`; it may be allow, ask or deny")),
        None => Err("a decision must be a text".to_owned()),
    }
}

/// `hookSpecificOutput.decision` of a permission request.
fn permission_request(decision: &Value) -> Result<HookReply, Garbled> {
    let Some(object) = decision.as_object() else {
        return Ok(HookReply { verdict: permission(decision, None)?, effects: Vec::new() });
    };
    let message = object.get("message").and_then(Value::as_str);
    let behavior = object.get("behavior").ok_or("`decision` has no `behavior`")?;
    let input = object
        .get("updatedInput")
        .and_then(Value::as_object)
        .map(|input| Effect::Rewrite(Rewrite::ToolInput(Patch::Replace(input.clone()))));
    let verdict = permission(behavior, message)?;
    let stop = match &verdict {
        Verdict::Deny { reason } if object.get("interrupt") == Some(&Value::Bool(true)) => {
            Some(Effect::StopAgent { reason: reason.clone() })
        }
        _ => None,
    };
    Ok(HookReply { verdict, effects: input.into_iter().chain(stop).collect() })
}
