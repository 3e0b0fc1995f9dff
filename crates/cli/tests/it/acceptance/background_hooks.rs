//! Background hooks: the reply does not depend on them, their output arrives once, and no process is
//! left.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::records;
use crate::world::{MESSAGE, Ran, World, bash};

/// More than a busy machine takes to end a process, and far less than the hooks here would.
const PATIENCE: Duration = Duration::from_secs(30);
/// The JSON pointer to the context in a reply.
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";

fn until(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A world with one hook for `Bash` before it runs.
fn with_hook(command: &str, more: &str) -> World {
    World::with_hooks(&format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: h, matcher: Bash, command: {}, background: true{more} }}\n",
        Value::from(command)
    ))
}

/// A call that matches no hook of these worlds, so its reply contains only deferred output.
fn other_event(id: &str) -> String {
    json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Read",
        "tool_input": {"file_path": "/a"}, "tool_use_id": id })
    .to_string()
}

fn next(world: &World, id: &str) -> Ran {
    world.claude(&other_event(id)).run()
}

/// The processes of a world: hooks, workers and their children, found by their shared environment.
fn processes(world: &World) -> Vec<String> {
    let state = format!("XDG_STATE_HOME={}\0", world.state().display());
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    all.filter_map(|name| name.into_string().ok().filter(|name| name.parse::<u32>().is_ok()))
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environment| String::from_utf8_lossy(&environment).contains(&state))
        })
        .collect()
}

fn is_worker(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "tenter-worker")
}

fn assert_no_process_left(world: &World) {
    until("no process is left", || processes(world).is_empty());
}

/// The records of ended background hooks of this world.
fn ended(world: &World) -> Vec<Value> {
    let background = |record: &Value| record["event"] == "hook:background";
    records::read(world).into_iter().filter(background).collect()
}

fn failure(record: &Value) -> String {
    record["hooks"][0]["failure"]["detail"].as_str().unwrap_or_default().to_owned()
}

/// The hook waits for the file `go`, which the test creates after the reply.
#[test]
fn background_reply_arrives_once_with_next_event() {
    let world = with_hook(
        r#"touch runs; while ! test -e go; do sleep 0.01; done; echo '{"inject": "Found it.", "message": "Look."}'"#,
        "",
    );
    let answer = world.claude(&bash("ls")).run();
    assert_eq!((answer.code, answer.stdout.trim()), (Some(0), ""), "{answer:?}");
    until("the hook runs", || world.project().join("runs").exists());
    assert_eq!(next(&world, "before").stdout.trim(), "", "no reply yet");
    fs::write(world.project().join("go"), "").unwrap();
    until("the hook has ended", || ended(&world).len() == 1);
    assert_no_process_left(&world);
    let reply = next(&world, "after");
    assert_eq!((reply.field(CONTEXT), reply.field(MESSAGE)), ("Found it.".to_owned(), "h: Look.".to_owned()));
    assert_eq!(next(&world, "once more").stdout.trim(), "", "once is enough");
}

#[test]
fn one_of_ten_events_gets_background_reply() {
    let world = with_hook(r#"echo '{"inject": "Found it.", "message": "Look."}'"#, "");
    world.claude(&bash("ls")).run();
    until("the hook has ended", || ended(&world).len() == 1);
    assert_no_process_left(&world);
    let started: Vec<_> =
        (0..10).map(|number| world.claude(&other_event(&number.to_string())).start()).collect();
    let answers: Vec<String> = started
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    for expected in ["Found it.", "h: Look."] {
        assert_eq!(
            answers.iter().filter(|answer| answer.contains(expected)).count(),
            1,
            "{expected}: {answers:?}"
        );
    }
}

#[test]
fn background_hook_receives_same_payload() {
    let dump = "cat >$NAME.stdin; env | grep ^TENTER_ | grep -v RUN | sort >$NAME.env; pwd >$NAME.cwd; ls /proc/self/fd >$NAME.fds";
    let world = World::with_hooks(&format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: now, command: {dump}, env: {{ NAME: now }} }}\n    - {{ name: later, command: {dump}, env: {{ NAME: later }}, background: true, after: [now] }}\n",
        dump = Value::from(dump)
    ));
    world.claude(&bash("ls")).run();
    assert_no_process_left(&world);
    let read = |name: &str| fs::read_to_string(world.project().join(name)).unwrap();
    for what in ["env", "cwd"] {
        assert_eq!(read(&format!("later.{what}")), read(&format!("now.{what}")));
    }
    assert_eq!(read("later.fds"), "0\n1\n2\n3\n", "nothing of the agent's, and the folder that is listed");
    let stdin = |name: &str| -> Value { serde_json::from_str(&read(&format!("{name}.stdin"))).unwrap() };
    let (now, mut later) = (stdin("now"), stdin("later"));
    let previous = later.as_object_mut().unwrap().remove("previous").unwrap();
    assert_eq!(later, now);
    assert!(previous["now"]["reply"].is_object(), "{previous}");
}

