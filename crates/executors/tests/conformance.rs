//! The duties of the port `HookExecutor`, for every executor and every kind of hook it runs.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, json};
use tenter_contract::SessionClaim;
use tenter_contract::SessionCounter;
use tenter_contract::builtin_names::{BUILTINS, RunBy};
use tenter_contract::ports::CallIdentity;
use tenter_contract::ports::{
    ClaimOutcome, CountOp, Deferred, DuplicateCheck, HookExecutor, SessionStore, StateError, Wanted,
};
use tenter_contract::{
    AgentName, Arguments, Ask, Builtin, Command, Event, EventError, EventKind, Handler, HookFailure, HookId,
    HookOutput, HookSpec, Http, Layer, Level, Mcp, McpServer, McpTransport, McpWanted, Method, Policy,
    Python, Session, SessionId, Template, Timestamp, ToolCall, ToolKind,
};
use tenter_executors::HookState;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap()
}

const PYTHON: &str = r#"
import os, subprocess, time
def fine(event, data): return str(event)
def f(event):
    child = subprocess.Popen(["setsid", "sleep", "30"])
    with open("pids", "a") as pids: pids.write(f"{os.getpid()}\n{child.pid}\n")
    time.sleep(30)
"#;

/// One hook of every kind; those that can hang do, and leave the number of a process behind.
fn one_of_each(folder: &Path) -> Vec<HookSpec> {
    let line = "echo $$ >>pids; sleep 30 & echo $! >>pids; wait";
    std::fs::write(folder.join("hang.sh"), line).unwrap();
    std::fs::write(folder.join("hang.py"), PYTHON).unwrap();
    let ask = Ask { prompt: template("{prompt}"), options: vec![], timeout: None, default: Policy::Deny };
    let builtin = |name: &str| Handler::Builtin(Builtin { name: name.to_owned(), options: Map::new() });
    let mut options = Map::new();
    options.insert("command".to_owned(), json!(line));
    let ours = BUILTINS.iter().filter(|row| row.run_by == RunBy::AnyBinary);
    let mut handlers: Vec<Handler> = ours.map(|row| builtin(row.name)).collect();
    handlers.extend([
        Handler::Builtin(Builtin { name: "tests.feedback".to_owned(), options }),
        Handler::Command(Command::Shell(template(line))),
        Handler::Command(Command::Argv(["sh", "-c", line].map(template).to_vec())),
        Handler::Script("hang.sh".to_owned()),
        Handler::Http(Http {
            url: template(&silent_server("{tool.path}")),
            method: Method::Get,
            headers: vec![],
        }),
        Handler::Http(Http { url: template(&silent_server("")), method: Method::Post, headers: vec![] }),
        mcp(McpTransport::Stdio { command: ["sh", "-c", line].map(str::to_owned).to_vec(), env: vec![] }),
        mcp(McpTransport::Http { url: silent_server(""), headers: vec![] }),
        Handler::Python(Python { function: "hang.f".to_owned(), interpreter: None, keep: None }),
        Handler::Inject(template("{tool.path}")),
        Handler::Message { text: template("{message}"), level: Level::Info },
        Handler::Ask(ask),
        Handler::Deny(template("{tool.command}")),
        Handler::InProcess,
    ]);
    handlers.into_iter().map(|handler| hook(handler, folder)).collect()
}

/// The address of a server that takes every connection and never says a word.
fn silent_server(path: &str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/{path}", listener.local_addr().unwrap());
    std::mem::forget(listener);
    url
}

fn mcp(transport: McpTransport) -> Handler {
    let arguments = json!({ "path": "{tool.paths}", "command": ["{tool.command}", 1] });
    let arguments = Arguments::parse(arguments.as_object().unwrap().clone()).unwrap();
    let server = McpServer { name: "silent".to_owned(), transport };
    Handler::Mcp(Mcp { server, wanted: McpWanted::Tool { name: "judge".to_owned(), arguments } })
}

fn hook(handler: Handler, folder: &Path) -> HookSpec {
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    // An interpreter starts slowly on a busy machine.
    let is_python = matches!(hook.handler, Handler::Python(_));
    hook.timeout = Duration::from_millis(if is_python { 3000 } else { 700 });
    hook.source.folder = folder.to_string_lossy().into_owned();
    hook
}

