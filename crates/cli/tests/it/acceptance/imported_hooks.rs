//! Unchanged hooks of other systems through `imports`: the payloads they receive and the effect of their replies.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::world::{World, bash};

const GEMINI_CALL: &str = r#"{"session_id":"s1","transcript_path":null,"cwd":"/","hook_event_name":"BeforeTool",
  "timestamp":"2026-11-18T08:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"ls","description":"d"}}"#;

/// A world whose hook file imports these settings; `more` are further keys of the import.
fn importing(settings: &Value, more: &str) -> World {
    let world = World::new();
    let file = world.home().join("settings.json");
    fs::write(&file, settings.to_string()).unwrap();
    let import = format!("version: 1\nimports: [ {{ file: {}{more} }} ]\n", file.display());
    world.write_hooks("yaml", &import);
    world
}

fn hook(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]}})
}

#[test]
fn imported_guard_denies_for_every_path() {
    let world = importing(&hook("PreToolUse", "[[ 1 = 1 ]] && { echo no >&2; exit 2; }"), "");
    let fake = world.project().join("bin");
    fs::create_dir(&fake).unwrap();
    fs::write(fake.join("bash"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(fake.join("bash"), fs::Permissions::from_mode(0o755)).unwrap();
    let fake = fake.display().to_string();
    for path in ["", "/nonexistent", ".:relative", "/dev/null", fake.as_str()] {
        let answer = world.claude(&bash("ls")).env("PATH", path).run();
        assert_eq!(answer.field("/hookSpecificOutput/permissionDecision"), "deny", "{path}: {answer:?}");
    }
    let answer = world.claude(&bash("ls")).without("PATH").run();
    assert_eq!(answer.field("/hookSpecificOutput/permissionDecision"), "deny", "{answer:?}");
}

/// A guard that asks `if "transcript_path" in event` would open `None`.
#[test]
fn scripts_receive_no_empty_fields() {
    let guard = "grep -q null && { echo a null >&2; exit 2; }; exit 0";
    let claude = importing(&hook("PreToolUse", guard), "");
    let call = |path: &str| {
        let mut payload: Value = serde_json::from_str(&bash("ls")).unwrap();
        payload["transcript_path"] = Value::Null;
        payload["agent_id"] = Value::Null;
        payload["tool_input"]["command"] = path.into();
        payload.to_string()
    };
    let answer = claude.claude(&call("ls")).run();
    assert_eq!(answer.stdout, "", "{answer:?}");
    // Empty fields inside the tool's input are kept.
    let answer = claude.claude(&call("echo null")).run();
    assert_eq!(answer.field("/hookSpecificOutput/permissionDecision"), "deny", "{answer:?}");
    let gemini = importing(&hook("BeforeTool", guard), "");
    let answer = gemini.hook("gemini", GEMINI_CALL).run();
    assert_eq!(answer.stdout, "", "{answer:?}");
}

#[test]
fn ignored_wake_keys_are_reported_at_import() {
    let mut settings = hook("PreToolUse", "true");
    let entry = &mut settings["hooks"]["PreToolUse"][0]["hooks"][0];
    entry["asyncRewake"] = true.into();
    entry["rewakeMessage"] = "m".into();
    entry["rewakeSummary"] = "s".into();
    let world = importing(&settings, "");
    for _ in 0..3 {
        let answer = world.claude(&bash("ls")).run();
        assert_eq!(answer.stdout, "", "{answer:?}");
    }
    assert_eq!(world.tenter(&["hooks", "check"]).run().code, Some(0));
    let file = world.home().join("settings.json").display().to_string();
    let report = world.tenter(&["import", &file]).run();
    for key in ["rewakeMessage", "rewakeSummary"] {
        assert_eq!(report.stderr.matches(key).count(), 1, "{report:?}");
    }
}

#[test]
fn may_allow_import_skips_permission_prompt() {
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let allowed =
        |world: &World| world.claude(&bash("ls")).run().stdout.contains(r#""permissionDecision":"allow""#);
    for (more, lifts) in [("", false), (", may_allow: true", true), (", may_allow: false", false)] {
        assert_eq!(allowed(&importing(&hook("PreToolUse", allow), more)), lifts, "{more}");
    }
    let world = World::new();
    let folder = world.project().join(".tenter");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("settings.json"), hook("PreToolUse", allow).to_string()).unwrap();
    let import = "version: 1\nimports: [ { file: settings.json, may_allow: true } ]\n";
    fs::write(folder.join("hooks.yaml"), import).unwrap();
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    assert!(!allowed(&world), "a project cannot lift it");
}

#[test]
fn gemini_script_receives_gemini_payload() {
    let world = World::new();
    let (seen, environment) = (world.home().join("seen"), world.home().join("environment"));
    let script = format!("cat > {}; env > {}", seen.display(), environment.display());
    let world = importing(&hook("BeforeTool", &script), "");
    for agent in ["gemini", "claude"] {
        let payload = if agent == "gemini" { GEMINI_CALL.to_owned() } else { bash("ls") };
        let answer = world.hook(agent, &payload).run();
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let event: Value = serde_json::from_slice(&fs::read(&seen).unwrap()).unwrap();
        assert_eq!(event["hook_event_name"], "BeforeTool", "{agent}: {event}");
        assert_eq!(event["tool_name"], "run_shell_command", "{agent}: {event}");
        assert!(event["timestamp"].is_string(), "{agent}: {event}");
        let variables = fs::read_to_string(&environment).unwrap();
        for name in ["GEMINI_SESSION_ID=", "GEMINI_CWD=", "GEMINI_PROJECT_DIR="] {
            assert!(variables.lines().any(|line| line.starts_with(name)), "{agent}: {name} in {variables}");
        }
    }
}

#[test]
fn gemini_reply_applies_and_names_ignored_keys() {
    let rewrite = r#"echo '{"hookSpecificOutput":{"tool_input":{"command":"ls -a"}}}'"#;
    let answer = importing(&hook("BeforeTool", rewrite), "").hook("gemini", GEMINI_CALL).run();
    let input = answer.answer()["hookSpecificOutput"]["tool_input"].clone();
    assert_eq!(input, json!({"command": "ls -a", "description": "d"}), "{answer:?}");
    for key in ["clearContext", "tailToolCallRequest", "llm_request", "llm_response", "toolConfig"] {
        let reply = json!({"hookSpecificOutput": {key: {"name": "x"}}});
        let world = importing(&hook("BeforeTool", &format!("echo '{reply}'")), "");
        world.hook("gemini", GEMINI_CALL).run();
        let trail = fs::read_to_string(world.trail()).unwrap();
        assert!(trail.contains(&format!("`{key}` has no effect")), "{trail}");
    }
}

#[test]
fn hooks_disabled_in_gemini_stay_disabled() {
    let deny = "echo no >&2; exit 2";
    for (switch, denies) in [
        (json!({"enabled": true}), true),
        (json!({"enabled": false}), false),
        (json!({"disabled": [deny]}), false),
        (json!({"disabled": ["other"]}), true),
    ] {
        let mut settings = hook("BeforeTool", deny);
        settings["hooksConfig"] = switch.clone();
        let answer = importing(&settings, "").hook("gemini", GEMINI_CALL).run();
        assert_eq!(answer.stdout.contains("\"deny\""), denies, "{switch}: {answer:?}");
    }
}

#[test]
fn stop_reply_stops_supporting_agents() {
    let stop = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    let gemini = importing(&hook("BeforeTool", stop), "").hook("gemini", GEMINI_CALL).run();
    let answer = gemini.answer();
    assert_eq!((&answer["continue"], &answer["stopReason"]), (&json!(false), &json!("enough")), "{gemini:?}");
    assert_eq!(answer["decision"], "deny", "{gemini:?}");
    let world = importing(&hook("PreToolUse", stop), "");
    let claude = world.claude(&bash("ls")).run();
    assert_eq!(claude.field("/hookSpecificOutput/permissionDecision"), "deny", "{claude:?}");
    assert!(claude.field("/systemMessage").contains("wants to stop the agent"), "{claude:?}");
    assert!(fs::read_to_string(world.trail()).unwrap().contains("stop_agent"));
    let after = importing(&hook("PostToolUse", stop), "").claude(&crate::world::after("ls")).run();
    assert_eq!(after.answer()["continue"], false, "{after:?}");
}

/// Claude Code does not wait for a hook whose first line is `{"async":true}`. The hook ends after the answer is here.
#[cfg(target_os = "linux")]
#[test]
fn async_hook_runs_in_background() {
    let outer = World::new();
    let (gate, done) = (outer.home().join("gate"), outer.home().join("done"));
    let (gate_name, done_name) = (gate.display(), done.display());
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let script = |first: &str| {
        format!(
            "echo '{first}'; read -r word < {gate_name}; seq 100000; seq 100000 >&2; echo $word > {done_name}.new; mv {done_name}.new {done_name}"
        )
    };
    let mut settings = hook("PreToolUse", &script(r#"{"async":true,"asyncTimeout":20000}"#));
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 20.into();
    let world = importing(&settings, "");
    let answer = world.claude(&bash("ls")).run();
    assert_eq!(answer.stdout, "", "{answer:?}");
    assert!(!done.exists());
    fs::write(&gate, "opened\n").unwrap();
    while !done.exists() {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_to_string(&done).unwrap(), "opened\n");
    let trail = fs::read_to_string(world.trail()).unwrap();
    assert!(trail.contains("continues by itself"), "{trail}");
}

/// tenter waits for a guard, and an early deny counts.
#[test]
fn async_guard_still_denies() {
    let deny = r#"echo '{"async":true}'; echo '{"decision":"block","reason":"no"}'"#;
    let mut settings = hook("PreToolUse", deny);
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"] = "block".into();
    let answer = importing(&settings, "").claude(&bash("ls")).run();
    assert_eq!(answer.field("/hookSpecificOutput/permissionDecision"), "deny", "{answer:?}");
}

/// `hooks check` and `import` name events that no agent sends.
#[test]
fn unsent_events_are_named() {
    for event in ["ConfigChange", "InstructionsLoaded", "WorktreeCreate", "FileChanged"] {
        let world = importing(&hook(event, "exit 2"), "");
        let check = world.tenter(&["hooks", "check"]).run();
        assert!(
            check.stdout.contains("the hook never runs here")
                || check.stderr.contains("the hook never runs here"),
            "{check:?}"
        );
        let file = world.home().join("settings.json").display().to_string();
        let import = world.tenter(&["import", &file]).run();
        assert!(import.code == Some(1) && import.stderr.contains("the hook never runs here"), "{import:?}");
    }
}
