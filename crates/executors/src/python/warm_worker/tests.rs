use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use tenter_contract::{
    AgentName, Event, EventKind, Handler, HookFailure, HookId, HookOutput, HookReply, HookReport, HookSpec,
    Layer, Python, SessionId, Timestamp, ToolCall, ToolKind, Verdict,
};

use super::*;
use crate::python::exchange::WorkerCall;
use crate::python::{PythonExecutor, exchange, python_run};

const MODULE: &str = r#"
import os, subprocess, time
calls = 0
def count(event):
    global calls
    calls += 1
    return {"deny": f"{os.getpid()} {calls} {os.environ.get('WHO')} {os.getcwd() == event.project_root}"}
def hangs(event):
    child = subprocess.Popen(["setsid", "sleep", "600"])
    open("pids", "w").write(f"{os.getpid()} {child.pid}")
    time.sleep(600)
def slow(event):
    time.sleep(0.5)
    return {"deny": str(os.getpid())}
def leaves(event):
    return {"deny": str(subprocess.Popen(["sleep", "600"]).pid)}
def dies(event): os._exit(3)
"#;

/// A project with a module in it, and a home.
struct TestBed {
    dir: TempDir,
    ours: Vec<(OsString, OsString)>,
}

impl TestBed {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("m.py"), MODULE).unwrap();
        fs::create_dir(dir.path().join("run")).unwrap();
        let mut ours: Vec<_> = std::env::vars_os().collect();
        ours.retain(|(name, _)| name != "XDG_RUNTIME_DIR" && name != "WHO");
        ours.push(("XDG_RUNTIME_DIR".into(), dir.path().join("run").into()));
        Self { dir, ours }
    }

    fn hook(&self, function: &str) -> HookSpec {
        let keep = Some(Duration::from_secs(20));
        let python = Python { function: function.to_owned(), interpreter: None, keep };
        let mut hook =
            HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::Python(python));
        hook.source.folder = self.dir.path().to_string_lossy().into_owned();
        hook.timeout = Duration::from_secs(20);
        hook
    }

    fn event(&self) -> Event {
        let agent = AgentName::from_static("claude");
        let session = SessionId::parse("s1").unwrap();
        let mut event = Event::new(EventKind::ToolPre, agent, session, Timestamp::default());
        let input = json!({ "command": "ls" }).as_object().unwrap().clone();
        event.tool = Some(ToolCall::new("Bash", ToolKind::Shell, input));
        event.project_root = Some(self.dir.path().canonicalize().unwrap().to_string_lossy().into_owned());
        event
    }

    /// Runs a hook at an event of its own.
    fn run(&self, hook: &HookSpec) -> HookReport {
        let executor = PythonExecutor::default();
        python_run::run(&executor, hook, &self.event(), &self.ours)
    }

    fn words(&self, hook: &HookSpec) -> Vec<String> {
        words(self.run(hook).output)
    }

    fn sockets(&self) -> usize {
        fs::read_dir(self.dir.path().join("run/tenter/workers")).map_or(0, Iterator::count)
    }
}

impl Drop for TestBed {
    /// No worker is left once the sockets are gone.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.dir.path().join("run"));
    }
}