/// Effects that must be applied before the agent continues.
#[test]
fn background_verdict_or_rewrite_fails() {
    for (what, expected) in [
        ("deny", r#"echo '{"deny": "no"}'"#),
        ("deny", "echo no >&2; exit 2"),
        ("ask", r#"echo '{"ask": "Really?"}'"#),
        ("allow", r#"echo '{"allow": true}'"#),
        ("rewrite", r#"echo '{"modify": {"tool_input": {"command": "true"}}}'"#),
    ] {
        let world = with_hook(expected, "");
        assert_eq!(world.claude(&bash("ls")).run().stdout.trim(), "", "{expected}");
        until("the hook has ended", || ended(&world).len() == 1);
        assert_no_process_left(&world);
        let detail = format!("a hook with `background: true` may not {what};");
        let notice = next(&world, "after").field(MESSAGE);
        assert!(
            notice.starts_with("tenter: warning: hook `h` gave an answer that cannot be read"),
            "{notice}"
        );
        assert!(notice.contains(&detail), "{expected}: {notice}");
        assert_eq!(next(&world, "once more").stdout.trim(), "");
        let failed =
            records::read(&world).into_iter().find(|record| record["event"] == "hook:failed").unwrap();
        assert_eq!(
            (&failed["failure"]["class"], &failed["failure"]["policy"]),
            (&json!("error"), &json!("allow"))
        );
    }
}

/// A hook that hangs with children inside and outside of its process group and ignores SIGTERM.
const HANGS: &str =
    "trap '' TERM; (setsid sleep 600 &); sleep 600 & touch hangs; sleep 600; sleep 600; sleep 600";

#[test]
fn timed_out_background_hook_leaves_no_process() {
    let world = with_hook(HANGS, ", timeout: 1s");
    world.claude(&bash("ls")).run();
    until("the hook hangs", || world.project().join("hangs").exists());
    assert_no_process_left(&world);
    assert_eq!(failure(&ended(&world)[0]), "timed out after 1 s");
    let notice = next(&world, "after").field(MESSAGE);
    assert_eq!(notice, "tenter: warning: hook `h` timed out after 1 s; went on without it");
    assert_eq!(next(&world, "once more").stdout.trim(), "");
}

/// An agent that sends one call and then waits to be killed. It is not a shell, which would be an extra process
/// between the agent and tenter.
struct Agent(Child);

impl Agent {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn agent(world: &World, payload: &str, arguments: &str) -> Agent {
    let script = format!(
        "import subprocess, time\nsubprocess.run(['{}', 'claude'{arguments}], input={:?}, text=True)\nopen('answered', 'w').close()\ntime.sleep(600)",
        env!("CARGO_BIN_EXE_tenter-hook"),
        payload
    );
    Agent(world.program(Path::new("python3"), &["-c", &script]).start())
}

#[test]
fn ended_agent_leaves_no_background_process() {
    let world = with_hook(HANGS, ", timeout: 10m");
    let mut agent = agent(&world, &bash("ls"), "");
    until("the agent is answered", || world.project().join("answered").exists());
    until("the hook hangs", || world.project().join("hangs").exists());
    agent.kill();
    assert_no_process_left(&world);
    assert_eq!(failure(&ended(&world)[0]), "failed: it was ended, because the agent is gone");
    assert_eq!(next(&world, "after").stdout.trim(), "", "no agent is left");
}

#[test]
fn killed_worker_leaves_no_process() {
    let world = with_hook(HANGS, ", timeout: 10m");
    world.claude(&bash("ls")).run();
    until("the hook hangs", || world.project().join("hangs").exists());
    let watched =
        || fs::read_dir("/proc").unwrap().flatten().any(|entry| is_watchdog_of(&world, &entry.path()));
    until("it is watched", watched);
    let worker = processes(&world).into_iter().find(|pid| is_worker(pid)).unwrap();
    assert_eq!(next(&world, "before").stdout.trim(), "", "it may still come back");
    Command::new("kill").args(["-KILL", &worker]).status().unwrap();
    assert_no_process_left(&world);
    let notice = "tenter: warning: hook `h` was started in the background, and the process that ran it was killed; went on without it";
    assert_eq!(next(&world, "after").field(MESSAGE), notice);
    assert_eq!(next(&world, "once more").stdout.trim(), "");
}

/// A watchdog has its own environment; its parent is the worker.
fn is_watchdog_of(world: &World, process: &Path) -> bool {
    let read = |file: &str| fs::read_to_string(process.join(file)).unwrap_or_default();
    let parent = read("status").lines().find_map(|line| line.strip_prefix("PPid:\t").map(str::to_owned));
    read("cmdline").contains("tenter-watchdog")
        && parent.is_some_and(|parent| processes(world).iter().any(|pid| *pid == parent && is_worker(pid)))
}

#[test]
fn two_hundred_background_runs_leave_nothing() {
    let world = with_hook("echo \"$(($(date +%N) % 7))\"", ", inject_output: always");
    for round in 0..25 {
        let started: Vec<_> =
            (0..8).map(|number| world.claude(&bash(&format!("echo {round} {number}"))).start()).collect();
        for child in started {
            assert!(child.wait_with_output().unwrap().status.success());
        }
    }
    until("all of them have ended", || ended(&world).len() == 200);
    assert_no_process_left(&world);
    next(&world, "after");
    let sessions = world.state().join("tenter/sessions");
    let session = fs::read_dir(sessions).unwrap().next().unwrap().unwrap().path();
    let mut names: Vec<String> = fs::read_dir(&session)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "delivered")
        .collect();
    names.sort();
    assert_eq!(names, ["id", "ledger", "pending"]);
    assert_eq!(fs::read_dir(session.join("pending")).unwrap().count(), 0);
    let verified = world.tenter(&["audit", "verify"]).run();
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// Agents read the reply to its end, and some keep other descriptors open.
#[test]
fn worker_keeps_no_agent_file_open() {
    let world = with_hook("while ! test -e go; do sleep 0.01; done", "");
    let script = format!("exec 3>&1 4>&2 5<&0; {} claude", env!("CARGO_BIN_EXE_tenter-hook"));
    assert_eq!(world.sh_with(&script, &bash("ls")).code, Some(0));
    fs::write(world.project().join("go"), "").unwrap();
    assert_no_process_left(&world);
}

#[test]
fn failed_run_does_not_use_up_once() {
    let world = with_hook("echo run >>runs; test -e works", ", once: session");
    let runs = || fs::read_to_string(world.project().join("runs")).unwrap_or_default().lines().count();
    for (number, works) in [(1, false), (2, true), (2, true)] {
        if works {
            fs::write(world.project().join("works"), "").unwrap();
        }
        world.claude(&bash(&format!("echo {number} {works} {}", runs()))).run();
        until("the hook has ended", || ended(&world).len() == number);
        assert_no_process_left(&world);
        assert_eq!(runs(), number);
    }
}

#[test]
fn cached_reply_is_delivered_immediately() {
    let world = with_hook(
        "echo '{\"inject\": \"Found it.\"}'",
        ", cache: { ttl: 10m, key: [\"{tool.command}\"] }, repeat: always",
    );
    assert_eq!(world.claude(&bash("ls")).run().stdout.trim(), "");
    until("the hook has ended", || ended(&world).len() == 1);
    assert_no_process_left(&world);
    assert_eq!(next(&world, "after").field(CONTEXT), "Found it.");
    let again = bash("ls").replace("toolu_1", "toolu_2");
    assert_eq!(world.claude(&again).run().field(CONTEXT), "Found it.");
    assert_eq!(ended(&world).len(), 1, "nothing was run");
}

#[test]
fn full_program_runs_http_background_hook() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: h, matcher: Bash, http: \"http://127.0.0.1:9/\", background: true }\n",
    );
    assert_eq!(world.claude(&bash("ls")).run().stdout.trim(), "");
    until("the hook has ended", || ended(&world).len() == 1);
    assert_no_process_left(&world);
    let notice = next(&world, "after").field(MESSAGE);
    assert!(notice.starts_with("tenter: warning: hook `h` failed: "), "{notice}");
}

#[test]
fn emit_gets_background_reply_with_next_event() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  deploy:started:\n    - { name: h, command: \"echo '{\\\"message\\\": \\\"Smoke tests passed.\\\"}'\", background: true }\n",
    );
    let emit = |event: &str| world.tenter(&["emit", event]).stdin(r#"{"session_id": "d1"}"#).run().stdout;
    assert!(!emit("deploy:started").contains("Smoke"));
    until("the hook has ended", || ended(&world).len() == 1);
    assert_no_process_left(&world);
    assert!(emit("deploy:ended").contains("Smoke tests passed."));
    assert!(!emit("deploy:ended").contains("Smoke"));
    assert_no_process_left(&world);
}

#[test]
fn hooks_test_runs_in_foreground() {
    let world = with_hook("echo '{\"inject\": \"Found it.\"}'", "");
    let tried = world.tenter(&["hooks", "test", "h"]).run();
    assert_eq!(tried.code, Some(0), "{tried:?}");
    for text in ["injects 9 bytes", "the agent waited for it: nothing runs in the background here"] {
        assert!(tried.stdout.contains(text), "{text}: {tried:?}");
    }
    assert_no_process_left(&world);
}

fn session_end() -> String {
    json!({ "session_id": "s1", "hook_event_name": "SessionEnd", "cwd": "/", "reason": "exit" }).to_string()
}

/// The hook may take 30 s and the agent waits 4 s: tenter waits for hooks that end within that time.
#[test]
fn session_end_hook_waits_for_agent_timeout() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  session:end:\n    - { name: first, command: \"sleep 0.2; touch first\" }\n    - { name: second, command: \"test -e first && touch second; cat >stdin\", after: [first] }\n",
    );
    let ran = world.tenter(&["hook", "claude", "--within", "20s"]).stdin(session_end()).run();
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), ""), "{ran:?}");
    assert!(world.project().join("second").exists(), "in their order, before the answer");
    assert!(fs::read_to_string(world.project().join("stdin")).unwrap().contains("\"first\":"), "previous");
    let lines: Vec<String> = records::read(&world).iter().map(records::line).collect();
    assert_eq!(
        lines,
        [
            "hook:background at session:end  first: abstain",
            "hook:background at session:end  second: abstain",
            "session:end  first: started  second: started → abstain",
        ]
    );
    assert_no_process_left(&world);
}

