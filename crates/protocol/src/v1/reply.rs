//! The replies of hooks: tenter's own form, and the rules for all forms.
//!
//! | the object has | it is |
//! |---|---|
//! | one of our keys (`allow ask deny inject modify message suppress_output`) | ours; an unknown key next to them is garbled |
//! | one of Claude Code's (`hookSpecificOutput decision continue systemMessage …`) | Claude Code's; unknown keys are ignored, as Claude Code does |
//! | both | both, if they agree on the verdict |
//! | a verdict key of another system (`action`, `allowed`, `cancel`, …) | garbled, never a guess |
//! | none of these | no reply at all |
//!
//! A deny or a question in what is garbled here is found by `stop_scan` and counts.
//!
//! `null` counts as absent everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;
use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::similar;
use tenter_contract::{
    Choice, Effect, EventKind, Grant, HookReply, Injection, Level, Message, OutputPatch, Patch, Policy,
    Repeat, Rewrite, Role, Strategy, Verdict,
};

use super::claude_reply;
use crate::strict_json;

/// A reply in our own form. Keys combine freely, except that `allow`, `ask` and `deny` exclude each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReplyV1 {
    /// Let it pass: `true`, or the reason as text.
    pub allow: Option<Value>,
    /// A person shall decide: the prompt as text, or `{prompt, options, timeout, default}`.
    pub ask: Option<Value>,
    /// It must not happen: the reason, which the agent reads.
    pub deny: Option<String>,
    /// Text for the agent's context: text, `{content, role, strategy, ephemeral, key, repeat}`, or a list of these.
    pub inject: Option<Value>,
    /// Changes to the event.
    pub modify: Option<ModifyV1>,
    /// Text for the user: text, or `{text, level}`.
    pub message: Option<Value>,
    /// Keep the hook's own output out of the transcript.
    pub suppress_output: Option<bool>,
}

/// Changes to the event, merged key by key at the top level; `null` removes a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModifyV1 {
    /// The tool's input.
    pub tool_input: Option<Map<String, Value>>,
    /// The tool's result.
    pub tool_output: Option<Value>,
    /// The prompt.
    pub prompt: Option<String>,
    /// An embedder's own data.
    pub data: Option<Map<String, Value>>,
}

/// The defaults for a reply, from the hook file and the event.
#[derive(Clone, Copy, Debug)]
pub struct ReplyContext<'a> {
    /// The event that was asked about.
    pub event: &'a EventKind,
    /// Role of text that names none.
    pub role: Role,
    /// Place of text that names none.
    pub strategy: Strategy,
    /// Ephemerality of text that names none.
    pub ephemeral: bool,
    /// What happens to repeated text that does not state it.
    pub repeat: Repeat,
}

impl ReplyContext<'_> {
    /// A text with the defaults.
    pub(crate) fn text(&self, content: String) -> Injection {
        Injection {
            role: self.role,
            strategy: self.strategy,
            ephemeral: self.ephemeral,
            repeat: self.repeat,
            ..Injection::text(content)
        }
    }
}

/// What an object turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// A reply.
    Reply(HookReply),
    /// An object without one key of ours or Claude Code's.
    NoReply {
        /// The message for the hook's author.
        detail: String,
    },
}

/// Why output is not a valid reply; it continues "the hook gave an answer that cannot be read: ".
pub type Garbled = String;

const OURS: [&str; 7] = ["allow", "ask", "deny", "inject", "modify", "message", "suppress_output"];

/// Verdict keys of other systems. Ignoring one of them could switch a guard off.
const FOREIGN_VERDICTS: [&str; 8] =
    ["action", "allowed", "verdict", "permission", "behavior", "cancel", "block", "permissionDecision"];

/// Reads a text that begins with `{`.
pub fn read(text: &str, context: &ReplyContext<'_>) -> Result<Read, Garbled> {
    let object: Map<String, Value> =
        strict_json::object(text.trim())?.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    if let Some(key) = FOREIGN_VERDICTS.into_iter().find(|key| object.contains_key(*key)) {
        return Err(format!("the key `{key}` is not one of ours; write `deny`, `ask` or `allow`"));
    }
    let (ours, claude) = (has(&OURS), has(&claude_reply::KEYS));
    let stranger = object
        .keys()
        .find(|key| !OURS.contains(&key.as_str()) && !claude_reply::KEYS.contains(&key.as_str()));
    match (ours, claude, stranger) {
        (false, false, None) => return Ok(Read::Reply(HookReply::default())),
        (false, false, Some(key)) => return Ok(Read::NoReply { detail: unknown(key) }),
        (true, _, Some(key)) => return Err(unknown(key)),
        (true, _, None) | (false, true, _) => {}
    }
    let mut reply = our_form(&object, context)?;
    if claude {
        let theirs = claude_reply::read(&object, context)?;
        reply.verdict = agree(reply.verdict, theirs.verdict)?;
        reply.effects.extend(theirs.effects);
    }
    Ok(Read::Reply(reply))
}

