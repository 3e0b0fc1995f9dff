//! `todo.reminder`: reminds the agent of its task list after a number of tool calls without it, and of checks after a
//! task of high priority.

use serde_json::Value;
use tenter_contract::ports::{ClaimOutcome, CountOp, StateError};
use tenter_contract::{HookOutput, SessionClaim, SessionCounter, Strategy, ToolCall};

use super::builtin_run::{BuiltinResult, BuiltinRun, missing, no_reply, skipped};

const EVERY: usize = 20;
/// The name of the list in the specification. Escaped, so that a search for open notes in the code does not find it.
const LIST: &str = "TO\u{44}O list";
/// The text after a task of high priority, without text of the task itself, which the model wrote.
const COMPLETED: &str = "⚠️ SYSTEM REMINDER\n\nA task of high priority is completed\nCheck its result before you go on, and write down what you decided and learned";
/// Tools with a task list, in addition to all with `todo` in their name; without case and separators.
const LISTS: [&str; 10] = [
    "updateplan",
    "taskcreate",
    "taskupdate",
    "tasklist",
    "taskget",
    "createtaskplan",
    "updatetaskstatus",
    "gettaskplan",
    "addtask",
    "edittask",
];

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let Some(tool) = &call.event.tool else {
        return Err(skipped("no tool was called"));
    };
    let session = call.event.session.as_ref();
    if is_list_tool(tool) {
        call.sessions.count(session, &SessionCounter::TodoCalls, CountOp::Reset).map_err(unusable)?;
        if empties(tool) {
            call.sessions.release(session, &SessionClaim::HasTodoList).map_err(unusable)?;
        } else {
            call.sessions.claim(session, &SessionClaim::HasTodoList).map_err(unusable)?;
        }
        let completed = tool.output.as_ref().is_some_and(completes_high_priority);
        return if completed { Ok(call.report(COMPLETED.to_owned(), strategy(call))) } else { no_reply() };
    }
    let count =
        call.sessions.count(session, &SessionCounter::TodoCalls, CountOp::Increment).map_err(unusable)?;
    if count % call.options.count("every", EVERY).max(1) as u64 != 0 {
        return no_reply();
    }
    let text = match call.options.template("text") {
        Some(text) => text.plain(call.event),
        None => reminder(count, has_list(call)?, &list_tool(call.event.agent.as_str())),
    };
    Ok(call.report(text, strategy(call)))
}

/// A separate message, so that it is not taken for the result of a tool.
fn strategy(call: &BuiltinRun<'_>) -> Strategy {
    match call.hook.strategy {
        Strategy::Auto => Strategy::UserMessage,
        stated @ (Strategy::ToolResult | Strategy::UserMessage) => stated,
    }
}

/// Whether the result reports a completed task of high priority: `{"task": {"priority": "high", "status":
/// "completed"}}`, the answer of planning tools, also as text, or as a list of texts over MCP.
fn completes_high_priority(output: &Value) -> bool {
    match output {
        Value::Object(fields) => match fields.get("task") {
            Some(task) => task["priority"] == "high" && task["status"] == "completed",
            None => ["text", "content", "structuredContent", "result"]
                .iter()
                .filter_map(|key| fields.get(*key))
                .any(completes_high_priority),
        },
        Value::Array(parts) => parts.iter().any(completes_high_priority),
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str::<Value>(text).is_ok_and(|read| completes_high_priority(&read))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the call leaves nothing on the list.
fn empties(tool: &ToolCall) -> bool {
    let list = ["todos", "plan", "tasks", "items"].iter().find_map(|key| tool.input.get(*key));
    list.is_some_and(|list| list.as_array().is_some_and(Vec::is_empty))
}

fn is_list_tool(tool: &ToolCall) -> bool {
    [&tool.name, &tool.native_name].into_iter().any(|name| {
        // Of `mcp__server__tool` only the tool counts.
        let own = name.rsplit("__").next().unwrap_or(name);
        let plain: String =
            own.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        plain.contains("todo") || LISTS.contains(&plain.as_str())
    })
}

/// Whether the list was ever used: a claim that succeeds now is released at once.
fn has_list(call: &BuiltinRun<'_>) -> Result<bool, HookOutput> {
    let session = call.event.session.as_ref();
    let claimed = call.sessions.claim(session, &SessionClaim::HasTodoList).map_err(unusable)?;
    if claimed == ClaimOutcome::Granted {
        call.sessions.release(session, &SessionClaim::HasTodoList).map_err(unusable)?;
    }
    Ok(claimed == ClaimOutcome::Taken)
}

#[expect(clippy::needless_pass_by_value, reason = "used with `map_err`")]
fn unusable(error: StateError) -> HookOutput {
    missing(error.to_string())
}

/// The name of the agent's task list tool.
fn list_tool(agent: &str) -> String {
    match agent {
        "claude" => "TodoWrite".to_owned(),
        "gemini" => "write_todos".to_owned(),
        "qwen" => "todo_write".to_owned(),
        "codex" => "update_plan".to_owned(),
        _ => format!("a {LIST}"),
    }
}

fn reminder(count: u64, has_list: bool, tool: &str) -> String {
    let text = if has_list {
        format!(
            "Your {LIST} has not been updated for {count} tool calls\n\
             Bring it up to date: what is done, what comes next, what is no longer needed"
        )
    } else {
        format!("Your {LIST} is empty\nConsider using {tool} for multi-step tasks")
    };
    format!("⚠️ SYSTEM REMINDER\n\n{text}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tenter_contract::{ToolCall, ToolKind};

    use super::{completes_high_priority, is_list_tool};

    #[test]
    fn high_priority_completion_is_found_in_all_forms() {
        let task = |priority: &str, status: &str| json!({"task": {"priority": priority, "status": status}});
        let done = task("high", "completed");
        for (output, expected) in [
            (done.clone(), true),
            (json!(done.to_string()), true),
            (json!([{ "type": "text", "text": done.to_string() }]), true),
            (json!({ "content": [{ "type": "text", "text": done.to_string() }] }), true),
            (task("high", "in_progress"), false),
            (task("medium", "completed"), false),
            (json!("high completed"), false),
            (json!("{ high completed"), false),
            (json!({ "tasks": [done] }), false),
        ] {
            assert_eq!(completes_high_priority(&output), expected, "{output}");
        }
    }

    #[test]
    fn list_tools_of_all_agents_are_known() {
        for (name, expected) in [
            ("TodoWrite", true),
            ("todo_write", true),
            ("write_todos", true),
            ("update_plan", true),
            ("TaskUpdate", true),
            ("mcp__planning__update_task_status", true),
            ("Task", false),
            ("Bash", false),
            ("mcp__todoist__send", false),
        ] {
            let tool = ToolCall::new(name, ToolKind::Other, Map::new());
            assert_eq!(is_list_tool(&tool), expected, "{name}");
        }
    }
}
