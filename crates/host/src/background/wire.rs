//! An event as JSON that loses nothing, for a process of the same build and nobody else. What hooks read is another
//! form, which leaves out what they need not know.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::outcome::Round;
use tenter_contract::{
    AgentName, Event, EventError, EventKind, Facts, HookFailure, HookId, HookRun, Layer, Said, SessionId,
    Timestamp, ToolCall, ToolKind, Transcript,
};
use tenter_store::replies::ReplyWire;

#[derive(Serialize, Deserialize)]
pub(super) struct EventWire {
    kind: String,
    session: String,
    parent: Option<String>,
    orchestrator: Option<String>,
    agent: String,
    agent_id: Option<String>,
    agent_type: Option<String>,
    at: u64,
    cwd: Option<String>,
    project_root: Option<String>,
    attended: Option<bool>,
    turn: Option<String>,
    turn_count: Option<u64>,
    source: Option<String>,
    status: Option<String>,
    reason: Option<String>,
    duration_ms: Option<u64>,
    prompt: Option<String>,
    files: Vec<String>,
    message: Option<String>,
    error: Option<(Option<String>, String)>,
    tool: Option<ToolWire>,
    facts: (Option<String>, Vec<(String, String)>, Vec<String>),
    previous: Vec<RunWire>,
    data: Map<String, Value>,
    raw: Value,
}

#[derive(Serialize, Deserialize)]
struct ToolWire {
    name: String,
    native_name: String,
    kind: String,
    input: Map<String, Value>,
    original_input: Option<Map<String, Value>>,
    output: Value,
    has_output: bool,
    stdout: Option<String>,
    stderr: Option<String>,
    exit_code: Option<i64>,
    call_id: Option<String>,
    paths: Vec<String>,
    command: Option<String>,
    patch_key: Option<String>,
}

/// Of what came of another hook, what a hook that waited for it is told.
#[derive(Serialize, Deserialize)]
struct RunWire {
    layer: String,
    name: String,
    said: SaidWire,
    stdout: String,
}

#[derive(Serialize, Deserialize)]
enum SaidWire {
    Reply(ReplyWire),
    TimedOut(Duration),
    NotReached(Duration),
    Crashed(Option<i32>, Option<i32>),
    Failed(String),
    Garbled(String),
    Missing(String),
    Panicked(String),
    Skipped(String),
    Started,
}

impl EventWire {
    pub(super) fn of(event: &Event) -> Self {
        // All fields by name: a new one stops the compiler here.
        let Event {
            kind,
            session,
            parent,
            orchestrator,
            agent,
            agent_id,
            agent_type,
            at,
            cwd,
            project_root,
            attended,
            turn,
            turn_count,
            source,
            status,
            reason,
            duration_ms,
            prompt,
            files,
            message,
            error,
            tool,
            facts: Facts { branch, variables, files: found, paths: _, folders: _ },
            previous,
            data,
            raw,
        } = event.clone();
        Self {
            kind: kind.as_str().to_owned(),
            session: session.as_str().to_owned(),
            parent: parent.map(|parent| parent.as_str().to_owned()),
            orchestrator,
            agent: agent.as_str().to_owned(),
            agent_id,
            agent_type,
            at: at.unix_ms,
            cwd,
            project_root,
            attended,
            turn,
            turn_count,
            source,
            status,
            reason,
            duration_ms,
            prompt,
            files,
            message,
            error: error.map(|EventError { kind, message }| (kind, message)),
            tool: tool.map(ToolWire::of),
            facts: (branch, variables, found),
            previous: previous.iter().map(RunWire::of).collect(),
            data,
            raw,
        }
    }

