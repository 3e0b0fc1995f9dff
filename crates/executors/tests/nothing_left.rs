//! Many runs leave nothing behind in a process that goes on: no child, no open file, no socket, no thread. One test in
//! a program of its own, because it counts what the whole process has. What they leave on the machine is looked at by
//! `acceptance/repeated_runs.rs` of `tenter-cli`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Arguments, Command, Event, EventKind, Handler, HookId, HookOutput, HookReply, HookSpec, Http,
    Layer, Mcp, McpServer, McpTransport, McpWanted, Method, Python, Template, Timestamp,
};
use tenter_executors::{CommandExecutor, HttpExecutor, McpExecutor, PythonExecutor};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/tests/server.py");

fn event() -> Event {
    let agent = AgentName::from_static("claude");
    Event::new(EventKind::ToolPre, agent, None, Timestamp::default())
}

fn hook(handler: Handler) -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler)
}

fn mcp(transport: McpTransport) -> HookSpec {
    let arguments = Arguments::parse(json!({ "text": "" }).as_object().unwrap().clone()).unwrap();
    let wanted = McpWanted::Tool { name: "echo".to_owned(), arguments };
    hook(Handler::Mcp(Mcp { server: McpServer { name: "test".to_owned(), transport }, wanted }))
}

/// A server that has the right answer to every message of MCP, and so to any other request.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut chunk = [0; 4096];
            while !is_whole(&request) {
                match stream.read(&mut chunk) {
                    Ok(count) if count > 0 => request.extend_from_slice(&chunk[..count]),
                    _ => break,
                }
            }
            let body = answer_to(&request);
            let head = format!("Content-Length: {}\r\nMcp-Session-Id: 1\r\nConnection: close", body.len());
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
        }
    });
    url
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.to_ascii_lowercase();
    let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn answer_to(request: &[u8]) -> String {
    let text = String::from_utf8_lossy(request);
    let body: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap_or_default();
    let result = match body["method"].as_str() {
        Some("initialize") => json!({ "protocolVersion": "2025-06-18", "capabilities": {} }),
        Some("tools/call") => json!({ "content": [] }),
        _ => return String::new(),
    };
    json!({ "jsonrpc": "2.0", "id": body["id"], "result": result }).to_string()
}

const PYTHON: &str = "
import subprocess
def run(event): subprocess.Popen(['setsid', 'sleep', '300'])
";

/// Processes of ours, those that have ended and were not reaped included.
fn children() -> String {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    tasks.filter_map(|task| std::fs::read_to_string(task.join("children")).ok()).collect()
}

/// Open files and threads of this process.
fn held() -> (usize, usize) {
    let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// Whether a process still runs; a zombie does not.
fn runs(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

/// `TENTER_TEST_RUNS=1000` makes it as many of each.
#[test]
fn many_runs_leave_nothing_behind() {
    let wanted = std::env::var("TENTER_TEST_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let command = ["python3", SERVER, "leaves", &pids.to_string_lossy()].map(str::to_owned).to_vec();
    let url = server();
    std::fs::write(folder.path().join("leaves.py"), PYTHON).unwrap();
    std::fs::write(folder.path().join("leaves.sh"), "setsid sleep 300 &\n").unwrap();
    let line = Template::parse_shell("setsid sleep 300 & sleep 300 &").unwrap();
    let python = Python { function: "leaves.run".to_owned(), interpreter: None, keep: None };
    let local = [
        Handler::Command(Command::Shell(line)),
        Handler::Script("leaves.sh".to_owned()),
        Handler::Python(python),
    ];
    let local = local.map(|handler| {
        let mut hook = hook(handler);
        hook.source.folder = folder.path().to_string_lossy().into_owned();
        hook
    });
    let remote = [
        mcp(McpTransport::Stdio { command, env: vec![] }),
        mcp(McpTransport::Http { url: url.clone(), headers: vec![] }),
        hook(Handler::Http(Http {
            url: Template::parse(&url).unwrap(),
            method: Method::Post,
            headers: vec![],
        })),
    ];
    let (commands, mcp, python) =
        (CommandExecutor::default(), McpExecutor::default(), PythonExecutor::default());
    let executors: [&dyn HookExecutor; 4] = [&commands, &HttpExecutor::default(), &mcp, &python];
    let ask_all = || {
        for hook in local.iter().chain(&remote) {
            let executor = executors.into_iter().find(|executor| executor.runs(hook)).unwrap();
            let report = executor.run(hook, &event());
            executor.end_event();
            assert_eq!(report.output, HookOutput::Reply(HookReply::default()), "{report:?}");
        }
        let pids = std::fs::read_to_string(&pids).unwrap();
        assert_eq!(pids.lines().count(), 2);
        assert!(!pids.lines().any(runs), "still running: {pids}");
        assert_eq!(children(), "", "children that run or are zombies");
    };
    ask_all();
    let before = held();
    (0..wanted).for_each(|_| ask_all());
    // The last thread that looked up a name may still be ending.
    let patience = Instant::now() + Duration::from_secs(5);
    // One that ended only after the first look makes it less than before.
    let more = |now: (usize, usize)| now.0 > before.0 || now.1 > before.1;
    while more(held()) {
        assert!(Instant::now() < patience, "{:?} are held, {before:?} were before", held());
        std::thread::yield_now();
    }
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| *name != "__pycache__").collect();
    assert_eq!(left.len(), 3, "{left:?}");
}
