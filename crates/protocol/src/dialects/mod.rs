//! Input and replies of hooks that were written for another system: one file per system, all of the same shape
//! (`stdin`, `variables`, `read`), each after that system's own description.
//!
//! | dialect | stdin | variables | replies |
//! |---|---|---|---|
//! | tenter | ours, with Claude Code's names next to them | – | ours and Claude Code's |
//! | claude | Claude Code's fields and no other | `CLAUDE_CODE_SESSION_ID` | Claude Code's; an object without its keys is an empty reply |
//! | gemini | Gemini CLI's fields and its names of events and tools | `GEMINI_*` | Claude Code's, with `tool_input` |
//! | amazonq | `hook_event_name`, `cwd`, `prompt`, tools under its own names | `USER_PROMPT` | a deny or a question; other output is text |
//! | massgen | its `HookEvent` | `MASSGEN_*` | its `HookResult` |
//! | amplifier | Claude Code's fields | `AMPLIFIER_*`, `CLAUDE_SESSION_ID` | its `HookResult`, and what `hook-shell` reads |
//! | ghap | Claude Code's fields, `{prompt, context}`, `{tool, args}`, `{tool, command, exit_code, stdout, stderr}` | `GHAP_*` of the hook file | `{context}`, `{type, content, prompt}` |
//!
//! In every dialect a deny or a question counts in every form that is known here (`stop_scan`), and a key that could
//! deny is never ignored: an unreadable reply is garbled.

mod amazonq;
mod amplifier;
mod claude;
mod gemini;
mod ghap;
mod massgen;

use serde_json::{Map, Value};
use tenter_contract::{Dialect, Event, EventKind, HookReply, Verdict};

use crate::v1::event::EventV1;
use crate::v1::reply::{self, Garbled, Read, ReplyContext};
use crate::{stop_scan, strict_json};

/// The JSON that a hook of this dialect finds on its stdin.
pub fn stdin(dialect: Dialect, event: &Event) -> Vec<u8> {
    let object = match dialect {
        Dialect::Tenter => return EventV1::stdin(event),
        Dialect::Claude | Dialect::Amplifier => claude::stdin(event),
        Dialect::Gemini => gemini::stdin(event),
        Dialect::AmazonQ => amazonq::stdin(event),
        Dialect::MassGen => massgen::stdin(event),
        Dialect::Ghap => ghap::stdin(event),
    };
    let mut bytes = serde_json::to_vec(&object).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The variables that a hook of this dialect finds next to ours.
pub fn variables(dialect: Dialect, event: &Event) -> Vec<(&'static str, String)> {
    match dialect {
        Dialect::Tenter | Dialect::Ghap => Vec::new(),
        Dialect::Claude => claude::variables(event),
        Dialect::Gemini => gemini::variables(event),
        Dialect::AmazonQ => amazonq::variables(event),
        Dialect::MassGen => massgen::variables(event),
        Dialect::Amplifier => amplifier::variables(event),
    }
}

/// Whether output is text, unless it is a deny or a question.
pub fn speaks_text_only(dialect: Dialect) -> bool {
    dialect == Dialect::AmazonQ
}

/// Whether output must be a reply: text that is none is garbled, and a guard's failure then counts.
pub fn speaks_replies_only(dialect: Dialect) -> bool {
    dialect == Dialect::MassGen
}

/// Whether text that is not a reply becomes context at this event by default.
pub fn text_is_context(dialect: Dialect, event: &EventKind) -> bool {
    match dialect {
        Dialect::MassGen | Dialect::Gemini => false,
        Dialect::Ghap => !matches!(event, EventKind::SessionEnd),
        Dialect::Tenter | Dialect::Claude | Dialect::AmazonQ | Dialect::Amplifier => {
            matches!(event, EventKind::SessionStart | EventKind::PromptSubmit)
        }
    }
}

/// Whether exit code 2 denies at this event; where it does not, it is a failure like any other.
pub fn two_denies(dialect: Dialect, event: &EventKind) -> bool {
    match dialect {
        Dialect::Tenter | Dialect::Claude | Dialect::Gemini | Dialect::Amplifier => true,
        Dialect::AmazonQ => *event == EventKind::ToolPre,
        Dialect::MassGen | Dialect::Ghap => false,
    }
}

/// Reads a text that begins with `{`. A deny or a question in the form of another system counts as well: hooks
/// are moved from one system to another, and a guard must not go off on the way.
pub fn read(dialect: Dialect, text: &str, context: &ReplyContext<'_>) -> Result<Read, Garbled> {
    let read = read_own_form(dialect, text, context)?;
    let stops = matches!(&read, Read::Reply(reply) if matches!(reply.verdict, Verdict::Deny { .. } | Verdict::Ask(_)));
    if stops || matches!(dialect, Dialect::Tenter | Dialect::Claude | Dialect::Gemini) {
        return Ok(read);
    }
    Ok(match stop_scan::scan(text, context.event) {
        Ok(Some(found)) => Read::Reply(HookReply { verdict: found.verdict, effects: Vec::new() }),
        Ok(None) | Err(_) => read,
    })
}

fn read_own_form(dialect: Dialect, text: &str, context: &ReplyContext<'_>) -> Result<Read, Garbled> {
    match dialect {
        Dialect::Tenter | Dialect::AmazonQ => reply::read(text, context),
        Dialect::Claude | Dialect::Gemini => match reply::read(text, context)? {
            Read::NoReply { .. } => Ok(Read::Reply(HookReply::default())),
            read @ Read::Reply(_) => Ok(read),
        },
        Dialect::MassGen => massgen::read(&object(text)?, text, context),
        Dialect::Amplifier => amplifier::read(&object(text)?, text, context).map(Read::Reply),
        Dialect::Ghap => ghap::read(&object(text)?, text, context),
    }
}

/// The object, without keys that are `null`.
fn object(text: &str) -> Result<Map<String, Value>, Garbled> {
    Ok(strict_json::object(text.trim())?.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

/// A text under a key, unless it is blank.
fn text_of(object: &Map<String, Value>, key: &str) -> Result<Option<String>, Garbled> {
    match object.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(format!("`{key}` must be a text")),
    }
}

/// A result of a tool as the text it is, or as JSON.
fn output_text(output: &Value) -> String {
    output.as_str().map_or_else(|| output.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
