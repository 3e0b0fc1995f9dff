//! Tools of MCP servers.

use std::cell::Cell;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_agent::tools::mcp::{McpTools, connect};
use tenter_agent::tools::{Tool, ToolDisplay, ToolOutput};
use tenter_contract::ToolKind;

use crate::running::assert_all_ended;
use crate::workspace::Place;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tools/server.py");

fn stdio(mode: &str) -> Value {
    json!({ "command": "python3", "args": [SERVER, mode], "env": { "TOKEN": "${SECRET}" } })
}

fn place() -> Place {
    let mut place = Place::new();
    place.at.environment.push(("SECRET".into(), "sesame-open-1234".into()));
    place
}

fn connected(place: &Place, servers: &Value) -> McpTools {
    connect(servers.as_object().unwrap(), &place.at, &|| false)
}

fn tool<'a>(connected: &'a McpTools, name: &str) -> &'a dyn Tool {
    connected.tools.iter().find(|tool| tool.name() == name).unwrap().as_ref()
}

fn call(place: &Place, connected: &McpTools, name: &str, input: &Value) -> ToolOutput {
    tool(connected, name).run(input.as_object().unwrap(), &place.at, &|| false)
}

#[test]
fn server_is_one_process_with_tools() {
    let place = place();
    let servers = connected(&place, &json!({ "my.docs": stdio("plain") }));
    assert_eq!(servers.problems, [""; 0]);
    let found: Vec<_> = servers.tools.iter().map(|tool| (tool.name(), tool.kind(), tool.alone())).collect();
    let names = ["count", "echo", "strange_name_", "fails", "dies", "hangs", "floods", "long"];
    let names = names.map(|name| format!("mcp__my_docs__{name}"));
    let expected: Vec<_> =
        names.iter().map(|name| (name.as_str(), ToolKind::Mcp, !name.ends_with("echo"))).collect();
    assert_eq!(found, expected);
    assert_eq!(servers.tools[0].description(), "Does count.");
    assert_eq!(servers.tools[0].schema(), json!({ "type": "object" }));
    for expected in ["call 1", "call 2"] {
        assert_eq!(call(&place, &servers, "mcp__my_docs__count", &json!({})).output, expected);
    }
    let echo = call(&place, &servers, "mcp__my_docs__echo", &json!({ "a": [1, null] }));
    assert_eq!((echo.output.as_str(), echo.failed), (r#"{"a": [1, null]}"#, false));
    assert_eq!(echo.display, ToolDisplay::Text(echo.output));
    let fails = call(&place, &servers, "mcp__my_docs__fails", &json!({}));
    assert_eq!((fails.output.as_str(), fails.failed), ("the disk is full", true));
}

#[test]
fn secret_reaches_the_server_and_is_redacted() {
    let place = place();
    let servers = connected(&place, &json!({ "s": stdio("plain") }));
    let found = call(&place, &servers, "mcp__s__strange_name_", &json!({}));
    assert_eq!(found.output, "[redacted:SECRET]");
}

#[test]
fn long_result_is_saved_in_a_file() {
    let place = place();
    let servers = connected(&place, &json!({ "s": stdio("plain") }));
    let long = call(&place, &servers, "mcp__s__long", &json!({})).output;
    assert!(long.starts_with("line 0\n") && long.contains("all of it is in `") && long.len() < 31_000);
}

#[test]
fn failed_servers_do_not_block_others() {
    let place = place();
    let servers = connected(
        &place,
        &json!({
            "missing": { "command": "no-such-program" },
            "dead": stdio("dead"),
            "unset": { "command": "python3", "env": { "KEY": "${NO_SUCH_VARIABLE}" } },
            "wrong": 3,
            "nowhere": { "url": "http://127.0.0.1:9/mcp" },
            "good": stdio("plain"),
        }),
    );
    let text = [
        "MCP server `missing`: `no-such-program` was not found.",
        "MCP server `dead`: the server ended with exit code 1 before it answered `tools/list`: no database.",
        "MCP server `unset`: could not be started: the variable `NO_SUCH_VARIABLE`, which `KEY` needs, is not set.",
        "MCP server `wrong`: it must be an object with `command` or `url`.",
        "MCP server `nowhere`: failed: `http://127.0.0.1:9/mcp`",
    ];
    assert_eq!(servers.problems.len(), text.len(), "{:#?}", servers.problems);
    for (problem, text) in servers.problems.iter().zip(text) {
        assert!(problem.starts_with(text), "{problem}");
    }
    assert_eq!(call(&place, &servers, "mcp__good__count", &json!({})).output, "call 1");
}

#[test]
fn silent_server_is_not_waited_for() {
    let mut place = place();
    place.at.environment.push(("MCP_TIMEOUT".into(), "300".into()));
    let servers = connected(&place, &json!({ "silent": stdio("silent") }));
    assert_eq!(
        servers.problems,
        ["MCP server `silent`: the server did not answer `tools/list` within 0.3 s."]
    );
}

#[test]
fn unusable_tools_are_left_out_and_named() {
    let servers = connected(&place(), &json!({ "s": stdio("odd") }));
    let long = "a".repeat(80);
    assert_eq!(
        servers.problems,
        [
            "MCP server `s`: one of its tools has no name.",
            &format!(
                "MCP server `s`: the name `mcp__s__{long}` is longer than 64 characters, the limit of models."
            ),
            "MCP server `s`: there is another tool called `mcp__s__x_y`.",
            "MCP server `s`: the schema of `mcp__s__big` is larger than 64 KiB.",
        ]
    );
    assert_eq!(servers.tools.len(), 1);
    let endless = connected(&place(), &json!({ "s": stdio("endless") }));
    assert_eq!(endless.problems, ["MCP server `s`: its list of tools has more than 50 pages."]);
}

#[test]
fn ended_server_restarts_at_the_next_call() {
    let place = place();
    let servers = connected(&place, &json!({ "s": stdio("plain"), "t": stdio("plain") }));
    assert_eq!(call(&place, &servers, "mcp__s__count", &json!({})).output, "call 1");
    for _ in 0..2 {
        let output = call(&place, &servers, "mcp__s__dies", &json!({}));
        let text = "MCP server `s`: the server ended with exit code 3 before it answered `tools/call`: out of memory; \
            it is started again with the next call.";
        assert_eq!((output.output.as_str(), output.failed), (text, true));
        assert_eq!(call(&place, &servers, "mcp__s__count", &json!({})).output, "call 1");
    }
    assert_eq!(call(&place, &servers, "mcp__t__count", &json!({})).output, "call 1");
}

#[test]
fn failed_restart_is_an_error_of_every_call() {
    let place = place();
    let script = place.path("server.py");
    std::fs::copy(SERVER, &script).unwrap();
    let servers = connected(&place, &json!({ "s": { "command": "python3", "args": [script, "plain"] } }));
    call(&place, &servers, "mcp__s__dies", &json!({}));
    std::fs::write(&script, "import sys\nsys.exit('no database')\n").unwrap();
    for _ in 0..2 {
        let output = call(&place, &servers, "mcp__s__count", &json!({}));
        let text = "MCP server `s`: it had ended, and could not be started again: the server ended with exit code 1 \
            before it answered `tools/list`: no database.";
        assert_eq!((output.output.as_str(), output.failed), (text, true));
    }
}

#[test]
fn hanging_or_flooding_server_times_out() {
    let mut place = place();
    place.at.environment.push(("MCP_TOOL_TIMEOUT".into(), "1500".into()));
    for (name, text) in [
        ("hangs", "MCP server `s`: the server did not answer `tools/call` within 1.5 s."),
        ("floods", "MCP server `s`: the server's answer is longer than 16777216 bytes."),
    ] {
        let servers = connected(&place, &json!({ "s": stdio("plain") }));
        let output = call(&place, &servers, &format!("mcp__s__{name}"), &json!({}));
        // On a busy machine the flood may exceed the time limit first.
        let late = "MCP server `s`: the server did not answer `tools/call` within 1.5 s.";
        assert!(output.failed && [text, late].contains(&output.output.as_str()), "{}", output.output);
    }
}

#[test]
fn stopped_call_ends_at_once() {
    let place = place();
    let servers = connected(&place, &json!({ "s": stdio("plain") }));
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let begun = Instant::now();
    let output = tool(&servers, "mcp__s__hangs").run(&serde_json::Map::new(), &place.at, &stop);
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(output.output, "MCP server `s`: `tools/call` was stopped by the user.");
}

#[test]
fn server_ends_with_its_tools() {
    let place = place();
    let pids = place.path("pids");
    let server = json!({ "command": "python3", "args": [SERVER, "leaves", pids], "env": {} });
    let servers = connected(&place, &json!({ "s": server }));
    assert_eq!(call(&place, &servers, "mcp__s__count", &json!({})).output, "call 1");
    drop(servers);
    assert_all_ended(&place);
}

#[test]
fn command_does_not_end_a_server() {
    let place = place();
    let servers = connected(&place, &json!({ "s": stdio("plain") }));
    let text = place.output("Bash", &json!({ "command": "sleep 300 & echo $! > pids" }));
    assert_eq!(text, "[1 process that still ran was ended.]");
    assert_all_ended(&place);
    assert_eq!(call(&place, &servers, "mcp__s__count", &json!({})).output, "call 1");
}

/// A server over HTTP, which ends with the test.
struct Web {
    process: Child,
    address: String,
}

impl Web {
    fn start() -> Self {
        let mut process =
            Command::new("python3").args([SERVER, "http"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut port).unwrap();
        Self { process, address: format!("http://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn http_server_has_one_session() {
    let (place, web) = (place(), Web::start());
    let servers = connected(&place, &json!({ "web": { "type": "http", "url": web.address } }));
    assert_eq!(servers.problems, [""; 0]);
    for expected in ["call 1", "call 2"] {
        assert_eq!(call(&place, &servers, "mcp__web__count", &json!({})).output, expected);
    }
    assert!(call(&place, &servers, "mcp__web__fails", &json!({})).failed);
    let begun = Instant::now();
    let stopped = tool(&servers, "mcp__web__hangs").run(&serde_json::Map::new(), &place.at, &|| true);
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(stopped.output, "MCP server `web`: `tools/call` was stopped by the user.");
    assert_eq!(call(&place, &servers, "mcp__web__echo", &json!({ "a": 1 })).output, r#"{"a": 1}"#);
    drop(web);
    let gone = call(&place, &servers, "mcp__web__count", &json!({}));
    assert!(gone.failed && gone.output.starts_with("MCP server `web`: "), "{}", gone.output);
}