fn event(kind: EventKind) -> Event {
    Event::new(kind, AgentName::from_static("claude"), None, Timestamp::default())
}

/// Nothing but NUL bytes, and more of everything than fits.
fn hostile_event() -> Event {
    let mut event = event(EventKind::Other("x:\0".to_owned()));
    let nul = || Some("\0".to_owned());
    (event.cwd, event.project_root, event.prompt, event.message) = (nul(), nul(), nul(), nul());
    event.error = Some(EventError { kind: nul(), message: "\0".to_owned() });
    let mut tool = ToolCall::new("\0", ToolKind::Shell, Map::new());
    tool.paths = vec!["\0".to_owned(), "x".repeat(1_000_000)];
    tool.command = nul();
    event.tool = Some(tool);
    event.raw = json!({ "x": "\0".repeat(100_000) });
    event
}

/// A session store on which nothing lies and nothing stays.
struct NoSessionStore;

fn gone<T>() -> Result<T, StateError> {
    Err(StateError { path: "sessions".to_owned(), cause: std::io::ErrorKind::NotFound.into() })
}

impl SessionStore for NoSessionStore {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        gone()
    }
    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        gone()
    }
    fn claim(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        gone()
    }
    fn release(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<(), StateError> {
        gone()
    }
    fn count(&self, _: Option<&SessionId>, _: &SessionCounter, _: CountOp) -> Result<u64, StateError> {
        gone()
    }
    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        _: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        gone()
    }
    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        gone()
    }
    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        gone()
    }
    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        gone()
    }
}

/// Nothing is remembered.
fn hook_state() -> HookState {
    HookState { sessions: Arc::new(NoSessionStore), state: None }
}

/// The executor of a hook.
fn executor_of(hook: &HookSpec) -> Option<Box<dyn HookExecutor>> {
    let mut found: Vec<_> =
        tenter_executors::all(&hook_state(), None).into_iter().filter(|one| one.runs(hook)).collect();
    assert!(found.len() <= 1, "two executors run `{}`", hook.handler.kind());
    found.pop()
}

/// Whether a process still runs; a zombie does not.
fn runs(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn every_hook_kind_has_one_executor() {
    let dir = tempfile::tempdir().unwrap();
    for hook in one_of_each(dir.path()) {
        let expected = hook.handler != Handler::InProcess;
        assert_eq!(executor_of(&hook).is_some(), expected, "{}", hook.handler.kind());
    }
}

/// The small program cannot ask the others, since it does not contain them.
#[test]
fn needs_all_matches_small_executors() {
    let dir = tempfile::tempdir().unwrap();
    for hook in one_of_each(dir.path()) {
        let small = tenter_executors::small(&hook_state(), None);
        let beyond = executor_of(&hook).is_some() && !small.iter().any(|executor| executor.runs(&hook));
        assert_eq!(tenter_executors::needs_all(&hook), beyond, "{}", hook.handler.kind());
    }
}

#[test]
fn database_builtins_need_full_binary() {
    for row in BUILTINS.iter().filter(|row| row.run_by == RunBy::FullBinary) {
        let handler = Handler::Builtin(Builtin { name: row.name.to_owned(), options: Map::new() });
        let hook = hook(handler, Path::new("/"));
        assert!(executor_of(&hook).is_none() && tenter_executors::needs_all(&hook), "{}", row.name);
    }
}

#[test]
fn report_is_in_time_and_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let mut event = event(EventKind::ToolPre);
    event.cwd = Some(dir.path().to_string_lossy().into_owned());
    std::fs::write(dir.path().join("written.txt"), "").unwrap();
    let input = json!({ "file_path": "written.txt" }).as_object().cloned().unwrap();
    event.tool = Some(ToolCall::new("Write", ToolKind::Write, input));
    for hook in one_of_each(dir.path()) {
        let Some(executor) = executor_of(&hook) else { continue };
        let before = Instant::now();
        let report = executor.run(&hook, &event);
        assert!(before.elapsed() < hook.timeout + Duration::from_secs(2), "{}", hook.handler.kind());
        let timed_out = report.output == HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout });
        assert_eq!(timed_out, asks_others(&hook), "{}: {:?}", hook.handler.kind(), report.output);
    }
    let pids = std::fs::read_to_string(dir.path().join("pids")).unwrap();
    assert_eq!(pids.lines().count(), 12);
    let end = Instant::now() + Duration::from_secs(2);
    while pids.lines().any(runs) {
        assert!(Instant::now() < end, "still running: {pids}");
        std::thread::yield_now();
    }
}

