//! Standard output carries exactly one JSON document or nothing, at every event that was ever recorded.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tenter_contract::event_names::EVENTS;

use crate::world::World;

/// Hooks with output at every event: for the user and for the model.
fn hooks_with_messages() -> String {
    let hooks = |event: &str| {
        let name = event.replace(':', "-");
        let injects = EVENTS.iter().any(|row| row.canonical == event && row.powers.inject.possible());
        let inject = format!("    - {{ name: injects-{name}, inject: \"{{{{injected\", repeat: always }}\n");
        let inject = if injects { inject.as_str() } else { "" };
        format!(
            "  \"{event}\":\n    - {{ name: tells-{name}, message: \"notice\" }}\n{inject}    - {{ name: prints-{name}, command: \"echo printed; echo complained >&2\", inject_output: always, repeat: always }}\n"
        )
    };
    let own = ["FileChanged", "WorktreeCreate", "MessageDisplay"].map(|name| format!("claude:{name}"));
    let asked = EVENTS.iter().filter(|row| !row.kind.is_only_recorded());
    let events = asked.map(|row| row.canonical.to_owned()).chain(own);
    format!("version: 1\nhooks:\n{}", events.map(|event| hooks(&event)).collect::<String>())
}

/// An agent, the folder of its recorded payloads, and the events that accept context.
struct Recorded {
    agent: &'static str,
    folder: &'static str,
    takes_context: &'static [&'static str],
    /// The events that show the user a message; all events if empty.
    tells_at: &'static [&'static str],
}

const CLAUDE: Recorded = Recorded {
    agent: "claude",
    folder: "claude_code",
    takes_context: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ],
    tells_at: &[],
};

const CODEX: Recorded = Recorded {
    agent: "codex",
    folder: "codex",
    takes_context: &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"],
    tells_at: &[],
};

const COPILOT: Recorded = Recorded {
    agent: "copilot",
    folder: "copilot",
    takes_context: &[
        "sessionStart",
        "SessionStart",
        "userPromptSubmitted",
        "UserPromptSubmit",
        "preToolUse",
        "PreToolUse",
        "postToolUse",
        "PostToolUse",
        "postToolUseFailure",
        "PostToolUseFailure",
        "subagentStart",
        "SubagentStart",
    ],
    tells_at: &["nowhere"],
};

const CLINE: Recorded = Recorded {
    agent: "cline",
    folder: "cline",
    takes_context: &["PreToolUse", "PostToolUse"],
    tells_at: &["nowhere"],
};

const GEMINI: Recorded = Recorded {
    agent: "gemini",
    folder: "gemini",
    takes_context: &["SessionStart", "BeforeAgent", "AfterTool"],
    tells_at: &[],
};

const QWEN: Recorded = Recorded {
    agent: "qwen",
    folder: "qwen",
    takes_context: &["UserPromptSubmit", "PostToolUse", "PostToolUseFailure"],
    tells_at: &["Stop"],
};

const OPENCODE: Recorded = Recorded {
    agent: "opencode",
    folder: "opencode",
    takes_context: &[
        "session-created",
        "chat-message",
        "tool-execute-after",
        "subagent-created",
        "experimental-session-compacting",
    ],
    tells_at: &[],
};

const KILO: Recorded = Recorded { agent: "kilo", folder: "kilo", ..OPENCODE };

fn fixtures(recorded: &Recorded) -> Vec<(String, String)> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src");
    let folder = sources.join(recorded.folder).join("fixtures");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let payloads = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let named = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut all: Vec<_> = payloads.map(|path| (named(&path), fs::read_to_string(path).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn recorded_payload_gets_one_document_or_silence() {
    let world = World::with_hooks(&hooks_with_messages());
    let listed = world.tenter(&["hooks", "list"]).run();
    assert_eq!(listed.code, Some(0), "{}", listed.stdout);
    let mut silent = Vec::new();
    let all = [&CLAUDE, &CLINE, &CODEX, &COPILOT, &GEMINI, &KILO, &OPENCODE, &QWEN]
        .map(|recorded| fixtures(recorded).into_iter().map(move |it| (recorded, it)));
    for (recorded, (name, payload)) in all.into_iter().flatten() {
        let event = name.split('.').next().unwrap();
        let ran = world.hook(recorded.agent, &payload).run();
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        match event {
            // Output that is not a block becomes the instructions of the summary.
            "PreCompact" if recorded.agent == "claude" => {
                assert!(ran.stdout.starts_with("Hook feedback:\n"), "{name}: {ran:?}");
            }
            _ if ran.stdout.is_empty() => silent.push(format!("{} {name}", recorded.agent)),
            _ => {
                let answer = ran.answer();
                assert!(ran.stdout.ends_with("}\n") && ran.stdout.lines().count() == 1, "{name}: {ran:?}");
                let named = answer.pointer("/hookSpecificOutput/hookEventName");
                assert!(named.is_none_or(|it| it == event), "{name}: the agent ignores {answer}");
                let context = answer.pointer("/hookSpecificOutput/additionalContext");
                let context = context.or_else(|| answer.get("additionalContext"));
                let context = context.or_else(|| answer.get("contextModification")).map(Value::to_string);
                let both = |text: &String| text.contains("{{injected") && text.contains("printed");
                assert!(context.as_ref().is_none_or(both), "{name}: {answer}");
                let takes = recorded.takes_context.contains(&event);
                assert_eq!(context.is_some(), takes, "{} {name}: {answer}", recorded.agent);
                let tells = recorded.tells_at.is_empty() || recorded.tells_at.contains(&event);
                let notified = answer["systemMessage"].as_str().is_some_and(|text| text.contains("notice"));
                assert_eq!(notified, tells, "{name}: {answer}");
            }
        }
    }
    let verified = world.tenter(&["audit", "verify"]).run();
    assert_eq!(verified.code, Some(0), "{verified:?}");
    insta::assert_snapshot!(silent.join("\n"));
}

/// A truncated payload gets no output, never half a document.
#[test]
fn truncated_payload_gets_no_output() {
    let world = World::with_hooks(&hooks_with_messages());
    let (_, payload) = fixtures(&CLAUDE).into_iter().find(|(name, _)| name == "PreToolUse.Bash").unwrap();
    let complete = payload.trim_end();
    for length in (0..complete.len()).step_by(complete.len() / 20) {
        let ran = world.claude(&complete[..length]).run();
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{length} bytes");
    }
    let complete: Value = world.claude(complete).run().answer();
    assert!(complete.is_object());
}
