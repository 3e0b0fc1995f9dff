//! Tools for GHAP entries.

use serde_json::{Value, json};
use tenter_ghap::limits::{LONG, SHORT};
use tenter_ghap::{Category, Domain, Lesson, Resolution, Revision, RootCause, Start, Status, Strategy};

use super::super::output;
use super::super::schema::{all_projects, needed, short, text, whole, with_session, word};
use super::super::server::ToolRequest;
use super::{Access, Tool, spelled};
use crate::error::MemoryError;
use crate::types::EntryFilter;

pub(super) const START: Tool = Tool {
    name: "start_ghap",
    title: "Start a GHAP entry",
    description: "Start a GHAP entry, a tracked hypothesis (goal, hypothesis, action, prediction), before you try something. Call it when you begin to debug, and whenever you change something because you believe something. A prediction is good if it can turn out wrong (\"test_login passes 20 times in a row\"). tenter then watches your test and build runs and compares. At most one entry is active at a time.",
    access: Access::Add,
    takes: || {
        with_session(vec![
            ("domain", needed(word("What kind of work it is", spelled!(Domain)))),
            ("strategy", needed(word("How you go about it", spelled!(Strategy)))),
            ("goal", needed(short("What meaningful change do you want to make?", SHORT))),
            ("hypothesis", needed(short("What do you believe about the situation?", SHORT))),
            ("action", needed(short("What do you do because of it?", SHORT))),
            ("prediction", needed(short("What will you see if you are right?", SHORT))),
        ])
    },
    call: start,
};

fn start(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let start: Start = call.arguments.parse()?;
    let entry = call.memory.start_ghap(&call.caller.who, Some(&call.caller.project), &start)?;
    Ok(output::active(&entry))
}

pub(super) const UPDATE: Tool = Tool {
    name: "update_ghap",
    title: "Update the GHAP entry",
    description: "Revise your active GHAP entry (a tracked hypothesis) when your hypothesis, action or prediction has changed since `start_ghap`. What you believed before is kept as history, and a run is compared with the latest prediction. A note alone changes nothing of it.",
    access: Access::Add,
    takes: || {
        with_session(vec![
            ("hypothesis", short("What you believe now", SHORT)),
            ("action", short("What you do now", SHORT)),
            ("prediction", short("What you predict now", SHORT)),
            ("strategy", word("How you go about it now", spelled!(Strategy))),
            ("note", short("What should be remembered of the way", LONG)),
        ])
    },
    call: update,
};

fn update(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let revision: Revision = call.arguments.parse()?;
    let entry = call.memory.update_ghap(&call.caller.who, &revision)?;
    Ok(json!({"success": true, "id": entry.id, "iteration_count": entry.iteration_count}))
}

pub(super) const RESOLVE: Tool = Tool {
    name: "resolve_ghap",
    title: "Resolve the GHAP entry",
    description: "Resolve your active GHAP entry (a tracked hypothesis). Call it as soon as you know the result: confirmed if what you predicted came true, falsified if it did not (then `surprise` and `root_cause` are needed), abandoned if it stays open. Later sessions read the lesson, so write it for a reader who was not here. It counts as gold if the last run that tenter saw of this prediction came out as you say.",
    access: Access::Add,
    takes: || {
        with_session(vec![
            ("status", needed(word("How it came out", spelled!(Status)))),
            ("result", needed(short("What really happened", LONG))),
            ("surprise", short("What you did not expect; needed if falsified", LONG)),
            (
                "root_cause",
                json!({
                    "type": "object",
                    "description": "Why the hypothesis was wrong; needed if falsified",
                    "properties": {
                        "category": word("Which kind of reason", spelled!(Category)),
                        "description": short("The reason", LONG),
                    },
                    "required": ["category", "description"],
                }),
            ),
            (
                "lesson",
                json!({
                    "type": "object",
                    "description": "What to do next time",
                    "properties": {
                        "what_worked": short("What helped in the end", LONG),
                        "takeaway": short("The rule in it, in a sentence", LONG),
                    },
                    "required": ["what_worked"],
                }),
            ),
            (
                "auto_captured",
                json!({
                    "type": "boolean",
                    "description": "False if the run that tenter saw says nothing about this prediction; usually left out",
                }),
            ),
        ])
    },
    call: resolve,
};

fn resolve(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let root_cause: Option<RootCause> = arguments.get("root_cause")?;
    let lesson: Option<Lesson> = arguments.get("lesson")?;
    let resolution = Resolution {
        status: arguments.get("status")?,
        result: arguments.get("result")?,
        surprise: arguments.get("surprise")?,
        root_cause: root_cause.map(|cause| (cause.category.as_str().to_owned(), cause.description)),
        lesson: lesson.map(|lesson| (lesson.what_worked, lesson.takeaway)),
        auto_captured: arguments.get("auto_captured")?,
    };
    Ok(output::resolved(&call.memory.resolve_ghap(&call.caller.who, &resolution)?))
}

pub(super) const ACTIVE: Tool = Tool {
    name: "get_active_ghap",
    title: "Show the active GHAP entry",
    description: "Your active GHAP entry (a tracked hypothesis: goal, hypothesis, action, prediction), if there is one. Call it when you are not sure what you predicted, and after your context was compacted.",
    access: Access::Read,
    takes: || with_session(Vec::new()),
    call: active,
};

fn active(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    Ok(match call.memory.active_ghap(&call.caller.who)? {
        Some(entry) => {
            let mut output = output::active(&entry);
            output["has_active"] = json!(true);
            output
        }
        None => json!({"has_active": false, "id": null}),
    })
}

pub(super) const LIST: Tool = Tool {
    name: "list_ghap_entries",
    title: "List GHAP entries",
    description: "GHAP entries (tracked hypotheses: goal, hypothesis, action, prediction) that were resolved or abandoned, latest first. Call it to see what was worked on lately; to find something, `search_experiences` is better.",
    access: Access::Read,
    takes: || {
        vec![
            ("limit", whole("At most so many", 1, 100, 20)),
            ("domain", word("Only of this kind of work", spelled!(Domain))),
            ("outcome", word("Only those that came out so", spelled!(Status))),
            ("since", text("Only those begun since: a day or a moment in UTC, as in 2026-01-31")),
            all_projects(),
        ]
    },
    call: list,
};

fn list(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let filter = EntryFilter {
        limit: arguments.get("limit")?,
        domain: arguments.get("domain")?,
        outcome: arguments.get("outcome")?,
        since: arguments.moment("since")?,
        session: None,
        scope: arguments.scope(call.caller.scope())?,
    };
    let entries = call.memory.list_entries(&filter)?;
    let results: Vec<Value> = entries.iter().map(output::experience).collect();
    Ok(json!({"count": results.len(), "results": results}))
}
