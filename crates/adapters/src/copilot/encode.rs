//! Our outcome becomes Copilot CLI's answer. The exit code is 0: before a tool, any other denies.

use serde_json::json;
use tenter_contract::{AgentOutcome, AgentOutcomeParts, Answer, EventKind};

use super::tools;
use crate::agent_spec::AgentSpec;
use crate::answer::{JsonObject, changed_input, deny_reason, non_blank, reason_or_default, verdict_word};

/// Writes the answer. Every field is at the top, in either spelling of the event.
pub(super) fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = JsonObject::new();
    match &event.kind {
        EventKind::ToolPre => {
            write_verdict(&mut answer, ["permissionDecision", "permissionDecisionReason"], parts);
            answer.put("modifiedArgs", changed_input(event, parts, tools::native_input));
        }
        EventKind::PermissionRequest => write_verdict(&mut answer, ["behavior", "message"], parts),
        // At other events the capabilities let no other verdict through.
        _ => {
            answer.put("decision", deny_reason(parts).map(|_| "block"));
            answer.put("reason", deny_reason(parts));
            let old = event.raw.get("toolResult").or_else(|| event.raw.get("tool_result"));
            answer.put("modifiedResult", parts.output.as_ref().map(|new| tools::complete_output(old, new)));
        }
    }
    answer.put("additionalContext", non_blank(parts.context.as_ref()));
    answer.into_answer()
}

/// Denies a payload that could not be understood: every key that denies at some event. Copilot skips those that mean
/// nothing there. An exit code would not deny: a prompt passes, and before a tool the text is lost.
///
/// VS Code is called by the same entries, and has other keys: `hookSpecificOutput` before a tool, and `continue` at a
/// prompt. Copilot reads the first as a repetition and skips the second.
pub(super) fn refusal(reason: &str) -> Answer {
    let reason = reason_or_default(reason);
    let mut answer = JsonObject::new();
    for (verdict, word, key) in [
        ("permissionDecision", json!("deny"), "permissionDecisionReason"),
        ("behavior", json!("deny"), "message"),
        ("decision", json!("block"), "reason"),
        ("continue", json!(false), "stopReason"),
    ] {
        answer.put(verdict, Some(word));
        answer.put(key, Some(reason));
    }
    let mut specific = JsonObject::labelled("hookEventName", "PreToolUse");
    specific.put("permissionDecision", Some("deny"));
    specific.put("permissionDecisionReason", Some(reason));
    answer.put_object("hookSpecificOutput", specific);
    answer.into_answer()
}

fn write_verdict(answer: &mut JsonObject, keys: [&str; 2], parts: &AgentOutcomeParts) {
    let (verdict, reason) = verdict_word(parts);
    answer.put(keys[0], verdict);
    answer.put(keys[1], reason);
}
