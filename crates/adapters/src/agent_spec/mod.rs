//! An agent as one table entry: the names that it uses, three functions for what no table can say, and where its hooks
//! are installed. Decoding, translating tools and installing work from the table and are the same for every agent.
//!
//! How to add one: `docs/contributing/adding-an-agent.md`.

mod events;
mod fields;
mod decode;
mod tools;
mod claude_answer;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{
    AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Proof, Surroundings,
};
use tenter_contract::{
    AgentName, AgentOutcome, Answer, Capabilities, Event, EventKind, Support, ToolCall, event_names,
};

pub(crate) use claude_answer::{ClaudeAnswer, ContextField, DenyForm, encode_documented};
pub(crate) use decode::{
    ENTRY_EVENT_VARIABLE, claude_error, complete_documented, documented_call, documented_call_of,
    error_from_value, named_call, native_event,
};
pub(crate) use events::{AgentEvent, CLAUDE_EVENTS, guarded, observed, received, watched};
pub(crate) use fields::{FieldNames, Payload};
pub(crate) use tools::{McpNames, Tools};

use crate::answer;
use crate::installer::Installer;

/// Text for the user.
pub(crate) const MESSAGE: Capabilities = Capabilities { message: Support::Yes, ..Capabilities::NOTHING };

/// No text is delivered, now or later: the end of a session, and every event of agents without a context channel.
pub(crate) const NOTHING_EVER: Capabilities = Capabilities { later: Support::No, ..Capabilities::NOTHING };

pub(crate) struct AgentSpec {
    /// As in `tenter hook <name>`.
    pub(crate) name: &'static str,
    pub(crate) proof: Proof,
    /// The environment variables that `decode` reads; empty if only those that name the project.
    pub(crate) variables: &'static [&'static str],
    pub(crate) project_variables: &'static [&'static str],
    /// The variables that this agent alone sets for its hooks.
    pub(crate) marks: &'static [&'static str],
    /// Its events, in the order in which they are installed.
    pub(crate) events: &'static [AgentEvent],
    /// The key of the event's name, and the name for a payload without that key.
    pub(crate) event_key: &'static str,
    pub(crate) unnamed_event: fn(&Map<String, Value>) -> Option<&str>,
    pub(crate) fields: FieldNames,
    pub(crate) tools: &'static Tools,
    /// The field that is reported missing if a call has no name.
    pub(crate) call_field: &'static str,
    /// Reads the tool call of a payload of this event.
    pub(crate) call: fn(&AgentSpec, &Payload<'_>, &str) -> Option<ToolCall>,
    /// Adds to the event what the tables do not cover.
    pub(crate) complete: fn(&mut Event, &Payload<'_>, &Surroundings),
    /// Whether an event concerns no hook.
    pub(crate) ignores: fn(&Event) -> bool,
    pub(crate) recognises: fn(&Map<String, Value>) -> Claim,
    pub(crate) capabilities: fn(&Event) -> Capabilities,
    pub(crate) encode: fn(&AgentSpec, &AgentOutcome) -> Answer,
    /// How an event is denied and where context goes, for `encode_documented`.
    pub(crate) deny_form: fn(&EventKind) -> DenyForm,
    pub(crate) context_field: ContextField,
    /// The answer that changes nothing; most agents take none at all.
    pub(crate) silence: &'static str,
    /// Denies a payload that could not be understood.
    pub(crate) refusal: fn(&str) -> Answer,
    pub(crate) installer: Installer,
}

impl AgentSpec {
    /// An agent that was run and recorded, with Claude Code's field names.
    pub(crate) const MEASURED: Self = Self {
        name: "",
        proof: Proof::Measured,
        variables: &[],
        project_variables: &[],
        marks: &[],
        events: &[],
        event_key: "hook_event_name",
        unnamed_event: |_| None,
        fields: FieldNames::CLAUDE,
        tools: &Tools::NONE,
        call_field: "tool_name",
        call: named_call,
        complete: |_, _, _| {},
        ignores: |_| false,
        recognises: |_| Claim::CannotTell,
        capabilities: |_| Capabilities::NOTHING,
        encode: encode_documented,
        deny_form: |_| DenyForm::ExitCode,
        context_field: ContextField::Inside,
        silence: "",
        refusal: answer::exit_2,
        installer: Installer::NONE,
    };

    /// An agent whose documents or code were read.
    pub(crate) const DOCUMENTED: Self = Self {
        proof: Proof::Documented,
        fields: FieldNames::DOCUMENTED,
        tools: &Tools::DOCUMENTED,
        call: documented_call,
        complete: complete_documented,
        ..Self::MEASURED
    };

    pub(crate) fn agent_name(&self) -> AgentName {
        AgentName::from_static(self.name)
    }

    /// The event of a name. Only the agent's own spellings count.
    pub(crate) fn find_event(&self, name: &str) -> Option<&'static AgentEvent> {
        self.events.iter().find(|event| event.is_called(name))
    }

    pub(crate) fn native_event_name(&self, kind: &EventKind) -> &'static str {
        self.events.iter().find(|event| event.kind.as_ref() == Some(kind)).map_or("", |event| event.name)
    }

    /// The event's name in a payload that may be this agent's: it has none of the keys of other agents, and no name
    /// that only other agents use. An unknown name may come with the next version.
    pub(crate) fn possible_event<'p>(
        &self,
        payload: &'p Map<String, Value>,
        foreign: &str,
    ) -> Option<&'p str> {
        let name = payload.get(self.event_key)?.as_str().filter(|name| !name.is_empty())?;
        let known_elsewhere = || self.find_event(name).is_none() && event_names::find(name).is_some();
        (!has_any_key(payload, foreign) && !known_elsewhere()).then_some(name)
    }
}

/// Whether a list of words with spaces between them has this one.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|other| other == word)
}

/// Whether a payload has one of these keys, a list of words.
pub(crate) fn has_any_key(payload: &Map<String, Value>, keys: &str) -> bool {
    keys.split_whitespace().any(|key| payload.contains_key(key))
}

impl AgentAdapter for AgentSpec {
    fn name(&self) -> AgentName {
        self.agent_name()
    }

    fn environment(&self) -> &'static [&'static str] {
        if self.variables.is_empty() { self.project_variables } else { self.variables }
    }

    fn project_variables(&self) -> &'static [&'static str] {
        self.project_variables
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        (self.recognises)(payload)
    }

    fn marks(&self) -> &'static [&'static str] {
        self.marks
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        self.decode_payload(payload, surroundings)
    }

    fn capabilities(&self, event: &Event) -> Capabilities {
        (self.capabilities)(event)
    }

    fn encode(&self, adapted: &AgentOutcome) -> Answer {
        (self.encode)(self, adapted)
    }

    fn silence(&self) -> Answer {
        if self.silence.is_empty() { Answer::default() } else { answer::text(self.silence.to_owned()) }
    }

    fn refusal(&self, reason: &str) -> Answer {
        (self.refusal)(reason)
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.tools.native_name(name)
    }

    fn proof(&self) -> Proof {
        self.proof
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
