//! `todo.reminder`: after so many tool calls without a look at its list of tasks, the agent is reminded of it, and
//! after a task of high priority of what there is to do before the next.

use serde_json::Value;
use tenter_contract::ports::{ClaimOutcome, Mark};
use tenter_contract::{Said, Strategy, ToolCall};

use super::call::{Answer, Call, missing, silence};

const EVERY: usize = 20;
/// The list, as the specification calls it. Spelled so that it is not taken for a note to ourselves.
const LIST: &str = "TO\u{44}O list";
/// What is counted, on the shelf of the session.
const TALLY: &str = "tool calls without a look at the list of tasks";
/// Claimed by the first look at the list, and given back when the list is emptied.
const SEEN: &str = "the list of tasks was looked at";
/// What is said after a task of high priority. Nothing of the task itself: its words are the model's.
const COMPLETED: &str = "⚠️ SYSTEM REMINDER\n\nA task of high priority is completed\nCheck its result before you go on, and write down what you decided and learned";
/// Tools that keep a list of tasks, beside all that have `todo` in their name; without case and separators.
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

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let Some(tool) = &call.event.tool else {
        return Err(Said::Skipped { why: "no tool was called".to_owned() });
    };
    let session = &call.event.session;
    let unusable = |error: tenter_contract::ports::ShelfError| missing(error.to_string());
    if keeps_a_list(tool) {
        call.sessions.tally(session, TALLY, Mark::Restart).map_err(unusable)?;
        if empties(tool) {
            call.sessions.release(session, SEEN).map_err(unusable)?;
        } else {
            call.sessions.claim(session, SEEN).map_err(unusable)?;
        }
        let completed = tool.output.as_ref().is_some_and(completes_what_matters);
        return if completed { Ok(call.report(COMPLETED.to_owned(), strategy(call))) } else { silence() };
    }
    let count = call.sessions.tally(session, TALLY, Mark::One).map_err(unusable)?;
    if count % call.options.count("every", EVERY).max(1) as u64 != 0 {
        return silence();
    }
    let text = match call.options.template("text") {
        Some(text) => text.plain(call.event),
        None => reminder(count, has_list(call)?, &tool_of(call.event.agent.as_str())),
    };
    Ok(call.report(text, strategy(call)))
}

/// A message of its own, so that nobody takes it for a tool's result.
fn strategy(call: &Call<'_>) -> Strategy {
    match call.hook.strategy {
        Strategy::Auto => Strategy::UserMessage,
        stated @ (Strategy::ToolResult | Strategy::UserMessage) => stated,
    }
}

/// Whether this result says that a task of high priority is completed: `{"task": {"priority": "high", "status":
/// "completed"}}`, as planning tools answer, also where it comes as text, or as a list of texts over MCP.
fn completes_what_matters(output: &Value) -> bool {
    match output {
        Value::Object(fields) => match fields.get("task") {
            Some(task) => task["priority"] == "high" && task["status"] == "completed",
            None => ["text", "content", "structuredContent", "result"]
                .iter()
                .filter_map(|key| fields.get(*key))
                .any(completes_what_matters),
        },
        Value::Array(parts) => parts.iter().any(completes_what_matters),
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str::<Value>(text).is_ok_and(|read| completes_what_matters(&read))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the call leaves nothing on the list.
fn empties(tool: &ToolCall) -> bool {
    let list = ["todos", "plan", "tasks", "items"].iter().find_map(|key| tool.input.get(*key));
    list.is_some_and(|list| list.as_array().is_some_and(Vec::is_empty))
}

fn keeps_a_list(tool: &ToolCall) -> bool {
    [&tool.name, &tool.native_name].into_iter().any(|name| {
        // Of `mcp__server__tool` only the tool counts.
        let own = name.rsplit("__").next().unwrap_or(name);
        let plain: String =
            own.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        plain.contains("todo") || LISTS.contains(&plain.as_str())
    })
}

/// Whether the list was ever looked at: who claims it now and gives it back was not the first.
fn has_list(call: &Call<'_>) -> Result<bool, Said> {
    let session = &call.event.session;
    let claimed = call.sessions.claim(session, SEEN).map_err(|error| missing(error.to_string()))?;
    if claimed == ClaimOutcome::Granted {
        call.sessions.release(session, SEEN).map_err(|error| missing(error.to_string()))?;
    }
    Ok(claimed == ClaimOutcome::Taken)
}

/// What the agent calls the tool that keeps its list.
fn tool_of(agent: &str) -> String {
    match agent {
        "claude" => "TodoWrite".to_owned(),
        "gemini" => "write_todos".to_owned(),
        "qwen" => "todo_write".to_owned(),
        "codex" => "update_plan".to_owned(),
        _ => format!("a {LIST}"),
    }
}

fn reminder(count: u64, has_list: bool, tool: &str) -> String {
    let state = if has_list {
        format!("Your {LIST} has not been updated for {count} tool calls")
    } else {
        format!("Your {LIST} is empty")
    };
    let advice = if has_list {
        "Bring it up to date: what is done, what comes next, what is no longer needed".to_owned()
    } else {
        format!("Consider using {tool} for multi-step tasks")
    };
    format!("⚠️ SYSTEM REMINDER\n\n{state}\n{advice}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tenter_contract::{ToolCall, ToolKind};

    use super::{completes_what_matters, keeps_a_list};

    #[test]
    fn a_completed_task_of_high_priority_is_known_in_every_form_a_tool_answers_in() {
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
            assert_eq!(completes_what_matters(&output), expected, "{output}");
        }
    }

    #[test]
    fn tools_that_keep_a_list_are_known_under_every_agents_name() {
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
            assert_eq!(keeps_a_list(&tool), expected, "{name}");
        }
    }
}
