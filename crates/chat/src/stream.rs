//! `--json`: one JSON object per line for each event. `docs/reference/chat-stream.md` describes the format.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_agent::{AgentEvent, Observer};
use tenter_contract::{ApprovalAnswer, ApprovalRequest};
use tenter_coordinator::{ContextMessage, Denial, Denied, Shown, UserDisplay};
use tenter_models::client::{StopFlag, Usage};

use tenter_console::printer;

/// Version of the format. Removing a key or changing its meaning needs a higher number.
const VERSION: u32 = 1;

/// Retries for the last line of a user who leaves while another line is being written: a blocked reader must not block
/// the exit.
const TRIES: u32 = 20;
const APART: Duration = Duration::from_millis(20);

/// The stream to standard output: `session` is always the first line and `done` the last.
#[derive(Default)]
pub(crate) struct Stream {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    state: State,
    stop: StopFlag,
    spent: Usage,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    New,
    Begun,
    Over,
}

pub(crate) struct End<'a> {
    /// `done`, `cut`, `refused`, `empty`, `denied`, `stopped` or `error`.
    pub(crate) reason: &'static str,
    pub(crate) text: &'a str,
    pub(crate) exit_code: u8,
}

impl Stream {
    /// Sets the flag that stops the agent when the reader is gone.
    pub(crate) fn stops(&self, stop: StopFlag) {
        self.inner().stop = stop;
    }

    pub(crate) fn begin(&self, session: &str, model: &str, source: &str) {
        let mut inner = self.inner();
        inner.state = State::Begun;
        inner.line("session", json!({"session": session, "model": model, "source": source}));
    }

    pub(crate) fn write_event(&self, kind: &str, what: Value) {
        self.inner().write_event(kind, what);
    }

    pub(crate) fn fail(&self, kind: &str, message: &str, hint: Option<&str>) {
        self.write_event("error", json!({"kind": kind, "message": message, "hint": hint}));
    }

    /// Writes the last line.
    pub(crate) fn end(&self, end: &End<'_>) {
        self.inner().end(end);
    }

    /// Writes the last line when the user leaves early.
    pub(crate) fn break_off(&self) {
        for _ in 0..TRIES {
            let mut inner = match self.inner.try_lock() {
                Ok(inner) => inner,
                Err(TryLockError::Poisoned(inner)) => inner.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(APART);
                    continue;
                }
            };
            return inner.end(&End::STOPPED);
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn question_asked(&self, request: &ApprovalRequest) {
        let question = &request.question;
        let options: Vec<&str> = question.options.iter().map(|choice| choice.label.as_str()).collect();
        let hooks: Vec<String> =
            question.asked_by.iter().map(|hook_question| hook_question.hook.address()).collect();
        let tool = request.event.tool.as_ref();
        self.write_event(
            "question",
            json!({
                "question": request.id, "id": tool.and_then(|tool| tool.call_id.as_deref()),
                "name": tool.map(|tool| tool.name.as_str()), "prompt": question.prompt(), "options": options,
                "hooks": hooks, "approver": request.approver, "until": request.until.to_string(),
                "default": question.default.as_str(),
            }),
        );
    }

    pub(crate) fn answer_received(&self, request: &ApprovalRequest, answer: &ApprovalAnswer) {
        let (word, option) = match answer {
            ApprovalAnswer::Granted { option, .. } => ("granted", Some(option)),
            ApprovalAnswer::Denied { option } => ("denied", Some(option)),
            ApprovalAnswer::SavedGrant { .. } => ("granted", None),
            ApprovalAnswer::SavedDeny { .. } => ("denied", None),
            ApprovalAnswer::TimedOut { .. } => ("timeout", None),
            ApprovalAnswer::Withdrawn { .. }
            | ApprovalAnswer::LeftToHost
            | ApprovalAnswer::ApproverGone { .. } => ("withdrawn", None),
            ApprovalAnswer::NoApprover { .. } => ("none", None),
        };
        self.write_event(
            "answer",
            json!({"question": request.id, "answer": word, "option": option, "text": answer.in_words()}),
        );
    }
}

impl End<'_> {
    pub(crate) const STOPPED: Self =
        End { reason: "stopped", text: "", exit_code: crate::error::code::UNANSWERED };
}

impl Inner {
    /// Writes a line between the first and the last.
    fn write_event(&mut self, kind: &str, what: Value) {
        if self.state == State::New {
            // It fails before there is a session.
            self.state = State::Begun;
            self.line("session", json!({"session": null, "model": null, "source": null}));
        }
        if self.state == State::Begun {
            self.line(kind, what);
        }
    }

