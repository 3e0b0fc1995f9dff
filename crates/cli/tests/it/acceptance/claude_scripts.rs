//! A hook script for Claude Code, unchanged, does its work under every agent: the four ways such scripts answer, run as
//! commands on what each agent really sends for a shell call and for a file that is written.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::world::World;

/// An agent and what it sends.
struct Sender {
    agent: &'static str,
    folder: &'static str,
    /// Before a shell call, before a file is written, after either.
    shell: [&'static str; 2],
    write: [&'static str; 2],
    /// Whether it runs a tool with another input; if not, the call is denied.
    takes_rewrites: bool,
}

const fn sender(
    agent: &'static str,
    folder: &'static str,
    shell: [&'static str; 2],
    write: [&'static str; 2],
) -> Sender {
    Sender { agent, folder, shell, write, takes_rewrites: true }
}

/// One that calls us from a plugin.
const fn plugin(agent: &'static str, folder: &'static str) -> Sender {
    sender(
        agent,
        folder,
        ["tool-execute-before.bash", "tool-execute-after.bash"],
        ["tool-execute-before.write", "tool-execute-after.write"],
    )
}

/// Copilot CLI has two spellings, and two tools that write.
const SENDERS: [Sender; 10] = [
    sender("claude", "claude_code", ["PreToolUse.Bash", "PostToolUse.Bash"], ["PreToolUse", "PostToolUse"]),
    sender(
        "cline",
        "cline",
        ["PreToolUse.run_commands", "PostToolUse.run_commands"],
        ["PreToolUse", "PostToolUse"],
    ),
    sender("codex", "codex", ["PreToolUse.Bash", "PostToolUse.Bash"], ["PreToolUse", "PostToolUse"]),
    sender(
        "copilot",
        "copilot",
        ["PreToolUse.Bash.pascal", "PostToolUse.Bash.pascal"],
        ["PreToolUse.pascal", "PostToolUse.pascal"],
    ),
    sender(
        "copilot",
        "copilot",
        ["PreToolUse.Bash.pascal", "PostToolUse.Bash.pascal"],
        ["PreToolUse.apply_patch.pascal", "PostToolUse.apply_patch.pascal"],
    ),
    sender("copilot", "copilot", ["preToolUse.bash", "postToolUse.bash"], ["preToolUse", "postToolUse"]),
    sender(
        "gemini",
        "gemini",
        ["BeforeTool.run_shell_command", "AfterTool.run_shell_command"],
        ["BeforeTool", "AfterTool"],
    ),
    plugin("kilo", "kilo"),
    plugin("opencode", "opencode"),
    Sender {
        takes_rewrites: false,
        ..sender(
            "qwen",
            "qwen",
            ["PreToolUse.run_shell_command", "PostToolUse.run_shell_command"],
            ["PreToolUse", "PostToolUse"],
        )
    },
];

/// Denies if the command or the content begins as in the recordings.
const EXIT_2: &str = r#"#!/bin/sh
if grep -qE '"(command|content)": *"(echo|hello|hi|touch|A note)'; then
    echo "THE-REASON" >&2
    exit 2
fi
"#;

const JSON_DENY: &str = r#"#!/bin/sh
grep -qE '"(command|content)": *"(echo|hello|hi|touch|A note)' || exit 0
printf '%s' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
printf '%s\n' '"permissionDecisionReason": "THE-REASON"}}'
"#;

const CONTEXT: &str = r#"#!/bin/sh
grep -qE '"tool_name": *"(Bash|Write)"' || exit 0
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "THE-CONTEXT"}}'
"#;

/// Gives the input back with another command, or another content, and no key less.
const UPDATED_INPUT: &str = r#"#!/bin/sh
input=$(grep -oE '"tool_input": *\{[^{}]*\}' | head -n 1 | sed -E 's/^"tool_input": *//')
input=$(printf '%s' "$input" | sed -E 's/"(command|content)": *"(echo|hello|hi|touch|A note)/"\1":"echo THE-REWRITE/')
printf '%s' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", '
printf '"updatedInput": %s}}\n' "$input"
"#;

/// The reply to the agent if this script judges a recorded payload.
fn run_script(sender: &Sender, event: &str, script: &str, payload: &str) -> Value {
    let world = World::with_hooks(&format!(
        "version: 1\nhooks: {{ {event}: [ {{ name: classic, matcher: 'Bash|Write', script: classic.sh }} ] }}\n"
    ));
    fs::write(world.config().join("tenter/classic.sh"), script).unwrap();
    let file = format!("../adapters/src/{}/fixtures/{payload}.json", sender.folder);
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let ran = world.hook(sender.agent, &text).run();
    assert_eq!(ran.code, Some(0), "{} {payload}: {ran:?}", sender.agent);
    assert_ne!(ran.stdout, "", "{} {payload}: the script has no effect: {ran:?}", sender.agent);
    ran.answer()
}

fn denies(agent: &str, answer: &Value) -> bool {
    match agent {
        "claude" | "codex" => answer["hookSpecificOutput"]["permissionDecision"] == "deny",
        "copilot" => answer["permissionDecision"] == "deny",
        "gemini" | "kilo" | "opencode" => answer["decision"] == "deny",
        "qwen" => answer["continue"] == false,
        "cline" => answer["cancel"] == true,
        other => panic!("how does {other} take a deny?"),
    }
}

#[test]
fn exit_code_and_json_deny_stop_call() {
    for sender in &SENDERS {
        for payload in [sender.shell[0], sender.write[0]] {
            for script in [EXIT_2, JSON_DENY] {
                let answer = run_script(sender, "PreToolUse", script, payload);
                assert!(denies(sender.agent, &answer), "{} {payload}: {answer}", sender.agent);
                assert!(answer.to_string().contains("THE-REASON"), "{} {payload}: {answer}", sender.agent);
            }
        }
    }
}

#[test]
fn additional_context_reaches_model() {
    for sender in &SENDERS {
        for payload in [sender.shell[1], sender.write[1]] {
            let answer = run_script(sender, "PostToolUse", CONTEXT, payload);
            let context = [
                &answer["hookSpecificOutput"]["additionalContext"],
                &answer["additionalContext"],
                &answer["contextModification"],
                &answer["context"],
            ];
            let arrived =
                context.iter().any(|text| text.as_str().is_some_and(|text| text.contains("THE-CONTEXT")));
            assert!(arrived, "{} {payload}: {answer}", sender.agent);
        }
    }
}

#[test]
fn updated_input_runs() {
    for sender in &SENDERS {
        for payload in [sender.shell[0], sender.write[0]] {
            let answer = run_script(sender, "PreToolUse", UPDATED_INPUT, payload);
            let case = format!("{} {payload}: {answer}", sender.agent);
            if !sender.takes_rewrites {
                assert!(denies(sender.agent, &answer), "{case}");
                continue;
            }
            assert!(!denies(sender.agent, &answer), "{case}");
            let inputs = [
                &answer["hookSpecificOutput"]["updatedInput"],
                &answer["hookSpecificOutput"]["tool_input"],
                &answer["modifiedArgs"],
                &answer["overrideInput"],
                &answer["args"],
            ];
            let input = inputs.iter().find(|input| !input.is_null()).map(ToString::to_string);
            assert!(input.is_some_and(|input| input.contains("echo THE-REWRITE")), "{case}");
        }
    }
}
