//! Unusable state degrades: hooks still run, verdicts still count, and tenter notifies the user.

use std::fs;

use crate::world::{Call, MESSAGE, REASON, World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: rules, matcher: Bash, inject: "House rules." }
    - { name: first-time, matcher: Bash, message: "Welcome.", once: session }
    - { name: no-sudo, matcher: "Bash(sudo)", deny: "Ask an administrator." }
"#;

fn assert_denies_and_notifies(call: Call, notice: &str) {
    let ran = call.stdin(bash("sudo reboot")).run();
    assert_eq!(ran.field(REASON), "Operation denied by no-sudo: Ask an administrator.");
    assert_eq!(ran.field("/hookSpecificOutput/additionalContext"), "House rules.");
    let message = ran.field(MESSAGE);
    assert!(message.starts_with("first-time: Welcome.\n"), "{message}");
    assert!(message.contains("this event is not in the audit trail"), "{message}");
    assert!(message.contains(notice), "{message}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn state_folder_below_file_keeps_deny() {
    let world = World::with_hooks(HOOKS);
    let file = world.state().with_file_name("file");
    fs::write(&file, "").unwrap();
    assert_denies_and_notifies(
        world.tenter(&["hook", "claude"]).env("XDG_STATE_HOME", file.join("state")),
        "file/state",
    );
}

/// Every event has the same problem. The runtime folder records the notice; without it the notice repeats each time.
#[test]
fn unwritable_state_notifies_each_session_and_deny() {
    // Without state a `once` hook runs at each event, with a notice each time.
    let hooks: Vec<&str> = HOOKS.lines().filter(|line| !line.contains("once: session")).collect();
    let world = World::with_hooks(&hooks.join("\n"));
    let file = world.state().with_file_name("file");
    fs::write(&file, "").unwrap();
    let payload = |session: &str, command: &str| bash(command).replace("\"s1\"", &format!("\"{session}\""));
    for (runtime_dir, again) in [(world.state().with_file_name("run"), false), (file.clone(), true)] {
        for (session, command, notice) in [
            ("s1", "ls", true),
            ("s1", "pwd", again),
            ("s1", "sudo reboot", true),
            ("s1", "sudo halt", true),
            ("s1", "ls", again),
            ("s2", "ls", true),
            ("s2", "pwd", again),
        ] {
            let call = world.tenter(&["hook", "claude"]).env("XDG_STATE_HOME", file.join("state"));
            let ran = call.env("XDG_RUNTIME_DIR", &runtime_dir).stdin(payload(session, command)).run();
            for trouble in ["not in the audit trail", "the session state"] {
                assert_eq!(
                    ran.stdout.contains(trouble),
                    notice,
                    "{session} {command} {trouble}: {}",
                    ran.stdout
                );
            }
            assert_eq!(ran.stdout.contains("\"deny\""), command.starts_with("sudo"), "{}", ran.stdout);
        }
    }
}

#[test]
fn relative_or_missing_state_folder_keeps_deny() {
    let world = World::with_hooks(HOOKS);
    let homeless = || world.tenter(&["hook", "claude"]).without("HOME");
    let why = "neither XDG_STATE_HOME nor HOME is set to an absolute path";
    for call in [homeless().without("XDG_STATE_HOME"), homeless().env("XDG_STATE_HOME", "state")] {
        let Some(call) = call.with_account(&world.home()) else { return };
        assert_denies_and_notifies(call, why);
    }
    assert!(!world.project().join("state").exists(), "state landed in the agent's directory");
}

#[test]
fn named_hook_file_guards_without_any_folder() {
    let world = World::with_hooks(HOOKS);
    let file = world.config().join("tenter/hooks.yaml");
    let call = world.tenter(&["hook", "claude", "--config", file.to_str().unwrap()]);
    let nowhere = call.without("HOME").without("XDG_STATE_HOME").without("XDG_CONFIG_HOME");
    let Some(nowhere) = nowhere.with_account(&world.home()) else { return };
    assert_denies_and_notifies(nowhere, "XDG_STATE_HOME");
}

/// A watcher would not help: it could not save anything either.
#[test]
fn unsaved_question_is_denied_with_cause() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: sure, matcher: Bash, ask: 'Sure?' }\n",
    );
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/audit"), "").unwrap();
    // No approver can be asked in Gemini CLI itself.
    let payload = r#"{"session_id": "s1", "hook_event_name": "BeforeTool", "cwd": "/", "tool_name": "run_shell_command", "tool_input": {"command": "deploy"}}"#;
    let reason = world.hook("gemini", payload).run().stdout;
    assert!(
        reason.contains("the question could not be kept") && reason.contains("`tenter doctor`"),
        "{reason}"
    );
    assert!(!reason.contains("approvals watch"), "{reason}");
}

#[test]
fn file_replacing_trail_folder_keeps_deny() {
    let world = World::with_hooks(HOOKS);
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/audit"), "").unwrap();
    assert_denies_and_notifies(world.tenter(&["hook", "claude"]), "tenter/audit");
}
