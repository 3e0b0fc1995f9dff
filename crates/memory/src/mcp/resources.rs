//! Resources: data that clients read without a tool call.

use serde_json::{Value, json};

use super::caller::Caller;
use super::output;
use super::rpc::Refusal;
use crate::Memory;
use crate::error::{ErrorKind, MemoryError};
use crate::types::{EntryFilter, MemoryFilter};

const RECENT: &str = "tenter://memory/recent";
const ACTIVE: &str = "tenter://memory/ghap/active";
const EXPERIENCE: &str = "tenter://memory/experience/";
const MEMORY: &str = "tenter://memory/memory/";
const JSON: &str = "application/json";

pub(super) fn listed() -> Value {
    json!({"resources": [
        {
            "uri": RECENT,
            "name": "recent",
            "title": "What was worked on lately",
            "description": "The latest entries and memories of this project",
            "mimeType": JSON,
        },
        {
            "uri": ACTIVE,
            "name": "active-ghap",
            "title": "The active GHAP entry",
            "description": "The tracked hypothesis of this session: goal, hypothesis, action, prediction",
            "mimeType": JSON,
        },
    ]})
}

pub(super) fn templates() -> Value {
    json!({"resourceTemplates": [
        {
            "uriTemplate": format!("{EXPERIENCE}{{id}}"),
            "name": "experience",
            "title": "One experience",
            "description": "Everything about one entry, with its history; citations give the id",
            "mimeType": JSON,
        },
        {
            "uriTemplate": format!("{MEMORY}{{id}}"),
            "name": "memory",
            "title": "One memory",
            "description": "One memory by its id",
            "mimeType": JSON,
        },
    ]})
}

pub(super) fn read(memory: &Memory, caller: &Caller, uri: &str) -> Result<Value, Refusal> {
    let read = if uri == RECENT {
        recent(memory, caller)
    } else if uri == ACTIVE {
        memory.active_ghap(&caller.who).map(|entry| json!(entry))
    } else if let Some(id) = uri.strip_prefix(EXPERIENCE) {
        memory.entry(id).map(|found| json!(found))
    } else if let Some(id) = uri.strip_prefix(MEMORY) {
        memory.memory(id).map(|found| json!(found))
    } else {
        return Err(Refusal::no_resource(format!("there is no resource {uri}; `resources/list` has them")));
    };
    let value = read.map_err(|error| match error.kind {
        ErrorKind::NotFound => Refusal::no_resource(error.to_string()),
        ErrorKind::Validation => Refusal::params(error.to_string()),
        ErrorKind::ActiveExists | ErrorKind::Internal => Refusal::internal(error.to_string()),
    })?;
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    Ok(json!({"contents": [{"uri": uri, "mimeType": JSON, "text": text}]}))
}

fn recent(memory: &Memory, caller: &Caller) -> Result<Value, MemoryError> {
    let entries = memory.list_entries(&EntryFilter { limit: 10, ..EntryFilter::new(caller.scope()) })?;
    let filter = MemoryFilter { limit: 10, ..MemoryFilter::new(caller.scope()) };
    let (memories, _) = memory.list_memories(&filter)?;
    Ok(json!({
        "project": caller.project.as_str(),
        "entries": entries.iter().map(output::experience).collect::<Vec<_>>(),
        "memories": memories,
    }))
}
