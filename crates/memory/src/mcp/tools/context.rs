//! Tools for contexts: what a model should know before it begins, put together within a budget.

use serde_json::{Value, json};
use tenter_ghap::{Domain, Strategy};

use super::super::schema::{all_projects, needed, text, whole, word, word_or};
use super::super::server::ToolRequest;
use super::{Access, Tool, spelled};
use crate::context::{Assembled, ContextRequest, ContextSource, Depth, PremortemRequest};
use crate::error::MemoryError;

pub(super) const ASSEMBLE: Tool = Tool {
    name: "assemble_context",
    title: "Put a context together",
    description: "What is known about a task, as one text with ids to look up: experiences and memories, the most relevant first, near-duplicates merged, within a token budget. Hooks do this at every prompt; call it when you turn to something else in the middle of a conversation, or start a sub-agent. An empty query gives the best lessons and the latest work.",
    access: Access::Read,
    takes: || {
        vec![
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
        ]
    },
    call: assemble,
};

fn assemble(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let mut request = ContextRequest::new(
        arguments.get::<String>("query")?,
        Depth::Rich,
        arguments.scope(call.caller.scope())?,
    );
    let sources = arguments.texts("context_types")?;
    if !sources.is_empty() {
        // The words for what tenter does not have yet are taken too, because what was written for the origin has them.
        request.sources =
            sources.iter().map(|source| ContextSource::read(source)).collect::<Result<_, _>>()?;
    }
    request.limit = arguments.get("limit")?;
    request.max_tokens = arguments.get("max_tokens")?;
    Ok(output(&call.memory.assemble_context(&request)?))
}

pub(super) const GET: Tool = Tool {
    name: "get_context",
    title: "Get a light or rich context",
    description: "The same as `assemble_context` with two sizes to choose from: light for a handful of lines, rich for all that is relevant. For scripts that hand a situation to an agent.",
    access: Access::Read,
    takes: || {
        vec![
            ("situation", text("What is going on; left out, the best lessons and the latest work")),
            ("query", text("The same by another name")),
            ("depth", word_or("How much", spelled!(Depth), "rich")),
            all_projects(),
        ]
    },
    call: get,
};

fn get(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let depth = arguments.get("depth")?;
    // Both names are in use for it.
    let situation: Option<String> = arguments.get("situation")?;
    let situation = situation.or(arguments.get("query")?);
    let scope = arguments.scope(call.caller.scope())?;
    let request = ContextRequest::new(situation.unwrap_or_default(), depth, scope);
    Ok(output(&call.memory.assemble_context(&request)?))
}

pub(super) const PREMORTEM: Tool = Tool {
    name: "premortem",
    title: "What went wrong before?",
    description: "What failed before in this kind of work, what surprised people and why they were wrong, and how the strategy you have in mind has done. Call it before you begin something risky, and when something has failed and you do not know why.",
    access: Access::Read,
    takes: || {
        vec![
            ("domain", needed(word("What kind of work it is", spelled!(Domain)))),
            ("strategy", word("How you mean to go about it", spelled!(Strategy))),
            ("query", text("What it is about; then what is nearest comes first")),
            ("limit", whole("At most so many of each kind", 1, 50, 5)),
            ("max_tokens", whole("At most about so many tokens", 100, 10_000, 800)),
            all_projects(),
        ]
    },
    call: premortem,
};

fn premortem(call: &ToolRequest<'_>) -> Result<Value, MemoryError> {
    let arguments = call.arguments;
    let domain = arguments.get("domain")?;
    let mut request = PremortemRequest::new(domain, arguments.scope(call.caller.scope())?);
    request.strategy = arguments.get("strategy")?;
    request.about = arguments.get::<Option<String>>("query")?.unwrap_or_default();
    request.limit = arguments.get("limit")?;
    request.max_tokens = arguments.get("max_tokens")?;
    Ok(output(&call.memory.premortem(&request)?))
}

fn output(assembled: &Assembled) -> Value {
    let cited = assembled.cited.iter();
    let cited: Vec<Value> =
        cited.map(|cited| json!({"source": cited.source.as_str(), "id": cited.id})).collect();
    let mut output = json!({
        "markdown": assembled.markdown,
        "token_count": assembled.token_count,
        "item_count": cited.len(),
        "cited": cited,
        "left_out": assembled.left_out,
    });
    if let Some(remark) = assembled.remark() {
        output["remark"] = json!(remark);
    }
    output
}
