//! A home that is a repository, for example of dotfiles. It is not the project of the folders in it, and the
//! environment alone does not define the home.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::world::{World, skipped};

/// Ways to replace `/etc/passwd`: as root, and with a user namespace.
const WAYS: [&[&str]; 2] = [&["--mount"], &["--map-root-user", "--mount"]];

/// A machine whose account says that the world's home is the home.
struct Account {
    world: World,
    way: &'static [&'static str],
}

impl Account {
    /// `None`, with a message, if the platform does not permit it.
    fn with_home(world: World) -> Option<Self> {
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
        // A program may close its stdin unread.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn tenter(&self, folder: &str, words: &[&str]) -> (Option<i32>, String) {
        self.world.end_agents();
        let words = [&[env!("CARGO_BIN_EXE_tenter")], words].concat();
        let ran = self.run(&self.world.home().join(folder), &words, "");
        let output =
            String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        (ran.status.code(), output)
    }

    /// The reply to Codex CLI, which names no project.
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
    let Some(account) = Account::with_home(World::new()) else { return };
    let home = account.world.home();
    for folder in [".git", ".tenter", "notes", "src/app/.git"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    let guard = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"not at home\" }\n";
    fs::write(home.join(".tenter/hooks.yaml"), guard).unwrap();
    assert!(!account.codex("").contains("deny"), "not trusted yet");
    assert_eq!(account.tenter("", &["trust", "--yes"]).0, Some(0));
    fs::remove_dir_all(account.world.state().join("tenter/sessions")).unwrap();
    assert!(account.codex("").contains("not at home"), "the home itself, after trust was granted");
    for folder in ["notes", "src/app"] {
        assert_eq!(account.codex(folder), "", "{folder}");
        let (code, notice) = account.tenter(folder, &["hooks", "list"]);
        assert_eq!((code, notice.contains("project/guard")), (Some(0), false), "{folder}: {notice}");
    }
    let (code, notice) = account.tenter("notes", &["trust", "show"]);
    assert!(code == Some(2) && notice.contains("which is not a project"), "{notice}");
    let (_, notice) = account.tenter("notes", &["hooks", "list"]);
    assert!(
        notice.contains(".tenter do not run here: your home folder is a project only for agents"),
        "{notice}"
    );
    let (_, notice) = account.tenter("notes", &["doctor"]);
    assert!(notice.contains(".tenter run only for agents that are started in "), "{notice}");
    let (_, notice) = account.tenter("src/app", &["doctor"]);
    assert!(
        !notice.contains("does not count as a project"),
        "a repository in the home is a project like any other: {notice}"
    );
}

/// Security case C5: tenter ignores folders that the environment moves into a project. `init`, `hooks list` and
/// `doctor` report it.
#[test]
fn commands_report_environment_inside_project() {
    let world = World::new();
    fs::create_dir_all(world.project().join(".git")).unwrap();
    let inside = world.project().join("config");
    let notice = "the environment moves tenter's own folders into this project";
    for words in [&["init", "claude", "--dry-run", "--allow-build-path"][..], &["hooks", "list"], &["doctor"]]
    {
        let ran = world.tenter(words).env("XDG_CONFIG_HOME", &inside).run();
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(notice), "{words:?}: {ran:?}");
        assert!(!inside.exists(), "{words:?}");
    }
}

/// Half of the files would be in the project and the other half in the account's home.
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
