//! Our fitted outcome as an answer in Claude Code's envelope, or as an exit code with words beside it: minimal and
//! exact, and nothing at all where there is nothing to say.

use serde_json::{Map, Value, json};
use tenter_contract::{Answer, ContextChannel, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::{Tools, native_event};
use crate::answer::{self, followed_by, never_blank, said};

/// What of the envelope an agent takes.
pub(crate) struct Envelope {
    pub(crate) tools: &'static Tools,
    /// How a deny is said at an event.
    pub(crate) deny: fn(&EventKind) -> Deny,
    /// Where context stands.
    pub(crate) context: ContextAt,
}

/// How a deny is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Exit code 2, with the reason on standard error.
    ExitCode,
    /// `permissionDecision`, inside.
    Permission,
    /// `decision`, at the top.
    Block,
    /// `decision`, inside.
    BlockInside,
}

/// Where context stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextAt {
    /// `additionalContext`, inside.
    Inside,
    /// `additionalContext`, at the top.
    Top,
    /// It is the answer.
    Whole,
}

impl ContextAt {
    /// The channel, for the table of abilities: what these agents do with context beside a deny is not written
    /// anywhere, so it goes into the reason.
    pub(crate) const fn channel(self) -> ContextChannel {
        match self {
            Self::Inside | Self::Top => ContextChannel::UnlessDenied,
            Self::Whole => ContextChannel::WholeAnswer,
        }
    }
}

impl Envelope {
    /// Writes the answer.
    pub(crate) fn encode(&self, fitted: &Fitted, event_key: &str) -> Answer {
        let (event, parts) = (fitted.event(), fitted.parts());
        let context = said(parts.context.as_ref());
        if let (Some(text), ContextAt::Whole) = (context, self.context) {
            return answer::text(text.to_owned());
        }
        let (mut top, mut inside) = (Map::new(), Map::new());
        match (&parts.verdict, (self.deny)(&event.kind)) {
            (FittedVerdict::Deny { reason }, Deny::ExitCode) => {
                // There is one place for words.
                let denied = answer::exit_2(&followed_by(never_blank(reason), said(parts.message.as_ref())));
                stop(&mut top, parts);
                let stdout = if top.is_empty() { Vec::new() } else { answer::json(&top).stdout };
                return Answer { stdout, ..denied };
            }
            (FittedVerdict::Deny { reason }, Deny::Block) => block(&mut top, reason),
            (FittedVerdict::Deny { reason }, Deny::BlockInside) => block(&mut inside, reason),
            (FittedVerdict::Deny { reason }, Deny::Permission) => {
                permission(&mut inside, "deny", Some(reason));
            }
            (FittedVerdict::Ask { prompt }, _) => permission(&mut inside, "ask", Some(prompt)),
            (FittedVerdict::Allow { reason }, _) => permission(&mut inside, "allow", reason.as_deref()),
            (FittedVerdict::Silent, _) => {}
        }
        stop(&mut top, parts);
        let put = |map: &mut Map<String, Value>, key: &str, value: Option<Value>| {
            map.extend(value.map(|value| (key.to_owned(), value)));
        };
        put(&mut top, "systemMessage", said(parts.message.as_ref()).map(Value::from));
        put(&mut inside, "updatedInput", self.new_input(event, parts));
        let place = if self.context == ContextAt::Top { &mut top } else { &mut inside };
        put(place, "additionalContext", context.map(Value::from));
        if !inside.is_empty() {
            inside.shift_insert(0, "hookEventName".to_owned(), json!(native_event(event, event_key)));
            top.insert("hookSpecificOutput".to_owned(), Value::Object(inside));
        }
        if top.is_empty() { Answer::default() } else { answer::json(&top) }
    }

    /// The changed input of a tool, under its own keys; or the changed prompt, which stands at the same place.
    fn new_input(&self, event: &Event, parts: &FittedParts) -> Option<Value> {
        match (&parts.input, &event.tool, &parts.prompt) {
            (Some(new), Some(call), _) => Some(self.tools.translated(&call.native_name, new).into()),
            (_, _, Some(prompt)) => Some(json!({"prompt": prompt})),
            (_, _, None) => None,
        }
    }
}

/// The end of the run, which the abilities let through for agents that read it.
fn stop(top: &mut Map<String, Value>, parts: &FittedParts) {
    if let Some(reason) = &parts.stop {
        top.insert("continue".to_owned(), false.into());
        top.insert("stopReason".to_owned(), reason.as_str().into());
    }
}

fn permission(inside: &mut Map<String, Value>, decision: &str, reason: Option<&str>) {
    inside.insert("permissionDecision".to_owned(), decision.into());
    inside.extend(reason.map(|reason| ("permissionDecisionReason".to_owned(), reason.into())));
}

fn block(place: &mut Map<String, Value>, reason: &str) {
    place.insert("decision".to_owned(), "block".into());
    place.insert("reason".to_owned(), never_blank(reason).into());
}
