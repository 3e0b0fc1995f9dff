//! The hook scripts of the learning memory: their input at each event, and the objects they print.

use serde_json::{Map, Value, json};
use tenter_contract::{Effect, Event, EventKind, HookReply, Verdict};

use super::{claude, output_text, text_of};
use crate::v1::reply::{self, Garbled, Read, ReplyContext};

/// The object that the specification shows, next to the fields of Claude Code: a script may hand them to `tenter hook`.
pub(super) fn stdin(event: &Event) -> Map<String, Value> {
    let cwd = event.cwd.as_deref().or(event.project_root.as_deref());
    let tool = event.tool.as_ref();
    let object = match &event.kind {
        EventKind::PromptSubmit => json!({
            "prompt": event.prompt.as_deref().unwrap_or_default(),
            "context": {"cwd": cwd, "files": event.files},
        }),
        EventKind::ToolPre => json!({
            "tool": tool.map(|tool| tool.name.as_str()),
            "args": tool.map(|tool| tool.input.clone()),
        }),
        EventKind::ToolPost | EventKind::ToolError => {
            let failed = event.kind == EventKind::ToolError || event.error.is_some();
            let exit_code = tool.and_then(|tool| tool.exit_code).unwrap_or(i64::from(failed));
            let output =
                tool.and_then(|tool| tool.stdout.clone().or_else(|| tool.output.as_ref().map(output_text)));
            let complaint = event.error.as_ref().map(|error| error.message.clone());
            let stderr = tool.and_then(|tool| tool.stderr.clone()).or(complaint);
            json!({
                "tool": tool.map(|tool| tool.name.as_str()),
                "command": tool.and_then(|tool| tool.command.as_deref()),
                "exit_code": exit_code,
                "stdout": output.unwrap_or_default(),
                "stderr": stderr.unwrap_or_default(),
            })
        }
        _ => json!({"session_id": event.session_text(), "cwd": cwd, "source": event.source}),
    };
    let mut all = claude::stdin(event);
    if let Value::Object(object) = object {
        all.extend(object);
    }
    all
}

/// The keys of its objects; the others are for readers of the record.
const KEYS: [&str; 7] =
    ["type", "content", "prompt", "context", "suggested_action", "auto_captured", "token_count"];

/// `content` and `prompt` joined, or `context`. These scripts never deny; an object in another form is read by
/// its own rules.
pub(super) fn read(
    object: &Map<String, Value>,
    text: &str,
    context: &ReplyContext<'_>,
) -> Result<Read, Garbled> {
    if !KEYS.iter().any(|key| object.contains_key(*key)) {
        return reply::read(text, context);
    }
    let unread = ["deny", "ask", "allow", "decision", "hookSpecificOutput", "continue", "action", "allowed"];
    if let Some(key) = unread.iter().find(|key| object.contains_key(**key)) {
        return Err(format!("the key `{key}` does not belong next to `content` and `prompt`"));
    }
    let parts = [text_of(object, "context")?, text_of(object, "content")?, text_of(object, "prompt")?];
    let content = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let effects = Some(context.text(content))
        .filter(|it| !it.content.is_empty())
        .map(Effect::Inject)
        .into_iter()
        .collect();
    Ok(Read::Reply(HookReply { verdict: Verdict::Abstain, effects }))
}
