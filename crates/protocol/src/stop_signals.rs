//! The keys by which a reply denies or asks, in every form that tenter knows.

use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{EventKind, Verdict};

/// Every key that denies, asks or has the reason. The values of other keys are skipped.
pub(crate) const KEYS: [&str; 20] = [
    "deny",
    "ask",
    "allow",
    "allowed",
    "decision",
    "permissionDecision",
    "permission",
    "behavior",
    "action",
    "verdict",
    "cancel",
    "block",
    "continue",
    "hookSpecificOutput",
    "reason",
    "permissionDecisionReason",
    "message",
    "stopReason",
    "prompt",
    "approval_prompt",
];

/// A value under one of the keys.
pub(crate) enum Signal {
    Null,
    Bool(bool),
    Text(String),
    Object(Box<Signals>),
    /// A number, a list, or an object that lies too deep.
    Other,
}

/// The stops and reasons in one object. A key that occurs twice counts both times.
#[derive(Default)]
pub(crate) struct Signals {
    deny: bool,
    ask: bool,
    halt: bool,
    deny_reason: Option<String>,
    question: Option<String>,
    reason: Option<String>,
    message: Option<String>,
    stop_reason: Option<String>,
}

impl Signals {
    pub(crate) fn add(&mut self, key: &str, signal: Signal) {
        match (key, signal) {
            ("deny", Signal::Text(reason)) => self.denied(Some(reason)),
            ("deny", Signal::Object(inner)) => self.denied(inner.any_reason()),
            ("deny", Signal::Bool(true) | Signal::Other) => self.denied(None),
            ("ask", Signal::Text(prompt)) => self.asked(Some(prompt)),
            ("ask", Signal::Object(inner)) => self.asked(inner.question),
            ("ask", Signal::Bool(true) | Signal::Other) => self.asked(None),
            ("allow" | "allowed", Signal::Bool(false)) | ("cancel" | "block", Signal::Bool(true)) => {
                self.denied(None);
            }
            (
                "decision" | "permissionDecision" | "permission" | "behavior" | "action" | "verdict",
                Signal::Text(word),
            ) => self.decided(&word),
            (
                "hookSpecificOutput" | "decision" | "permissionDecision" | "permission",
                Signal::Object(inner),
            ) => {
                self.include(*inner);
            }
            ("continue", Signal::Bool(false)) => self.halt = true,
            ("reason" | "permissionDecisionReason", Signal::Text(text)) => keep(&mut self.reason, text),
            ("message", Signal::Text(text)) => keep(&mut self.message, text),
            ("stopReason", Signal::Text(text)) => keep(&mut self.stop_reason, text),
            ("prompt" | "approval_prompt", Signal::Text(text)) => keep(&mut self.question, text),
            _ => {}
        }
    }

    fn decided(&mut self, word: &str) {
        match word.trim().to_ascii_lowercase().as_str() {
            "deny" | "block" => self.denied(None),
            "ask" | "ask_user" => self.asked(None),
            _ => {}
        }
    }

    fn denied(&mut self, reason: Option<String>) {
        self.deny = true;
        if let Some(reason) = reason {
            keep(&mut self.deny_reason, reason);
        }
    }

    fn asked(&mut self, prompt: Option<String>) {
        self.ask = true;
        if let Some(prompt) = prompt {
            keep(&mut self.question, prompt);
        }
    }

    fn include(&mut self, inner: Self) {
        self.deny |= inner.deny;
        self.ask |= inner.ask;
        if let Some(reason) = inner.any_reason() {
            keep(&mut self.reason, reason);
        }
    }

    fn any_reason(self) -> Option<String> {
        self.deny_reason.or(self.reason).or(self.message)
    }

    /// The deny or the question, if there is one. A deny counts more. `continue: false` denies, except where
    /// the agent wants to stop anyway.
    pub(crate) fn verdict(self, event: &EventKind) -> Option<Verdict> {
        let stopping = matches!(event, EventKind::OrchestratorComplete | EventKind::SubagentComplete);
        if self.halt && stopping {
            return None;
        }
        let Self { deny, ask, halt, question, stop_reason, .. } = self;
        if deny || halt {
            let reason = self.deny_reason.or(self.reason).or(stop_reason).or(self.message);
            return Some(Verdict::Deny { reason: reason.unwrap_or_else(|| "no reason given".to_owned()) });
        }
        let prompt = question.or(self.reason).unwrap_or_else(|| DEFAULT_PROMPT.to_owned());
        ask.then(|| Verdict::Ask(ApprovalPrompt::new(prompt)))
    }
}

/// The first text that is not blank.
fn keep(place: &mut Option<String>, text: String) {
    if place.is_none() && !text.trim().is_empty() {
        *place = Some(text);
    }
}
