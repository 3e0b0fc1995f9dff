//! A hostile download: nothing of it runs, and no user guard is disabled.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::world::{Call, REASON, World, bash};

const MINE: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: mine, matcher: Bash, command: \"check\", on_failure: deny }\n    - { name: fixed, matcher: \"Bash(rm)\", deny: \"keep it\" }\n";
const EVIL: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: evil, command: \"touch {project_root}/ran\" }\n";
const TRUSTED: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: ours, matcher: \"Bash(rm)\", deny: \"not here\" }\n";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn rm(cwd: &Path) -> String {
    json!({
        "session_id": format!("in {}", cwd.display()), "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Bash",
        "tool_input": {"command": "rm -r x"}, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// A call from a folder, by an agent that names no project.
fn call(world: &World, cwd: &Path) -> Call {
    let mut call = world.claude(&rm(cwd)).without("CLAUDE_PROJECT_DIR");
    call = call.folder(cwd);
    call
}

/// The user's guard in a home of its own, outside of every download.
fn guarded() -> World {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: fixed, matcher: \"Bash(rm)\", deny: \"keep it\" }\n",
    );
    // The first call records the path of the hook file.
    let before = rm(&world.project()).replace("toolu_1", "toolu_0");
    assert!(call(&world, &world.project()).stdin(before).run().field(REASON).contains("keep it"));
    world
}

/// Ways in which a folder claims to be another repository.
type Claim<'a> = &'a dyn Fn(&Path);

#[test]
fn downloaded_variables_disarm_no_guard() {
    let places: [(&str, &str); 4] = [
        ("a repository", "repo/sub/.git"),
        ("a folder of a repository", "repo/.git"),
        ("an archive", "repo/sub/x"),
        ("hooks", "repo/sub/.tenter/hooks.d/x"),
    ];
    for (what, marker) in places {
        for variables in [
            &["HOME"][..],
            &["XDG_CONFIG_HOME"],
            &["HOME", "XDG_CONFIG_HOME"],
            &["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"],
            &["XDG_STATE_HOME"],
        ] {
            let world = guarded();
            let download = world.project().join("repo");
            let sub = download.join("sub");
            fs::create_dir_all(world.project().join(marker)).unwrap();
            fs::create_dir_all(&sub).unwrap();
            write(&download.join("h/.config/tenter/hooks.yaml"), EVIL);
            write(&download.join("h/tenter/hooks.yaml"), EVIL);
            write(&download.join(".env"), "HOME=h\nXDG_CONFIG_HOME=h\n");
            let mut call = call(&world, &sub);
            for variable in variables {
                call = call.env(variable, download.join("h"));
            }
            let Some(call) = call.with_account(&world.home()) else { return };
            let ran = call.run();
            assert!(!sub.join("ran").exists() && !download.join("ran").exists(), "{what} {variables:?}");
            assert!(ran.stdout.contains("\"deny\""), "{what} {variables:?}: {ran:?}");
        }
    }
}

#[test]
fn empty_environment_folders_disarm_no_guard() {
    for place in ["empty", "missing"] {
        let world = guarded();
        let folder = world.home().join(place);
        if place == "empty" {
            fs::create_dir(&folder).unwrap();
        }
        let ran = call(&world, &world.project()).env("XDG_CONFIG_HOME", &folder).run();
        assert!(ran.field(REASON).contains("keep it"), "{place}: {ran:?}");
        assert!(ran.stdout.contains("does not lead to tenter's own folders"), "{place}: {ran:?}");
        assert!(!world.home().join("missing").exists());
    }
    let world = guarded();
    let lost = call(&world, &world.project()).env("HOME", world.home().join("missing"));
    let lost = lost.without("XDG_CONFIG_HOME").without("XDG_STATE_HOME");
    let Some(lost) = lost.with_account(&world.home()) else { return };
    let ran = lost.run();
    assert!(ran.stdout.contains("\"deny\""), "{ran:?}");
    assert!(ran.stdout.contains("does not exist"), "{ran:?}");
}

#[test]
fn project_programs_do_not_affect_user_guards() {
    let world = World::with_hooks(MINE);
    let bin = world.home().join("bin");
    program(&bin.join("check"), "#!/bin/sh\necho '{\"deny\": \"checked\"}'\n");
    let root = world.project();
    program(&root.join("bin/check"), &format!("#!/bin/sh\ntouch {}/ran\n", root.display()));
    write(&root.join("evil.sh"), &format!("touch {}/ran\n", root.display()));
    let path = format!("{0}/bin:bin::.:{1}:/usr/bin:/bin", root.display(), bin.display());
    let calls = world.claude(&bash("ls")).env("PATH", path).env("BASH_ENV", root.join("evil.sh"));
    let ran = calls.env("ENV", root.join("evil.sh")).env("LD_PRELOAD", root.join("evil.so")).run();
    assert!(ran.field(REASON).contains("checked"), "{ran:?}");
    assert!(!root.join("ran").exists());
}

/// A trusted repository, and a folder that claims to be part of it.
#[test]
fn crafted_git_folders_get_no_trust() {
    let world = World::new();
    let root = world.project();
    write(&root.join(".tenter/hooks.yaml"), EVIL);
    assert_eq!(
        world.sh("git init -q . && git -c user.name=t -c user.email=t@e commit -q --allow-empty -m x").code,
        Some(0)
    );
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    let common = root.join(".git");
    let claims: [(&str, Claim<'_>); 3] = [
        ("a link", &|liar| symlink(&common, liar.join(".git")).unwrap()),
        ("a common folder", &|liar| worktree(liar, common.to_str().unwrap())),
        ("a relative common folder", &|liar| worktree(liar, "../../project/.git")),
    ];
    for (what, claim) in claims {
        let liar = root.with_file_name("liar");
        write(&liar.join(".tenter/hooks.yaml"), EVIL);
        claim(&liar);
        call(&world, &liar).run();
        assert!(!liar.join("ran").exists(), "{what}");
        fs::remove_dir_all(&liar).unwrap();
    }
}

fn worktree(liar: &Path, common: &str) {
    write(&liar.join(".git"), "gitdir: meta\n");
    write(&liar.join("meta/gitdir"), "../.git\n");
    write(&liar.join("meta/commondir"), common);
}

fn trusted() -> World {
    let world = World::new();
    write(&world.project().join(".tenter/hooks.yaml"), TRUSTED);
    assert_eq!(world.sh("git init -q . && mkdir -p sub/deep").code, Some(0));
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    world
}

#[test]
fn project_guards_survive_repository_changes() {
    let trust = |world: &World| world.state().join("tenter/trust");
    let steps: [(&str, &str); 10] = [
        ("nothing", "true"),
        ("a renamed .git", "mv .git .git-old"),
        ("a removed .git", "rm -rf .git"),
        ("another .git", "rm -rf .git; git init -q ."),
        ("hooks below", "mkdir sub/.tenter"),
        ("a repository below", "git init -q sub"),
        ("a repository below and no .git", "git init -q sub; mv .git x"),
        ("removed hooks", "rm -rf .tenter"),
        ("removed hooks and .git", "rm -rf .tenter .git"),
        ("a worktree pointer", "rm -rf .git; echo 'gitdir: /nowhere' > .git"),
    ];
    for (what, step) in steps {
        for folder in ["sub", "sub/deep", ""] {
            let world = trusted();
            assert_eq!(world.sh(step).code, Some(0), "{what}");
            let ran = call(&world, &world.project().join(folder)).run();
            assert!(ran.stdout.contains("\"deny\""), "{what} in `{folder}`: {ran:?}");
        }
    }
    for (what, damage) in [
        ("a damaged entry", "for f in \"$0\"/*/*.json; do echo x > \"$f\"; done"),
        ("removed entries", "rm -r \"$0\"/????????????????????????????????"),
        ("a damaged list", "echo x > \"$0/roots\""),
        ("a removed list", "rm \"$0/roots\""),
    ] {
        let world = trusted();
        let script = damage.replace("$0", trust(&world).to_str().unwrap());
        assert_eq!(world.sh(&script).code, Some(0), "{what}");
        let ran = call(&world, &world.project().join("sub")).run();
        assert!(ran.stdout.contains("\"deny\""), "{what}: {ran:?}");
    }
    let world = trusted();
    assert_eq!(world.sh("rm -rf .git .tenter").code, Some(0));
    assert_eq!(world.tenter(&["trust", "revoke"]).run().code, Some(0), "the way out");
    assert_eq!(call(&world, &world.project()).run().stdout, "");
}

#[test]
fn damaged_session_roots_keep_project_guards() {
    for damage in ["", "/nowhere", "rel", "\0"] {
        let world = trusted();
        let sub = world.project().join("sub");
        assert!(call(&world, &sub).run().field(REASON).contains("not here"));
        let sessions: Vec<PathBuf> = fs::read_dir(world.state().join("tenter/sessions"))
            .unwrap()
            .map(|session| session.unwrap().path().join("root"))
            .filter(|root| root.exists())
            .collect();
        assert_eq!(sessions.len(), 1);
        fs::write(&sessions[0], damage).unwrap();
        let ran = call(&world, &sub).run();
        assert!(ran.stdout.contains("\"deny\""), "{damage:?}: {ran:?}");
    }
}

#[test]
fn process_limits_keep_deny() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: fixed, matcher: Bash, deny: \"keep it\" }\n",
    );
    let hook = env!("CARGO_BIN_EXE_tenter-hook");
    world.claude(&bash("ls")).run();
    for limit in
        ["ulimit -f 0", "ulimit -n 16", "ulimit -s 512", "exec 2>&-", "trap '' PIPE", "ulimit -u 5000"]
    {
        let ran = world.sh_with(&format!("{limit}; exec {hook} claude"), &bash("ls"));
        assert!(ran.code.is_some(), "{limit}: {ran:?}");
        assert!(ran.stdout.contains("\"deny\"") || ran.code == Some(2), "{limit}: {ran:?}");
    }
}

#[test]
fn special_files_as_settings_are_ignored() {
    for (what, make) in [
        ("a device", "ln -s /dev/zero .claude/settings.json"),
        ("a pipe", "mkfifo .claude/settings.json"),
        ("a link out", "ln -s \"$HOME/.bashrc\" .claude/settings.json"),
        ("a folder that leads out", "rmdir .claude; ln -s \"$HOME\" .claude"),
    ] {
        let world = World::new();
        let bashrc = world.home().join(".bashrc");
        fs::write(&bashrc, "mine\n").unwrap();
        assert_eq!(world.sh(&format!("git init -q . && mkdir .claude && {make}")).code, Some(0), "{what}");
        let words = ["init", "claude", "--scope", "project", "--allow-build-path", "--yes"];
        let ran = world.tenter(&words).run();
        assert_ne!(ran.code, Some(0), "{what}: {ran:?}");
        assert_eq!(fs::read_to_string(&bashrc).unwrap(), "mine\n", "{what}");
        assert!(!world.home().join("settings.json").exists(), "{what}");
        assert!(world.tenter(&["doctor"]).run().code.is_some(), "{what}");
    }
}

/// `hooks new` writes only inside the project.
#[test]
fn linked_clone_hook_files_are_not_written() {
    for (what, make) in [
        ("a folder that leads out", "ln -s \"$HOME\" .tenter"),
        ("a file that leads out", "mkdir .tenter; ln -s \"$HOME/.bashrc\" .tenter/hooks.yaml"),
        ("a file that is not there", "mkdir .tenter; ln -s \"$HOME/new\" .tenter/hooks.yaml"),
        ("the same for one person", "mkdir .tenter; ln -s \"$HOME/new\" .tenter/hooks.local.yaml"),
        ("a script that leads out", "mkdir .tenter; ln -s \"$HOME/new\" .tenter/mine.sh"),
        ("a pipe", "mkdir .tenter; mkfifo .tenter/hooks.yaml; mkfifo .tenter/hooks.local.yaml"),
        (
            "a device",
            "mkdir .tenter; ln -s /dev/zero .tenter/hooks.yaml; ln -s /dev/zero .tenter/hooks.local.yaml",
        ),
    ] {
        for layer in ["project", "local"] {
            let world = World::new();
            fs::write(world.home().join(".bashrc"), "mine\n").unwrap();
            assert_eq!(world.sh(&format!("git init -q . && {make}")).code, Some(0), "{what}");
            let words = ["hooks", "new", "mine", "--layer", layer, "--event", "tool:pre", "--kind", "script"];
            let ran = world.tenter(&words).run();
            let refused = ran.code.is_some_and(|code| code != 0);
            assert!(refused || !["folder", "pipe"].iter().any(|it| what.contains(it)), "{what}: {ran:?}");
            let names: Vec<_> =
                fs::read_dir(world.home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, [".bashrc"], "{what}, {layer}");
            assert_eq!(fs::read_to_string(world.home().join(".bashrc")).unwrap(), "mine\n", "{what}");
        }
    }
}

/// Commands that read a file refuse pipes and devices at once.
#[test]
fn pipes_and_devices_are_not_read() {
    let world = World::new();
    assert_eq!(world.sh("git init -q . && mkfifo pipe.json && ln -s /dev/zero zero.json").code, Some(0));
    for file in ["pipe.json", "zero.json"] {
        for words in [
            &["import", file][..],
            &["import", file, "--from", "claude"],
            &["memory", "import", file],
            &["audit", "verify", "--anchor", file],
            &["hooks", "list", "--config", file],
            &["hooks", "check", file],
        ] {
            let ran = world.tenter(words).run();
            assert!(ran.code.is_some_and(|code| code != 0), "{words:?}: {ran:?}");
        }
    }
    for make in ["mkfifo .git/config", "ln -s /dev/zero .git/config", "rm -rf .git; mkfifo .git"] {
        assert_eq!(world.sh(&format!("rm -rf .git; git init -q .; rm .git/config; {make}")).code, Some(0));
        assert_eq!(world.tenter(&["memory", "list"]).run().code, Some(0), "{make}");
        assert!(world.tenter(&["doctor"]).run().code.is_some(), "{make}");
    }
}

/// The compared copy of the script runs, not the file in the project.
#[test]
fn trusted_copy_of_script_runs() {
    let world = World::new();
    let root = world.project();
    write(
        &root.join(".tenter/hooks.yaml"),
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, script: guard.sh, on_failure: deny }\n",
    );
    program(
        &root.join(".tenter/guard.sh"),
        "#!/bin/sh\n. \"$(dirname \"$0\")/words\"\necho \"{\\\"deny\\\": \\\"$word $PWD $0\\\"}\"\n",
    );
    write(&root.join(".tenter/words"), "word=neighbour\n");
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    let ran = world.claude(&bash("ls")).run();
    let reason = format!("neighbour {}", fs::canonicalize(&root).unwrap().display());
    assert!(ran.field(REASON).contains(&reason), "{ran:?}");
    assert!(ran.stdout.contains("cache/trusted/"), "{ran:?}");
}

