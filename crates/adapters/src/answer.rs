//! Writing an answer: whole, or as a deny.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::{AgentOutcomeParts, AgentVerdict, Answer, Event, ToolCall};

/// A JSON object written key by key, in the order of the calls. An answer without a key is silence.
pub(crate) struct JsonObject {
    text: Vec<u8>,
    is_empty: bool,
    failed: Option<serde_json::Error>,
}

impl JsonObject {
    pub(crate) fn new() -> Self {
        Self { text: b"{".to_vec(), is_empty: true, failed: None }
    }

    /// An object that begins with this key and still counts as empty: `hookSpecificOutput` must name its event.
    pub(crate) fn labelled(key: &str, value: &str) -> Self {
        let mut object = Self::new();
        object.put(key, Some(value));
        object.is_empty = true;
        object
    }

    /// Adds a key, unless there is no value. Keys need no escaping.
    pub(crate) fn put(&mut self, key: &str, value: Option<impl Serialize>) {
        let Some(value) = value else { return };
        self.key(key);
        self.failed = serde_json::to_writer(&mut self.text, &value).err().or(self.failed.take());
    }

    /// Adds an object, unless it is empty.
    pub(crate) fn put_object(&mut self, key: &str, object: Self) {
        if !object.is_empty {
            self.put_always(key, object);
        }
    }

    /// Adds an object, also an empty one.
    pub(crate) fn put_always(&mut self, key: &str, mut object: Self) {
        self.key(key);
        self.text.append(&mut object.text);
        self.text.push(b'}');
        self.failed = object.failed.or(self.failed.take());
    }

    fn key(&mut self, key: &str) {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
        self.is_empty = false;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The answer: the object on one line, or nothing if it is empty.
    pub(crate) fn into_answer(self) -> Answer {
        if self.is_empty { Answer::default() } else { self.into_full_answer() }
    }

    /// The answer, also for an empty object.
    pub(crate) fn into_full_answer(mut self) -> Answer {
        // Nothing in it can fail to be written; if it did, silence would let a denied call pass.
        if let Some(error) = self.failed {
            return exit_2(&format!("tenter could not write its answer: {error}"));
        }
        self.text.extend_from_slice(b"}\n");
        Answer { stdout: self.text, ..Answer::default() }
    }
}

/// An answer that is the text itself.
pub(crate) fn text(mut text: String) -> Answer {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Answer { stdout: text.into_bytes(), ..Answer::default() }
}

/// Denies by exit code 2, with the reason on standard error. It needs no knowledge of the event.
pub(crate) fn exit_2(reason: &str) -> Answer {
    Answer { stderr: format!("{reason}\n").into_bytes(), exit_code: 2, ..Answer::default() }
}

/// The reason, if the verdict is a deny.
pub(crate) fn deny_reason(parts: &AgentOutcomeParts) -> Option<&str> {
    match &parts.verdict {
        AgentVerdict::Deny { reason } => Some(reason),
        AgentVerdict::Silent | AgentVerdict::Allow { .. } | AgentVerdict::Ask { .. } => None,
    }
}

/// The verdict in Claude Code's words, and its reason.
pub(crate) fn verdict_word(parts: &AgentOutcomeParts) -> (Option<&'static str>, Option<&str>) {
    match &parts.verdict {
        AgentVerdict::Silent => (None, None),
        AgentVerdict::Allow { reason } => (Some("allow"), reason.as_deref()),
        AgentVerdict::Ask { prompt } => (Some("ask"), Some(prompt)),
        AgentVerdict::Deny { reason } => (Some("deny"), Some(reason)),
    }
}

/// The new input in the agent's form; none if it has no changes.
pub(crate) fn changed_input<T: PartialEq>(
    event: &Event,
    parts: &AgentOutcomeParts,
    native_input: fn(&ToolCall, &Map<String, Value>) -> T,
) -> Option<T> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let changed = native_input(call, new);
    (changed != native_input(call, call.asked_input())).then_some(changed)
}

/// Drops a text of spaces.
pub(crate) fn non_blank(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}

/// A reason, for agents that ignore a deny without one.
pub(crate) fn reason_or_default(reason: &str) -> &str {
    if reason.trim().is_empty() { "a hook denies it" } else { reason }
}

/// Two texts that share one field.
pub(crate) fn join_paragraphs(first: &str, second: Option<impl AsRef<str>>) -> String {
    match second {
        Some(second) => format!("{first}\n\n{}", second.as_ref()),
        None => first.to_owned(),
    }
}
