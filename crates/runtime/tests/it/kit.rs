//! A test adapter, and a runtime with fakes.

use std::sync::{Arc, Mutex};

use tenter_contract::ports::{
    AgentAdapter, AuditTrail, DecodeError, Decoded, HookExecutor, Surroundings, TrailError,
};
use tenter_contract::*;
use tenter_contract::{Cause, Diagnostics, Notice};
use tenter_runtime::kit::{FunctionExecutor, MemoryTrail};
use tenter_runtime::{Request, Runtime};

/// An adapter whose payload is a command, and whose answer has a line per part. It panics
/// where a test requests it.
#[derive(Default)]
pub(crate) struct TestAdapter {
    pub(crate) panics_in: Option<&'static str>,
    pub(crate) capabilities: Option<Capabilities>,
    /// The kind of event; `tool:pre` by default.
    pub(crate) kind: Option<EventKind>,
    /// The source of the event.
    pub(crate) source: Option<&'static str>,
    /// Its turn.
    pub(crate) turn: Option<&'static str>,
    /// The id of the call.
    pub(crate) call_id: Option<&'static str>,
}

impl TestAdapter {
    fn perhaps_panic(&self, at: &str) {
        assert!(self.panics_in != Some(at), "the test adapter fell off at {at}");
    }
}

impl AgentAdapter for TestAdapter {
    fn name(&self) -> AgentName {
        AgentName::from_static("adapter")
    }

    fn environment(&self) -> &'static [&'static str] {
        &[]
    }

    fn project_variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        self.perhaps_panic("decode");
        let command = std::str::from_utf8(payload).map_err(|_| DecodeError::NotAnObject)?;
        let input = serde_json::Map::from_iter([("command".to_owned(), command.into())]);
        let session = SessionId::parse("s1").unwrap();
        Ok(Decoded::Event(Box::new(Event {
            tool: Some(ToolCall {
                call_id: self.call_id.map(str::to_owned),
                ..ToolCall::new("Bash", ToolKind::Shell, input)
            }),
            source: self.source.map(str::to_owned),
            turn: self.turn.map(str::to_owned),
            ..Event::new(
                self.kind.clone().unwrap_or(EventKind::ToolPre),
                self.name(),
                session,
                surroundings.at,
            )
        })))
    }

    fn capabilities(&self, _: &Event) -> Capabilities {
        self.perhaps_panic("capabilities");
        self.capabilities.unwrap_or(Capabilities::EVERYTHING)
    }

    fn encode(&self, adapted: &AgentOutcome) -> Answer {
        self.perhaps_panic("encode");
        let AgentOutcomeParts { verdict, context, message, .. } = adapted.parts();
        let verdict = match verdict {
            AgentVerdict::Deny { reason } => Some(reason.clone()),
            AgentVerdict::Silent | AgentVerdict::Allow { .. } | AgentVerdict::Ask { .. } => None,
        };
        let parts = [("deny", &verdict), ("context", context), ("message", message)];
        let lines = parts.iter().filter_map(|(name, text)| Some(format!("{name}: {}\n", text.as_ref()?)));
        Answer { stdout: lines.collect::<String>().into_bytes(), ..Answer::default() }
    }

    fn silence(&self) -> Answer {
        Answer::default()
    }

    fn refusal(&self, reason: &str) -> Answer {
        Answer { stderr: reason.as_bytes().to_vec(), exit_code: 2, ..Answer::default() }
    }
}

/// A trail that is visible to tests, and can fail or report notices.
#[derive(Default)]
pub(crate) struct Trail {
    pub(crate) kept: MemoryTrail,
    pub(crate) full_disk: bool,
    pub(crate) notices: Mutex<Vec<String>>,
}

impl Trail {
    pub(crate) fn records(&self) -> Vec<RecordBody> {
        self.kept.records()
    }
}

impl AuditTrail for Trail {
    fn append(&self, records: &[RecordBody], diagnostics: &mut Diagnostics) -> Result<u64, TrailError> {
        for text in std::mem::take(&mut *self.notices.lock().unwrap()) {
            diagnostics.add(Notice::error(Cause::TrailRepaired(text.clone()), text));
        }
        if self.full_disk {
            let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(TrailError::Unusable { path: "trail.jsonl".to_owned(), cause });
        }
        self.kept.append(records, diagnostics)
    }
}

/// A hook at `tool:pre`.
pub(crate) fn hook(name: &str) -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, name), EventKind::ToolPre, Handler::InProcess)
}

/// A hook whose failure denies.
pub(crate) fn guard(name: &str) -> HookSpec {
    HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook(name) }
}

/// A reply that injects a text.
pub(crate) fn inject(text: &str) -> HookReport {
    let effects = vec![Effect::Inject(Injection::text(text))];
    HookReport::new(HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects }))
}

/// A failure.
pub(crate) fn crash() -> HookReport {
    HookReport::new(HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None }))
}

/// A runtime with these hooks, all of them run by one function.
pub(crate) fn runtime(
    hooks: Vec<HookSpec>,
    trail: &Arc<Trail>,
    run: impl Fn(&HookSpec, &Event) -> HookReport + Send + Sync + 'static,
) -> Runtime {
    let executor: Box<dyn HookExecutor> = Box::new(FunctionExecutor(run));
    {
        let mut runtime = Runtime::in_memory();
        runtime.catalog.source = Box::new(HookSet::new(hooks));
        runtime.runner.executors = vec![executor];
        runtime.audit.trail = Box::new(Arc::clone(trail));
        runtime
    }
}

/// The answer: exit code and both streams.
pub(crate) fn answer(runtime: &Runtime, agent: &TestAdapter, command: &str) -> (u8, String, String) {
    let answer = runtime.answer_safely(agent, command.as_bytes(), || {
        Request::decode(agent, command.as_bytes(), &Surroundings::default())
    });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (answer.exit_code, text(answer.stdout), text(answer.stderr))
}

/// A successful answer with this standard output only.
pub(crate) fn only_stdout(stdout: &str) -> (u8, String, String) {
    (0, stdout.to_owned(), String::new())
}
