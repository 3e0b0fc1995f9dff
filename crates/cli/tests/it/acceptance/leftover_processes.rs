//! Nothing outlives its event: no process after a kill, a timeout or an upgrade, and no memory that grows.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_host::{Places, assemble};

use crate::world::{REASON, World, bash};

/// More than a busy machine takes to end a process, and far less than the hooks here would.
const PATIENCE: Duration = Duration::from_secs(20);

fn until(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A hook that hangs with children inside and outside of its process group, and writes its run to a file.
const HANGS: &str =
    "(setsid sleep 300 &); sleep 300 & echo $TENTER_RUN >mark.new; mv mark.new mark; sleep 300; :";

fn with_hanging_hook(timeout: &str) -> World {
    World::with_hooks(&format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: hangs, command: {}, timeout: {timeout}, on_failure: deny }}\n",
        Value::from(HANGS)
    ))
}

/// The processes of the run in `mark`, found by their environment or, for the watchdog, by their
/// arguments.
fn marked_processes(world: &World) -> Vec<String> {
    let marks = fs::read_to_string(world.project().join("mark")).unwrap();
    let mark = marks.trim().rsplit(':').next().unwrap();
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    processes
        .filter_map(|name| name.into_string().ok().filter(|name| name.parse::<u32>().is_ok()))
        .filter(|pid| {
            read_process_file(pid, "environ").contains(mark)
                || read_process_file(pid, "cmdline").contains(mark)
        })
        .collect()
}

fn read_process_file(pid: &str, file: &str) -> String {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Security case P12: killed without a chance to clean up.
#[test]
fn killed_tenter_ends_its_hook() {
    let world = with_hanging_hook("5m");
    let mut tenter = world.claude(&bash("ls")).start();
    until("the hook runs", || world.project().join("mark").exists());
    until("all of it runs", || marked_processes(&world).len() >= 4);
    let watched = || {
        marked_processes(&world)
            .iter()
            .any(|pid| read_process_file(pid, "cmdline").contains("tenter-watchdog"))
    };
    until("it is watched", watched);
    tenter.kill().unwrap();
    tenter.wait().unwrap();
    until("nothing is left", || marked_processes(&world).is_empty());
}

/// Security case P12: the hook's own timeout ends it.
#[test]
fn timed_out_hook_leaves_no_process() {
    let world = with_hanging_hook("1s");
    let ran = world.claude(&bash("ls")).run();
    assert!(ran.field(REASON).contains("timed out after 1 s"), "{ran:?}");
    assert_eq!(
        marked_processes(&world),
        Vec::<String>::new(),
        "the answer comes after the end of all of them"
    );
}

/// Security case P12: the program is replaced while a hook of the old one runs. Both answer; nothing is left.
#[test]
fn upgrade_during_session_loses_no_reply() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, command: \"echo $TENTER_RUN >mark.new; mv mark.new mark; while ! test -e go; do sleep 0.01; done; echo no >&2; exit 2\" }\n",
    );
    let program = world.home().join("tenter");
    let next = world.home().join("tenter.new");
    for copy in [&program, &next] {
        fs::copy(env!("CARGO_BIN_EXE_tenter"), copy).unwrap();
    }
    let old = world.program(&program, &["hook", "claude"]).stdin(bash("ls")).start();
    until("the hook runs", || world.project().join("mark").exists());
    fs::rename(&next, &program).unwrap();
    fs::write(world.project().join("go"), "").unwrap();
    let new = world.program(&program, &["hook", "claude"]).stdin(bash("ls")).run();
    assert_eq!(new.field(REASON), "Operation denied by guard: no");
    let old = old.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&old.stdout), new.stdout);
    assert_eq!(marked_processes(&world), Vec::<String>::new());
    let verified = world.tenter(&["audit", "verify"]).run();
    assert!(verified.code == Some(0) && verified.stdout.contains('2'), "{verified:?}");
}

const EVENTS: usize = 10_000;
/// What the allocator may keep without being asked to grow; a leak of one record per event would be ten times
/// as much.
const SLACK_KB: u64 = 4 * 1024;

/// Kilobytes, by the name they have in `/proc/<pid>/status`.
fn kilobytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Security case P12: ten thousand events in one process and one session, as an embedder would have them. It
/// is measured in a process of its own, because the tests of this one share their memory.
#[test]
fn memory_is_bounded_over_ten_thousand_events() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, deny: \"No {tool.command}.\" }\n    - { name: note, matcher: Bash, inject: \"Mind the tests.\" }\n",
    );
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "acceptance::leftover_processes::ten_thousand_events", "--ignored", "--nocapture"])
        .env("TENTER_TEST_FOLDER", world.config().parent().unwrap())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    // A process of the usual kind, with all that in its trail, needs what the first one needed.
    let peak = |world: &World| {
        world.write_hooks(
            "yaml",
            "version: 1\nhooks:\n  tool:pre:\n    - { name: peak, command: \"cat /proc/$PPID/status >status\" }\n",
        );
        // The first one compiles the hook file.
        for _ in 0..2 {
            assert_eq!(world.claude(&bash("ls")).run().code, Some(0));
        }
        kilobytes(&fs::read_to_string(world.project().join("status")).unwrap(), "VmHWM")
    };
    let (fresh, used) = (peak(&World::new()), peak(&world));
    assert!(used <= fresh + SLACK_KB, "{used} kB after {EVENTS} events, {fresh} kB before");
}

/// Not a test: the process that the test above starts.
#[test]
#[ignore = "measures its own process"]
fn ten_thousand_events() {
    let folder = std::env::var("TENTER_TEST_FOLDER").unwrap();
    let folder = Path::new(&folder);
    let places = Places {
        config: None,
        config_folder: Some(folder.join("config/tenter")),
        state_folder: Some(folder.join("state/tenter")),
        ..Places::default()
    };
    let host = assemble(&places, None);
    let claude = tenter_adapters::by_name("claude").unwrap();
    let resident = || kilobytes(&fs::read_to_string("/proc/self/status").unwrap(), "VmRSS");
    let mut early = 0;
    for number in 1..=EVENTS {
        let payload = bash(&format!("git push origin branch-{number}"));
        let answer = host.answer(claude, None, payload.as_bytes(), None).unwrap();
        assert!(answer.stdout.ends_with(b"}\n"), "{answer:?}");
        if number == EVENTS / 10 {
            early = resident();
        }
    }
    let late = resident();
    assert!(late <= early + SLACK_KB, "{early} kB after {}, {late} kB after {EVENTS}", EVENTS / 10);
}
