//! Tools for memories: what somebody wants to be remembered.

use serde_json::{Value, json};

use super::super::schema::{all_projects, flag, needed, object, share, text, texts, whole, word};
use super::super::server::Call;
use super::super::shown;
use super::{Does, Tool, reads, spelled};
use crate::error::MemoryError;
use crate::questions::{MemoryFilter, MemoryQuery, NewMemory};
use crate::words::{MemoryCategory, SearchMode};

pub(super) const STORE: Tool = Tool {
    name: "store_memory",
    title: "Store a memory",
    description: "Remember something for later sessions of this project: a preference of the user, a decision and its reason, a fact that was hard to find out. Call it when the user says \"remember\", and when you learn something that the code does not say. One thing per memory, in a sentence that is clear without this conversation; the same sentence again changes its category, importance and tags. Not for secrets, and not for what you tried and how it came out (that is `start_ghap`).",
    does: Does::Add,
    takes: || {
        object(vec![
            ("content", needed(text("What to remember"))),
            ("category", needed(word("What it is", spelled!(MemoryCategory)))),
            (
                "importance",
                share(
                    "How much it matters, from 0 to 1; 0.5 for something new. From 0.8 on, a preference from 0.5 on, every session is told at its start; else when a prompt is about it",
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
        ])
    },
    call: store,
};

fn store(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let memory = NewMemory {
        content: arguments.text("content")?,
        category: Some(arguments.required_word("category", reads!(MemoryCategory))?),
        importance: arguments.maybe_share("importance")?,
        tags: arguments.texts("tags")?,
        project: (!arguments.flag("global", false)?).then(|| call.caller.project.clone()),
    };
    let stored = match arguments.optional("supersedes")? {
        Some(_) if memory.project.is_none() => {
            return Err(MemoryError::validation(
                "a memory for every project takes the place of no other one by itself: store it without `supersedes`, \
                 and ask the user to accept it",
            ));
        }
        Some(old) => call.memory.correct(&old, &memory)?,
        None => call.memory.propose_memory(&memory)?,
    };
    let mut shown = shown::memory(&stored);
    if stored.is_pending() {
        shown["pending"] = json!(true);
        shown["remark"] = json!(format!(
            "It waits for the user's yes and is told in no session until then. The user types `tenter memory accept {}`.",
            stored.id
        ));
    }
    Ok(shown)
}

pub(super) const RETRIEVE: Tool = Tool {
    name: "retrieve_memories",
    title: "Search memories",
    description: "Find memories by what they are about, in any words; best first. Call it before you ask the user something that may have been said before, and before you decide something that may have been decided.",
    does: Does::Look,
    takes: || {
        object(vec![
            ("query", needed(text("What it should be about"))),
            ("limit", whole("At most so many", 1, 100, 10)),
            ("category", word("Only of this category", spelled!(MemoryCategory))),
            ("min_importance", share("Only at least so important; 0 if it is not said")),
            ("search_mode", mode()),
            all_projects(),
        ])
    },
    call: retrieve,
};

fn retrieve(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let query = MemoryQuery {
        text: arguments.text("query")?,
        limit: arguments.whole("limit", 10, 1..=100)?,
        category: arguments.word("category", reads!(MemoryCategory))?,
        min_importance: arguments.share("min_importance", 0.0)?,
        mode: arguments.word("search_mode", reads!(SearchMode))?.unwrap_or(SearchMode::Hybrid),
        scope: arguments.scope(call.caller.scope())?,
        unasked: false,
    };
    // Nothing was asked for, so nothing fits; a list is another tool.
    if query.text.trim().is_empty() {
        return Ok(json!({"results": [], "count": 0}));
    }
    let found = call.memory.retrieve_memories(&query)?;
    let results: Vec<Value> = found.iter().map(shown::memory_hit).collect();
    Ok(json!({"count": results.len(), "results": results}))
}

pub(super) const LIST: Tool = Tool {
    name: "list_memories",
    title: "List memories",
    description: "List memories, latest first, without searching. Call it to show the user what is remembered, or to look for what is out of date.",
    does: Does::Look,
    takes: || {
        object(vec![
            ("category", word("Only of this category", spelled!(MemoryCategory))),
            ("tags", texts("Only those with these tags")),
            ("limit", whole("At most so many", 1, 200, 50)),
            (
                "offset",
                json!({"type": "integer", "description": "After so many", "minimum": 0, "default": 0}),
            ),
            all_projects(),
        ])
    },
    call: list,
};

fn list(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let filter = MemoryFilter {
        category: arguments.word("category", reads!(MemoryCategory))?,
        tags: arguments.texts("tags")?,
        limit: arguments.whole("limit", 50, 1..=200)?,
        offset: arguments.whole("offset", 0, 0..=usize::MAX)?,
        ..MemoryFilter::new(arguments.scope(call.caller.scope())?)
    };
    let (memories, total) = call.memory.list_memories(&filter)?;
    let results: Vec<Value> = memories.iter().map(shown::memory).collect();
    Ok(json!({"count": results.len(), "total": total, "results": results}))
}

pub(super) const DELETE: Tool = Tool {
    name: "delete_memory",
    title: "Delete a memory",
    description: "Remove a memory for good. Call it when the user wants something forgotten, or when a memory is wrong; to put a better one in its place, call `store_memory` with `supersedes` instead.",
    does: Does::Remove,
    takes: || object(vec![("memory_id", needed(text("The memory, such as mem_20260102_030405_a1b2c3")))]),
    call: delete,
};

fn delete(call: &Call<'_>) -> Result<Value, MemoryError> {
    let id = call.arguments.required_id("memory_id", "list_memories")?;
    call.memory.delete_memory(&id)?;
    Ok(json!({"deleted": true, "id": id}))
}

/// The parameter that says how to search.
pub(super) fn mode() -> Value {
    let mut schema =
        word("By meaning (semantic), by words (keyword), or by both (hybrid)", spelled!(SearchMode));
    schema["default"] = json!("hybrid");
    schema
}
