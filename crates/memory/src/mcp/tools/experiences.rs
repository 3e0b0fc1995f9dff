//! Tools for experiences: what was tried, found by what it is about.

use serde_json::{Value, json};
use tenter_ghap::{Domain, Status};

use super::super::schema::{all_projects, needed, object, text, whole, word};
use super::super::server::Call;
use super::super::shown;
use super::memories::mode;
use super::{Does, Tool, reads, spelled};
use crate::error::MemoryError;
use crate::questions::ExperienceQuery;
use crate::words::{Axis, SearchMode};

pub(super) const SEARCH: Tool = Tool {
    name: "search_experiences",
    title: "Search experiences",
    description: "Find what was tried before and how it came out, in any words; best first. Call it before you begin to debug or design something, with the symptom or the goal as the query. `axis` chooses what is compared: all of it, the strategy, what was surprising, or why a prediction was wrong (`outcome: falsified` finds what did not work). An empty query gives the best lessons and the latest work.",
    does: Does::Look,
    takes: || {
        let mut axis = word("Which side of an experience is compared", spelled!(Axis));
        axis["default"] = json!("full");
        object(vec![
            ("query", needed(text("A symptom, a goal, a question"))),
            ("axis", axis),
            ("domain", word("Only of this kind of work", spelled!(Domain))),
            ("outcome", word("Only those that came out so", spelled!(Status))),
            ("limit", whole("At most so many", 1, 50, 10)),
            ("search_mode", mode()),
            all_projects(),
        ])
    },
    call: search,
};

fn search(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let found = call.memory.search_experiences(&ExperienceQuery {
        text: arguments.text("query")?,
        axis: arguments.word("axis", reads!(Axis))?.unwrap_or(Axis::Full),
        domain: arguments.word("domain", reads!(Domain))?,
        outcome: arguments.word("outcome", reads!(Status))?,
        limit: arguments.whole("limit", 10, 1..=50)?,
        mode: arguments.word("search_mode", reads!(SearchMode))?.unwrap_or(SearchMode::Hybrid),
        scope: arguments.scope(call.caller.scope())?,
        unasked: false,
    })?;
    let results: Vec<Value> = found.iter().map(shown::experience_hit).collect();
    Ok(json!({"count": results.len(), "results": results}))
}
