//! `TodoWrite`: the model's list of tasks, which the user sees.

use serde_json::{Value, json};
use tenter_contract::ToolKind;

use super::params::listed;
use super::{BuiltinTool, Param, ParamType, Todo, TodoState, ToolDisplay, ToolInput, ToolOutput, Workspace};

const MOST: usize = 200;

fn item() -> Value {
    json!({
        "type": "object",
        "properties": {
            "content": { "type": "string", "minLength": 1, "description": "The task: `Run the tests`." },
            "status": { "type": "string", "enum": TodoState::ALL.map(TodoState::as_str) },
            "activeForm": { "type": "string", "description": "The task in progress: `Running the tests`." },
        },
        "required": ["content", "status"],
        "additionalProperties": false,
    })
}

pub(crate) const NAME: &str = "TodoWrite";

pub(super) const TASKS: BuiltinTool = BuiltinTool {
    name: NAME,
    kind: ToolKind::Other,
    description: "Keeps a list of tasks for work of several steps, which the user sees. Send the whole list each time. Mark \
         one item `in_progress` while you work on it, and `completed` as soon as it is done.",
    params: &[Param::required(
        "todos",
        ParamType::List(item),
        "The whole list; it replaces the previous one.",
    )],
    alone: true,
    run: store,
};

fn store(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let todos = parse_items(input.list("todos"))?;
    at.set_todos(todos.clone());
    Ok(ToolOutput::done(summary(&todos), ToolDisplay::Todos(todos)))
}

fn parse_items(items: &[Value]) -> Result<Vec<Todo>, String> {
    if items.len() > MOST {
        return Err(format!("`todos` has {} items; at most {MOST} are allowed.", items.len()));
    }
    items.iter().enumerate().map(|(index, item)| parse_item(item, index + 1)).collect()
}

fn parse_item(item: &Value, number: usize) -> Result<Todo, String> {
    let Value::Object(item) = item else {
        return Err(format!("Item {number} of `todos` must be an object with `content` and `status`."));
    };
    if let Some(unknown) =
        item.keys().find(|key| !["content", "status", "activeForm"].contains(&key.as_str()))
    {
        let unknown: String = unknown.chars().take(80).collect();
        return Err(format!(
            "Item {number} of `todos` has no key `{unknown}`; it takes `content`, `status`, `activeForm`."
        ));
    }
    let text =
        |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let Some(content) = text("content") else {
        return Err(format!("Item {number} of `todos` needs `content`: the task."));
    };
    let Some(state) = text("status").and_then(TodoState::parse) else {
        let states = listed(TodoState::ALL.into_iter().map(TodoState::as_str));
        return Err(format!("Item {number} of `todos` needs `status`, one of {states}."));
    };
    let active_form = text("activeForm").unwrap_or(content).to_owned();
    Ok(Todo { content: content.to_owned(), active_form, state })
}

fn summary(todos: &[Todo]) -> String {
    let count = |state: TodoState| todos.iter().filter(|todo| todo.state == state).count();
    if todos.is_empty() {
        return "The list is empty now.".to_owned();
    }
    let counts = TodoState::ALL.map(|state| format!("{} {}", count(state), state.as_str()));
    format!("The list is saved: {}. Continue with it.", counts.join(", "))
}
