//! The calls of one reply: hooks before, the tool, hooks after. Hooks run for one call after the other, in the model's
//! order, so their context is the same in every run. Between them, calls that only read run in parallel; a call that
//! changes something runs alone.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_contract::{Decision, Event, EventKind, ToolCall, ToolKind};
use tenter_coordinator::{Denied, Emitted};
use tenter_models::client::{Item, Reply, StopFlag, ToolResult, ToolUse};

use crate::agent::{Agent, failure, milliseconds};
use crate::journal::interrupted_result;
use crate::observer::AgentEvent;
use crate::permission;
use crate::tools::{Caller, Tool, ToolOutput};
use crate::turn::TurnError;

/// The results of calls that did not run.
const STOPPED_BY_USER: &str = "It was not run: the user stopped the agent before.";
const STOPPED_BY_HOOK: &str = "It was not run: a hook stopped the agent before.";

const AT_ONCE: usize = 16;

struct PendingCall<'a> {
    call: ToolUse,
    tool: Option<&'a dyn Tool>,
    state: CallState,
}

enum CallState {
    Wanted,
    /// It may run.
    Allowed,
    Finished(ToolOutput, Duration),
    Settled(ToolResult),
}

impl Agent {
    /// Runs the calls of a reply and adds their results. Returns the reason if a hook ends the run.
    pub(crate) fn run_calls(&self, reply: Reply, stop: &StopFlag) -> Result<Option<String>, TurnError> {
        let mut pending: Vec<PendingCall<'_>> =
            reply.calls().cloned().map(|call| self.pending(call)).collect();
        self.talk.calls_begin(Item::Reply(reply), self.now())?;
        let names: Vec<&str> = pending.iter().map(|pending| pending.call.name.as_str()).collect();
        let _ = self.emit(EventKind::DecisionToolResolution, |event| {
            event.data.insert("tools".to_owned(), json!(names));
        });
        let mut ended = None;
        for group in groups(&mut pending) {
            if ended.is_none() {
                self.run_group(group, stop, &mut ended);
            }
        }
        let not_run = if ended.is_some() { STOPPED_BY_HOOK } else { STOPPED_BY_USER };
        let results = pending.into_iter().map(|pending| match pending.state {
            CallState::Settled(result) => result,
            CallState::Wanted | CallState::Allowed => result(&pending.call, not_run.to_owned(), true),
            CallState::Finished(..) => interrupted_result(&pending.call.id, &pending.call.name),
        });
        self.talk.calls_end(results.collect(), self.now())?;
        Ok(ended)
    }