/// Whether a line is an object with a verdict key: such a line at the end of other text is a reply that went
/// wrong, not text. A deny or a question is found by `stop_scan`; here it may be any verdict.
pub fn speaks_verdict(line: &str) -> bool {
    let Ok(object) = strict_json::object(line.trim()) else { return false };
    ["allow", "ask", "deny", "decision", "hookSpecificOutput", "continue"]
        .iter()
        .chain(FOREIGN_VERDICTS.iter())
        .any(|key| object.get(*key).is_some_and(|value| !value.is_null()))
}

fn our_form(object: &Map<String, Value>, context: &ReplyContext<'_>) -> Result<HookReply, Garbled> {
    let mut reply = HookReply::default();
    if let Some(value) = object.get("allow") {
        let reason = match value {
            Value::Bool(true) => None,
            Value::String(reason) => Some(reason.clone()),
            _ => return Err("`allow` must be true or a text".to_owned()),
        };
        reply.verdict = agree(reply.verdict, Verdict::Allow { reason })?;
    }
    if let Some(value) = object.get("ask") {
        reply.verdict = agree(reply.verdict, Verdict::Ask(query(value)?))?;
    }
    if let Some(value) = object.get("deny") {
        let reason = text(value, "deny")?;
        reply.verdict = agree(reply.verdict, Verdict::Deny { reason })?;
    }
    if let Some(value) = object.get("modify") {
        reply.effects.extend(rewrites(value)?.into_iter().map(Effect::Rewrite));
    }
    if let Some(value) = object.get("inject") {
        reply.effects.extend(injections(value, context)?.into_iter().map(Effect::Inject));
    }
    if let Some(value) = object.get("message") {
        reply.effects.push(Effect::Notify(message(value)?));
    }
    match object.get("suppress_output") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => reply.effects.push(Effect::SuppressOutput),
        Some(_) => return Err("`suppress_output` must be true or false".to_owned()),
    }
    Ok(reply)
}

/// One verdict out of two places; two different ones are garbled.
pub(crate) fn agree(first: Verdict, second: Verdict) -> Result<Verdict, Garbled> {
    match (first, second) {
        (Verdict::Abstain, other) | (other, Verdict::Abstain) => Ok(other),
        (a, b) if a.as_str() == b.as_str() => Ok(a),
        (a, b) => Err(format!("it says both {} and {}", a.as_str(), b.as_str())),
    }
}

fn unknown(key: &str) -> Garbled {
    match similar::nearest(key, OURS.into_iter().chain(claude_reply::KEYS)) {
        Some(meant) => format!("unknown key `{key}`; did you mean `{meant}`?"),
        None => format!("unknown key `{key}`; a reply may have {}", OURS.join(", ")),
    }
}

