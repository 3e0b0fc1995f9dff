//! Tools for sessions, for agents in which tenter's hooks do not run.

use serde_json::{Value, json};
use tenter_ghap::limits::{LONG, required};

use super::super::output;
use super::super::schema::{needed, short, text, whole, with_session};
use super::super::server::ToolRequest;
use super::{Access, Tool};
use crate::error::MemoryError;
use crate::facade::{Ending, NewSession};
use crate::types::Resolved;

pub(super) const START: Tool = Tool {
    name: "start_session",
    title: "Start a session",
    description: "Begin a session. Only for agents in which tenter's hooks do not run: they do it by themselves.",
    access: Access::Add,
    takes: || vec![("session_id", text("Its id; left out, the server's own"))],
    call: start,
};

fn start(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let caller = &call.caller;
    let session = caller.who.session.clone();
    let project = Some(caller.project.clone());
    let id = session.as_str().to_owned();
    call.memory.start_session(&NewSession { session, project, agent: caller.client.clone() })?;
    Ok(json!({"session_id": id, "project": caller.project.as_str()}))
}

pub(super) const END: Tool = Tool {
    name: "end_session",
    title: "End a session",
    description: "End a session: a GHAP entry (a tracked hypothesis) that is still active is abandoned. Only for agents in which tenter's hooks do not run.",
    access: Access::Add,
    takes: || {
        vec![
            ("reason", short("Why; \"session ended\" if left out", LONG)),
            ("session_id", text("Which one; left out, the one this server belongs to")),
        ]
    },
    call: end,
};

fn end(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let reason = call.arguments.get::<Option<String>>("reason")?.filter(|reason| !reason.trim().is_empty());
    let ending = Ending::Over(reason.unwrap_or_else(|| "session ended".to_owned()));
    let session = &call.caller.who.session;
    let ended = call.memory.end_session(session, &ending)?;
    let [confirmed, falsified, abandoned] = ended.resolved;
    Ok(json!({
        "session_id": session.as_str(),
        "abandoned": ended.abandoned.iter().map(output::resolved).collect::<Vec<Value>>(),
        "resolved": {"confirmed": confirmed, "falsified": falsified, "abandoned": abandoned},
    }))
}

pub(super) const CHECK_IN: Tool = Tool {
    name: "should_check_in",
    title: "Is a check-in due?",
    description: "Whether a reminder about the active GHAP entry (a tracked hypothesis) is due after this number of tool calls. Hooks ask this by themselves; it is for scripts.",
    access: Access::Read,
    takes: || with_session(vec![("frequency", whole("After so many tool calls", 1, 10_000, 10))]),
    call: check_in,
};

fn check_in(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let frequency: u64 = call.arguments.get("frequency")?;
    let due = call.memory.should_check_in(&call.caller.who, frequency)?;
    Ok(json!({"should_check_in": due}))
}

/// How many orphans are named besides the latest one.
const OTHERS: usize = 5;

pub(super) const ORPHAN: Tool = Tool {
    name: "get_orphan",
    title: "Show an entry that was left behind",
    description: "The latest GHAP entry (a tracked hypothesis) of this project that another session began and did not resolve, and under `others` the ids and goals of the next ones; `more` is how many there are besides the latest. Call it at the beginning of a session; then `adopt_orphan` goes on with one, and `abandon_orphan` gives it up.",
    access: Access::Read,
    takes: || with_session(Vec::new()),
    call: orphan,
};

fn orphan(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let found = call.memory.orphans(&call.caller.who, Some(&call.caller.project))?;
    let Some((latest, others)) = found.split_first() else { return Ok(json!({"has_orphan": false})) };
    let mut output = output::active(&latest.entry);
    output["has_orphan"] = json!(true);
    output["last_seen"] = json!(latest.last_seen.to_string());
    output["more"] = json!(others.len());
    output["others"] = others
        .iter()
        .take(OTHERS)
        .map(|orphan| json!({"id": orphan.entry.id, "goal": orphan.entry.goal}))
        .collect();
    Ok(output)
}

pub(super) const ADOPT: Tool = Tool {
    name: "adopt_orphan",
    title: "Adopt an entry that was left behind",
    description: "Go on with a GHAP entry that another session left behind: it is yours from now on, and `resolve_ghap` ends it.",
    access: Access::Add,
    takes: || with_session(vec![("orphan_id", text("Which one; left out, the latest"))]),
    call: adopt,
};

fn adopt(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let id = call.arguments.id("orphan_id")?;
    let entry = call.memory.adopt_orphan(&call.caller.who, Some(&call.caller.project), id.as_deref())?;
    Ok(output::active(&entry))
}

pub(super) const ABANDON: Tool = Tool {
    name: "abandon_orphan",
    title: "Abandon an entry that was left behind",
    description: "Give up a GHAP entry that another session left behind; it is kept as abandoned, with your reason.",
    access: Access::Add,
    takes: || {
        with_session(vec![
            ("reason", needed(short("Why the work does not continue", LONG))),
            ("orphan_id", text("Which one; left out, the latest")),
        ])
    },
    call: abandon,
};

fn abandon(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let reason = required("reason", &call.arguments.get::<String>("reason")?, LONG)?;
    let id = call.arguments.id("orphan_id")?;
    let abandoned: Resolved =
        call.memory.abandon_orphan(&call.caller.who, Some(&call.caller.project), id.as_deref(), &reason)?;
    Ok(output::resolved(&abandoned))
}