/// The copy runs for every spelling of the command.
#[test]
fn every_script_command_runs_the_copy() {
    for line in [
        "timeout 5 ./guard.sh",
        "nohup ./guard.sh",
        "bash -c 'sh guard.sh'",
        "sh < guard.sh",
        "cd scripts && ./guard.sh",
        "if true; then ./guard.sh; fi",
        "$CLAUDE_PROJECT_DIR/guard.sh",
        "\\\"$CLAUDE_PROJECT_DIR\\\"/scripts/guard.sh",
        "sh 'scripts/a guard.sh'",
    ] {
        let world = World::new();
        let root = world.project();
        write(
            &root.join(".tenter/hooks.yaml"),
            &format!("version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, command: \"{line}\" }}\n"),
        );
        for file in ["guard.sh", "scripts/guard.sh", "scripts/a guard.sh"] {
            // A shell that reads the script has it open as another file.
            let text = "#!/bin/sh\nfor f in \"$0\" /proc/$$/fd/*; do readlink -f \"$f\"; done | grep -m1 cache/trusted/ >&2 && exit 2\nexit 0\n";
            program(&root.join(file), text);
        }
        assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0), "{line}");
        let ran = world.claude(&bash("ls")).run();
        assert!(ran.stdout.contains("cache/trusted/"), "{line}: {ran:?}");
    }
}