    pub(super) fn into_event(self) -> Option<Event> {
        let parent = match self.parent {
            Some(parent) => Some(SessionId::parse(&parent)?),
            None => None,
        };
        let (branch, variables, files) = self.facts;
        Some(Event {
            kind: EventKind::parse(&self.kind)?,
            session: SessionId::parse(&self.session)?,
            parent,
            orchestrator: self.orchestrator,
            agent: AgentName::new(&self.agent),
            agent_id: self.agent_id,
            agent_type: self.agent_type,
            at: Timestamp::from_unix_ms(self.at),
            cwd: self.cwd,
            project_root: self.project_root,
            attended: self.attended,
            turn: self.turn,
            turn_count: self.turn_count,
            source: self.source,
            status: self.status,
            reason: self.reason,
            duration_ms: self.duration_ms,
            prompt: self.prompt,
            files: self.files,
            message: self.message,
            error: self.error.map(|(kind, message)| EventError { kind, message }),
            tool: match self.tool {
                Some(tool) => Some(tool.into_tool()?),
                None => None,
            },
            facts: Facts { branch, variables, files, paths: Vec::new(), folders: Vec::new() },
            previous: self.previous.into_iter().map(RunWire::into_run).collect::<Option<_>>()?,
            data: self.data,
            raw: self.raw,
        })
    }
}

impl ToolWire {
    fn of(tool: ToolCall) -> Self {
        let ToolCall {
            name,
            native_name,
            kind,
            input,
            original_input,
            output,
            stdout,
            stderr,
            exit_code,
            call_id,
            paths,
            command,
            patch_key,
        } = tool;
        // A result that is `null` is not the same as none.
        let has_output = output.is_some();
        Self {
            name,
            native_name,
            kind: kind.as_str().to_owned(),
            input,
            original_input,
            output: output.unwrap_or_default(),
            has_output,
            stdout,
            stderr,
            exit_code,
            call_id,
            paths,
            command,
            patch_key,
        }
    }

    fn into_tool(self) -> Option<ToolCall> {
        let output = self.output;
        Some(ToolCall {
            name: self.name,
            native_name: self.native_name,
            kind: ToolKind::parse(&self.kind)?,
            input: self.input,
            original_input: self.original_input,
            output: self.has_output.then_some(output),
            stdout: self.stdout,
            stderr: self.stderr,
            exit_code: self.exit_code,
            call_id: self.call_id,
            paths: self.paths,
            command: self.command,
            patch_key: self.patch_key,
        })
    }
}

impl RunWire {
    fn of(run: &HookRun) -> Self {
        let said = match &run.said {
            Said::Reply(reply) => SaidWire::Reply(ReplyWire::of(reply)),
            Said::Failure(failure) => match failure.clone() {
                HookFailure::TimedOut { after } => SaidWire::TimedOut(after),
                HookFailure::NotReached { within } => SaidWire::NotReached(within),
                HookFailure::Crashed { exit_code, signal } => SaidWire::Crashed(exit_code, signal),
                HookFailure::Failed { detail } => SaidWire::Failed(detail),
                HookFailure::Garbled { detail } => SaidWire::Garbled(detail),
                HookFailure::Missing { detail } => SaidWire::Missing(detail),
                HookFailure::Panicked { detail } => SaidWire::Panicked(detail),
            },
            Said::Skipped { why } => SaidWire::Skipped(why.clone()),
            Said::Started => SaidWire::Started,
        };
        Self {
            layer: run.hook.layer.as_str().to_owned(),
            name: run.hook.name.clone(),
            said,
            stdout: run.transcript.stdout.clone(),
        }
    }

    fn into_run(self) -> Option<HookRun> {
        let said = match self.said {
            SaidWire::Reply(reply) => Said::Reply(reply.reply()?),
            SaidWire::TimedOut(after) => Said::Failure(HookFailure::TimedOut { after }),
            SaidWire::NotReached(within) => Said::Failure(HookFailure::NotReached { within }),
            SaidWire::Crashed(exit_code, signal) => Said::Failure(HookFailure::Crashed { exit_code, signal }),
            SaidWire::Failed(detail) => Said::Failure(HookFailure::Failed { detail }),
            SaidWire::Garbled(detail) => Said::Failure(HookFailure::Garbled { detail }),
            SaidWire::Missing(detail) => Said::Failure(HookFailure::Missing { detail }),
            SaidWire::Panicked(detail) => Said::Failure(HookFailure::Panicked { detail }),
            SaidWire::Skipped(why) => Said::Skipped { why },
            SaidWire::Started => Said::Started,
        };
        Some(HookRun {
            hook: HookId::new(Layer::parse(&self.layer)?, self.name),
            round: Round::First,
            said,
            transcript: Transcript { stdout: self.stdout, ..Transcript::default() },
        })
    }
}
