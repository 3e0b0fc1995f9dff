//! A change of tenter's own files while an agent is working does not apply, however it is made. The command really
//! runs between the payloads of a tool call, and the guard still denies afterwards.

use crate::world::{MESSAGE, Ran, World, after, bash, event};

const GUARD: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, when: { command: "git push*" }, deny: "not now" }
"#;

const NOTHING: &str = "# nothing\nversion: 1\n";

/// A machine with an active guard, and an agent in a turn.
fn during_turn() -> World {
    let world = World::with_hooks(GUARD);
    assert_eq!(world.claude(&event("UserPromptSubmit")).run().code, Some(0));
    assert_denies(&world, "before");
    world
}

fn push(world: &World) -> Ran {
    world.claude(&bash("git push").replace("toolu_1", "toolu_push")).run()
}

fn assert_denies(world: &World, what: &str) {
    let ran = push(world);
    assert!(ran.stdout.contains("not now"), "{what}: {ran:?}");
}

/// Runs a script as a tool call and returns the notice right after it.
fn call_tool(world: &World, script: &str) -> String {
    world.claude(&bash(script)).run();
    let ran = world.sh(script);
    let output = world.claude(&after(script)).run();
    let message = if output.stdout.is_empty() { String::new() } else { output.field(MESSAGE) };
    format!("{message}{}", if ran.code == Some(0) { "" } else { "(the script failed)" })
}

