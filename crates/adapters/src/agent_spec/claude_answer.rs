//! Answers in Claude Code's form, which most agents took over: minimal and exact, and nothing if there is nothing to say.

use std::borrow::Cow;

use serde_json::json;
use tenter_contract::{AgentOutcome, AgentOutcomeParts, AgentVerdict, Answer, ContextChannel, Event};

use super::{AgentSpec, native_event};
use crate::answer::{
    self, JsonObject, deny_reason, join_paragraphs, non_blank, reason_or_default, verdict_word,
};

/// An answer, in the order of its fields.
pub(crate) struct ClaudeAnswer<'a> {
    /// `continue: false` with this `stopReason`.
    pub(crate) stop: Option<&'a str>,
    pub(crate) decision: Option<&'static str>,
    pub(crate) reason: Option<Cow<'a, str>>,
    pub(crate) message: Option<Cow<'a, str>>,
    pub(crate) suppress: bool,
    /// `additionalContext` at the top.
    pub(crate) context: Option<&'a str>,
    /// `hookSpecificOutput`, which must name its event: without it the whole answer is thrown away, a deny included.
    pub(crate) specific: JsonObject,
}

impl<'a> ClaudeAnswer<'a> {
    /// An answer with the message for the user.
    pub(crate) fn new(event_name: &str, parts: &'a AgentOutcomeParts) -> Self {
        Self {
            stop: None,
            decision: None,
            reason: None,
            message: non_blank(parts.message.as_ref()).map(Cow::Borrowed),
            suppress: false,
            context: None,
            specific: JsonObject::labelled("hookEventName", event_name),
        }
    }

    pub(crate) fn decide(&mut self, decision: &'static str, reason: Option<&'a str>) {
        self.decision = reason.map(|_| decision);
        self.reason = reason.map(Cow::Borrowed);
    }

    pub(crate) fn put_permission(&mut self, parts: &AgentOutcomeParts) {
        let (decision, reason) = verdict_word(parts);
        self.specific.put("permissionDecision", decision);
        self.specific.put("permissionDecisionReason", reason);
    }

    /// A verdict before the user is asked. Only a deny has a field for its reason; the other reasons go to the user.
    pub(crate) fn put_permission_decision(&mut self, parts: &AgentOutcomeParts) {
        let mut decision = JsonObject::new();
        let reason = match &parts.verdict {
            AgentVerdict::Silent => None,
            AgentVerdict::Allow { reason } => {
                decision.put("behavior", Some("allow"));
                decision.put("updatedInput", parts.input.as_ref());
                reason.as_deref()
            }
            AgentVerdict::Ask { prompt } => Some(prompt.as_str()),
            AgentVerdict::Deny { reason } => {
                decision.put("behavior", Some("deny"));
                decision.put("message", Some(reason_or_default(reason)));
                decision.put("interrupt", parts.stop.as_ref().map(|_| true));
                None
            }
        };
        if let Some(reason) = reason {
            self.message = Some(join_paragraphs(reason, self.message.take()).into());
        }
        self.specific.put_object("decision", decision);
    }

    pub(crate) fn write(self) -> Answer {
        let mut top = JsonObject::new();
        top.put("continue", self.stop.map(|_| false));
        top.put("stopReason", self.stop);
        top.put("decision", self.decision);
        top.put("reason", self.reason);
        top.put("systemMessage", self.message);
        let says_something = !top.is_empty() || !self.specific.is_empty();
        top.put("suppressOutput", (self.suppress && says_something).then_some(true));
        top.put("additionalContext", self.context);
        top.put_object("hookSpecificOutput", self.specific);
        top.into_answer()
    }
}

/// How a deny is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenyForm {
    /// Exit code 2, with the reason on standard error.
    ExitCode,
    /// `permissionDecision` in `hookSpecificOutput`.
    Permission,
    /// `decision` at the top.
    Block,
    /// `decision` in `hookSpecificOutput`.
    BlockInside,
}

/// The place of context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextField {
    /// `additionalContext` in `hookSpecificOutput`.
    Inside,
    /// `additionalContext` at the top.
    Top,
    /// The whole output.
    Whole,
}

impl ContextField {
    /// The channel, for the table of capabilities. Context next to a deny is not documented, so it goes
    /// into the reason.
    pub(crate) const fn channel(self) -> ContextChannel {
        match self {
            Self::Inside | Self::Top => ContextChannel::UnlessDenied,
            Self::Whole => ContextChannel::WholeAnswer,
        }
    }
}

/// Writes the answer of an agent that is known from documents.
pub(crate) fn encode_documented(agent: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let context = non_blank(parts.context.as_ref());
    if let (Some(text), ContextField::Whole) = (context, agent.context_field) {
        return answer::text(text.to_owned());
    }
    let mut answer = ClaudeAnswer::new(native_event(event, agent.event_key), parts);
    answer.stop = parts.stop.as_deref();
    let deny = deny_reason(parts).map(reason_or_default);
    match (deny, (agent.deny_form)(&event.kind)) {
        (None, _) | (_, DenyForm::Permission) => answer.put_permission(parts),
        (deny, DenyForm::BlockInside) => {
            answer.specific.put("decision", Some("block"));
            answer.specific.put("reason", deny);
        }
        (deny, DenyForm::Block) => answer.decide("block", deny),
        (Some(reason), DenyForm::ExitCode) => {
            // Standard error is the one place for text.
            let denied = answer::exit_2(&join_paragraphs(reason, answer.message.take()));
            answer.specific = JsonObject::new();
            return Answer { stdout: answer.write().stdout, ..denied };
        }
    }
    let specific = &mut answer.specific;
    specific.put("updatedInput", new_input(agent, event, parts));
    match agent.context_field {
        ContextField::Top => answer.context = context,
        ContextField::Inside | ContextField::Whole => specific.put("additionalContext", context),
    }
    answer.write()
}

/// The changed input of a tool under the agent's keys, or the changed prompt.
fn new_input(agent: &AgentSpec, event: &Event, parts: &AgentOutcomeParts) -> Option<serde_json::Value> {
    match (&parts.input, &event.tool, &parts.prompt) {
        (Some(new), Some(call), _) => Some(agent.tools.native_input(call, new).into()),
        (_, _, Some(prompt)) => Some(json!({"prompt": prompt})),
        (_, _, None) => None,
    }
}
