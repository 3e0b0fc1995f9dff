//! Tools for the journal: what sessions did, for those who come after.

use serde_json::{Value, json};

use super::super::schema::{all_projects, flag, needed, short, text, texts, whole};
use super::super::server::ToolRequest;
use super::{Access, Tool};
use crate::error::MemoryError;
use crate::types::{JournalFilter, NewJournalEntry};

/// The longest log of a session, in characters.
const LONGEST_LOG: usize = 1_000_000;

pub(super) const STORE: Tool = Tool {
    name: "store_journal_entry",
    title: "Write a page of the journal",
    description: "Write down what this session did, what got in the way and what is next, for the next session. Call it at the end of a longer piece of work, or when the user asks for a handover.",
    access: Access::Add,
    takes: || {
        vec![
            ("summary", needed(text("What was done, in a few sentences"))),
            ("working_directory", text("The folder you work in; the server's own if left out")),
            ("friction_points", texts("What got in the way, and what helped")),
            ("next_steps", texts("What is next")),
            ("session_log_content", short("The log of the session, for later reading", LONGEST_LOG)),
            (
                "session_id",
                text("The session, if it is not the one this server belongs to; usually left out"),
            ),
        ]
    },
    call: store,
};

fn store(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let summary: String = arguments.get("summary")?;
    if summary.trim().is_empty() {
        return Err(MemoryError::validation("`summary` is empty; say in a few sentences what was done"));
    }
    let folder =
        arguments.get::<Option<String>>("working_directory")?.filter(|folder| !folder.trim().is_empty());
    let page = call.memory.store_journal_entry(&NewJournalEntry {
        summary,
        working_directory: Some(folder.unwrap_or_else(|| call.caller.folder.display().to_string())),
        friction_points: arguments.texts("friction_points")?,
        next_steps: arguments.texts("next_steps")?,
        session_log: arguments.get("session_log_content")?,
        session: Some(call.caller.who.session.as_str().to_owned()),
        project: Some(call.caller.project.clone()),
    })?;
    Ok(json!({"id": page.id, "created_at": page.created_at.to_string(), "project_name": page.project_name}))
}

pub(super) const LIST: Tool = Tool {
    name: "list_journal_entries",
    title: "List the journal",
    description: "Pages of the journal, latest first. Call it when you continue earlier work, and with `unreflected_only` when you draw lessons from what was done.",
    access: Access::Read,
    takes: || {
        vec![
            ("unreflected_only", flag("Only those of which no lessons were drawn yet", false)),
            ("project_name", text("Only those of folders of this name")),
            ("working_directory", text("Only those of exactly this folder")),
            ("limit", whole("At most so many", 1, 200, 50)),
            all_projects(),
        ]
    },
    call: list,
};

fn list(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let (name, folder): (Option<String>, Option<String>) =
        (arguments.get("project_name")?, arguments.get("working_directory")?);
    // A process that names a folder or a project means that one, wherever the server is.
    let named = name.is_some() || folder.is_some();
    let scope = arguments.scope(call.caller.scope())?;
    let entries = call.memory.list_journal_entries(&JournalFilter {
        unreflected_only: arguments.get("unreflected_only")?,
        project_name: name,
        working_directory: folder,
        limit: arguments.get("limit")?,
        scope: if named { crate::Scope::Everywhere } else { scope },
    })?;
    Ok(json!({"count": entries.len(), "entries": entries}))
}

pub(super) const GET: Tool = Tool {
    name: "get_journal_entry",
    title: "Read a page of the journal",
    description: "One page of the journal, with its session log if that was stored and `include_log` is true (it can be long).",
    access: Access::Read,
    takes: || {
        vec![
            ("entry_id", needed(text("The page, such as journal_20260102_030405_a1b2c3"))),
            ("include_log", flag("Include the session log", false)),
        ]
    },
    call: get,
};

fn get(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let with_log = call.arguments.get("include_log")?;
    Ok(json!(
        call.memory
            .journal_entry(&call.arguments.required_id("entry_id", "list_journal_entries")?, with_log)?
    ))
}

pub(super) const REFLECTED: Tool = Tool {
    name: "mark_entries_reflected",
    title: "Mark pages as reflected on",
    description: "Note that you have drawn lessons from these pages and stored them. Their logs are removed, unless `delete_logs` is false.",
    access: Access::Remove,
    takes: || {
        vec![
            ("entry_ids", needed(texts("The pages"))),
            (
                "memories_created",
                json!({"type": "integer", "minimum": 0, "description": "How many memories came of them"}),
            ),
            ("delete_logs", flag("Remove their session logs", true)),
        ]
    },
    call: reflected,
};

fn reflected(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let ids = arguments.texts("entry_ids")?;
    if ids.is_empty() {
        return Err(MemoryError::validation("`entry_ids` is empty; `list_journal_entries` has the ids"));
    }
    let created: Option<u32> = arguments.get("memories_created")?;
    let delete_logs = arguments.get("delete_logs")?;
    let marked = call.memory.mark_entries_reflected(&ids, created, delete_logs)?;
    Ok(json!({"marked_count": marked}))
}