fn words(said: HookOutput) -> Vec<String> {
    match said {
        HookOutput::Reply(HookReply { verdict: Verdict::Deny { reason }, .. }) => {
            reason.split(' ').map(str::to_owned).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Whether a process still runs; a zombie does not.
fn runs(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn next_event_reuses_the_worker() {
    let stage = TestBed::new();
    let mut hook = stage.hook("m.count");
    let first = stage.words(&hook);
    assert_eq!(first[1..], ["1", "None", "True"]);
    eventually("it waits", || stage.sockets() == 1);
    let second = stage.words(&hook);
    assert_eq!((&second[0], &second[1..]), (&first[0], &["2", "None", "True"].map(str::to_owned)[..]));
    // A variable of ours is one of the call's.
    hook.cwd = Some("/".to_owned());
    let mut ours = stage.ours.clone();
    ours.push(("WHO".into(), "me".into()));
    let third = words(python_run::run(&PythonExecutor::default(), &hook, &stage.event(), &ours).output);
    assert_eq!((&third[0], &third[1..]), (&first[0], &["3", "me", "False"].map(str::to_owned)[..]));
}

#[test]
fn worker_is_not_shared_across_keys() {
    let stage = TestBed::new();
    let hook = stage.hook("m.count");
    let pid = stage.words(&hook)[0].clone();
    let mut other = hook.clone();
    other.id.layer = Layer::Profile;
    assert_ne!(stage.words(&other)[0], pid);
    let mut other = hook.clone();
    other.inherit_env = tenter_contract::EnvInheritance::Minimal;
    assert_ne!(stage.words(&other)[0], pid);
    let mut event = stage.event();
    event.project_root = Some("/".to_owned());
    let said = python_run::run(&PythonExecutor::default(), &hook, &event, &stage.ours).output;
    assert_ne!(words(said)[0], pid);
    assert_eq!(stage.words(&hook)[0], pid);
}

#[test]
fn idle_worker_ends() {
    let stage = TestBed::new();
    let mut hook = stage.hook("m.count");
    if let Handler::Python(python) = &mut hook.handler {
        python.keep = Some(Duration::from_millis(300));
    }
    let pid = stage.words(&hook)[0].clone();
    eventually("it ends", || !runs(&pid));
    eventually("its socket is gone", || stage.sockets() == 0);
}

#[test]
fn probe_does_not_extend_the_worker() {
    let stage = TestBed::new();
    let mut hook = stage.hook("m.count");
    if let Handler::Python(python) = &mut hook.handler {
        python.keep = Some(Duration::from_millis(300));
    }
    let pid = stage.words(&hook)[0].clone();
    eventually("it ends despite constant probes", || {
        let sockets = fs::read_dir(stage.dir.path().join("run/tenter/workers"));
        for socket in sockets.into_iter().flatten().flatten() {
            let _ = UnixStream::connect(socket.path());
        }
        !runs(&pid)
    });
}

#[test]
fn hanging_call_replaces_the_worker() {
    let stage = TestBed::new();
    let first = stage.words(&stage.hook("m.count"))[0].clone();
    eventually("it waits", || stage.sockets() == 1);
    let mut hook = stage.hook("m.hangs");
    hook.timeout = Duration::from_millis(700);
    let before = Instant::now();
    assert_eq!(stage.run(&hook).output, HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }));
    assert!(before.elapsed() < Duration::from_millis(2200), "{:?}", before.elapsed());
    let pids = fs::read_to_string(stage.dir.path().join("pids")).unwrap();
    assert!(pids.starts_with(&first), "it was asked in the kept process");
    assert!(!pids.split(' ').any(runs), "{pids}");
    let next = stage.words(&stage.hook("m.count"));
    assert_eq!(next[1], "1");
}

#[test]
fn abandoned_call_is_ended_by_supervisor() {
    let stage = TestBed::new();
    let hook = stage.hook("m.hangs");
    let warm_workers = WarmWorkers::default();
    let kind = kind_of(&hook, &stage);
    let address = SocketAddress::new(&kind, None, &stage.ours, None).unwrap();
    let variables: BTreeMap<_, _> = stage.ours.iter().cloned().collect();
    let prints = OutputPipes::new().unwrap();
    let keep = Duration::from_secs(20);
    let kept = warm_workers.start(&address, &kind, &variables, (&RunTag::nested_in(None), keep), &prints);
    let mut kept = kept.unwrap().unwrap();
    let request = crate::python::request::Request {
        function: "m.hangs",
        folder: stage.dir.path(),
        cwd: stage.dir.path(),
        variables: &variables,
        left: Duration::from_millis(500),
        detached: false,
        from_source: false,
        event: br#"{"event":"tool:pre"}"#,
    };
    let request = request.to_bytes().unwrap();
    let deadline = Instant::now() + Duration::from_millis(700);
    let question =
        WorkerCall { sources: &sources(), request: &request, max_answer: 100, deadline, stop: None };
    let link = kept.link.try_clone().unwrap();
    exchange::exchange(&link, &question, prints, &mut kept);
    let process = kept.process.try_clone().unwrap();
    drop(kept);
    assert!(wait_readable(process.as_fd(), Duration::from_secs(10)), "the supervisor has ended");
    let pids = fs::read_to_string(stage.dir.path().join("pids")).unwrap();
    assert!(!pids.split(' ').any(runs), "{pids}");
    assert_eq!(stage.sockets(), 0);
}

#[test]
fn end_of_agent_ends_workers() {
    let stage = TestBed::new();
    let mut agent = Command::new("sleep").arg("600").spawn().unwrap();
    let warm_workers = WarmWorkers::default();
    let kind = kind_of(&stage.hook("m.count"), &stage);
    let mut address = SocketAddress::new(&kind, None, &stage.ours, None).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", agent.id())).unwrap();
    let start = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
    address.caller = Some(Caller { pid: agent.id(), start });
    let variables: BTreeMap<_, _> = stage.ours.iter().cloned().collect();
    let prints = OutputPipes::new().unwrap();
    let keep = Duration::from_mins(10);
    let kept = warm_workers.start(&address, &kind, &variables, (&RunTag::nested_in(None), keep), &prints);
    let kept = kept.unwrap().unwrap();
    (&kept.link).write_all(&sources()).unwrap();
    eventually("it listens", || stage.sockets() == 1);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(wait_readable(kept.process.as_fd(), Duration::from_secs(10)), "the supervisor has ended");
    assert_eq!(stage.sockets(), 0);
}

fn kind_of(hook: &HookSpec, stage: &TestBed) -> WorkerKey {
    let variables =
        crate::command::environment::build(hook, &stage.event(), None, &stage.ours, &mut Vec::new());
    let Handler::Python(python) = &hook.handler else { panic!() };
    let interpreter = crate::python::interpreter::find(python, stage.dir.path(), &variables, None).unwrap();
    WorkerKey::new(hook, &interpreter, stage.dir.path(), &variables)
}

#[test]
fn busy_worker_is_not_awaited() {
    let stage = TestBed::new();
    let hook = stage.hook("m.slow");
    stage.words(&hook);
    eventually("it waits", || stage.sockets() == 1);
    let pids = std::thread::scope(|scope| {
        let running: Vec<_> = (0..3).map(|_| scope.spawn(|| stage.words(&hook)[0].clone())).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(pids[0] != pids[1] && pids[1] != pids[2] && pids[0] != pids[2], "{pids:?}");
    assert_eq!(stage.sockets(), 1);
}

#[test]
fn changed_file_or_dead_worker_starts_new_one() {
    let stage = TestBed::new();
    let hook = stage.hook("m.count");
    let first = stage.words(&hook)[0].clone();
    eventually("it waits", || stage.sockets() == 1);
    fs::write(stage.dir.path().join("m.py"), format!("{MODULE}\ncalls = 40\n")).unwrap();
    let second = stage.words(&hook);
    assert_ne!(second[0], first);
    assert_eq!(second[1], "41");
    eventually("it waits", || stage.sockets() == 1);
    let said = stage.run(&stage.hook("m.dies")).output;
    assert!(matches!(said, HookOutput::Failure(HookFailure::Crashed { .. })), "{said:?}");
    assert_eq!(stage.words(&hook)[1], "41");
}

#[test]
fn leftovers_of_warm_worker_are_ended() {
    let stage = TestBed::new();
    let report = stage.run(&stage.hook("m.leaves"));
    let notice = "1 process that it left running: ended; `detach: true` lets them live";
    assert_eq!(report.transcript.notices, [notice]);
    assert!(!runs(&words(report.output)[0]));
}

#[test]
fn foreign_socket_or_folder_is_refused() {
    let stage = TestBed::new();
    let hook = stage.hook("m.count");
    let refused = |why: &str| {
        let report = stage.run(&hook);
        assert_eq!(report.transcript.notices.len(), 1, "{why}");
        assert!(report.transcript.notices[0].contains(why), "{:?}", report.transcript.notices);
        let words = words(report.output);
        assert_eq!(words[1], "1");
        assert!(!runs(&words[0]));
    };
    let kind = kind_of(&hook, &stage);
    let root = stage.event().project_root;
    let address = SocketAddress::new(&kind, root.as_deref(), &stage.ours, None).unwrap();
    fs::write(&address.path, "").unwrap();
    refused("belongs to another user");
    fs::remove_file(&address.path).unwrap();
    let folder = address.path.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    refused("type `chmod 700");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    // A socket without a listener is replaced.
    drop(std::os::unix::net::UnixListener::bind(&address.path).unwrap());
    assert_eq!(stage.run(&hook).transcript.notices, Vec::<String>::new());
    eventually("it waits", || stage.words(&hook)[1] != "1");
    assert_eq!(fs::symlink_metadata(&address.path).unwrap().mode() & 0o777, 0o600);
}
