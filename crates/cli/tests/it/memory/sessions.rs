//! A server without a session id belongs to the session of the process that started it.

use serde_json::{Value, json};

use crate::world::World;

/// An agent: a process that is no shell, starts hooks and servers, and prints what they say. What it runs are lines of
/// shell, so that what lies between it and them is there too.
const AGENT: &str = "import subprocess, sys\nfor line in sys.argv[1:]:\n    print(subprocess.run(['sh', '-c', line + '; true'], capture_output=True, text=True).stdout, end='')";

fn tenter(arguments: &str) -> String {
    format!("{} {arguments}", env!("CARGO_BIN_EXE_tenter"))
}

fn start(goal: &str, session: &str) -> String {
    let arguments = json!({
        "domain": "debugging", "strategy": "ask-user", "goal": goal, "hypothesis": "h", "action": "a",
        "prediction": "p",
    });
    let begun = json!({"session_id": session});
    format!(
        "{} >&2; {}",
        tenter(&format!("mcp call start_session '{begun}'")),
        tenter(&format!("mcp call start_ghap '{arguments}'"))
    )
}

fn injected_items(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn server_finds_the_session_of_its_agent() {
    let world = World::new();
    let python = std::path::Path::new("/usr/bin/python3");
    if !cfg!(target_os = "linux") || !python.is_file() {
        crate::world::skipped("processes can be looked at on Linux alone, and this wants /usr/bin/python3");
        return;
    }
    // Each agent names its session once, as hooks do; what comes later has to find it.
    let asks = tenter("mcp call get_active_ghap");
    let served = format!(
        "echo '{}' | {}",
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ping"}}),
        tenter("mcp")
    );
    for name in ["one", "two"] {
        let lines = [start(&format!("of {name}"), name), asks.clone(), served.clone()];
        let mut arguments = vec!["-c", AGENT];
        arguments.extend(lines.iter().map(String::as_str));
        let ran = world.run(python, &arguments);
        let [begun, active, pinged] = injected_items(&ran.stdout).try_into().unwrap();
        assert_eq!(begun["session_id"], name, "{begun}");
        assert_eq!(active["goal"], format!("of {name}"), "{active}");
        let text = pinged["result"]["structuredContent"]["session_id"].as_str().unwrap();
        assert_eq!(text, name);
    }
    // A user at a terminal is neither of them, and sees both.
    let ran = world.tenter(&["mcp", "call", "get_active_ghap", "{}"]).run();
    assert_eq!(injected_items(&ran.stdout)[0]["has_active"], false, "{}", ran.stdout);
    let ran = world.tenter(&["ghap", "show", "--json"]).run();
    assert_eq!(injected_items(&ran.stdout)[0]["active"].as_array().unwrap().len(), 2);
    // The script of a hook has the session in its environment.
    let call = world.tenter(&["mcp", "call", "get_active_ghap"]).env("TENTER_SESSION_ID", "two").run();
    assert_eq!(injected_items(&call.stdout)[0]["goal"], "of two");
}
