//! A home that is a repository: people keep their settings in one. It is no project for what lies in it, and what the
//! environment says of a home is not believed alone.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::world::{World, skipped};

/// Ways to a file system in which `/etc/passwd` is another: as root, and with a user namespace.
const WAYS: [&[&str]; 2] = [&["--mount"], &["--map-root-user", "--mount"]];

/// A machine whose account says that the world's home is the home.
struct Account {
    world: World,
    way: &'static [&'static str],
}

impl Account {
    /// None where that cannot be had, which is told.
    fn of(world: World) -> Option<Self> {
        let line = format!("root:x:0:0::{}:/bin/sh\n", world.home().display());
        fs::write(world.state().join("passwd"), line).unwrap();
        let possible = |way: &&'static [&'static str]| {
            let account = Self { world: World::new(), way };
            fs::write(account.world.state().join("passwd"), "").unwrap();
            account.run(&account.world.home(), &["true"], "").status.success()
        };
        let way = WAYS.into_iter().find(possible);
        if way.is_none() {
            skipped("no file system of one's own can be had here, in which an account has another home");
        }
        Some(Self { world, way: way? })
    }

    fn run(&self, folder: &Path, words: &[&str], stdin: &str) -> Output {
        let world = &self.world;
        let line = "mount --bind \"$0\" /etc/passwd && cd \"$1\" && shift && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(self.way).args(["sh", "-c", line]).arg(world.state().join("passwd")).arg(folder);
        command.args(words).env("HOME", world.home()).env("XDG_CONFIG_HOME", world.config());
        command.env("XDG_STATE_HOME", world.state()).env_remove("TENTER_RUN");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else { return Command::new("false").output().unwrap() };
        // One that does not read it is none of ours.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn tenter(&self, folder: &str, words: &[&str]) -> (Option<i32>, String) {
        self.world.end_agents();
        let words = [&[env!("CARGO_BIN_EXE_tenter")], words].concat();
        let ran = self.run(&self.world.home().join(folder), &words, "");
        let told = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        (ran.status.code(), told)
    }

    /// What Codex CLI is answered, which names no project.
    fn codex(&self, folder: &str) -> String {
        let cwd = self.world.home().join(folder);
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": format!("in {folder}"), "turn_id": "t1", "model": "m",
            "tool_use_id": "call_1", "cwd": cwd, "permission_mode": "default", "transcript_path": null,
            "tool_name": "Bash", "tool_input": {"command": format!("ls {folder}")},
        });
        let ran = self.run(&cwd, &[env!("CARGO_BIN_EXE_tenter-hook"), "codex"], &payload.to_string());
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

#[test]
fn home_repository_hooks_run_only_in_home() {
    let Some(account) = Account::of(World::new()) else { return };
    let home = account.world.home();
    for folder in [".git", ".tenter", "notes", "src/app/.git"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    let guard = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"not at home\" }\n";
    fs::write(home.join(".tenter/hooks.yaml"), guard).unwrap();
    assert!(!account.codex("").contains("deny"), "nobody has trusted it yet");
    assert_eq!(account.tenter("", &["trust", "--yes"]).0, Some(0));
    fs::remove_dir_all(account.world.state().join("tenter/sessions")).unwrap();
    assert!(account.codex("").contains("not at home"), "the home itself, after somebody has said so");
    for folder in ["notes", "src/app"] {
        assert_eq!(account.codex(folder), "", "{folder}");
        let (code, told) = account.tenter(folder, &["hooks", "list"]);
        assert_eq!((code, told.contains("project/guard")), (Some(0), false), "{folder}: {told}");
    }
    let (code, told) = account.tenter("notes", &["trust", "show"]);
    assert!(code == Some(2) && told.contains("which is not a project"), "{told}");
    let (_, told) = account.tenter("notes", &["hooks", "list"]);
    assert!(told.contains(".tenter do not run here: your home is a project only for agents"), "{told}");
    let (_, told) = account.tenter("notes", &["doctor"]);
    assert!(told.contains(".tenter run only for agents that are started right there"), "{told}");
    let (_, told) = account.tenter("src/app", &["doctor"]);
    assert!(!told.contains("right there"), "a repository in the home is a project like any other: {told}");
}

/// Security case C5, told by those who look: what the environment moves into a project is not used, and `init` writes
/// elsewhere than it seems.
#[test]
fn commands_report_environment_inside_project() {
    let world = World::new();
    fs::create_dir_all(world.project().join(".git")).unwrap();
    let inside = world.project().join("config");
    let told = "the environment moves tenter's own folders into this project";
    for words in [&["init", "claude", "--dry-run", "--allow-build-path"][..], &["hooks", "list"], &["doctor"]]
    {
        let ran = world.tenter(words).env("XDG_CONFIG_HOME", &inside).run();
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(told), "{words:?}: {ran:?}");
        assert!(!inside.exists(), "{words:?}");
    }
}

/// Half of it would lie in the project, and the other half in the account's own home.
#[test]
fn init_inside_project_home_needs_named_folders() {
    let world = World::new();
    let home = world.project().join("home");
    fs::create_dir_all(world.project().join(".git")).unwrap();
    fs::create_dir_all(home.join(".claude")).unwrap();
    let init = |more: &[&str]| {
        let words = [&["init", "--allow-build-path"][..], more].concat();
        world.tenter(&words).env("HOME", &home).without("XDG_CONFIG_HOME").without("XDG_STATE_HOME")
    };
    for more in [&[][..], &["claude"], &["claude", "--scope", "project"], &["claude", "--dry-run"]] {
        let ran = init(more).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{more:?}: {ran:?}");
        let below = format!("agents' settings would be written below {},", home.display());
        assert!(ran.stderr.contains(&below) && ran.stderr.contains("nothing was written"), "{ran:?}");
        assert!(ran.stderr.contains("`export XDG_CONFIG_HOME=/"), "{ran:?}");
        assert_eq!(fs::read_dir(home.join(".claude")).unwrap().count(), 0, "{more:?}");
        assert_eq!(fs::read_dir(world.project()).unwrap().count(), 2, "{more:?}");
    }
    let named =
        init(&["claude"]).env("XDG_CONFIG_HOME", world.config()).env("XDG_STATE_HOME", world.state()).run();
    assert_eq!(named.code, Some(0), "{named:?}");
    assert!(home.join(".claude/settings.json").exists() && world.config().join("tenter/hooks.yaml").exists());
}
