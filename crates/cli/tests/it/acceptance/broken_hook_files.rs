//! A broken hook file keeps its guards active until the user accepts the change.

use std::fs;

use crate::world::{MESSAGE, REASON, World, bash, event};

const GUARD: &str = "version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, when: { command: \"git push*\" }, deny: \"not now\" }
";

fn push(world: &World) -> String {
    let ran = world.claude(&bash("git push")).run();
    if ran.stdout.is_empty() { String::new() } else { ran.field(REASON) }
}

/// The user is notified at the start of a session, at the deny, by `hooks list` and by `doctor`.
#[test]
fn broken_hook_file_notifies_and_guard_denies() {
    let world = World::with_hooks(GUARD);
    assert!(push(&world).contains("not now"));
    world.write_hooks("yaml", &format!("{GUARD}    - name: next\n      inject: Remember: tests\n"));
    assert!(push(&world).contains("not now"));
    let version = "the last good version of this hook file is active";
    let start = event("SessionStart").replace("s1", "s2");
    assert!(world.claude(&start).run().field(MESSAGE).contains(version));
    let again = world.claude(&bash("git push").replace("toolu_1", "toolu_2")).run();
    assert!(again.stdout.contains("last good version"), "{again:?}");
    for command in [&["hooks", "list"][..], &["doctor"], &["hooks", "check"]] {
        let ran = world.tenter(command).run();
        assert_eq!(ran.code, Some(1), "{command:?}: {ran:?}");
        assert!(ran.stdout.contains("hooks.yaml:6:"), "{command:?}: {ran:?}");
    }
}

/// User commands write other files and do not accept a broken one.
#[test]
fn user_commands_do_not_accept_broken_file() {
    for broken in [
        format!("{GUARD}    - name: next\n      inject: Remember: tests\n"),
        GUARD.replace("deny:", "denny:"),
        GUARD.replace("hooks:", "hoks:"),
    ] {
        for command in [
            &["trust", "--yes"][..],
            &["hooks", "disable", "other"],
            &["init", "claude", "--yes"],
            &["doctor"],
        ] {
            let world = World::with_hooks(&broken);
            world.tenter(command).run();
            assert!(push(&world).contains("tenter denies this because"), "{command:?}\n{broken}");
        }
    }
}

#[test]
fn user_accepts_suspicious_change() {
    let world = World::with_hooks(GUARD);
    assert!(push(&world).contains("not now"));
    world.write_hooks("yaml", &GUARD.replace("matcher: Bash", "matcher: Bahs"));
    assert!(push(&world).contains("not now"));
    let notice = world.claude(&event("SessionStart").replace("s1", "s2")).run().field(MESSAGE);
    assert!(notice.contains("`tenter hooks accept`"), "{notice}");
    let accepted = world.tenter(&["hooks", "accept", "--yes"]).run();
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(accepted.stdout.contains("Bahs"), "the change is shown: {accepted:?}");
    assert_eq!(push(&world), "");
    assert!(world.tenter(&["hooks", "accept", "--yes"]).run().stdout.contains("no changes to accept"));
}

#[test]
fn user_accepts_renamed_file() {
    let world = World::with_hooks(GUARD);
    assert!(push(&world).contains("not now"));
    let folder = world.config().join("tenter");
    world.end_agents();
    fs::rename(folder.join("hooks.yaml"), folder.join("hooks.txt")).unwrap();
    assert!(push(&world).contains("not now"));
    assert_eq!(world.tenter(&["hooks", "accept", "--yes"]).run().code, Some(0));
    assert_eq!(push(&world), "");
}

#[test]
fn guard_deleted_by_user_is_inactive() {
    let world = World::with_hooks(&format!("{GUARD}    - {{ name: other, matcher: Write, deny: \"no\" }}\n"));
    assert!(push(&world).contains("not now"));
    world.write_hooks(
        "yaml",
        "version: 1\nhooks:\n  tool:pre:\n    - { name: other, matcher: Write, deny: \"no\" }\n",
    );
    assert_eq!(push(&world), "");
    let notice = world.claude(&event("SessionStart").replace("s1", "s2")).run().field(MESSAGE);
    assert!(notice.contains("no longer has the guard `guard`"), "{notice}");
}

#[test]
fn missing_profile_stays_active_until_replaced() {
    let world = World::new();
    let profiles = world.config().join("tenter/profiles");
    fs::create_dir_all(&profiles).unwrap();
    fs::write(profiles.join("work.yaml"), GUARD).unwrap();
    assert_eq!(world.tenter(&["profile", "use", "work"]).run().code, Some(0));
    assert!(push(&world).contains("not now"));
    world.end_agents();
    fs::remove_file(profiles.join("work.yaml")).unwrap();
    assert!(push(&world).contains("not now"));
    let notice = world.claude(&event("SessionStart").replace("s1", "s2")).run().field(MESSAGE);
    assert!(notice.contains("the active profile `work` does not exist"), "{notice}");
    assert_eq!(world.tenter(&["profile", "use", "none"]).run().code, Some(0));
    assert_eq!(push(&world), "");
}

#[test]
fn listed_guards_survive_broken_file() {
    for command in ["list", "check"] {
        for broken in ["", "hooks: [1", "\u{1}garbage"] {
            let world = World::with_hooks(GUARD);
            assert_eq!(world.tenter(&["hooks", command]).run().code, Some(0));
            fs::write(world.config().join("tenter/hooks.yaml"), broken).unwrap();
            let reason = push(&world);
            assert!(!reason.is_empty(), "{command}, {broken:?}");
        }
    }
}
