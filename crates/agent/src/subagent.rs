//! The tool that starts another agent: with a conversation of its own, the same tools and the same hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventKind, ToolKind};
use tenter_coordinator::SessionCoordinator;
use tenter_models::talk::{Call, Stop};

use crate::agent::{Agent, Parts, Subagent, emit, emit_letting_go, milliseconds};
use crate::journal::Journal;
use crate::listener::{Heard, Listener};
use crate::talk::CALL_ID;
use crate::tools::{Caller, Ran, Shown, Tool, Workplace};
use crate::turn::Ended;

/// How often hooks may send one on.
const CONTINUATIONS: u32 = 3;
/// What sub-agents are called in the `agents:` of hook files. The model cannot choose it: a section with `override`
/// may have fewer guards.
const TYPE: &str = "task";
/// How often somebody looks whether it shall stop.
const LOOK: Duration = Duration::from_millis(20);

/// `Task`.
pub(crate) struct Task {
    parts: Parts,
    /// The session of the agent that starts others.
    session: Arc<SessionCoordinator>,
    started: AtomicU64,
}

impl Task {
    pub(crate) fn new(parts: Parts, session: Arc<SessionCoordinator>) -> Self {
        Self { parts, session, started: AtomicU64::new(0) }
    }

    /// One agent from its first to its last word.
    fn work(&self, description: &str, prompt: &str, call_id: Option<&str>, stop: &Stop) -> Ran {
        let began = Instant::now();
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let parent = self.session.id().clone();
        let id = format!("{parent}-task-{number}");
        let listener = Arc::new(WithoutWords(Arc::clone(&self.parts.listener)));
        let parts = Parts { listener, ..self.parts.clone() };
        let subagent = Subagent { parent, agent_id: id.clone(), agent_type: TYPE.to_owned() };
        let mut agent = Agent::bare(parts, &id, Journal::none(), Some(subagent.clone()));
        let asked = |event: &mut Event| event.prompt = Some(prompt.to_owned());
        if let Err(denied) = agent.emit(EventKind::SubagentStart, asked) {
            return Ran::failed(denied.to_string());
        }
        let mut next = prompt.to_owned();
        let mut continued = 0;
        // As with the agent itself: a hook may find something more to do, a few times. What it adds besides is for the
        // agent that waits for the result; the other one is not asked any more.
        loop {
            let said = match agent.prompt(&next, stop) {
                Ok(Ended::Done(text)) => text,
                Ok(Ended::Short(text, shortfall)) => {
                    return Ran::failed(format!(
                        "It did not get to an end: {shortfall}\nIts last words:\n{text}"
                    ));
                }
                Ok(Ended::Denied(why)) => return Ran::failed(why),
                Ok(Ended::Stopped) => return Ran::failed("It was stopped before it was done."),
                Err(trouble) => return Ran::failed(format!("It could not go on: {trouble}")),
            };
            let told = |event: &mut Event| {
                subagent.name_in(event);
                asked(event);
                event.message = Some(said.clone());
                event.duration_ms = milliseconds(began.elapsed());
                event.data.extend(call_id.map(|id| (CALL_ID.to_owned(), json!(id))));
            };
            let (session, parts, kind) = (&self.session, &self.parts, EventKind::SubagentComplete);
            if continued < CONTINUATIONS {
                match emit(session, parts, kind, told) {
                    Ok(_) => return Ran::done(said, Shown::Line(description.to_owned())),
                    Err(more) => (next, continued) = (more.to_string(), continued + 1),
                }
                continue;
            }
            return match emit_letting_go(session, parts, kind, told).overruled() {
                None => Ran::done(said, Shown::Line(description.to_owned())),
                Some((by, task)) => Ran::failed(format!(
                    "It was sent on {continued} times and is not done; {by} still wants: {task}\nIts last words:\n{said}"
                )),
            };
        }
    }
}

impl Tool for Task {
    fn name(&self) -> &'static str {
        "Task"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Task
    }

    fn description(&self) -> &'static str {
        "Starts another agent with a conversation of its own and the same tools, and returns its last words. Use it \
for work that takes many steps of which only the result matters here, such as searching through a large project. It \
knows nothing of this conversation: put all it needs into the prompt. Several may run side by side."
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "The task in three to five words."},
                "prompt": {"type": "string", "description": "All the agent needs to know, and what it is to return."},
            },
            "required": ["description", "prompt"],
            "additionalProperties": false,
        })
    }

    fn alone(&self) -> bool {
        false
    }

    fn run(&self, input: &Map<String, Value>, _at: &Workplace, stop: &dyn Fn() -> bool) -> Ran {
        self.start(input, None, stop)
    }

    fn run_call(&self, call: &Call, _: &Caller<'_>, _at: &Workplace, stop: &dyn Fn() -> bool) -> Ran {
        self.start(&call.input, Some(&call.id), stop)
    }
}

impl Task {
    fn start(&self, input: &Map<String, Value>, call_id: Option<&str>, stop: &dyn Fn() -> bool) -> Ran {
        let text =
            |key: &str| input.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let Some(prompt) = text("prompt") else {
            return Ran::failed("`prompt` is missing: say what the agent is to do and to return.");
        };
        let description = text("description").unwrap_or("a task");
        self.parts.listener.hear(Heard::SubagentBegins { description });
        let ran = watched(stop, |stop| self.work(description, prompt, call_id, stop));
        self.parts.listener.hear(Heard::SubagentEnds { description });
        ran
    }
}

/// Whoever watches the agent sees what its sub-agents do and cost. What they say is for the agent.
struct WithoutWords(Arc<dyn Listener>);

impl Listener for WithoutWords {
    fn hear(&self, what: Heard<'_>) {
        match what {
            Heard::Asking | Heard::Text(_) | Heard::Calling { .. } => {}
            // What nobody was shown need not be taken back.
            Heard::Waiting { why, seconds, void: _ } => {
                self.0.hear(Heard::Waiting { why, seconds, void: false });
            }
            _ => self.0.hear(what),
        }
    }
}

/// Runs beside a look at the wish to stop, which only this thread may take.
fn watched(stop: &dyn Fn() -> bool, work: impl FnOnce(&Stop) -> Ran + Send) -> Ran {
    let asked = Stop::new();
    thread::scope(|scope| {
        let running = scope.spawn(|| work(&asked));
        while !running.is_finished() {
            if stop() {
                asked.ask_to();
            }
            thread::sleep(LOOK);
        }
        running
            .join()
            .unwrap_or_else(|_| Ran::failed("It broke; this is a mistake of the program, not of yours."))
    })
}