    fn pending(&self, call: ToolUse) -> PendingCall<'_> {
        let tool = self.tools.iter().map(AsRef::as_ref).find(|tool| tool.name() == call.name);
        PendingCall { call, tool, state: CallState::Wanted }
    }

    fn run_group(&self, pending: &mut [PendingCall<'_>], stop: &StopFlag, ended: &mut Option<String>) {
        for pending in &mut *pending {
            if !stop.is_set() && ended.is_none() {
                self.run_pre_hooks(pending, stop, ended);
            }
        }
        let may_run = ended.is_none();
        let run = |pending: &mut PendingCall<'_>| {
            // The user may stop the agent while hooks run.
            if let (CallState::Allowed, Some(tool), true) =
                (&pending.state, pending.tool, may_run && !stop.is_set())
            {
                pending.state = self.run(tool, &pending.call, stop);
            }
        };
        match &mut *pending {
            [only] => run(only),
            several => {
                for batch in several.chunks_mut(AT_ONCE) {
                    thread::scope(|scope| {
                        for pending in batch {
                            scope.spawn(|| run(pending));
                        }
                    });
                }
            }
        }
        for pending in pending {
            self.run_post_hooks(pending, ended);
        }
    }

    /// Hooks may deny the call, rewrite its input, or want a person to be asked.
    fn run_pre_hooks(&self, pending: &mut PendingCall<'_>, stop: &StopFlag, ended: &mut Option<String>) {
        let tool = match self.valid_tool(pending) {
            Ok(tool) => tool,
            Err(why) => {
                pending.state = CallState::Finished(ToolOutput::failed(why), Duration::ZERO);
                return;
            }
        };
        let asked = self.emit_call(EventKind::ToolPre, Some(tool), &pending.call, |_| ());
        if stop.is_set() {
            // A stopped call needs no approval.
            return;
        }
        pending.state = match asked.and_then(|emitted| self.approve(tool, &mut pending.call, &emitted)) {
            Ok(()) => CallState::Allowed,
            Err(denied) => {
                record_stop(ended, &denied);
                self.parts.observer.on_event(AgentEvent::Denied { call: &pending.call, denied: &denied });
                CallState::Settled(result(&pending.call, denied.to_string(), true))
            }
        };
    }

    /// The tool of a valid call. The error is for the model, which can correct the call.
    fn valid_tool<'a>(&self, pending: &PendingCall<'a>) -> Result<&'a dyn Tool, String> {
        let Some(tool) = pending.tool else {
            let names: Vec<&str> = self.definitions.iter().map(|tool| tool.name.as_str()).collect();
            return Err(format!(
                "There is no tool `{}`. There are: {}.",
                pending.call.name,
                names.join(", ")
            ));
        };
        if let Some(why) = &pending.call.unread {
            return Err(format!(
                "It was not run, because its input cannot be read: {why}. Call it again with one JSON object."
            ));
        }
        tool.check_input(&pending.call.input).map_or(Ok(tool), Err)
    }

    /// Asks the user where hooks have not decided. Guards check a rewritten input again, and their rewrite needs approval
    /// as well.
    fn approve(&self, tool: &dyn Tool, call: &mut ToolUse, emitted: &Emitted) -> Result<(), Denied> {
        apply_rewrite(call, emitted);
        if is_permitted(emitted) || self.parts.permission.covers(tool, call, &self.parts.place) {
            return Ok(());
        }
        let mut asked = self.emit_call(EventKind::PermissionRequest, Some(tool), call, |_| ())?;
        let mut permitted = is_permitted(&asked);
        if apply_rewrite(call, &asked) {
            asked = self.emit_call(EventKind::ToolPre, Some(tool), call, |_| ())?;
            permitted &= !apply_rewrite(call, &asked);
        }
        if permitted {
            return Ok(());
        }
        let why = self.parts.permission.reason(tool, call, &self.parts.place);
        let fill = |event: &mut Event| {
            event.data.extend(why.map(|why| (permission::REASON.to_owned(), json!(why))));
        };
        self.emit_call(permission::event(), Some(tool), call, fill).map(|_| ())
    }

    fn run(&self, tool: &dyn Tool, call: &ToolUse, stop: &StopFlag) -> CallState {
        self.parts.observer.on_event(AgentEvent::ToolStarted { call });
        let began = Instant::now();
        let is_stopped = || stop.is_set();
        let by = Caller { session: self.session.id().as_str(), agent_id: self.agent_id() };
        let run = || tool.run_call(call, &by, &self.parts.place, &is_stopped);
        let output = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let crashed = || format!("`{}` crashed; this is a bug of the tool, not your mistake.", call.name);
        let mut output = output.unwrap_or_else(|_| ToolOutput::failed(crashed()));
        // Hidden before hooks and records receive the output.
        self.parts.place.keys.hide_in_output(&mut output);
        CallState::Finished(output, began.elapsed())
    }

    /// Hooks may rewrite the output, withhold it, and add context.
    fn run_post_hooks(&self, pending: &mut PendingCall<'_>, ended: &mut Option<String>) {
        let CallState::Finished(output, took) = &pending.state else { return };
        self.parts.observer.on_event(AgentEvent::ToolFinished { call: &pending.call, output });
        let kind = if output.failed { EventKind::ToolError } else { EventKind::ToolPost };
        let emitted =
            self.emit_call(kind, pending.tool, &pending.call, |event| fill_result(event, output, *took));
        let rewritten = match emitted {
            Ok(emitted) => emitted.event().tool.as_ref().and_then(|tool| tool.output.as_ref()).map(text),
            Err(denied) => {
                record_stop(ended, &denied);
                self.parts.observer.on_event(AgentEvent::Withheld { call: &pending.call, denied: &denied });
                Some(denied.to_string())
            }
        };
        pending.state = CallState::Settled(result(
            &pending.call,
            rewritten.unwrap_or_else(|| output.output.clone()),
            output.failed,
        ));
    }

    fn emit_call(
        &self,
        kind: EventKind,
        tool: Option<&dyn Tool>,
        call: &ToolUse,
        fill: impl FnOnce(&mut Event),
    ) -> Result<Emitted, Denied> {
        self.emit(kind, |event| {
            let kind = tool.map_or(ToolKind::Other, Tool::kind);
            let call_id = Some(call.id.clone());
            event.tool = Some(ToolCall { call_id, ..ToolCall::new(&call.name, kind, call.input.clone()) });
            fill(event);
        })
    }
}

/// Records why a hook ends the run; the first reason counts.
fn record_stop(ended: &mut Option<String>, denied: &Denied) {
    let stop = denied.emitted.outcome.stop();
    *ended = ended.take().or_else(|| stop.map(|(by, reason)| format!("{by} stopped the agent: {reason}")));
}

/// Applies a rewritten input; returns whether it differs.
fn apply_rewrite(call: &mut ToolUse, emitted: &Emitted) -> bool {
    match &emitted.event().tool {
        Some(tool) if tool.input != call.input => {
            call.input.clone_from(&tool.input);
            true
        }
        _ => false,
    }
}

/// Whether a hook or a person allowed the call.
fn is_permitted(emitted: &Emitted) -> bool {
    matches!(emitted.outcome.decision, Decision::Allow { .. }) || emitted.outcome.approval.is_some()
}

fn fill_result(event: &mut Event, output: &ToolOutput, took: Duration) {
    event.duration_ms = milliseconds(took);
    if output.failed {
        event.error = failure("tool", output.output.clone());
    }
    if let Some(tool) = &mut event.tool {
        tool.output = Some(Value::String(output.output.clone()));
        tool.stdout.clone_from(&output.stdout);
        tool.stderr.clone_from(&output.stderr);
        tool.exit_code = output.exit_code.map(i64::from);
    }
}

fn text(output: &Value) -> String {
    output.as_str().map_or_else(|| output.to_string(), str::to_owned)
}

fn result(call: &ToolUse, output: String, failed: bool) -> ToolResult {
    ToolResult { call_id: call.id.clone(), name: call.name.clone(), output, failed }
}

/// Groups neighbours that may run in parallel.
fn groups<'w, 'a>(pending: &'w mut [PendingCall<'a>]) -> Vec<&'w mut [PendingCall<'a>]> {
    let alone = |pending: &PendingCall<'_>| pending.tool.is_none_or(Tool::alone);
    pending.chunk_by_mut(|one, next| !alone(one) && !alone(next)).collect()
}