#[test]
fn no_event_panics() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["true", "{tool.path}", "{tool.paths}", "{prompt}", "{tool.command}"].map(template);
    let mut hooks = one_of_each(dir.path());
    // Those that hang in a process would do so here in our own folder.
    hooks.retain(|hook| {
        !matches!(
            hook.handler,
            Handler::Command(_) | Handler::Script(_) | Handler::Mcp(_) | Handler::Python(_)
        )
    });
    for transport in [
        McpTransport::Stdio { command: vec!["true".to_owned()], env: vec![] },
        McpTransport::Http { url: silent_server(""), headers: vec![] },
    ] {
        hooks.push(hook(mcp(transport), dir.path()));
    }
    let python = Python { function: "hang.fine".to_owned(), interpreter: None, keep: None };
    hooks.push(hook(Handler::Python(python), dir.path()));
    let line = Template::parse_shell("true {tool.path}").unwrap();
    for handler in [Handler::Command(Command::Shell(line)), Handler::Command(Command::Argv(words.to_vec()))] {
        hooks.push(hook(handler, dir.path()));
    }
    hooks.push(hook(Handler::Script("\0".to_owned()), dir.path()));
    for hook in hooks {
        let Some(executor) = executor_of(&hook) else { continue };
        for event in [hostile_event(), event(EventKind::ToolPre)] {
            executor.run(&hook, &event);
        }
    }
}

/// Whether a hook waits for ever.
fn asks_others(hook: &HookSpec) -> bool {
    match &hook.handler {
        Handler::Command(_)
        | Handler::Script(_)
        | Handler::Http(_)
        | Handler::Mcp(_)
        | Handler::Python(_) => true,
        Handler::Builtin(builtin) => !builtin.options.is_empty(),
        _ => false,
    }
}

#[test]
fn interrupt_ends_every_hook() {
    let dir = tempfile::tempdir().unwrap();
    let mut event = event(EventKind::ToolPre);
    event.cwd = Some(dir.path().to_string_lossy().into_owned());
    std::fs::write(dir.path().join("written.txt"), "").unwrap();
    let input = json!({ "file_path": "written.txt" }).as_object().cloned().unwrap();
    event.tool = Some(ToolCall::new("Write", ToolKind::Write, input));
    for hook in one_of_each(dir.path()).into_iter().filter(asks_others) {
        let hook = HookSpec { timeout: Duration::from_mins(10), ..hook };
        let stop = Arc::new(AtomicBool::new(false));
        let mut executor = executor_of(&hook).unwrap();
        executor.set_stop_flag(Arc::clone(&stop));
        let report = thread::scope(|scope| {
            let running = scope.spawn(|| executor.run(&hook, &event));
            // A server is asked as soon as it is connected to; the others say when they run.
            let said = || std::fs::read_to_string(dir.path().join("pids")).unwrap_or_default();
            while !is_web(&hook) && said().lines().count() < 2 {
                thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
            running.join().unwrap()
        });
        let what = hook.handler.kind();
        let HookOutput::Failure(HookFailure::Failed { detail }) = report.output else {
            panic!("{what}: {report:?}")
        };
        assert_eq!(detail, "it was ended because the user stopped the agent", "{what}");
        let pids = std::fs::read_to_string(dir.path().join("pids")).unwrap_or_default();
        assert!(!pids.lines().any(runs), "{what} has left a process");
        let _ = std::fs::remove_file(dir.path().join("pids"));
    }
}

fn is_web(hook: &HookSpec) -> bool {
    match &hook.handler {
        Handler::Http(_) => true,
        Handler::Mcp(mcp) => matches!(mcp.server.transport, McpTransport::Http { .. }),
        _ => false,
    }
}
