//! Prompts that users start in their agent.

use serde_json::{Value, json};

use super::caller::Caller;
use super::rpc::Refusal;
use super::server;
use crate::Memory;

pub(super) fn listed() -> Value {
    json!({"prompts": [
        {
            "name": "start-ghap",
            "title": "Predict before you try",
            "description": "Have the agent start a GHAP entry, a tracked hypothesis (goal, hypothesis, action, prediction), before it begins",
            "arguments": [{"name": "goal", "description": "What should come of it", "required": true}],
        },
        {
            "name": "reflect",
            "title": "Draw lessons",
            "description": "Let the agent review the latest work in this project and store the lessons",
            "arguments": [],
        },
    ]})
}

pub(super) fn get(memory: &Memory, caller: &Caller, params: &Value) -> Result<Value, Refusal> {
    let (description, text) = match server::text(params, "name")? {
        "start-ghap" => {
            let goal = params.pointer("/arguments/goal").and_then(Value::as_str).unwrap_or_default().trim();
            if goal.is_empty() {
                return Err(Refusal::params("`goal` is missing; say what should come of it"));
            }
            ("Predict before you try", start(memory, caller, goal))
        }
        "reflect" => ("Draw lessons", REFLECT.to_owned()),
        name => {
            return Err(Refusal::params(format!("there is no prompt {name}; there are start-ghap, reflect")));
        }
    };
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    Ok(json!({"description": description, "messages": [message]}))
}

fn start(memory: &Memory, caller: &Caller, goal: &str) -> String {
    // The next tool call reports a folder that cannot be read.
    let active = memory.active_ghap(&caller.who).ok().flatten();
    let first = active.map_or_else(String::new, |entry| {
        format!(
            "There is an active entry already ({}: {}). Resolve it with `resolve_ghap` first, or go on with it if it is the same work.\n\n",
            entry.id, entry.goal
        )
    });
    format!(
        "{first}I want this: {goal}\n\nBefore you change anything: call `search_experiences` with it and see what was tried. Then call `start_ghap` with what you believe, what you will do, and a prediction that can turn out wrong. Work; call `update_ghap` when your belief changes, and `resolve_ghap` as soon as you know how it came out."
    )
}

const REFLECT: &str = "\
Look back at the work in this project and keep what is worth keeping.

1. Call `list_ghap_entries` and `list_journal_entries` with `unreflected_only`.
2. Look for what recurs: predictions that were wrong for the same reason, things that were found out twice, \
preferences that were stated more than once.
3. Show me the few sentences you would keep, each with the ids it comes from, and ask which I agree with.
4. Store those with `store_memory`, one each; then call `mark_entries_reflected` for the pages you used, with the \
number of memories.

Keep nothing that the code or its documents say already.";
