//! Hook files of other systems as the user's own: a guard in them holds under every agent.

use serde_json::{Value, json};

use super::environment_failures::{Tool, payload};
use crate::world::{Ran, World, bash};

const GUARD: &str = "echo no >&2; exit 2";

fn with_file(file: &Value) -> World {
    let world = World::new();
    world.write_hooks("json", &file.to_string());
    world
}

fn is_denied(ran: &Ran) -> bool {
    ran.stdout.contains("denied by")
        || ran.stdout.contains("deny")
        || ran.stdout.contains("block")
        || ran.code == Some(2)
}

fn nested(event: &str, matcher: &str) -> Value {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": GUARD}]}]}})
}

/// A call of a tool as Claude Code sends it.
fn call(tool: &str) -> String {
    let mut payload: Value = serde_json::from_str(&bash("ls")).unwrap();
    payload["tool_name"] = tool.into();
    if tool != "Bash" {
        payload["tool_input"] =
            json!({"file_path": "/x", "pattern": "x", "path": "/x", "url": "https://x.y"});
    }
    payload.to_string()
}

#[test]
fn amazon_q_guard_survives_unknown_event() {
    for event in ["sessionEnd", "postCompact", "preCompact", "PreToolUse", "pretooluse", "agentStop"] {
        for extra in [json!({"name": "dev"}), json!({"tools": ["*"]}), json!({})] {
            let mut file = extra.clone();
            let guard = json!([{"matcher": "execute_bash", "command": GUARD}]);
            file["hooks"] = json!({"preToolUse": guard, event: [{"command": "true"}]});
            let world = with_file(&file);
            for _ in 0..2 {
                let answer = world.claude(&bash("ls")).run();
                assert!(is_denied(&answer), "{file}: {answer:?}");
            }
            let check = world.tenter(&["hooks", "check"]).run();
            assert!(format!("{check:?}").contains(&format!("no event `{event}`")), "{check:?}");
            let path = world.config().join("tenter/hooks.json").display().to_string();
            let import = world.tenter(&["import", "--from", "amazonq", &path]).run();
            assert!(import.stdout.contains("execute_bash|shell"), "{import:?}");
        }
    }
}

#[test]
fn gemini_matcher_matches_equivalent_tools() {
    let world = |matcher: &str| with_file(&nested("BeforeTool", matcher));
    for agent in ["claude", "codex", "opencode", "qwen", "cursor", "copilot", "gemini"] {
        for (matcher, shell, write) in [
            ("run_shell_command", true, false),
            ("write_file", false, true),
            ("write_.*", false, true),
            ("run_shell_command|write_file", true, true),
            ("^(?!run_shell_command$)", false, true),
            ("list_directory", false, false),
        ] {
            let world = world(matcher);
            for (tool, expected) in [(Tool::Shell("ls"), shell), (Tool::Write("a"), write)] {
                for _ in 0..2 {
                    let answer = world.hook(agent, &payload(agent, "s1", &tool)).run();
                    assert_eq!(is_denied(&answer), expected, "{agent}, {matcher}: {answer:?}");
                }
            }
        }
    }
    for (matcher, tool) in [
        ("replace", "Edit"),
        ("read_file", "Read"),
        ("read_many_files", "Read"),
        ("glob", "Glob"),
        ("search_file_content", "Grep"),
        ("grep_search", "Grep"),
        ("web_fetch", "WebFetch"),
        ("google_web_search", "WebSearch"),
        ("list_directory", "LS"),
        ("mcp_git_.*", "mcp__git__push"),
    ] {
        let world = world(matcher);
        assert!(is_denied(&world.claude(&call(tool)).run()), "{matcher}");
        assert!(!is_denied(&world.claude(&call("Skill")).run()), "{matcher}");
    }
}

#[test]
fn foreign_tool_names_match_in_every_form() {
    for (file, tool) in [
        (nested("PreToolUse", "run_shell_command"), "Bash"),
        (nested("PreToolUse", "^(write_file|edit_file)$"), "Write"),
        (json!({"hooks": {"preToolUse": [{"matcher": "fs_write", "command": GUARD}]}}), "Edit"),
        (json!({"hooks": {"preToolUse": [{"matcher": "@git", "command": GUARD}]}}), "mcp__git__push"),
        (
            json!({"version": "v1", "hooks": [{"name": "g", "trigger": "PreToolUse", "matcher": "^fs_w",
                "action": {"type": "command", "command": GUARD}}]}),
            "Write",
        ),
    ] {
        let world = with_file(&file);
        assert!(is_denied(&world.claude(&call(tool)).run()), "{file}");
        assert!(!is_denied(&world.claude(&call("Skill")).run()), "{file}");
    }
}

#[test]
fn claude_lookahead_excludes_named_tools() {
    for (matcher, bash, read) in [
        ("^(?!Read$).*", true, false),
        ("^(?!(Read|Glob)$)", true, false),
        ("^(?!mcp__)", true, true),
        ("shell", false, false),
    ] {
        let world = with_file(&nested("PreToolUse", matcher));
        for (tool, expected) in [("Bash", bash), ("Read", read)] {
            for _ in 0..2 {
                let answer = world.claude(&call(tool)).run();
                assert_eq!(is_denied(&answer), expected, "{matcher}, {tool}: {answer:?}");
            }
        }
        let check = world.tenter(&["hooks", "check"]).run();
        assert_eq!(check.code, Some(0), "{matcher}: {check:?}");
    }
}

#[test]
fn unsupported_lookaround_matches_everything_and_warns() {
    for matcher in ["(?<!Multi)Edit", "Edit(?=x)", r"(E)dit\1", "^(?!Read$).*|Bash"] {
        let world = with_file(&nested("PreToolUse", matcher));
        let answer = world.claude(&call("Bash")).run();
        assert!(is_denied(&answer), "{matcher}: {answer:?}");
        let check = world.tenter(&["hooks", "check"]).run();
        let notice = format!("{}{}", check.stdout, check.stderr);
        assert!(
            notice.contains("asked about every tool") && notice.contains("hooks.json:1"),
            "{matcher}: {notice}"
        );
    }
}

#[test]
fn own_lookahead_applies_to_tools_and_texts() {
    let own = |condition: &str| {
        World::with_hooks(&format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: g, deny: No., {condition} }}\n"
        ))
    };
    for (condition, expected) in [
        ("matcher: '/^(?!Read$)/'", true),
        ("matcher: '/^(?!Bash$)/'", false),
        ("when: { command: '/^(?!git )/' }", true),
        ("when: { command: '/^(?!ls)/' }", false),
    ] {
        let answer = own(condition).claude(&bash("ls")).run();
        assert_eq!(is_denied(&answer), expected, "{condition}: {answer:?}");
    }
    // A path has several names, so one of them is always another: that guard is a mistake, and denies.
    let world = own("when: { path: '/^(?!src)/' }");
    assert_eq!(world.tenter(&["hooks", "check"]).run().code, Some(1));
    assert!(is_denied(&world.claude(&bash("ls")).run()));
}

/// A path has several names, so an allow for all but one of them would be an allow for everything.
#[test]
fn approval_rule_rejects_lookahead() {
    let world = World::new();
    let answer = world.tenter(&["approvals", "allow", "guard", "/^(?!secret)/"]).run();
    assert_ne!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("look-around is not supported"), "{answer:?}");
}
