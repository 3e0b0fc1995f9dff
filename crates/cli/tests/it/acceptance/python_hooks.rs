//! Hooks that are Python functions, through the program that agents call.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::world::{MESSAGE, REASON, World, bash};

/// The example that the guide names.
fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python")
}

fn world_with(hooks: &str, module: &str) -> World {
    let world = World::with_hooks(hooks);
    fs::write(world.config().join("tenter/guards.py"), module).unwrap();
    world
}

fn sockets(world: &World) -> usize {
    fs::read_dir(world.state().join("tenter/workers")).map_or(0, Iterator::count)
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn python_example_answers_repeatedly_and_ends() {
    let file = |name: &str| fs::read_to_string(example().join(name)).unwrap();
    let world = world_with(&file("hooks.yaml").replace("keep: 5m", "keep: 1s"), &file("guards.py"));
    for _ in 0..5 {
        let denied = world.claude(&bash("git push --force")).run();
        assert_eq!(
            denied.field(REASON),
            "Operation denied by no-force-push: Use `git push --force-with-lease`."
        );
        assert_eq!(world.claude(&bash("git push --force-with-lease")).run().stdout.trim(), "");
    }
    let prompt =
        json!({ "session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Write a test" });
    let ran = world.claude(&prompt.to_string()).run();
    let context = ran.field("/hookSpecificOutput/additionalContext");
    assert_eq!(context, "A test's name is a sentence about data.");
    assert_eq!(sockets(&world), 1, "both hooks share a process");
    eventually("nothing is left", || sockets(&world) == 0);
}

#[test]
fn python_example_passes_its_own_test() {
    let world = World::new();
    let file = example().join("hooks.yaml");
    for (hook, expected) in [("no-force-push", "force-with-lease"), ("house-rules", "a sentence about data")]
    {
        let ran = world.tenter(&["hooks", "test", hook, "--config", &file.to_string_lossy()]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains(expected), "{ran:?}");
    }
}

#[test]
fn unimportable_guard_denies_and_exception_is_notified() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, python: guards.check }\n";
    let world = world_with(hooks, "import no_such_module");
    let denied = world.claude(&bash("ls")).run();
    assert!(denied.field(REASON).contains("No module named 'no_such_module'"), "{denied:?}");
    fs::write(world.config().join("tenter/guards.py"), "def check(event): raise KeyError('x')").unwrap();
    let passed = world.claude(&bash("ls -l")).run();
    assert_eq!(passed.field(REASON), "");
    assert!(passed.field(MESSAGE).contains("failed with exit code 1 (KeyError: 'x')"), "{passed:?}");
}

/// An unchanged MassGen file, with its functions, classes and return values.
#[test]
fn massgen_python_guards_deny() {
    let file = |closed: bool| {
        format!(
            "hooks:\n  PreToolUse:\n    - matcher: \"*\"\n      handler: guards.check\n      type: python\n      fail_closed: {closed}\nagents:\n  - id: a\n    backend: {{ type: claude }}\n"
        )
    };
    let class = "class Check:\n    async def execute(self, function_name, arguments, context=None, **rest):\n        return {'allowed': False, 'reason': 'no'}\n";
    for (module, closed) in [
        ("def check(event): return {'allowed': False, 'reason': 'no'}".to_owned(), false),
        ("async def check(event): return {'decision': 'deny'}".to_owned(), false),
        (format!("{class}check = Check"), false),
        (format!("{class}check = Check()"), false),
        ("def check(event): raise KeyError('x')".to_owned(), true),
        ("def check(event): return False".to_owned(), true),
    ] {
        let ran = world_with(&file(closed), &module).claude(&bash("ls")).run();
        assert!(ran.stdout.contains("\"deny\""), "{module}: {ran:?}");
    }
}

#[test]
fn killed_tenter_ends_python_hook_and_children() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - { name: slow, python: guards.check }\n";
    let module = "import os, subprocess, time\ndef check(event):\n    child = subprocess.Popen(['setsid', 'sleep', '600'])\n    with open('pids.new', 'w') as file: file.write(f'{os.getpid()} {child.pid}')\n    os.rename('pids.new', 'pids')\n    time.sleep(600)\n";
    let world = world_with(hooks, module);
    let pids = world.project().join("pids");
    let line = format!(
        "{} claude & hook=$!; while ! test -e pids; do sleep 0.05; done; kill -s KILL $hook",
        env!("CARGO_BIN_EXE_tenter-hook")
    );
    // Without its hook file compiled, `tenter-hook` becomes `tenter` first, which is the same process.
    world.sh_with(&format!("exec 3<&0; {}", line.replace("claude &", "claude <&3 &")), &bash("ls"));
    let pids = fs::read_to_string(pids).unwrap();
    let runs = |pid: &str| {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    eventually("all of it has ended", || !pids.split(' ').any(runs));
}