const SPELLINGS: [(&str, &str); 30] = [
    ("write", r#"echo 'version: 1' > "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    ("remove", r#"rm "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    ("shell from a pipe", r#"echo 'rm "$XDG_CONFIG_HOME"/tenter/hooks.yaml' | sh"#),
    ("here-document", "sh <<'E'\nrm \"$XDG_CONFIG_HOME/tenter/hooks.yaml\"\nE"),
    ("working folder", r#"env -C "$XDG_CONFIG_HOME/tenter" rm hooks.yaml"#),
    ("cd twice", r#"cd "$XDG_CONFIG_HOME"; cd tenter; rm hooks.yaml"#),
    ("find", r#"find "$XDG_CONFIG_HOME" -mindepth 1 -delete"#),
    ("folder moved", r#"mv "$XDG_CONFIG_HOME/tenter" "$HOME/old""#),
    ("folder above moved", r#"mv "$XDG_CONFIG_HOME" "$HOME/old""#),
    (
        "folder replaced",
        r#"mkdir "$HOME/new"; echo 'version: 1' > "$HOME/new/hooks.yaml"; mv "$XDG_CONFIG_HOME/tenter" "$HOME/old"; mv "$HOME/new" "$XDG_CONFIG_HOME/tenter""#,
    ),
    ("wildcards", r#"rm "$XDG_CONFIG_HOME"/t[e]n*/h??ks.y*"#),
    ("variable", r#"X=tenter; rm "$XDG_CONFIG_HOME/$X/hooks.yaml""#),
    ("decoded", r#"eval "$(echo cm0gIiRYREdfQ09ORklHX0hPTUUvdGVudGVyL2hvb2tzLnlhbWwi | base64 -d)""#),
    (
        "python",
        r#"python3 -c 'import os; os.truncate(os.environ["XDG_CONFIG_HOME"] + "/tenter/hooks.yaml", 0)'"#,
    ),
    (
        "script written before",
        "echo 'rm \"$XDG_CONFIG_HOME/tenter/hooks.yaml\"' > a.sh; chmod +x a.sh; ./a.sh",
    ),
    ("git alias", r#"git -c alias.x='!rm "$XDG_CONFIG_HOME/tenter/hooks.yaml"' x"#),
    ("awk", r#"awk 'BEGIN { system("rm \"$XDG_CONFIG_HOME/tenter/hooks.yaml\"") }'"#),
    ("xargs", r#"echo "$XDG_CONFIG_HOME/tenter/hooks.yaml" | xargs rm"#),
    ("sort option", r#"sort -uo "$XDG_CONFIG_HOME/tenter/hooks.yaml" /dev/null"#),
    ("dd", r#"dd if=/dev/null of="$XDG_CONFIG_HOME/tenter/hooks.yaml" 2>/dev/null"#),
    ("truncate", r#"truncate -s 0 "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    ("sed", r#"sed -i s/deny/inject/ "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    ("link to nothing", r#"ln -sf /dev/null "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    (
        "link to another file",
        r#"echo 'version: 1' > "$HOME/x.yaml"; ln -sf "$HOME/x.yaml" "$XDG_CONFIG_HOME/tenter/hooks.yaml""#,
    ),
    ("folder instead", r#"cd "$XDG_CONFIG_HOME/tenter"; rm hooks.yaml; mkdir hooks.yaml"#),
    ("pipe instead", r#"cd "$XDG_CONFIG_HOME/tenter"; rm hooks.yaml; mkfifo hooks.yaml"#),
    (
        "other format",
        r#"cd "$XDG_CONFIG_HOME/tenter"; mv hooks.yaml hooks.txt; echo 'version = 1' > hooks.toml"#,
    ),
    ("broken", r#"echo '{' >> "$XDG_CONFIG_HOME/tenter/hooks.yaml""#),
    (
        "old time",
        r#"echo 'version: 1' > "$XDG_CONFIG_HOME/tenter/hooks.yaml"; touch -d 2001-01-01 "$XDG_CONFIG_HOME/tenter/hooks.yaml""#,
    ),
    ("switch", r#"echo '{"always":["user/guard"]}' > "$XDG_STATE_HOME/tenter/disabled.json""#),
];

#[test]
fn guard_survives_every_removal_command() {
    for (what, script) in SPELLINGS {
        let world = during_turn();
        let notice = call_tool(&world, script);
        assert!(!notice.contains("(the script failed)"), "{what}: {notice}");
        assert!(notice.contains("while claude was working"), "{what}: the user is notified: {notice:?}");
        assert_denies(&world, what);
        // Neither the end of the turn nor another session applies it.
        world.claude(&event("Stop")).run();
        world.end_agents();
        world.claude(&event("UserPromptSubmit")).run();
        assert_denies(&world, what);
    }
}

#[test]
fn change_applies_after_user_accepts() {
    let world = during_turn();
    let script = r#"printf '# nothing\nversion: 1\n' > "$XDG_CONFIG_HOME/tenter/hooks.yaml""#;
    let notice = call_tool(&world, script);
    assert!(notice.contains("tenter hooks accept") && notice.contains("- hooks:"), "{notice}");
    let listed = world.tenter(&["hooks", "list"]).run();
    assert!(listed.stdout.contains("guard"), "{listed:?}");
    let doctor = world.tenter(&["doctor"]).run();
    assert!(doctor.stdout.contains("tenter hooks accept"), "{doctor:?}");
    // The agent itself gets no approval.
    world.claude(&event("UserPromptSubmit")).run();
    let refused = world.tenter_while_agents_run(&["hooks", "accept", "--yes"]).run();
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("needs a person: claude started it"), "{refused:?}");
    assert_denies(&world, "refused");
    let accepted = world.tenter(&["hooks", "accept", "--yes"]).run();
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(accepted.stdout.contains("-    - { name: guard"), "the change is shown: {accepted:?}");
    assert!(!push(&world).stdout.contains("not now"));
    let again = world.tenter(&["hooks", "accept", "--yes"]).run();
    assert!(again.stdout.contains("no changes to accept"), "{again:?}");
}

#[test]
fn restored_file_needs_no_confirmation() {
    let world = during_turn();
    let script = r#"mv "$XDG_CONFIG_HOME/tenter/hooks.yaml" "$HOME/x""#;
    assert!(call_tool(&world, script).contains("while claude was working"));
    world.write_hooks("yaml", GUARD);
    assert_denies(&world, "back");
    world.claude(&event("Stop")).run();
    world.write_hooks("yaml", NOTHING);
    assert!(!push(&world).stdout.contains("not now"), "and a change outside of a turn counts at once");
}

#[test]
fn user_edit_between_turns_applies() {
    let world = during_turn();
    world.claude(&event("Stop")).run();
    world.write_hooks("yaml", NOTHING);
    assert!(!push(&world).stdout.contains("not now"));
}

/// A machine with a guard in the active profile, and an agent in a turn.
fn during_turn_with_profile() -> World {
    let world = World::with_hooks("version: 1\n");
    let profiles = world.config().join("tenter/profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(profiles.join("strict.yaml"), GUARD).unwrap();
    push(&world);
    assert_eq!(world.tenter(&["profile", "use", "strict"]).run().code, Some(0));
    world.claude(&event("UserPromptSubmit")).run();
    assert_denies(&world, "before");
    world
}

#[test]
fn profile_change_during_turn_is_held() {
    for script in [
        r#"echo none > "$XDG_STATE_HOME/tenter/profile""#,
        r#"rm "$XDG_STATE_HOME/tenter/profile""#,
        r#"rm "$XDG_STATE_HOME/tenter/profile"; mkfifo "$XDG_STATE_HOME/tenter/profile""#,
        r#"ln -sf /dev/zero "$XDG_STATE_HOME/tenter/profile""#,
        r#"mkdir "$XDG_STATE_HOME/tenter/profile.held"; echo none > "$XDG_STATE_HOME/tenter/profile""#,
        r#"rm "$XDG_CONFIG_HOME/tenter/profiles/strict.yaml"; echo none > "$XDG_STATE_HOME/tenter/profile""#,
    ] {
        let world = during_turn_with_profile();
        let notice = call_tool(&world, script);
        assert!(notice.contains("while claude was working"), "{script}: {notice:?}");
        assert_denies(&world, script);
        assert!(world.tenter(&["profile", "list"]).run().stdout.contains("strict"), "{script}");
        world.sh("rm -rf $XDG_STATE_HOME/tenter/profile; echo strict > $XDG_STATE_HOME/tenter/profile");
        assert_denies(&world, "back");
        assert_eq!(world.tenter(&["profile", "use", "none"]).run().code, Some(0));
        if !script.contains("strict.yaml") {
            assert!(!push(&world).stdout.contains("not now"), "{script}");
        }
    }
    let world = during_turn_with_profile();
    world.sh("echo none > \"$XDG_STATE_HOME/tenter/profile.held\"");
    assert_denies(&world, "a file that tenter does not read");
}

/// A process that an agent leaves behind changes the file when the tool call is over.
#[test]
fn change_between_tool_calls_is_held() {
    let world = during_turn();
    assert_eq!(call_tool(&world, "true"), "");
    std::fs::write(world.config().join("tenter/hooks.yaml"), NOTHING).unwrap();
    assert_denies(&world, "between");
}

/// An agent that changes tenter's own files may slow itself down, but disables no guard.
#[test]
fn special_file_as_compiled_hooks_blocks_nothing() {
    for special in ["mkfifo", "mkdir", "ln -s /dev/zero", "touch"] {
        let world = during_turn();
        assert_denies(&world, "compiled");
        world.sh(&format!(
            "cd \"$XDG_STATE_HOME/tenter/cache\"; for f in *; do rm \"$f\"; {special} \"$f\"; done"
        ));
        assert_denies(&world, special);
    }
}

/// A change that tenter cannot record does not apply either.
#[test]
fn unrecordable_change_denies() {
    for obstacle in [
        r#"cd "$XDG_STATE_HOME/tenter"; for f in hook-files/*; do rm "$f"; mkdir "$f"; touch "$f/x"; done"#,
        r#"cd "$XDG_STATE_HOME/tenter"; rm -r hook-files; touch hook-files"#,
    ] {
        let world = during_turn();
        let script = format!("echo 'version: 1' > \"$XDG_CONFIG_HOME/tenter/hooks.yaml\"; {obstacle}");
        let notice = call_tool(&world, &script);
        let ran = push(&world);
        assert!(ran.stdout.contains("\"deny\""), "{obstacle}: {notice} {ran:?}");
    }
}

#[test]
fn notice_shows_current_change() {
    let world = during_turn();
    let write = |text: &str| format!(r#"printf '{text}' > "$XDG_CONFIG_HOME/tenter/hooks.yaml""#);
    let first = call_tool(&world, &write("version: 1\\n# first\\n"));
    assert!(first.contains("+ # first"), "{first}");
    let second = call_tool(&world, &write("version: 1\\n# second\\n"));
    assert!(second.contains("+ # second") && !second.contains("first"), "{second}");
    let denied = push(&world);
    assert!(denied.stdout.contains("not now"), "{denied:?}");
    assert!(!denied.stdout.contains("error: error"), "{denied:?}");
}

/// The user may have written it for another session while the first agent works.
#[test]
fn new_profile_guards_apply_during_turn() {
    let guard = GUARD.replace("not now", "never");
    let program = "hooks:\n  tool:pre:\n    - { name: guard, command: 'exit 2' }\n";
    for text in [guard.as_str(), program] {
        let world = during_turn();
        let profiles = world.config().join("tenter/profiles");
        std::fs::create_dir_all(&profiles).unwrap();
        std::fs::write(profiles.join("strict.yaml"), text).unwrap();
        let call = bash("git push").replace("toolu_1", "toolu_2").replace("\"s1\"", "\"s2\"");
        for _ in 0..2 {
            let ran = world.claude(&call).env("TENTER_PROFILE", "strict").run();
            assert!(ran.stdout.contains("\"deny\""), "{ran:?}");
        }
        let pull = call.replace("git push", "git pull");
        let ran = world.claude(&pull).env("TENTER_PROFILE", "strict").run();
        assert!(ran.stdout.contains("tenter hooks accept"), "{ran:?}");
    }
}
