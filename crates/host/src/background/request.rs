//! A background job as bytes, for a worker process of the same build.

use serde::{Deserialize, Serialize};
use tenter_contract::ports::BackgroundJob;
use tenter_executors::Caller;

use crate::full_binary::BUILD;

/// A job, and the agent process on whose behalf it runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JobRequest {
    pub(crate) job: BackgroundJob,
    pub(crate) caller: Option<Caller>,
}

/// Pid and start time of a caller.
type CallerFields = (u32, String);

#[derive(Serialize)]
struct Encoded<'j> {
    job: &'j BackgroundJob,
    caller: Option<CallerFields>,
}

#[derive(Deserialize)]
struct Decoded {
    job: BackgroundJob,
    caller: Option<CallerFields>,
}

impl JobRequest {
    /// The build id, then the job.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let caller = self.caller.as_ref().map(|caller| (caller.pid, caller.start.clone()));
        let mut bytes = BUILD.as_bytes().to_vec();
        bytes.extend(postcard::to_allocvec(&Encoded { job: &self.job, caller }).ok()?);
        Some(bytes)
    }

    /// Reads the bytes; `None` if they are damaged or of another build.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let body = bytes.strip_prefix(BUILD.as_bytes())?;
        let Decoded { job, caller } = postcard::from_bytes(body).ok()?;
        Some(Self { job, caller: caller.map(|(pid, start)| Caller { pid, start }) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tenter_contract::outcome::Round;
    use tenter_contract::ports::Work;
    use tenter_contract::*;
    use tenter_protocol::dialects;

    use super::*;

    fn hook(name: &str) -> HookSpec {
        let line = Template::parse("lint {tool.path}").unwrap();
        let handler = Handler::Command(Command::Shell(line));
        let id = HookId::new(Layer::Project, name);
        let pins = vec![Pin { path: "/p/lint".to_owned(), sha256: Some("ab".to_owned()) }];
        let execution_mode = ExecutionMode::Background;
        HookSpec { pins, execution_mode, once: Once::Turn, ..HookSpec::new(id, EventKind::ToolPost, handler) }
    }

    fn run(name: &str, said: HookOutput) -> HookRun {
        let transcript = Transcript { stdout: "out\n".to_owned(), ..Transcript::default() };
        HookRun { hook: HookId::new(Layer::User, name), round: Round::First, output: said, transcript }
    }

    fn job(work: Work) -> BackgroundJob {
        let limits = Limits { injection_bytes: 2048, over_limit: OverLimit::Spill, ..Limits::default() };
        BackgroundJob { event: Arc::new(event()), work, limits }
    }

    /// An event without a default value.
    fn event() -> Event {
        let map = |value: serde_json::Value| value.as_object().cloned().unwrap();
        let mut tool = ToolCall::new("Write", ToolKind::Edit, map(json!({"file_path": "/p/ä.py", "n": 1.5})));
        tool.native_name = "write_file".to_owned();
        tool.paths.push("/p/b.py".to_owned());
        tool.command = Some("x".to_owned());
        tool.original_input = Some(map(json!({"file_path": "/p/c.py"})));
        tool.output = Some(json!([null, {"a": "\u{0}"}]));
        tool.stdout = Some("o".to_owned());
        tool.stderr = Some("e".to_owned());
        tool.exit_code = Some(-1);
        tool.call_id = Some("t1".to_owned());
        let reply = HookReply {
            verdict: Verdict::Deny { reason: "no".to_owned() },
            effects: vec![Effect::Inject(Injection::text("a")), Effect::SuppressOutput],
        };
        let failures = [
            HookFailure::TimedOut { after: std::time::Duration::from_millis(1500) },
            HookFailure::NotReached { within: std::time::Duration::from_secs(5) },
            HookFailure::Crashed { exit_code: Some(3), signal: None },
            HookFailure::Crashed { exit_code: None, signal: Some(9) },
            HookFailure::Failed { detail: "f".to_owned() },
            HookFailure::Garbled { detail: "g".to_owned() },
            HookFailure::Missing { detail: "m".to_owned() },
            HookFailure::Panicked { detail: "p".to_owned() },
        ];
        let mut previous = vec![
            run("replied", HookOutput::Reply(reply)),
            run("skipped", HookOutput::Skipped { why: "w".to_owned() }),
            run("started", HookOutput::Started),
        ];
        previous.extend(failures.map(|failure| run("failed", HookOutput::Failure(failure))));
        let text = |text: &str| Some(text.to_owned());
        Event {
            parent: SessionId::parse("p1"),
            orchestrator: text("o1"),
            agent_id: text("a1"),
            agent_type: text("reviewer"),
            cwd: text("/p/sub"),
            project_root: text("/p"),
            turn: text("7"),
            turn_count: Some(7),
            source: text("startup"),
            status: text("ok"),
            reason: text("exit"),
            duration_ms: Some(12),
            prompt: text("do\nit"),
            files: vec!["a".to_owned()],
            message: text("m"),
            error: Some(EventError { kind: text("k"), message: "e".to_owned() }),
            tool: Some(tool),
            facts: Facts {
                branch: text("main"),
                variables: vec![("CI".to_owned(), "1".to_owned())],
                files: vec!["Cargo.toml".to_owned()],
                paths: Vec::new(),
                folders: Vec::new(),
            },
            previous,
            data: map(json!({"d": {"e": [1]}})),
            raw: json!({"transcript_path": "/t", "tool_name": "write_file"}),
            ..Event::new(
                EventKind::ToolPost,
                AgentName::from_static("gemini"),
                SessionId::parse("s 1").unwrap(),
                Timestamp::from_unix_ms(1_700_000_000_123),
            )
        }
    }

    #[test]
    fn job_request_survives_encoding() {
        let caller = Some(Caller { pid: 7, start: "99".to_owned() });
        let period = RunPeriod::Turn(TurnId::Counted(3));
        let claim = Some(SessionClaim::HookRan { hook: HookId::new(Layer::Project, "lint"), period });
        let one = Work::Hook { hook: Box::new(hook("lint")), claim, cache_key: Some("k\n".to_owned()) };
        let many = Work::Event { hooks: vec![hook("a"), hook("b")] };
        for (work, caller) in [(one, caller), (many, None)] {
            let request = JobRequest { job: job(work), caller };
            let bytes = request.to_bytes().unwrap();
            assert_eq!(JobRequest::from_bytes(&bytes), Some(request));
        }
    }

    #[test]
    fn decoded_event_has_the_same_hook_input_in_every_dialect() {
        let work = Work::Event { hooks: Vec::new() };
        let request = JobRequest { job: job(work), caller: None };
        let read = JobRequest::from_bytes(&request.to_bytes().unwrap()).unwrap();
        for dialect in Dialect::ALL {
            let input = |request: &JobRequest| {
                let event = &request.job.event;
                (dialects::stdin(dialect, event), format!("{:?}", dialects::variables(dialect, event)))
            };
            assert_eq!(input(&read), input(&request), "{dialect:?}");
        }
    }

    #[test]
    fn damaged_or_foreign_request_is_refused() {
        let work = Work::Event { hooks: vec![hook("a")] };
        let bytes = JobRequest { job: job(work), caller: None }.to_bytes().unwrap();
        let other = String::from_utf8_lossy(&bytes).replacen(BUILD, "0.0.0-other", 1).into_bytes();
        for bad in [&bytes[..bytes.len() - 1], &bytes[..10], &other, b"", BUILD.as_bytes()] {
            assert_eq!(JobRequest::from_bytes(bad), None);
        }
    }
}
