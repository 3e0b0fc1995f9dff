//! Tools for memories: what a user wants to be remembered.

use serde_json::{Value, json};

use super::super::output;
use super::super::schema::{all_projects, flag, needed, share, text, texts, whole, word, word_or};
use super::super::server::ToolRequest;
use super::{Access, Tool, spelled};
use crate::error::MemoryError;
use crate::types::{MemoryFilter, MemoryQuery, NewMemory};
use crate::words::{MemoryCategory, SearchMode};

pub(super) const STORE: Tool = Tool {
    name: "store_memory",
    title: "Store a memory",
    description: "Remember something for later sessions of this project: a preference of the user, a decision and its reason, a fact that was hard to find out. Call it when the user says \"remember\", and when you learn something that the code does not say. One thing per memory, in a sentence that is clear without this conversation; the same sentence again changes its category, importance and tags. Not for secrets, and not for what you tried and how it came out (that is `start_ghap`).",
    access: Access::Add,
    takes: || {
        vec![
            ("content", needed(text("What to remember"))),
            ("category", needed(word("What it is", spelled!(MemoryCategory)))),
            (
                "importance",
                share(
                    "Importance from 0 to 1; 0.5 for something new. From 0.8 on (a preference from 0.5 on) it is shown at the start of every session; else when a prompt is about it",
                ),
            ),
            ("tags", texts("Words to find it by")),
            (
                "global",
                flag(
                    "It is true in every project, such as a preference of the user; then it waits for the user's yes",
                    false,
                ),
            ),
            (
                "supersedes",
                text("The id of a memory or an experience that this one corrects: it is no longer found"),
            ),
        ]
    },
    call: store,
};

fn store(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let memory = NewMemory {
        content: arguments.get("content")?,
        category: Some(arguments.get("category")?),
        importance: arguments.get("importance")?,
        tags: arguments.texts("tags")?,
        project: (!arguments.get::<bool>("global")?).then(|| call.caller.project.clone()),
    };
    let stored = match arguments.get::<Option<String>>("supersedes")? {
        Some(_) if memory.project.is_none() => {
            return Err(MemoryError::validation(
                "a memory for every project takes the place of no other one by itself: store it without `supersedes`, \
                 and ask the user to accept it",
            ));
        }
        Some(old) => call.memory.correct(&old, &memory)?,
        None => call.memory.propose_memory(&memory)?,
    };
    let mut output = output::memory(&stored);
    if stored.is_pending() {
        output["pending"] = json!(true);
        output["remark"] = json!(format!(
            "It is shown in no session until the user accepts it. The user types `tenter memory accept {}`.",
            stored.id
        ));
    }
    Ok(output)
}

pub(super) const RETRIEVE: Tool = Tool {
    name: "retrieve_memories",
    title: "Search memories",
    description: "Find memories by what they are about, in any words; best first. Call it before you ask the user something that the user may have answered before, and before you decide something that may have been decided.",
    access: Access::Read,
    takes: || {
        vec![
            ("query", needed(text("What it should be about"))),
            ("limit", whole("At most so many", 1, 100, 10)),
            ("category", word("Only of this category", spelled!(MemoryCategory))),
            ("min_importance", share("Minimum importance; 0 by default")),
            ("search_mode", mode()),
            all_projects(),
        ]
    },
    call: retrieve,
};

fn retrieve(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let query = MemoryQuery {
        text: arguments.get("query")?,
        limit: arguments.get("limit")?,
        category: arguments.get("category")?,
        min_importance: arguments.get::<Option<f64>>("min_importance")?.unwrap_or_default(),
        mode: arguments.get("search_mode")?,
        scope: arguments.scope(call.caller.scope())?,
        unasked: false,
    };
    // Nothing was asked for, so nothing fits; a list is another tool.
    if query.text.trim().is_empty() {
        return Ok(json!({"results": [], "count": 0}));
    }
    let found = call.memory.retrieve_memories(&query)?;
    let results: Vec<Value> = found.iter().map(output::memory_hit).collect();
    Ok(json!({"count": results.len(), "results": results}))
}

pub(super) const LIST: Tool = Tool {
    name: "list_memories",
    title: "List memories",
    description: "List memories, latest first, without searching. Call it to show the user what is remembered, or to find outdated ones.",
    access: Access::Read,
    takes: || {
        vec![
            ("category", word("Only of this category", spelled!(MemoryCategory))),
            ("tags", texts("Only those with these tags")),
            ("limit", whole("At most so many", 1, 200, 50)),
            (
                "offset",
                json!({"type": "integer", "description": "After so many", "minimum": 0, "default": 0}),
            ),
            all_projects(),
        ]
    },
    call: list,
};

fn list(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let filter = MemoryFilter {
        category: arguments.get("category")?,
        tags: arguments.texts("tags")?,
        limit: arguments.get("limit")?,
        offset: arguments.get("offset")?,
        ..MemoryFilter::new(arguments.scope(call.caller.scope())?)
    };
    let (memories, total) = call.memory.list_memories(&filter)?;
    let results: Vec<Value> = memories.iter().map(output::memory).collect();
    Ok(json!({"count": results.len(), "total": total, "results": results}))
}

pub(super) const DELETE: Tool = Tool {
    name: "delete_memory",
    title: "Delete a memory",
    description: "Remove a memory for good. Call it when the user wants something forgotten, or when a memory is wrong; to put a better one in its place, call `store_memory` with `supersedes` instead.",
    access: Access::Remove,
    takes: || vec![("memory_id", needed(text("The memory, such as mem_20260102_030405_a1b2c3")))],
    call: delete,
};

fn delete(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let id = call.arguments.required_id("memory_id", "list_memories")?;
    call.memory.delete_memory(&id)?;
    Ok(json!({"deleted": true, "id": id}))
}

pub(super) fn mode() -> Value {
    let description = "By meaning (semantic), by words (keyword), or by both (hybrid)";
    word_or(description, spelled!(SearchMode), "hybrid")
}