    fn end(&mut self, End { reason, text, exit_code }: &End<'_>) {
        let usage = tokens(&self.spent);
        self.write_event(
            "done",
            json!({"reason": reason, "text": text, "usage": usage, "exit_code": exit_code}),
        );
        self.state = State::Over;
    }

    fn line(&self, kind: &str, what: Value) {
        let mut line = json!({"v": VERSION, "type": kind});
        if let (Value::Object(line), Value::Object(what)) = (&mut line, what) {
            line.extend(what);
        }
        if printer::write_bytes(format!("{line}\n").as_bytes()).is_err() {
            self.stop.set();
        }
    }
}

fn tokens(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_written_tokens": usage.cache_written,
    })
}

pub(crate) fn sum(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input + other.input,
        output: one.output + other.output,
        cache_read: one.cache_read + other.cache_read,
        cache_written: one.cache_written + other.cache_written,
    }
}

impl Observer for Stream {
    fn on_event(&self, event: AgentEvent<'_>) {
        match event {
            AgentEvent::Text(text) => self.write_event("text", json!({"text": text})),
            AgentEvent::Waiting { why, seconds, void } => {
                self.write_event("waiting", json!({"why": why, "seconds": seconds, "void": void}));
            }
            AgentEvent::Answered { usage } => {
                let mut inner = self.inner();
                inner.spent = sum(&inner.spent, usage);
                inner.write_event("usage", tokens(usage));
            }
            AgentEvent::ToolStarted { call } => {
                self.write_event("tool_call", json!({"id": call.id, "name": call.name, "input": call.input}));
            }
            AgentEvent::ToolFinished { call, output } => self.write_event(
                "tool_result",
                json!({
                    "id": call.id, "name": call.name, "output": output.output, "failed": output.failed,
                    "exit_code": output.exit_code,
                }),
            ),
            AgentEvent::Denied { call, denied } => {
                let (by, hook) = by(denied);
                self.write_event(
                    "denied",
                    json!({
                        "id": call.id, "name": call.name, "input": call.input,
                        "by": by, "hook": hook, "reason": denied.to_string(),
                    }),
                );
            }
            AgentEvent::Withheld { call, denied } => {
                let (by, hook) = by(denied);
                self.write_event(
                    "withheld",
                    json!({
                        "id": call.id, "name": call.name, "by": by, "hook": hook, "reason": denied.to_string(),
                    }),
                );
            }
            AgentEvent::Added { message } => {
                let metadata = message.metadata();
                let ContextMessage { role, content, hook, .. } = message;
                let event = hook.as_ref().map(|hook| hook.event.as_str());
                let hook = hook.as_ref().map(|hook| hook.hook_name.as_str());
                let role = role.as_str();
                self.write_event(
                    "context",
                    json!({"hook": hook, "event": event, "role": role, "text": content, "metadata": metadata}),
                );
            }
            AgentEvent::Continues { task } => self.write_event("continues", json!({"task": task})),
            AgentEvent::Notice { text } => {
                self.write_event("message", json!({"text": text, "level": "warning", "source": "tenter"}));
            }
            AgentEvent::StopAllowed { task, times } => {
                let text = overruled_text(task, times);
                self.write_event("message", json!({"text": text, "level": "warning", "source": "tenter"}));
            }
            AgentEvent::Compacted => self.write_event("compacted", json!({})),
            AgentEvent::SubagentBegins { description } => {
                self.write_event("subagent", json!({"description": description, "state": "begun"}));
            }
            AgentEvent::SubagentEnds { description } => {
                self.write_event("subagent", json!({"description": description, "state": "ended"}));
            }
            // Asking, a call that begins to be written, and whatever comes later: nothing that anybody could use.
            _ => {}
        }
    }
}

/// The notice about a stop hook that was overruled.
pub(crate) fn overruled_text(task: &str, times: u32) -> String {
    format!("a hook still finds that there is more to do, after {times} times; the agent was let go: {task}")
}

/// Who denied the call, and the hook if it was one.
fn by(denied: &Denied) -> (&'static str, Option<String>) {
    match &denied.denial {
        Denial::Hook { hook, .. } => ("hook", Some(hook.address())),
        Denial::User { .. } => ("user", None),
        Denial::Timeout { .. } => ("timeout", None),
        Denial::NoApprover { .. } => ("none", None),
        Denial::Tenter { .. } => ("tenter", None),
    }
}

impl UserDisplay for Stream {
    fn show(&self, Shown { text, level, source }: &Shown) {
        self.write_event("message", json!({"text": text, "level": level.as_str(), "source": source}));
    }
}
