//! `TodoWrite`: the model's list of tasks, shown to the user.

use serde_json::{Value, json};
use tenter_contract::ToolKind;

use super::builtin_tool::BuiltinTool;
use super::params::{Param, ParamType, ToolInput, listed};
use super::tool_output::{Todo, TodoState, ToolDisplay, ToolOutput};
use super::workspace::Workspace;

const MOST: usize = 200;

const PARAMS: &[Param] = &[Param::required(
    "todos",
    ParamType::List(item),
    "The whole list; it takes the place of the one before.",
)];

fn item() -> Value {
    json!({
        "type": "object",
        "properties": {
            "content": { "type": "string", "minLength": 1, "description": "What is to be done: `Run the tests`." },
            "status": { "type": "string", "enum": TodoState::ALL.map(TodoState::as_str) },
            "activeForm": { "type": "string", "description": "The same while it is done: `Running the tests`." },
        },
        "required": ["content", "status"],
        "additionalProperties": false,
    })
}

pub(crate) const NAME: &str = "TodoWrite";

pub(super) const TASKS: BuiltinTool = BuiltinTool {
    name: NAME,
    kind: ToolKind::Other,
    description: "Keeps the list of what is to be done in work of several steps, which the user sees. Give the whole list each \
         time: one item is `in_progress` while it is done, and `completed` as soon as it is.",
    params: PARAMS,
    alone: true,
    run: keep,
};

fn keep(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let todos = parsed(input.list("todos"))?;
    at.set_todos(todos.clone());
    Ok(ToolOutput::done(told(&todos), ToolDisplay::Todos(todos)))
}

fn parsed(items: &[Value]) -> Result<Vec<Todo>, String> {
    if items.len() > MOST {
        return Err(format!("`todos` has {} items; more than {MOST} are not kept.", items.len()));
    }
    items.iter().enumerate().map(|(index, item)| parsed_item(item, index + 1)).collect()
}

fn parsed_item(item: &Value, number: usize) -> Result<Todo, String> {
    let Value::Object(item) = item else {
        return Err(format!("Item {number} of `todos` must be an object with `content` and `status`."));
    };
    if let Some(strange) =
        item.keys().find(|key| !["content", "status", "activeForm"].contains(&key.as_str()))
    {
        let strange: String = strange.chars().take(80).collect();
        return Err(format!(
            "Item {number} of `todos` has no key `{strange}`; it takes `content`, `status`, `activeForm`."
        ));
    }
    let text =
        |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let Some(content) = text("content") else {
        return Err(format!("Item {number} of `todos` needs `content`: what is to be done."));
    };
    let Some(state) = text("status").and_then(TodoState::parse) else {
        let states = listed(TodoState::ALL.into_iter().map(TodoState::as_str));
        return Err(format!("Item {number} of `todos` needs `status`, one of {states}."));
    };
    let active_form = text("activeForm").unwrap_or(content).to_owned();
    Ok(Todo { content: content.to_owned(), active_form, state })
}

fn told(todos: &[Todo]) -> String {
    let count = |state: TodoState| todos.iter().filter(|todo| todo.state == state).count();
    if todos.is_empty() {
        return "The list is empty now.".to_owned();
    }
    let counts = TodoState::ALL.map(|state| format!("{} {}", count(state), state.as_str()));
    format!("The list is kept: {}. Go on with it.", counts.join(", "))
}
