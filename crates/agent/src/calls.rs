//! The calls of one reply: hooks are asked before, the tool runs, hooks hear what came of it.
//!
//! Hooks are asked about one call after the other, in the model's order, before and after: what they add is then the
//! same in every run. Between that, calls that only look run side by side; one that changes something runs alone.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_contract::{Decision, Event, EventKind, ToolCall};
use tenter_coordinator::{Denied, Emitted};
use tenter_models::talk::{Call, Item, Reply, Stop, ToolResult};

use crate::agent::{Agent, Offered, failure, milliseconds};
use crate::journal::interrupted;
use crate::listener::Heard;
use crate::tools::{Caller, Ran, Tool};
use crate::turn::Trouble;

/// What the model reads of a call that nobody began.
const NOT_RUN: &str = "It was not run: the user stopped the agent before.";

/// The same, if a hook has ended the run.
const NOT_RUN_AFTER_HOOK: &str = "It was not run: a hook stopped the agent before.";

/// How many calls run side by side.
const AT_ONCE: usize = 16;

/// A call on its way.
struct Way<'a> {
    call: Call,
    tool: Option<&'a dyn Tool>,
    step: Step,
}

enum Step {
    /// Hooks have not been asked.
    Wanted,
    /// It may run, and there is nothing left but to do so.
    Allowed,
    /// It ran.
    Ran(Ran, Duration),
    /// What the model reads is known.
    Settled(ToolResult),
}

impl Agent {
    /// Runs what a reply wants, and puts the results behind it. Says why a hook ends the run, if one does.
    pub(crate) fn do_calls(&self, reply: Reply, stop: &Stop) -> Result<Option<String>, Trouble> {
        let mut ways: Vec<Way<'_>> = reply.calls().cloned().map(|call| self.way(call)).collect();
        self.talk.calls_begin(Item::Reply(reply), self.now())?;
        let names: Vec<&str> = ways.iter().map(|way| way.call.name.as_str()).collect();
        let _ = self.emit(EventKind::DecisionToolResolution, |event| {
            event.data.insert("tools".to_owned(), json!(names));
        });
        let mut ended = None;
        for group in together(&mut ways) {
            if ended.is_none() {
                self.do_group(group, stop, &mut ended);
            }
        }
        let not_run = if ended.is_some() { NOT_RUN_AFTER_HOOK } else { NOT_RUN };
        let results = ways.into_iter().map(|way| match way.step {
            Step::Settled(result) => result,
            Step::Wanted | Step::Allowed => result(&way.call, not_run.to_owned(), true),
            Step::Ran(..) => interrupted(&way.call.id, &way.call.name),
        });
        self.talk.calls_end(results.collect(), self.now())?;
        Ok(ended)
    }

