//! Tools for the journal: what sessions did, for those who come after.

use serde_json::{Value, json};

use super::super::schema::{all_projects, flag, needed, object, short, text, texts, whole};
use super::super::server::Call;
use super::{Does, Tool};
use crate::error::MemoryError;
use crate::questions::{JournalFilter, NewJournalEntry};

/// The longest log of a session, in characters.
const LONGEST_LOG: usize = 1_000_000;

pub(super) const STORE: Tool = Tool {
    name: "store_journal_entry",
    title: "Write a page of the journal",
    description: "Write down what this session did, what got in the way and what is next, for whoever continues. Call it at the end of a longer piece of work, or when the user asks for a handover.",
    does: Does::Add,
    takes: || {
        object(vec![
            ("summary", needed(text("What was done, in a few sentences"))),
            ("working_directory", text("The folder you work in; the server's own if left out")),
            ("friction_points", texts("What got in the way, and what helped")),
            ("next_steps", texts("What is next")),
            (
                "session_log_content",
                short("All that was said, if somebody may want to look at it later", LONGEST_LOG),
            ),
            (
                "session_id",
                text("The session, if it is not the one this server belongs to; usually left out"),
            ),
        ])
    },
    call: store,
};

fn store(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let summary = arguments.text("summary")?;
    if summary.trim().is_empty() {
        return Err(MemoryError::validation("`summary` is empty; say in a few sentences what was done"));
    }
    let folder = arguments.optional("working_directory")?.filter(|folder| !folder.trim().is_empty());
    let page = call.memory.store_journal_entry(&NewJournalEntry {
        summary,
        working_directory: Some(folder.unwrap_or_else(|| call.caller.folder.display().to_string())),
        friction_points: arguments.texts("friction_points")?,
        next_steps: arguments.texts("next_steps")?,
        session_log: arguments.optional("session_log_content")?,
        session: Some(call.caller.who.session.as_str().to_owned()),
        project: Some(call.caller.project.clone()),
    })?;
    Ok(json!({"id": page.id, "created_at": page.created_at.to_string(), "project_name": page.project_name}))
}

pub(super) const LIST: Tool = Tool {
    name: "list_journal_entries",
    title: "List the journal",
    description: "Pages of the journal, latest first. Call it when you continue somebody's work, and with `unreflected_only` when you draw lessons from what was done.",
    does: Does::Look,
    takes: || {
        object(vec![
            ("unreflected_only", flag("Only those of which no lessons were drawn yet", false)),
            ("project_name", text("Only those of folders of this name")),
            ("working_directory", text("Only those of exactly this folder")),
            ("limit", whole("At most so many", 1, 200, 50)),
            all_projects(),
        ])
    },
    call: list,
};

fn list(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let (name, folder) = (arguments.optional("project_name")?, arguments.optional("working_directory")?);
    // Whoever names a folder or a project means that one, wherever the server is.
    let named = name.is_some() || folder.is_some();
    let scope = arguments.scope(call.caller.scope())?;
    let entries = call.memory.list_journal_entries(&JournalFilter {
        unreflected_only: arguments.flag("unreflected_only", false)?,
        project_name: name,
        working_directory: folder,
        limit: arguments.whole("limit", 50, 1..=200)?,
        scope: if named { crate::Scope::Everywhere } else { scope },
    })?;
    Ok(json!({"count": entries.len(), "entries": entries}))
}

pub(super) const GET: Tool = Tool {
    name: "get_journal_entry",
    title: "Read a page of the journal",
    description: "One page of the journal, with all that was said if that was kept and `include_log` asks for it (it can be long).",
    does: Does::Look,
    takes: || {
        object(vec![
            ("entry_id", needed(text("The page, such as journal_20260102_030405_a1b2c3"))),
            ("include_log", flag("With all that was said", false)),
        ])
    },
    call: get,
};

fn get(call: &Call<'_>) -> Result<Value, MemoryError> {
    let with_log = call.arguments.flag("include_log", false)?;
    Ok(json!(
        call.memory
            .journal_entry(&call.arguments.required_id("entry_id", "list_journal_entries")?, with_log)?
    ))
}

pub(super) const REFLECTED: Tool = Tool {
    name: "mark_entries_reflected",
    title: "Mark pages as reflected on",
    description: "Note that you have drawn lessons from these pages and stored them. Their logs are removed, unless `delete_logs` is false.",
    does: Does::Remove,
    takes: || {
        object(vec![
            ("entry_ids", needed(texts("The pages"))),
            (
                "memories_created",
                json!({"type": "integer", "minimum": 0, "description": "How many memories came of them"}),
            ),
            ("delete_logs", flag("Remove what was said in them", true)),
        ])
    },
    call: reflected,
};

fn reflected(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let ids = arguments.texts("entry_ids")?;
    if ids.is_empty() {
        return Err(MemoryError::validation("`entry_ids` is empty; `list_journal_entries` has the ids"));
    }
    let created = arguments.whole("memories_created", usize::MAX, 0..=u32::MAX as usize)?;
    let delete_logs = arguments.flag("delete_logs", true)?;
    let marked = call.memory.mark_entries_reflected(&ids, u32::try_from(created).ok(), delete_logs)?;
    Ok(json!({"marked_count": marked}))
}
