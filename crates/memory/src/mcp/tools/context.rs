//! Tools for contexts: what a model should know before it begins, put together within a budget.

use serde_json::{Value, json};
use tenter_ghap::{Domain, Strategy};

use super::super::schema::{all_projects, needed, object, text, whole, word};
use super::super::server::Call;
use super::{Does, Tool, reads, spelled};
use crate::context::{Assembled, ContextRequest, ContextSource, Depth, PremortemRequest};
use crate::error::MemoryError;

pub(super) const ASSEMBLE: Tool = Tool {
    name: "assemble_context",
    title: "Put a context together",
    description: "What is known about a task, as one text with ids to look up: experiences and memories, the most relevant first, near-duplicates merged, within a token budget. Hooks do this at every prompt; call it when you turn to something else in the middle of a conversation, or start a sub-agent. An empty query gives the best lessons and the latest work.",
    does: Does::Look,
    takes: || {
        object(vec![
            ("query", needed(text("The task, in the user's words or yours"))),
            (
                "context_types",
                json!({
                    "type": "array",
                    "items": {"type": "string", "enum": ["experiences", "memories"]},
                    "description": "Where from; everything if left out. `values`, `code` and `commits` are not available yet: `remark` says so",
                }),
            ),
            ("limit", whole("At most so many things", 1, 50, 10)),
            ("max_tokens", whole("At most about so many tokens", 50, 10_000, 1500)),
            all_projects(),
        ])
    },
    call: assemble,
};

fn assemble(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let mut request =
        ContextRequest::new(arguments.text("query")?, Depth::Rich, arguments.scope(call.caller.scope())?);
    let sources = arguments.texts("context_types")?;
    if !sources.is_empty() {
        // The words for what tenter does not have yet are taken too, because what was written for the origin has them.
        request.sources =
            sources.iter().map(|source| ContextSource::read(source)).collect::<Result<_, _>>()?;
    }
    request.limit = arguments.whole("limit", 10, 1..=50)?;
    request.max_tokens = arguments.whole("max_tokens", 1500, 50..=10_000)?;
    Ok(shown(&call.memory.assemble_context(&request)?))
}

pub(super) const GET: Tool = Tool {
    name: "get_context",
    title: "Get a light or rich context",
    description: "The same as `assemble_context` with two sizes to choose from: light for a handful of lines, rich for all that is relevant. For scripts that hand a situation to an agent.",
    does: Does::Look,
    takes: || {
        let mut depth = word("How much", spelled!(Depth));
        depth["default"] = json!("rich");
        object(vec![
            ("situation", text("What is going on; left out, the best lessons and the latest work")),
            ("query", text("The same by another name")),
            ("depth", depth),
            all_projects(),
        ])
    },
    call: get,
};

fn get(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let depth = arguments.word("depth", reads!(Depth))?.unwrap_or(Depth::Rich);
    // Both names are in use for it.
    let situation = arguments.optional("situation")?.or(arguments.optional("query")?);
    let scope = arguments.scope(call.caller.scope())?;
    let request = ContextRequest::new(situation.unwrap_or_default(), depth, scope);
    Ok(shown(&call.memory.assemble_context(&request)?))
}

pub(super) const PREMORTEM: Tool = Tool {
    name: "premortem",
    title: "What went wrong before?",
    description: "What failed before in this kind of work, what surprised people and why they were wrong, and how the strategy you have in mind has done. Call it before you begin something risky, and when something has failed and you do not know why.",
    does: Does::Look,
    takes: || {
        object(vec![
            ("domain", needed(word("What kind of work it is", spelled!(Domain)))),
            ("strategy", word("How you mean to go about it", spelled!(Strategy))),
            ("query", text("What it is about; then what is nearest comes first")),
            ("limit", whole("At most so many of each kind", 1, 50, 5)),
            ("max_tokens", whole("At most about so many tokens", 100, 10_000, 800)),
            all_projects(),
        ])
    },
    call: premortem,
};

fn premortem(call: &Call<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let domain = arguments.required_word("domain", reads!(Domain))?;
    let mut request = PremortemRequest::new(domain, arguments.scope(call.caller.scope())?);
    request.strategy = arguments.word("strategy", reads!(Strategy))?;
    request.about = arguments.optional("query")?.unwrap_or_default();
    request.limit = arguments.whole("limit", 5, 1..=50)?;
    request.max_tokens = arguments.whole("max_tokens", 800, 100..=10_000)?;
    Ok(shown(&call.memory.premortem(&request)?))
}

fn shown(assembled: &Assembled) -> Value {
    let cited = assembled.cited.iter();
    let cited: Vec<Value> =
        cited.map(|cited| json!({"source": cited.source.as_str(), "id": cited.id})).collect();
    let mut shown = json!({
        "markdown": assembled.markdown,
        "token_count": assembled.token_count,
        "item_count": cited.len(),
        "cited": cited,
        "left_out": assembled.left_out,
    });
    if let Some(remark) = assembled.remark() {
        shown["remark"] = json!(remark);
    }
    shown
}
