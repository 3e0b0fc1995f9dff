//! `--json`: what happens, one object per line, while it happens. Its form is in `docs/reference/chat-stream.md`.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tenter_agent::{Heard, Listener};
use tenter_coordinator::{ContextMessage, Denial, Denied, Shown, UserDisplay};
use tenter_models::talk::{Stop, Usage};

use crate::printer;

/// The form of the lines. A key is never taken away or given another meaning without a higher number.
const VERSION: u32 = 1;

/// Standard output, line by line.
pub(super) struct Stream {
    stop: Stop,
    spent: Mutex<Usage>,
}

impl Stream {
    /// Nobody reads any more: the agent stops.
    pub(super) fn new(stop: Stop) -> Self {
        Self { stop, spent: Mutex::default() }
    }

    /// One line.
    pub(super) fn tell(&self, kind: &str, what: Value) {
        let mut line = json!({"v": VERSION, "type": kind});
        if let (Value::Object(line), Value::Object(what)) = (&mut line, what) {
            line.extend(what);
        }
        // One write for the whole line: several threads tell at once.
        if printer::write_bytes(format!("{line}\n").as_bytes()).is_err() {
            self.stop.ask_to();
        }
    }

    /// What all requests so far have cost.
    pub(super) fn spent(&self) -> Usage {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens, as all lines have them.
pub(super) fn tokens(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_written_tokens": usage.cache_written,
    })
}

/// Both together.
pub(super) fn sum(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input + other.input,
        output: one.output + other.output,
        cache_read: one.cache_read + other.cache_read,
        cache_written: one.cache_written + other.cache_written,
    }
}

impl Listener for Stream {
    fn hear(&self, what: Heard<'_>) {
        match what {
            Heard::Text(text) => self.tell("text", json!({"text": text})),
            Heard::Waiting { why, seconds } => {
                self.tell("waiting", json!({"why": why, "seconds": seconds}));
            }
            Heard::Answered { usage } => {
                let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
                *spent = sum(&spent, usage);
                drop(spent);
                self.tell("usage", tokens(usage));
            }
            Heard::Runs { call } => {
                self.tell("tool_call", json!({"id": call.id, "name": call.name, "input": call.input}));
            }
            Heard::Ran { call, ran } => self.tell(
                "tool_result",
                json!({
                    "id": call.id, "name": call.name, "output": ran.output, "failed": ran.failed,
                    "exit_code": ran.exit_code,
                }),
            ),
            Heard::Denied { call, denied } => {
                let (by, hook) = by(denied);
                self.tell(
                    "denied",
                    json!({
                        "id": call.id, "name": call.name, "input": call.input,
                        "by": by, "hook": hook, "reason": denied.to_string(),
                    }),
                );
            }
            Heard::Added { message } => {
                let ContextMessage { role, content, hook, .. } = message;
                let event = hook.as_ref().map(|hook| hook.event.as_str());
                let hook = hook.as_ref().map(|hook| hook.hook_name.as_str());
                self.tell(
                    "context",
                    json!({"hook": hook, "event": event, "role": role.as_str(), "text": content}),
                );
            }
            Heard::Continues { task } => self.tell("continues", json!({"task": task})),
            Heard::LetGo { task, times } => {
                let text = let_go(task, times);
                self.tell("message", json!({"text": text, "level": "warning", "source": "tenter"}));
            }
            Heard::Compacted => self.tell("compacted", json!({})),
            Heard::SubagentBegins { description } => {
                self.tell("subagent", json!({"description": description, "state": "begun"}));
            }
            Heard::SubagentEnds { description } => {
                self.tell("subagent", json!({"description": description, "state": "ended"}));
            }
            // Asking, a call that begins to be written, and whatever comes later: nothing that anybody could use.
            _ => {}
        }
    }
}

/// What the user must know of a hook that was overruled.
pub(super) fn let_go(task: &str, times: u32) -> String {
    format!("a hook still finds that there is more to do, after {times} times; the agent was let go: {task}")
}

/// Who denied: a hook, a person, the time, nobody there, or tenter itself.
pub(super) fn by(denied: &Denied) -> (&'static str, Option<String>) {
    match &denied.denial {
        Denial::Hook { hook, .. } => ("hook", Some(hook.address())),
        Denial::User { .. } => ("user", None),
        Denial::Timeout { .. } => ("timeout", None),
        Denial::NoDesk { .. } => ("nobody", None),
        Denial::Tenter { .. } => ("tenter", None),
    }
}

impl UserDisplay for Stream {
    fn show(&self, Shown { text, level, source }: &Shown) {
        self.tell("message", json!({"text": text, "level": level.as_str(), "source": source}));
    }
}