#[test]
fn session_end_hook_outlives_agent_until_timeout() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  session:end:\n    - { name: saves, command: \"touch runs; while ! test -e go; do sleep 0.01; done; echo '{\\\"message\\\": \\\"Saved.\\\"}'\", timeout: 10m }\n    - { name: hangs, command: \"sleep 600\", timeout: 1s }\n",
    );
    let mut agent = agent(&world, &session_end(), ", '--within', '1s'");
    until("the agent is answered", || world.project().join("answered").exists());
    until("the hook runs", || world.project().join("runs").exists());
    agent.kill();
    assert_eq!(ended(&world).len(), 0);
    fs::write(world.project().join("go"), "").unwrap();
    assert_no_process_left(&world);
    let [saves, hangs] = ended(&world).try_into().unwrap();
    assert_eq!(saves["hooks"][0]["effects"][0]["text"], "Saved.");
    assert_eq!(failure(&hangs), "timed out after 1 s");
    assert_eq!(next(&world, "resumed").stdout.trim(), "", "there was no next event");
}

/// A user hook runs first in the same worker and changes the script of the project's hook.
#[test]
fn background_project_hook_rechecks_trust() {
    for (before, changed) in
        [("exit 0\n", "echo 'touch ran' >scripts/c.sh"), ("", "echo 'touch ran' >scripts/later.sh")]
    {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  session:end:\n    - {{ name: changes, command: {}, timeout: 10m }}\n",
            Value::from(changed)
        ));
        let own = world.project().join(".tenter");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(world.project().join("scripts")).unwrap();
        fs::write(world.project().join("scripts/c.sh"), before).unwrap();
        let line = "test ! -e scripts/later.sh || sh scripts/later.sh; sh scripts/c.sh";
        let hooks = format!(
            "version: 1\nhooks:\n  session:end:\n    - {{ name: runs, command: {}, timeout: 10m }}\n",
            Value::from(line)
        );
        fs::write(own.join("hooks.yaml"), hooks).unwrap();
        assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
        world.tenter(&["hook", "claude", "--within", "20s"]).stdin(session_end()).run();
        assert_no_process_left(&world);
        let [changes, runs] = ended(&world).try_into().unwrap();
        assert_eq!(failure(&changes), "");
        assert!(failure(&runs).contains("was changed since you trusted this project"), "{runs}");
        assert!(!world.project().join("ran").exists(), "{changed}");
    }
}

/// A hook whose timeout fits into the agent's timeout runs as at any other event.
#[test]
fn short_session_end_hooks_run_in_foreground() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  session:end:\n    - { name: quick, command: \"echo '{\\\"message\\\": \\\"Bye.\\\"}'\", timeout: 2s }\n",
    );
    let ran = world.tenter(&["hook", "claude", "--within", "20s"]).stdin(session_end()).run();
    assert_eq!(ran.field(MESSAGE), "quick: Bye.");
    assert_eq!(ended(&world).len(), 0);
}
