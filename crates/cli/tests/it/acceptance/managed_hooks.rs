//! The machine's own hooks in `/etc/tenter`: users cannot disable them, and every failure of them denies.
//!
//! tenter reads the real path, so each call has its own `/etc` in a mount namespace. Everything there is a link to
//! the real one, and `tenter` is a folder of the test. The test is skipped if namespaces are not permitted.

use std::fs;
use std::path::Path;

use crate::records;
use crate::world::{Call, MESSAGE, REASON, World, bash, skipped};

/// Mounts the folder `etc` next to the home as `/etc`, with links to the original entries, and runs the rest.
const ENTER: &str = r#"
set -eu
mkdir -p "$HOME/../etc-as-it-was"
own=$(realpath "$HOME/../etc"); real=$(realpath "$HOME/../etc-as-it-was")
mount --bind /etc "$real"
for entry in "$real"/*; do
    name=${entry##*/}
    [ "$name" = tenter ] || [ -L "$own/$name" ] || ln -s "$entry" "$own/$name"
done
mount --bind "$own" /etc
exec "$@"
"#;

/// A machine whose owner has this hook file.
fn managed(hooks: &str) -> Option<World> {
    let world = World::new();
    let folder = world.home().join("../etc/tenter");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.yaml"), hooks).unwrap();
    let entered = call(&world, "true", &[]).run();
    if entered.code == Some(0) {
        return Some(world);
    }
    skipped(&format!(
        "hooks in /etc/tenter: no mount namespace may be made here ({})",
        entered.stderr.trim()
    ));
    None
}

fn call(world: &World, program: &str, arguments: &[&str]) -> Call {
    let before = ["-rm", "sh", "-c", ENTER, "sh", program];
    world.program(Path::new("unshare"), &[&before, arguments].concat())
}

fn tenter(world: &World, arguments: &[&str]) -> Call {
    call(world, env!("CARGO_BIN_EXE_tenter"), arguments)
}

fn hook(world: &World, payload: &str) -> Call {
    call(world, env!("CARGO_BIN_EXE_tenter-hook"), &["claude"]).stdin(payload)
}

const GUARD: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash(sudo), deny: \"Ask the owner.\" }\n";
const DENIED: &str = "Operation denied by guard: Ask the owner.";

/// Security case C3: by its name, by `enabled`, by an override, in a profile, by the command or by `--config`.
#[test]
fn managed_hook_cannot_be_disabled_or_overridden() {
    let Some(world) = managed(GUARD) else { return };
    let off = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, enabled: false, deny: x }\nagents:\n  claude:\n    hooks:\n      tool:pre: { override: true, hooks: [] }\n";
    world.write_hooks("yaml", off);
    let profiles = world.config().join("tenter/profiles");
    fs::create_dir_all(&profiles).unwrap();
    fs::write(profiles.join("lax.yaml"), off).unwrap();
    fs::create_dir_all(world.project().join(".tenter")).unwrap();
    fs::write(world.project().join(".tenter/hooks.yaml"), off).unwrap();
    assert_eq!(tenter(&world, &["trust", "--yes"]).run().code, Some(0));
    assert_eq!(tenter(&world, &["profile", "use", "lax"]).run().code, Some(0));
    for scope in
        [&["hooks", "disable", "managed/guard"][..], &["hooks", "disable", "managed/guard", "--project"]]
    {
        let refused = tenter(&world, scope).run();
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("ask the owner of this machine"), "{refused:?}");
    }
    assert_eq!(hook(&world, &bash("sudo reboot")).run().field(REASON), DENIED);
    let empty = world.project().join("empty.yaml");
    fs::write(&empty, "version: 1\n").unwrap();
    let elsewhere = tenter(&world, &["hook", "claude", "--config", empty.to_str().unwrap()]);
    assert_eq!(elsewhere.stdin(bash("sudo halt")).run().field(REASON), DENIED);
    assert_eq!(hook(&world, &bash("ls")).run().stdout, "");
    let listed = tenter(&world, &["hooks", "list"]).run();
    assert!(listed.stdout.contains("managed/guard"), "{listed:?}");
}

/// A user's allow does not override a managed deny.
#[test]
fn user_allow_keeps_managed_deny() {
    let Some(world) = managed(GUARD) else { return };
    world.write_hooks(
        "yaml",
        "version: 1\nhooks:\n  tool:pre:\n    - { name: yes, command: \"echo '{\\\"allow\\\": true}'\", may_allow: true, priority: -1000 }\n",
    );
    assert_eq!(hook(&world, &bash("sudo reboot")).run().field(REASON), DENIED);
}

/// Security case P3: every failure class denies without a setting in the file.
#[test]
fn managed_hook_failure_denies() {
    for (command, class) in [
        ("/nowhere/guard", "missing"),
        ("exit 1", "error"),
        ("kill -9 $$", "error"),
        ("echo '{\\\"deny\\\"'", "error"),
        ("sleep 60", "timeout"),
    ] {
        let hooks = format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, command: \"{command}\", timeout: 1s }}\n"
        );
        let Some(world) = managed(&hooks) else { return };
        let ran = hook(&world, &bash("ls")).run();
        assert!(ran.field(REASON).starts_with("Operation denied by guard: the hook "), "{command}: {ran:?}");
        let failed =
            records::read(&world).into_iter().find(|record| record["event"] == "hook:failed").unwrap();
        assert_eq!(
            (&failed["failure"]["class"], &failed["failure"]["policy"]),
            (&class.into(), &"deny".into())
        );
    }
}

/// An unreadable managed file, or one invalid hook in it, denies until it is repaired.
#[test]
fn invalid_managed_file_denies() {
    for hooks in [
        "version: 1\nhooks: [\n",
        "version: 2\nhooks: {}\n",
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, mathcer: Bash, deny: x }\n",
        "",
    ] {
        let Some(world) = managed(hooks) else { return };
        let ran = hook(&world, &bash("ls")).run();
        assert!(ran.field(REASON).starts_with("Operation denied by "), "{hooks:?}: {ran:?}");
        let message = ran.field(MESSAGE) + &ran.field(REASON);
        assert!(message.contains("/etc/tenter/hooks.yaml"), "{hooks:?}: {message}");
        world.end_agents();
        fs::write(world.home().join("../etc/tenter/hooks.yaml"), GUARD).unwrap();
        assert_eq!(hook(&world, &bash("ls -l")).run().stdout, "", "{hooks:?}, mended");
    }
}