pub(crate) fn text(value: &Value, key: &str) -> Result<String, Garbled> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` must be a text"))
}

fn query(value: &Value) -> Result<ApprovalPrompt, Garbled> {
    let blank = ApprovalPrompt::new(DEFAULT_PROMPT);
    let object = match value {
        Value::Bool(true) => return Ok(blank),
        Value::String(prompt) => return Ok(ApprovalPrompt { prompt: prompt.clone(), ..blank }),
        Value::Object(object) => object,
        _ => return Err("`ask` must be a text or an object".to_owned()),
    };
    let mut query = blank;
    for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "prompt" => query.prompt = text(value, "ask.prompt")?,
            "options" => {
                let list = value.as_array().ok_or("`ask.options` must be a list")?;
                query.options = list.iter().map(choice).collect::<Result<_, _>>()?;
            }
            "timeout" => {
                let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0);
                let seconds = seconds.ok_or("`ask.timeout` must be a number of seconds, at most a day")?;
                query.timeout = Some(Duration::from_secs_f64(seconds));
            }
            "default" => {
                query.default = value
                    .as_str()
                    .and_then(Policy::parse)
                    .ok_or("`ask.default` must be `allow` or `deny`")?;
            }
            other => return Err(format!("unknown key `ask.{other}`")),
        }
    }
    Ok(query)
}

/// `Allow`, or `{label, grant}` for words of the hook's own.
fn choice(value: &Value) -> Result<Choice, Garbled> {
    let object = match value {
        Value::String(label) => return Ok(Choice::named(label)),
        Value::Object(object) => object,
        _ => return Err("`ask.options` must hold texts or `{label, grant}`".to_owned()),
    };
    if let Some(other) = object.keys().find(|key| !["label", "grant"].contains(&key.as_str())) {
        return Err(format!("unknown key `ask.options.{other}`; an option may have label and grant"));
    }
    let label = text(object.get("label").unwrap_or(&Value::Null), "ask.options.label")?;
    match object.get("grant") {
        None | Some(Value::Null) => Ok(Choice::named(&label)),
        Some(grant) => {
            let grants = grant.as_str().and_then(Grant::parse);
            let grants = grants.ok_or("`ask.options.grant` must be `once`, `session` or `tool`")?;
            Choice::granting(&label, grants)
                .ok_or_else(|| format!("`ask.options`: `{label}` cannot grant anything"))
        }
    }
}

fn rewrites(value: &Value) -> Result<Vec<Rewrite>, Garbled> {
    let object = value.as_object().ok_or("`modify` must be an object")?;
    let map = |value: &Value, key: &str| {
        value.as_object().cloned().ok_or_else(|| format!("`modify.{key}` must be an object"))
    };
    let mut rewrites = Vec::new();
    for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
        rewrites.push(match key.as_str() {
            "tool_input" => Rewrite::ToolInput(Patch::Merge(map(value, key)?)),
            "tool_output" => Rewrite::ToolOutput(OutputPatch::Merge(value.clone())),
            "prompt" => Rewrite::Prompt(text(value, "modify.prompt")?),
            "data" => Rewrite::Data(Patch::Merge(map(value, key)?)),
            other => {
                return Err(format!(
                    "unknown key `modify.{other}`; it may have tool_input, tool_output, prompt, data"
                ));
            }
        });
    }
    Ok(rewrites)
}

fn injections(value: &Value, context: &ReplyContext<'_>) -> Result<Vec<Injection>, Garbled> {
    match value {
        Value::Array(list) => {
            let nested: Result<Vec<_>, _> = list.iter().map(|item| injection(item, context)).collect();
            Ok(nested?.into_iter().filter(|injection| !injection.content.is_empty()).collect())
        }
        single => {
            Ok(Some(injection(single, context)?).into_iter().filter(|one| !one.content.is_empty()).collect())
        }
    }
}

fn injection(value: &Value, context: &ReplyContext<'_>) -> Result<Injection, Garbled> {
    let object = match value {
        Value::String(content) => return Ok(context.text(content.clone())),
        Value::Object(object) => object,
        _ => return Err("`inject` must be a text, an object or a list of these".to_owned()),
    };
    if !object.contains_key("content") {
        return Err("`inject` has no `content`".to_owned());
    }
    let mut injection = context.text(String::new());
    for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
        let word = value.as_str().unwrap_or_default();
        match key.as_str() {
            "content" => injection.content = text(value, "inject.content")?,
            "role" => {
                injection.role =
                    Role::parse(word).ok_or("`inject.role` must be system, user or assistant")?;
            }
            "strategy" => {
                injection.strategy = Strategy::parse(word)
                    .ok_or("`inject.strategy` must be auto, tool_result or user_message")?;
            }
            "ephemeral" => {
                injection.ephemeral = value.as_bool().ok_or("`inject.ephemeral` must be true or false")?;
            }
            "key" => {
                let key = text(value, "inject.key")?;
                injection.key = (!key.is_empty()).then_some(key);
            }
            "repeat" => {
                injection.repeat =
                    Repeat::parse(word).ok_or("`inject.repeat` must be auto, always, line or never")?;
            }
            other => return Err(format!("unknown key `inject.{other}`")),
        }
    }
    Ok(injection)
}

fn message(value: &Value) -> Result<Message, Garbled> {
    let object = match value {
        Value::String(text) => return Ok(Message { text: text.clone(), level: Level::Info }),
        Value::Object(object) => object,
        _ => return Err("`message` must be a text or an object".to_owned()),
    };
    let text = text(object.get("text").ok_or("`message` has no `text`")?, "message.text")?;
    let level = match object.get("level").filter(|value| !value.is_null()) {
        None => Level::Info,
        Some(level) => {
            level.as_str().and_then(Level::parse).ok_or("`message.level` must be info, warning or error")?
        }
    };
    match object.keys().find(|key| !["text", "level"].contains(&key.as_str())) {
        Some(other) => Err(format!("unknown key `message.{other}`")),
        None => Ok(Message { text, level }),
    }
}

#[cfg(test)]
mod tests;
