//! Tools for experiences: what was tried, found by what it is about.

use serde_json::{Value, json};
use tenter_ghap::{Domain, Status};

use super::super::output;
use super::super::schema::{all_projects, needed, text, whole, word, word_or};
use super::super::server::ToolRequest;
use super::memories::mode;
use super::{Access, Tool, spelled};
use crate::error::MemoryError;
use crate::types::ExperienceQuery;
use crate::words::Axis;

pub(super) const SEARCH: Tool = Tool {
    name: "search_experiences",
    title: "Search experiences",
    description: "Find what was tried before and how it came out, in any words; best first. Call it before you begin to debug or design something, with the symptom or the goal as the query. `axis` chooses what is compared: all of it, the strategy, what was surprising, or why a prediction was wrong (`outcome: falsified` finds what did not work). An empty query gives the best lessons and the latest work.",
    access: Access::Read,
    takes: || {
        vec![
            ("query", needed(text("A symptom, a goal, a question"))),
            ("axis", word_or("Which text of an experience is compared", spelled!(Axis), "full")),
            ("domain", word("Only of this kind of work", spelled!(Domain))),
            ("outcome", word("Only those that came out so", spelled!(Status))),
            ("limit", whole("At most so many", 1, 50, 10)),
            ("search_mode", mode()),
            all_projects(),
        ]
    },
    call: search,
};

fn search(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let found = call.memory.search_experiences(&ExperienceQuery {
        text: arguments.get("query")?,
        axis: arguments.get("axis")?,
        domain: arguments.get("domain")?,
        outcome: arguments.get("outcome")?,
        limit: arguments.get("limit")?,
        mode: arguments.get("search_mode")?,
        scope: arguments.scope(call.caller.scope())?,
        unasked: false,
    })?;
    let results: Vec<Value> = found.iter().map(output::experience_hit).collect();
    Ok(json!({"count": results.len(), "results": results}))
}
