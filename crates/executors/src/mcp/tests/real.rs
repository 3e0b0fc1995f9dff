//! The official Python server, if it is there: `pip install mcp`, in an environment of its own at
//! `~/.cache/tenter/mcp-python`.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::{EventKind, McpTransport, McpWanted, Template, Verdict};

use super::{deny, hook, reply, run, tool};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/tests/real_server.py");

/// The interpreter that has the library.
fn python() -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    let python = PathBuf::from(home).join(".cache/tenter/mcp-python/bin/python");
    let there = Command::new(&python).args(["-c", "import mcp.server"]).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    println!("skipped: the Python package `mcp` is not in ~/.cache/tenter/mcp-python");
    None
}

fn check(transport: &McpTransport) {
    let judged = tool("judge", json!({ "path": "{tool.path}" }));
    assert_eq!(run(&hook(EventKind::ToolPre, transport.clone(), judged)).output, deny("not a b"));
    let resource = McpWanted::Resource { uri: Template::parse("rules://house").unwrap() };
    let rules = run(&hook(EventKind::ToolPre, transport.clone(), resource));
    assert_eq!(rules.output, reply(Verdict::Abstain, &["Be kind."]));
}

#[test]
fn official_server_works_over_stdio() {
    let Some(python) = python() else { return };
    let command = vec![python.to_string_lossy().into_owned(), SERVER.to_owned(), "stdio".to_owned()];
    check(&McpTransport::Stdio { command, env: vec![] });
}

#[test]
fn official_server_works_over_http() {
    let Some(python) = python() else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new(python)
        .args([SERVER, "http", &port.to_string()])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let patience = Instant::now() + Duration::from_secs(30);
    while let Some(Ok(line)) = lines.next() {
        if line.contains("running on") || Instant::now() > patience {
            break;
        }
    }
    std::thread::spawn(move || lines.for_each(drop));
    let checked = std::panic::catch_unwind(|| {
        let url = format!("http://127.0.0.1:{port}/mcp");
        check(&McpTransport::Http { url, headers: vec![] });
    });
    server.kill().unwrap();
    server.wait().unwrap();
    checked.unwrap();
}
