//! What a keeper is to do, as bytes for a process of the same build.
//!
//! A line of JSON with the event and what belongs to it; behind it the hooks, in the form in which they are kept
//! compiled.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_config::compiled::Compiled;
use tenter_contract::HookSet;
use tenter_contract::ports::{Errand, Work};
use tenter_executors::Caller;

use super::wire::EventWire;
use crate::beside::BUILD;

/// An errand, and on whose behalf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) errand: Errand,
    pub(crate) caller: Option<Caller>,
}

#[derive(Serialize, Deserialize)]
struct HeadWire {
    build: String,
    caller: Option<(u32, String)>,
    work: WorkWire,
    event: EventWire,
}

#[derive(Serialize, Deserialize)]
enum WorkWire {
    Hook { claim: Option<String>, cache_key: Option<String> },
    Event,
}

impl Order {
    /// The bytes; none if the hook is of a kind that only its own process knows.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let Errand { event, work, limits } = &self.errand;
        let head = HeadWire {
            build: BUILD.to_owned(),
            caller: self.caller.as_ref().map(|caller| (caller.pid, caller.start.clone())),
            work: match work {
                Work::Hook { hook: _, claim, cache_key } => {
                    WorkWire::Hook { claim: claim.clone(), cache_key: cache_key.clone() }
                }
                Work::Event { hooks: _ } => WorkWire::Event,
            },
            event: EventWire::of(event),
        };
        let hooks = HookSet { limits: *limits, ..HookSet::of(self.errand.hooks().to_vec()) };
        let mut bytes = serde_json::to_vec(&head).ok()?;
        bytes.push(b'\n');
        bytes.extend(Compiled { set: hooks, ..Compiled::default() }.to_bytes()?);
        Some(bytes)
    }

    /// What the bytes say, if they are whole and of this build.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: HeadWire = serde_json::from_slice(&bytes[..end]).ok()?;
        if head.build != BUILD {
            return None;
        }
        let HookSet { mut hooks, limits, .. } = Compiled::from_bytes(&bytes[end + 1..])?.set;
        let work = match head.work {
            WorkWire::Hook { claim, cache_key } => {
                Work::Hook { hook: Box::new(Arc::unwrap_or_clone(hooks.pop()?)), claim, cache_key }
            }
            WorkWire::Event => Work::Event { hooks: hooks.into_iter().map(Arc::unwrap_or_clone).collect() },
        };
        let caller = head.caller.map(|(pid, start)| Caller { pid, start });
        let event = Arc::new(head.event.into_event()?);
        Some(Self { errand: Errand { event, work, limits }, caller })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenter_contract::outcome::Round;
    use tenter_contract::*;
    use tenter_protocol::dialects;

    use super::*;

    fn hook(name: &str) -> HookSpec {
        let line = Template::parse("lint {tool.path}").unwrap();
        let handler = Handler::Command(Command::Shell(line));
        let id = HookId::new(Layer::Project, name);
        let pins = vec![Pin { path: "/p/lint".to_owned(), sha256: Some("ab".to_owned()) }];
        let company = Company::Background;
        HookSpec { pins, company, once: Once::Turn, ..HookSpec::new(id, EventKind::ToolPost, handler) }
    }

    fn run(name: &str, said: Said) -> HookRun {
        let transcript = Transcript { stdout: "out\n".to_owned(), ..Transcript::default() };
        HookRun { hook: HookId::new(Layer::User, name), round: Round::First, said, transcript }
    }

    fn errand(work: Work) -> Errand {
        let limits = Limits { injection_bytes: 2048, over_limit: OverLimit::Spill, ..Limits::default() };
        Errand { event: Arc::new(event()), work, limits }
    }

    /// An event in which nothing is as it is by default.
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
            run("replied", Said::Reply(reply)),
            run("skipped", Said::Skipped { why: "w".to_owned() }),
            run("started", Said::Started),
        ];
        previous.extend(failures.map(|failure| run("failed", Said::Failure(failure))));
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
    fn a_keeper_reads_what_it_was_handed() {
        let caller = Some(Caller { pid: 7, start: "99".to_owned() });
        let claim = Some("once project/lint".to_owned());
        let one = Work::Hook { hook: Box::new(hook("lint")), claim, cache_key: Some("k\n".to_owned()) };
        let many = Work::Event { hooks: vec![hook("a"), hook("b")] };
        for (work, caller) in [(one, caller), (many, None)] {
            let order = Order { errand: errand(work), caller };
            let bytes = order.to_bytes().unwrap();
            assert_eq!(Order::from_bytes(&bytes), Some(order));
        }
    }

    #[test]
    fn a_hook_is_told_the_same_by_a_keeper_in_every_dialect() {
        let work = Work::Event { hooks: Vec::new() };
        let order = Order { errand: errand(work), caller: None };
        let read = Order::from_bytes(&order.to_bytes().unwrap()).unwrap();
        for dialect in Dialect::ALL {
            let told = |order: &Order| {
                let event = &order.errand.event;
                (dialects::stdin(dialect, event), format!("{:?}", dialects::variables(dialect, event)))
            };
            assert_eq!(told(&read), told(&order), "{dialect:?}");
        }
    }

    #[test]
    fn what_is_damaged_or_of_another_build_is_no_order() {
        let work = Work::Event { hooks: vec![hook("a")] };
        let bytes = Order { errand: errand(work), caller: None }.to_bytes().unwrap();
        let other = String::from_utf8_lossy(&bytes).replacen(BUILD, "0.0.0-other", 1).into_bytes();
        for bad in [&bytes[..bytes.len() - 1], &bytes[..10], &other, b"", b"{}\n", b"\n"] {
            assert_eq!(Order::from_bytes(bad), None);
        }
    }
}
