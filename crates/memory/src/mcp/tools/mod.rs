//! The tools, a row each.
//!
//! Names, parameters and errors are those of the system that introduced such entries, so that what was written for it
//! works here; `session_id`, `agent_id`, `all_projects` and `supersedes` are ours. Tools for values, code and git come
//! when tenter has them.

mod memories;
mod entries;
mod experiences;
mod context;
mod journal;
mod sessions;
mod health;

use serde_json::{Value, json};

use super::schema::object;
use super::server::ToolRequest;
use crate::error::MemoryError;

/// A tool.
pub struct Tool {
    /// What clients call.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// When a model should call it, and what comes back.
    pub description: &'static str,
    /// What it does to what is stored.
    access: Access,
    /// The schema of its arguments.
    takes: fn() -> Vec<(&'static str, Value)>,
    pub(super) call: fn(&ToolRequest<'_>) -> Result<Value, MemoryError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Add,
    Remove,
}

/// Every tool.
pub fn all() -> &'static [Tool] {
    &ALL
}

static ALL: [Tool; 24] = [
    entries::START,
    entries::UPDATE,
    entries::RESOLVE,
    entries::ACTIVE,
    entries::LIST,
    experiences::SEARCH,
    context::ASSEMBLE,
    context::GET,
    context::PREMORTEM,
    memories::STORE,
    memories::RETRIEVE,
    memories::LIST,
    memories::DELETE,
    journal::STORE,
    journal::LIST,
    journal::GET,
    journal::REFLECTED,
    sessions::START,
    sessions::END,
    sessions::CHECK_IN,
    sessions::ORPHAN,
    sessions::ADOPT,
    sessions::ABANDON,
    health::PING,
];

impl Tool {
    pub(super) fn schema(&self) -> Value {
        object((self.takes)())
    }

    /// The tool as it is listed.
    pub fn listed(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.schema(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.access == Access::Read,
                "destructiveHint": self.access == Access::Remove,
                "openWorldHint": false,
            },
        })
    }
}

pub(super) fn listed() -> Vec<Value> {
    ALL.iter().map(Tool::listed).collect()
}

/// The spellings of a fixed list of words.
macro_rules! spelled {
    ($words:ty) => {
        &<$words>::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>()
    };
}
use spelled;
