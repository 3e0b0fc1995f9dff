//! Many runs of every kind of hook leave nothing behind: no process, no zombie, no file.
//!
//! `TENTER_TEST_RUNS=1000` makes it as many of each kind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::loopback::answers;
use crate::records;
use crate::world::World;

fn run_count() -> usize {
    std::env::var("TENTER_TEST_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(10)
}

/// Every kind of hook, with a child process that would outlive it wherever a hook can start one.
fn kinds() -> [(&'static str, String); 8] {
    let stays = "(setsid sleep 300 &) ; sleep 300 &";
    [
        ("command", format!("command: '{stays}'")),
        ("script", "script: leaves.sh".to_owned()),
        ("http", format!("http: '{}'", answers("204 No Content", ""))),
        ("mcp", "mcp: { server: leaves, tool: judge }".to_owned()),
        ("python", "python: leaves.run".to_owned()),
        ("builtin", "builtin: git.status".to_owned()),
        ("fixed", "inject: Here.".to_owned()),
        ("one that fails", format!("command: '{stays} exit 1'")),
    ]
}

const PYTHON: &str = "
import subprocess
def run(event): subprocess.Popen(['setsid', 'sleep', '300'])
";

const MCP: &str = "
import json, subprocess, sys
subprocess.Popen(['setsid', 'sleep', '300'])
for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message: continue
    hello = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'x', 'version': '1'}}
    result = hello if message['method'] == 'initialize' else {'content': []}
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
";

fn machine(handler: &str) -> World {
    let world = World::new();
    let folder = world.config().join("tenter");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("leaves.sh", "setsid sleep 300 &\n"), ("leaves.py", PYTHON), ("server.py", MCP)] {
        fs::write(folder.join(name), text).unwrap();
    }
    let server = folder.join("server.py").display().to_string();
    world.write_hooks(
        "yaml",
        &format!(
            "version: 1\nmcp_servers:\n  leaves: {{ command: [python3, {server:?}] }}\nhooks:\n  tool:post:\n    - {{ name: h, {handler} }}\n"
        ),
    );
    fs::create_dir(world.home().join("tmp")).unwrap();
    world
}

/// One event; every one is another call.
fn event(world: &World, number: usize) {
    let payload = json!({
        "session_id": "s1", "hook_event_name": "PostToolUse", "cwd": world.project(), "tool_name": "Read",
        "tool_input": { "file_path": format!("file-{number}") }, "tool_response": "text",
    });
    let ran = world.claude(&payload.to_string()).env("TMPDIR", world.home().join("tmp")).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}

/// Processes with this machine in their environment, and our own zombie children.
fn processes(world: &World) -> Vec<String> {
    let home = format!("HOME={}\0", world.home().display());
    let is_ours = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&home)
    };
    let zombie = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit(") ").next().unwrap_or_default().to_owned();
        after_name.starts_with(&format!("Z {}", std::process::id()))
    };
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let found = pids.filter_map(|name| name.parse().ok()).filter(|pid| is_ours(pid) || zombie(pid));
    let command = |pid: u32| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    found.map(|pid| format!("{pid}: {}", command(pid))).collect()
}

/// Every file of the machine.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { BTreeSet::from([path]) }).collect()
}

/// Security case P12.
#[test]
fn repeated_runs_leave_no_process_or_file() {
    for (kind, handler) in kinds() {
        let world = machine(&handler);
        let everything = world.home().parent().unwrap().to_owned();
        // The first runs create the trail and the session. The file's age decides when it is compiled.
        (0..2).for_each(|number| event(&world, number));
        let before = files(&everything);
        (2..run_count() + 2).for_each(|number| event(&world, number));
        assert_eq!(processes(&world), Vec::<String>::new(), "{kind}");
        let after = files(&everything);
        let compiled = |file: &&PathBuf| file.to_string_lossy().contains("/tenter/cache/hooks-");
        let more: Vec<&PathBuf> = after.difference(&before).filter(|file| !compiled(file)).collect();
        assert_eq!(more, Vec::<&PathBuf>::new(), "{kind}");
        assert!(after.iter().filter(compiled).count() <= 1, "{kind}: {after:?}");
        assert_eq!(fs::read_dir(world.home().join("tmp")).unwrap().count(), 0, "{kind}");
        let asked = records::read(&world).iter().filter(|record| record["hooks"].is_array()).count();
        assert_eq!(asked, run_count() + 2, "{kind}: each of them ran");
    }
}
