//! The tool that starts a sub-agent: its own conversation, the same tools and hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventKind, ToolKind};
use tenter_coordinator::SessionCoordinator;
use tenter_models::client::{StopFlag, ToolUse};

use crate::agent::{Agent, AgentParts, Subagent, emit, milliseconds};
use crate::journal::Journal;
use crate::observer::{AgentEvent, Observer};
use crate::shared_conversation::CALL_ID;
use crate::tools::{Caller, Tool, ToolDisplay, ToolOutput, Workspace};
use crate::turn::TurnEnd;

const CONTINUATIONS: u32 = 3;
pub(crate) const NAME: &str = "Task";
/// The agent type in the `agents:` of hook files. The model cannot choose it: a section with `override` may have fewer
/// guards.
const TYPE: &str = "task";
/// How often the stop flag is polled.
const POLL: Duration = Duration::from_millis(20);

pub(crate) struct SubagentTool {
    parts: AgentParts,
    /// The session of the parent agent.
    session: Arc<SessionCoordinator>,
    started: AtomicU64,
}

impl SubagentTool {
    pub(crate) fn new(parts: AgentParts, session: Arc<SessionCoordinator>) -> Self {
        Self { parts, session, started: AtomicU64::new(0) }
    }

    /// Runs one sub-agent to its end.
    fn work(&self, description: &str, prompt: &str, call_id: Option<&str>, stop: &StopFlag) -> ToolOutput {
        let began = Instant::now();
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let parent = self.session.id().clone();
        let id = format!("{parent}-task-{number}");
        let observer = Arc::new(WithoutText(Arc::clone(&self.parts.observer)));
        let parts = AgentParts { observer, ..self.parts.clone() };
        let subagent = Subagent { parent, agent_id: id.clone(), agent_type: TYPE.to_owned() };
        let mut agent = Agent::with_identity(parts, &id, Journal::none(), Some(subagent.clone()));
        let set_prompt = |event: &mut Event| event.prompt = Some(prompt.to_owned());
        if let Err(denied) = agent.emit(EventKind::SubagentStart, set_prompt) {
            return ToolOutput::failed(denied.to_string());
        }
        let mut next = prompt.to_owned();
        let mut continued = 0;
        // Hooks may continue a sub-agent a few times. Their context is for the agent that waits for the result.
        loop {
            let text = match agent.prompt(&next, stop) {
                Ok(TurnEnd::Done(text)) => text,
                Ok(TurnEnd::Short(text, incomplete)) => {
                    return ToolOutput::failed(format!(
                        "It did not finish: {incomplete}\nIts last text:\n{text}"
                    ));
                }
                Ok(TurnEnd::Denied(why)) => return ToolOutput::failed(why),
                Ok(TurnEnd::Stopped) => return ToolOutput::failed("It was stopped before it was done."),
                Err(error) => return ToolOutput::failed(format!("It could not go on: {error}")),
            };
            let fill = |event: &mut Event| {
                subagent.name_in(event);
                set_prompt(event);
                event.message = Some(text.clone());
                event.duration_ms = milliseconds(began.elapsed());
                event.data.extend(call_id.map(|id| (CALL_ID.to_owned(), json!(id))));
            };
            let is_final = continued == CONTINUATIONS;
            match emit(&self.session, &self.parts, EventKind::SubagentComplete, is_final, fill) {
                Err(more) => (next, continued) = (more.to_string(), continued + 1),
                Ok(emitted) => {
                    return match emitted.overruled() {
                        None => ToolOutput::done(text, ToolDisplay::Line(description.to_owned())),
                        Some((by, task)) => ToolOutput::failed(format!(
                            "Hooks continued it {continued} times and it is not done; {by} asks: {task}\n\
                             Its last text:\n{text}"
                        )),
                    };
                }
            }
        }
    }

    fn start(
        &self,
        input: &Map<String, Value>,
        call_id: Option<&str>,
        stop: &dyn Fn() -> bool,
    ) -> ToolOutput {
        let text =
            |key: &str| input.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let Some(prompt) = text("prompt") else {
            return ToolOutput::failed("`prompt` is missing: describe the task and the result to return.");
        };
        let description = text("description").unwrap_or("a task");
        self.parts.observer.on_event(AgentEvent::SubagentBegins { description });
        let output = run_with_stop_flag(stop, |stop| self.work(description, prompt, call_id, stop));
        self.parts.observer.on_event(AgentEvent::SubagentEnds { description });
        output
    }
}

impl Tool for SubagentTool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Task
    }

    fn description(&self) -> &'static str {
        "Starts another agent with its own conversation and the same tools, and returns its last text. Use it for \
work that takes many steps of which only the result matters here, such as searching through a large project. It does \
not know this conversation: put everything it needs into the prompt. Several can run in parallel."
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "The task in three to five words."},
                "prompt": {"type": "string", "description": "Everything the agent needs to know, and the result to return."},
            },
            "required": ["description", "prompt"],
            "additionalProperties": false,
        })
    }

    fn alone(&self) -> bool {
        false
    }

    fn run(&self, input: &Map<String, Value>, _at: &Workspace, stop: &dyn Fn() -> bool) -> ToolOutput {
        self.start(input, None, stop)
    }

    fn run_call(
        &self,
        call: &ToolUse,
        _: &Caller<'_>,
        _at: &Workspace,
        stop: &dyn Fn() -> bool,
    ) -> ToolOutput {
        self.start(&call.input, Some(&call.id), stop)
    }
}

/// Shows the work and usage of sub-agents, without their text, which is for the agent.
struct WithoutText(Arc<dyn Observer>);

impl Observer for WithoutText {
    fn on_event(&self, event: AgentEvent<'_>) {
        match event {
            AgentEvent::Asking | AgentEvent::Text(_) | AgentEvent::Calling { .. } => {}
            // No text was shown, so none is invalid.
            AgentEvent::Waiting { why, seconds, void: _ } => {
                self.0.on_event(AgentEvent::Waiting { why, seconds, void: false });
            }
            _ => self.0.on_event(event),
        }
    }
}

/// Runs work in a second thread and polls the stop function, which is not `Sync`.
fn run_with_stop_flag(
    stop: &dyn Fn() -> bool,
    work: impl FnOnce(&StopFlag) -> ToolOutput + Send,
) -> ToolOutput {
    let flag = StopFlag::new();
    thread::scope(|scope| {
        let running = scope.spawn(|| work(&flag));
        while !running.is_finished() {
            if stop() {
                flag.set();
            }
            thread::sleep(POLL);
        }
        running.join().unwrap_or_else(|_| {
            ToolOutput::failed("It crashed; this is a bug of the program, not your mistake.")
        })
    })
}
