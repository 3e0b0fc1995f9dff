//! Cases in which a guard could be disabled, or its verdict lost, without a notice.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::world::{World, bash};

const GUARD: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"no\" }\n";

#[test]
fn dangling_hook_file_link_is_notified() {
    let world = World::with_hooks(GUARD);
    let file = world.config().join("tenter/hooks.yaml");
    fs::remove_file(&file).unwrap();
    symlink("/nowhere/at/all", &file).unwrap();
    let ran = world.claude(&bash("ls")).run();
    assert!(ran.stdout.contains("the hook file cannot be read"), "{ran:?}");
    assert_eq!(world.tenter(&["hooks", "list"]).run().code, Some(1));
}

#[test]
fn missing_home_denies_and_notifies() {
    let world = World::with_hooks(GUARD);
    let call = world.claude(&bash("ls")).without("HOME").without("XDG_CONFIG_HOME");
    let Some(call) = call.with_account(&world.home()) else { return };
    let ran = call.run();
    assert!(ran.stdout.contains("your guards cannot be found"), "{ran:?}");
    assert!(ran.stdout.contains("\"deny\""), "{ran:?}");
}

#[test]
fn deeply_nested_input_is_denied() {
    let world = World::with_hooks(GUARD);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let payload = format!(
        r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls","x":{deep}}}}}"#
    );
    let refused = world.claude(&payload).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn unwritable_deny_stops_call() {
    let world = World::with_hooks(GUARD);
    let line = format!("{} hook claude >/dev/full", env!("CARGO_BIN_EXE_tenter"));
    let refused = world.sh_with(&line, &bash("ls"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("the answer could not be written"), "{refused:?}");
}

/// The small program, the full one, and the small one that becomes the full one.
#[test]
fn closed_stdout_denies_by_exit_code() {
    for (what, hook, warm) in [
        ("small", concat!(env!("CARGO_BIN_EXE_tenter-hook"), " claude"), true),
        ("small becomes full", concat!(env!("CARGO_BIN_EXE_tenter-hook"), " claude"), false),
        ("full", concat!(env!("CARGO_BIN_EXE_tenter"), " hook claude"), false),
    ] {
        for closed in [">&-", "1<>/dev/null"] {
            let world = World::with_hooks(GUARD);
            if warm {
                world.claude(&bash("ls")).run();
            }
            let ran = world.sh_with(&format!("{hook} {closed}"), &bash("ls"));
            assert_eq!(ran.code, Some(2), "{what} {closed}: {ran:?}");
        }
    }
}

#[test]
fn truncated_listing_on_full_disk_fails() {
    let world = World::with_hooks(GUARD);
    let listed = world.sh_with(&format!("{} hooks list >/dev/full", env!("CARGO_BIN_EXE_tenter")), "");
    assert_eq!(listed.code, Some(3), "{listed:?}");
}

#[test]
fn payload_of_another_agent_is_denied() {
    let world = World::with_hooks(GUARD);
    let refused = world.hook("gemini", &bash("ls")).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is one of another agent"), "{refused:?}");
}

#[test]
fn lost_record_is_notified_on_stderr() {
    let world = World::with_hooks(GUARD);
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/audit"), "in the way").unwrap();
    let payload = r#"{"session_id":"s","hook_event_name":"PreCompact","trigger":"manual"}"#;
    let ran = world.claude(payload).run();
    assert_eq!(ran.stdout, "", "{ran:?}");
    assert!(ran.stderr.contains("not in the audit trail"), "{ran:?}");
}

/// A machine with an old hook file, which is cached in compiled form.
fn with_compiled_hooks(hooks: &str) -> World {
    let world = World::with_hooks(hooks);
    let file = fs::File::options().write(true).open(world.config().join("tenter/hooks.yaml")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_hours(1)).unwrap();
    world
}

/// An event loads only the compiled hooks that it needs; a prompt loads the hooks that count turns.
#[test]
fn turn_hook_runs_again_from_compiled_file() {
    let world = with_compiled_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, once: turn, deny: \"no\" }\n",
    );
    let prompt = |text: &str| {
        let payload = json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": text});
        assert_eq!(world.claude(&payload.to_string()).run().code, Some(0));
    };
    let denied = |command: &str| {
        let payload = bash(command).replace("toolu_1", command);
        world.claude(&payload).run().stdout.contains("\"deny\"")
    };
    prompt("first");
    assert_eq!([denied("ls a"), denied("ls b")], [true, false]);
    prompt("second");
    assert_eq!([denied("ls c"), denied("ls d")], [true, false]);
}

/// The hooks that an event loads depend on the call, and a rewrite changes the call.
#[test]
fn guard_judges_rewritten_call() {
    let world = with_compiled_hooks(
        r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: "Bash(rm)", deny: "no" }
    - name: rewrite
      matcher: "Bash(ls)"
      command: "echo '{\"modify\": {\"tool_input\": {\"command\": \"rm x\"}}}'"
"#,
    );
    for command in ["ls a", "ls b", "ls c"] {
        let ran = world.claude(&bash(command).replace("toolu_1", command)).run();
        assert!(ran.stdout.contains("denied by guard"), "{command}: {ran:?}");
    }
}
