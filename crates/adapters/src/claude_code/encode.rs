//! Our outcome becomes Claude Code's answer.

use tenter_contract::{AgentOutcome, Answer, EventKind};

use super::tools;
use crate::agent_spec::{AgentSpec, ClaudeAnswer};
use crate::answer::{self, JsonObject, deny_reason, join_paragraphs, non_blank, reason_or_default};

/// Denies a payload that could not be understood, at any event. For Claude Code the exit code is enough; Copilot CLI runs
/// the hooks of a repository's `.claude/settings.json` too, and lets a prompt pass at any exit code, unless the answer
/// denies too. Measured on 2.1.197 and 1.0.102: both read an answer whatever the exit code, and skip unknown keys.
pub(super) fn refusal(reason: &str) -> Answer {
    let reason = reason_or_default(reason);
    let mut refusal = JsonObject::new();
    for (verdict, word, key) in [
        ("decision", "block", "reason"),
        ("permissionDecision", "deny", "permissionDecisionReason"),
        ("behavior", "deny", "message"),
    ] {
        refusal.put(verdict, Some(word));
        refusal.put(key, Some(reason));
    }
    Answer { stdout: refusal.into_answer().stdout, ..answer::exit_2(reason) }
}

pub(super) fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = ClaudeAnswer::new(event.kind.claude_name(), parts);
    answer.suppress = parts.suppress;
    // A blank context is left out: it would keep a stopping agent going.
    let context = non_blank(parts.context.as_ref());
    match &event.kind {
        EventKind::ToolPre => {
            answer.put_permission(parts);
            answer.specific.put("updatedInput", parts.input.as_ref());
        }
        EventKind::PermissionRequest => answer.put_permission_decision(parts),
        EventKind::PromptSubmit => {
            answer.decide("block", deny_reason(parts));
            // Claude Code shows the reason of a blocked prompt and drops the message.
            if let Some(reason) = answer.reason.take() {
                answer.reason = Some(join_paragraphs(&reason, answer.message.take()).into());
            }
        }
        EventKind::ContextPreCompact => {
            // Either a plain text or exactly a block: with one more field, the JSON itself would become part of the
            // summary's instructions.
            if let Some(text) = context {
                return answer::text(compaction_instructions(text));
            }
            answer.suppress = false;
            answer.decide("block", deny_reason(parts));
        }
        EventKind::ToolPost => {
            answer.decide("block", deny_reason(parts));
            answer.stop = parts.stop.as_deref();
            let (call, old) = (event.tool.as_ref(), event.raw.get("tool_response"));
            let withheld = deny_reason(parts).and_then(|_| tools::withheld(call, old));
            let changed = || parts.output.as_ref().map(|new| tools::complete_output(call, old, new));
            answer.specific.put("updatedToolOutput", withheld.or_else(changed));
        }
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            answer.decide("block", deny_reason(parts));
        }
        // Text at most: the capabilities let no verdict through.
        _ => {}
    }
    answer.specific.put("additionalContext", context);
    answer.write()
}

/// Context before a compaction is plain text. A text that begins like JSON gets a line before it, so that it is not
/// read as an answer; JavaScript counts a byte order mark as a blank.
fn compaction_instructions(context: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    if context.trim_start_matches(blank).starts_with('{') {
        format!("Hook feedback:\n{context}")
    } else {
        context.to_owned()
    }
}
