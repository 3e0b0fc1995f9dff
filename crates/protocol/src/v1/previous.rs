//! The result of a hook, for a hook that waited for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{ApprovalPrompt, Choice, Effect, HookOutput, HookReply, HookRun, Verdict};

use super::approval_request::ChoiceV1;
use super::record::change;

/// What came of a hook.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PreviousV1 {
    /// What it wrote to its stdout, up to 16 KiB.
    pub stdout: String,
    /// Its reply; none if it failed or was skipped.
    pub reply: Option<Value>,
    /// How it failed.
    pub failed: Option<String>,
    /// Why it was not run.
    pub skipped: Option<String>,
}

impl PreviousV1 {
    /// The result of this run.
    pub fn new(run: &HookRun) -> Self {
        let mut previous = Self { stdout: run.transcript.stdout.clone(), ..Self::default() };
        match &run.output {
            HookOutput::Reply(reply) => previous.reply = Some(written(reply)),
            HookOutput::Failure(failure) => previous.failed = Some(failure.to_string()),
            HookOutput::Skipped { why } => previous.skipped = Some(why.clone()),
            HookOutput::Started => previous.skipped = Some("it goes on in the background".to_owned()),
        }
        previous
    }
}

/// A reply in our own form.
fn written(reply: &HookReply) -> Value {
    let mut object = Map::new();
    let mut say = |key: &str, value: Value| object.insert(key.to_owned(), value);
    match &reply.verdict {
        Verdict::Abstain => None,
        Verdict::Allow { reason } => {
            say("allow", reason.as_ref().map_or(json!(true), |reason| json!(reason)))
        }
        Verdict::Ask(query) => say("ask", asked(query)),
        Verdict::Deny { reason } => say("deny", json!(reason)),
    };
    let (mut inject, mut modify, mut texts) = (Vec::new(), Map::new(), Vec::new());
    for effect in &reply.effects {
        match effect {
            Effect::Inject(it) => inject.push(json!({
                "content": it.content, "role": it.role.as_str(), "strategy": it.strategy.as_str(), "ephemeral": it.ephemeral,
            })),
            Effect::Rewrite(rewrite) => {
                modify.insert(rewrite.target().to_owned(), change(rewrite));
            }
            Effect::Notify(message) => texts.push(message),
            Effect::SuppressOutput => drop(say("suppress_output", json!(true))),
            Effect::StopAgent { reason } => {
                say("continue", json!(false));
                say("stopReason", json!(reason));
            }
        }
    }
    if !inject.is_empty() {
        say("inject", Value::Array(inject));
    }
    if !modify.is_empty() {
        say("modify", Value::Object(modify));
    }
    if let Some(level) = texts.iter().map(|message| message.level).max() {
        let text: Vec<&str> = texts.iter().map(|message| message.text.as_str()).collect();
        say("message", json!({ "text": text.join("\n"), "level": level.as_str() }));
    }
    Value::Object(object)
}

fn asked(query: &ApprovalPrompt) -> Value {
    let mut asked = Map::from_iter([
        ("prompt".to_owned(), json!(query.prompt)),
        ("default".to_owned(), json!(query.default.as_str())),
    ]);
    if !query.options.is_empty() {
        asked.insert("options".to_owned(), json!(query.options.iter().map(option).collect::<Vec<_>>()));
    }
    if let Some(timeout) = query.timeout {
        asked.insert("timeout".to_owned(), json!(timeout.as_secs_f64()));
    }
    Value::Object(asked)
}

/// As a hook would write it.
fn option(choice: &Choice) -> Value {
    let known = Choice::named(&choice.label) == *choice;
    if known { json!(choice.label) } else { json!(ChoiceV1::new(choice)) }
}