    fn way(&self, call: Call) -> Way<'_> {
        let tool = self.tools.iter().map(Offered::tool).find(|tool| tool.name() == call.name);
        Way { call, tool, step: Step::Wanted }
    }

    fn do_group(&self, ways: &mut [Way<'_>], stop: &Stop, ended: &mut Option<String>) {
        for way in &mut *ways {
            if !stop.is_asked() && ended.is_none() {
                self.ask_before(way, stop, ended);
            }
        }
        let go_on = ended.is_none();
        let run = |way: &mut Way<'_>| {
            // Who stops the agent while hooks are asked does not want to see the call run after all.
            if let (Step::Allowed, Some(tool), true) = (&way.step, way.tool, go_on && !stop.is_asked()) {
                way.step = self.run(tool, &way.call, stop);
            }
        };
        match &mut *ways {
            [only] => run(only),
            several => {
                for batch in several.chunks_mut(AT_ONCE) {
                    thread::scope(|scope| {
                        for way in batch {
                            scope.spawn(|| run(way));
                        }
                    });
                }
            }
        }
        for way in ways {
            self.tell_after(way, ended);
        }
    }

    /// Hooks may deny the call, rewrite its input, or want a person to be asked.
    fn ask_before(&self, way: &mut Way<'_>, stop: &Stop, ended: &mut Option<String>) {
        let tool = match self.runnable(way) {
            Ok(tool) => tool,
            Err(why) => {
                way.step = Step::Ran(Ran::failed(why), Duration::ZERO);
                return;
            }
        };
        let asked = self.emit_call(EventKind::ToolPre, tool, &way.call, |_| ());
        if stop.is_asked() {
            // Who stopped the agent meanwhile is not asked about a call that will not run.
            return;
        }
        way.step = match asked.and_then(|emitted| self.permitted(tool, &mut way.call, &emitted)) {
            Ok(()) => Step::Allowed,
            Err(denied) => {
                note_end(ended, &denied);
                self.parts.listener.hear(Heard::Denied { call: &way.call, denied: &denied });
                Step::Settled(result(&way.call, denied.to_string(), true))
            }
        };
    }

    /// The tool of a call that can be run at all. The error is for the model: nobody else can mend the call, so nobody
    /// is asked about it.
    fn runnable<'a>(&self, way: &Way<'a>) -> Result<&'a dyn Tool, String> {
        let Some(tool) = way.tool else {
            let names: Vec<&str> = self.definitions.iter().map(|tool| tool.name.as_str()).collect();
            return Err(format!("There is no tool `{}`. There are: {}.", way.call.name, names.join(", ")));
        };
        if let Some(why) = &way.call.unread {
            return Err(format!(
                "It was not run, because its input cannot be read: {why}. Call it again with one JSON object."
            ));
        }
        tool.objection(&way.call.input).map_or(Ok(tool), Err)
    }

    /// What hooks left to the agent itself, it asks its user, unless that is not wanted. An input that is rewritten
    /// here is judged again, and what guards make of it then is nothing that anybody has permitted yet.
    fn permitted(&self, tool: &dyn Tool, call: &mut Call, emitted: &Emitted) -> Result<(), Denied> {
        adopt(call, emitted);
        if is_permitted(emitted) || self.parts.permission.covers(tool, call, &self.parts.place) {
            return Ok(());
        }
        let mut asked = self.emit_call(EventKind::PermissionRequest, tool, call, |_| ())?;
        let mut permitted = is_permitted(&asked);
        if adopt(call, &asked) {
            asked = self.emit_call(EventKind::ToolPre, tool, call, |_| ())?;
            permitted &= !adopt(call, &asked);
        }
        if permitted {
            return Ok(());
        }
        let why = self.parts.permission.reason(tool, call, &self.parts.place);
        let fill = |event: &mut Event| {
            event.data.extend(why.map(|why| (crate::permission::REASON.to_owned(), json!(why))));
        };
        self.emit_call(crate::permission::event(), tool, call, fill).map(|_| ())
    }

    fn run(&self, tool: &dyn Tool, call: &Call, stop: &Stop) -> Step {
        self.parts.listener.hear(Heard::Runs { call });
        let began = Instant::now();
        let asked_to_stop = || stop.is_asked();
        let by = Caller { session: self.session.id().as_str(), agent_id: self.agent_id() };
        let run = || tool.run_call(call, &by, &self.parts.place, &asked_to_stop);
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let broken =
            || Ran::failed(format!("`{}` broke; this is a mistake of the tool, not of yours.", call.name));
        let mut ran = ran.unwrap_or_else(|_| broken());
        // Before anybody gets to see it: hooks hear of it next, and so do records.
        self.parts.place.keys.hide_in_ran(&mut ran);
        Step::Ran(ran, began.elapsed())
    }

    /// Hooks may rewrite what the model reads, put something else in its place, and add to it.
    fn tell_after(&self, way: &mut Way<'_>, ended: &mut Option<String>) {
        let Step::Ran(ran, took) = &way.step else { return };
        self.parts.listener.hear(Heard::Ran { call: &way.call, ran });
        let kind = if ran.failed { EventKind::ToolError } else { EventKind::ToolPost };
        let emitted = match way.tool {
            Some(tool) => self.emit_call(kind, tool, &way.call, |event| tell(event, ran, *took)),
            None => self.emit(kind, |event| {
                let input = way.call.input.clone();
                let mut call = ToolCall::new(&way.call.name, tenter_contract::ToolKind::Other, input);
                call.call_id = Some(way.call.id.clone());
                event.tool = Some(call);
                tell(event, ran, *took);
            }),
        };
        let output = match emitted {
            Ok(emitted) => emitted.event().tool.as_ref().and_then(|tool| tool.output.as_ref()).map(text),
            Err(denied) => {
                note_end(ended, &denied);
                self.parts.listener.hear(Heard::Withheld { call: &way.call, denied: &denied });
                Some(denied.to_string())
            }
        };
        way.step = Step::Settled(result(&way.call, output.unwrap_or_else(|| ran.output.clone()), ran.failed));
    }

    fn emit_call(
        &self,
        kind: EventKind,
        tool: &dyn Tool,
        call: &Call,
        fill: impl FnOnce(&mut Event),
    ) -> Result<Emitted, Denied> {
        self.emit(kind, |event| {
            let mut told = ToolCall::new(&call.name, tool.kind(), call.input.clone());
            told.call_id = Some(call.id.clone());
            event.tool = Some(told);
            fill(event);
        })
    }
}

/// Notes why a hook ends the run; the first one counts.
fn note_end(ended: &mut Option<String>, denied: &Denied) {
    let stop = denied.emitted.outcome.stop();
    *ended = ended.take().or_else(|| stop.map(|(by, reason)| format!("{by} stopped the agent: {reason}")));
}

/// Takes over what hooks made of an input; says whether it is another one.
fn adopt(call: &mut Call, emitted: &Emitted) -> bool {
    match &emitted.event().tool {
        Some(tool) if tool.input != call.input => {
            call.input.clone_from(&tool.input);
            true
        }
        _ => false,
    }
}

/// Whether a hook that may has permitted it, or a person.
fn is_permitted(emitted: &Emitted) -> bool {
    matches!(emitted.outcome.decision, Decision::Allow { .. }) || emitted.outcome.approval.is_some()
}

fn tell(event: &mut Event, ran: &Ran, took: Duration) {
    event.duration_ms = milliseconds(took);
    if ran.failed {
        event.error = failure("tool", ran.output.clone());
    }
    if let Some(tool) = &mut event.tool {
        tool.output = Some(Value::String(ran.output.clone()));
        tool.stdout.clone_from(&ran.stdout);
        tool.stderr.clone_from(&ran.stderr);
        tool.exit_code = ran.exit_code.map(i64::from);
    }
}

/// What a hook made of an output, as the model reads it.
fn text(output: &Value) -> String {
    output.as_str().map_or_else(|| output.to_string(), str::to_owned)
}

fn result(call: &Call, output: String, failed: bool) -> ToolResult {
    ToolResult { call_id: call.id.clone(), name: call.name.clone(), output, failed }
}

/// Neighbours that only look go together; what changes something goes alone.
fn together<'w, 'a>(ways: &'w mut [Way<'a>]) -> Vec<&'w mut [Way<'a>]> {
    let alone = |way: &Way<'_>| way.tool.is_none_or(Tool::alone);
    ways.chunk_by_mut(|one, next| !alone(one) && !alone(next)).collect()
}
