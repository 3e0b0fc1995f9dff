//! `tenter doctor` on the state folder and the trail.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::doctor::{bin, called_by_claude, doctor, set_mode};
use crate::world::{World, bash};

#[test]
fn readable_key_is_reported_once() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    called_by_claude(&world);
    world.claude(&bash("ls")).run();
    set_mode(&world.state().join("tenter/audit/key"), 0o644);
    let output = doctor(&world);
    assert!(output.contains("other users can access {state}/tenter/audit/key (mode 644)"), "{output}");
    assert!(
        output.contains("-> chmod go= {state}/tenter/audit/key") && output.contains("1 problem found"),
        "{output}"
    );
}

/// Root ignores modes, so a file blocks the folder instead.
#[test]
fn unwritable_state_has_a_working_repair() {
    for (place, lost) in [
        ("tenter", "nothing is kept"),
        ("tenter/audit", "no event is recorded"),
        ("tenter/sessions", "nothing is remembered of sessions"),
        ("tenter/approvals", "no question can be kept, so each is denied"),
        ("tenter/cache", "every hook is read and run anew"),
    ] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        called_by_claude(&world);
        // The files of `init` would interfere with this test.
        drop(fs::remove_dir_all(world.state().join("tenter")));
        if place != "tenter" {
            fs::create_dir(world.state().join("tenter")).unwrap();
            set_mode(&world.state().join("tenter"), 0o700);
        }
        fs::write(world.state().join(place), "").unwrap();
        set_mode(&world.state().join(place), 0o600);
        let output = doctor(&world);
        let problem = format!("{{state}}/{place} cannot be written, so {lost}: not a directory\n");
        assert!(output.contains(&problem), "{output}");
        assert!(output.contains("1 problem found\n(exit code Some(1))"), "{output}");
        let (_, repair) = output.split_once("-> ").unwrap();
        let repair = repair.lines().next().unwrap().replace("{state}", world.state().to_str().unwrap());
        assert_eq!(world.sh(&repair).code, Some(0), "{repair}");
        assert!(doctor(&world).ends_with("no problem found\n(exit code Some(0))\n"), "{place}");
    }
}

/// Root ignores modes, so `doctor` reports no problem to root.
#[test]
fn repair_opens_inaccessible_state() {
    for mode in [0o500, 0o000] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        called_by_claude(&world);
        world.claude(&bash(&format!("echo {mode}"))).run();
        set_mode(&world.state().join("tenter"), mode);
        let output = doctor(&world);
        if rustix::process::geteuid().is_root() {
            assert!(output.contains("no problem found"), "{output}");
        } else {
            assert!(output.contains("{state}/tenter cannot be written, so nothing is kept"), "{output}");
            assert!(output.contains("-> chmod -R u+rwX {state}/tenter\n"), "{output}");
        }
        let repair = format!("chmod -R u+rwX {}", world.state().join("tenter").display());
        assert_eq!(world.sh(&repair).code, Some(0));
        assert!(doctor(&world).contains("no problem found"));
    }
}

#[test]
fn state_folder_is_always_private() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - { name: a, deny: \"no\" }\n";
    for first in [&["hooks", "disable", "user/a"][..], &["profile", "use", "work"], &["trust", "--yes"]] {
        let world = World::with_hooks(hooks);
        fs::create_dir_all(world.config().join("tenter/profiles")).unwrap();
        fs::write(world.config().join("tenter/profiles/work.yaml"), "version: 1\n").unwrap();
        fs::create_dir_all(world.project().join(".tenter")).unwrap();
        fs::write(world.project().join(".tenter/hooks.yaml"), hooks).unwrap();
        let ran = world.tenter(first).run();
        assert_eq!(ran.code, Some(0), "{first:?}: {}", ran.stderr);
        let mode = fs::metadata(world.state().join("tenter")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{first:?}");
    }
}

#[test]
fn trail_without_key_is_not_intact() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    world.claude(&bash("ls")).run();
    fs::remove_file(world.state().join("tenter/audit/key")).unwrap();
    let output = doctor(&world);
    assert!(
        !output.contains("intact")
            && output.contains("the key is missing, so the macs of 1 record cannot be checked"),
        "{output}"
    );
}

/// The repair must not refer to `audit verify`, which refers to `doctor`.
#[test]
fn truncated_key_has_a_repair() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    world.claude(&bash("ls")).run();
    let key = fs::OpenOptions::new().write(true).open(world.state().join("tenter/audit/key")).unwrap();
    key.set_len(10).unwrap();
    let output = doctor(&world);
    assert!(
        output.contains(
            "the key is damaged, and nothing is recorded, so the macs of 1 record cannot be checked"
        ) && output.contains("-> mv {state}/tenter/audit ~/audit-without-key")
            && !output.contains("intact")
            && !output.contains("audit verify"),
        "{output}"
    );
}
