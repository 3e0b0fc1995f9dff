//! The outcome of an event, as `tenter emit` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{ApprovalAnswer, ContextMessage, Decision, Effect, Outcome, Source};

use super::approval_request::ChoiceV1;
use super::injected::{ContextMessageV1, MessageMetadataV1};
use super::record::{RecordedDecision, recorded_decision};

/// What came of an event. Everything that hooks wanted is here; the program decides what to do with it.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutcomeV1 {
    /// Version of this form: 1.
    pub v: u8,
    /// The event's canonical name.
    pub event: String,
    /// What all verdicts came to.
    pub decision: RecordedDecision,
    /// The question to a person, if a hook asked one.
    pub question: Option<ApprovalQuestionV1>,
    /// The tool input after every rewrite, if a hook rewrote it.
    pub tool_input: Option<Map<String, Value>>,
    /// The tool result after every rewrite, if a hook rewrote it.
    pub tool_output: Option<Value>,
    /// The prompt, if a hook rewrote it.
    pub prompt: Option<String>,
    /// The program's own data, if a hook rewrote it.
    pub data: Option<Map<String, Value>>,
    /// Text for the context, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inject: Vec<InjectionV1>,
    /// The same text as messages, one for each role, strategy and ephemerality, if several texts become one. A text
    /// that is the only one is a message as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextMessageV1>,
    /// Text for the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageV1>,
    /// Why the agent's run is to end, if a hook wants that.
    pub stop: Option<String>,
    /// What could not be done, and what was done instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    /// Number of the record in the trail, if one was written.
    pub seq: Option<u64>,
}

/// A question that hooks asked, and what became of it.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ApprovalQuestionV1 {
    /// What is asked.
    pub prompt: String,
    /// The answers to choose from, with what each permits.
    pub options: Vec<ChoiceV1>,
    /// Seconds to wait for an answer.
    pub timeout: f64,
    /// What silence means: `allow` or `deny`.
    pub default: String,
    /// What came back. Missing if the program has to ask.
    pub answer: Option<String>,
}

impl ApprovalQuestionV1 {
    fn new(outcome: &Outcome) -> Option<Self> {
        let (question, answer) = match (&outcome.approval, &outcome.decision) {
            (Some(approval), _) => (&approval.question, Some(&approval.answer)),
            (None, Decision::Ask(question)) => (question, None),
            (None, Decision::Abstain | Decision::Allow { .. } | Decision::Deny { .. }) => return None,
        };
        let answer = answer.filter(|answer| **answer != ApprovalAnswer::LeftToHost);
        Some(Self {
            prompt: question.prompt(),
            options: question.options.iter().map(ChoiceV1::new).collect(),
            timeout: question.timeout.as_secs_f64(),
            default: question.default.as_str().to_owned(),
            answer: answer.map(ApprovalAnswer::in_words),
        })
    }
}

/// Text for the context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InjectionV1 {
    /// Whose.
    pub hook: String,
    /// The text.
    pub content: String,
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// `auto`, `tool_result` or `user_message`.
    pub strategy: String,
    /// Only for the next model call.
    pub ephemeral: bool,
    /// Where it comes from, for a reader who adds it to a history.
    pub metadata: MessageMetadataV1,
}

/// Text for the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MessageV1 {
    /// Whose: `hook:` and its name, or `tenter`.
    pub source: String,
    /// The text.
    pub text: String,
    /// `info`, `warning` or `error`.
    pub level: String,
}

impl OutcomeV1 {
    /// The JSON form of an outcome, whose injected texts make these messages.
    pub fn from_outcome(outcome: &Outcome, context: &[ContextMessage], seq: Option<u64>) -> Self {
        let tool = outcome.event.tool.as_ref();
        let mut written = Self {
            v: 1,
            event: outcome.event.kind.to_string(),
            decision: recorded_decision(&outcome.decision),
            question: ApprovalQuestionV1::new(outcome),
            tool_input: tool.filter(|_| outcome.rewrote("tool_input")).map(|tool| tool.input.clone()),
            tool_output: tool.filter(|_| outcome.rewrote("tool_output")).and_then(|tool| tool.output.clone()),
            prompt: outcome.event.prompt.clone().filter(|_| outcome.rewrote("prompt")),
            data: outcome.rewrote("data").then(|| outcome.event.data.clone()),
            context: if context.iter().any(|message| message.parts.len() > 1) {
                context.iter().map(|message| ContextMessageV1::new(message, &outcome.event)).collect()
            } else {
                Vec::new()
            },
            stop: outcome.stop().map(|(_, reason)| reason.to_owned()),
            degraded: outcome.degraded.iter().map(ToString::to_string).collect(),
            seq,
            ..Self::default()
        };
        for (by, effect) in &outcome.effects {
            match effect {
                Effect::Inject(injection) => written.inject.push(InjectionV1 {
                    hook: by.to_string(),
                    content: injection.given(by).into_owned(),
                    role: injection.role.as_str().to_owned(),
                    strategy: injection.strategy.as_str().to_owned(),
                    ephemeral: injection.ephemeral,
                    metadata: MessageMetadataV1::new(by.to_string(), injection.role, &outcome.event),
                }),
                Effect::Notify(message) => written.messages.push(MessageV1 {
                    source: match by {
                        Source::Hook(hook) => format!("hook:{hook}"),
                        Source::Approver | Source::Tenter => by.to_string(),
                    },
                    text: message.text.clone(),
                    level: message.level.as_str().to_owned(),
                }),
                // Rewrites are in the fields above; suppression concerns the transcript of an agent.
                Effect::Rewrite(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => {}
            }
        }
        written
    }
}
