//! The conversation: payloads as Claude Code 2.1.197 sends them, and what must come of each.

use serde_json::{Value, json};
use tenter_contract::Answer;

use super::project::Project;

/// One step of the conversation.
pub(super) struct Scene {
    /// What happens.
    pub(super) title: &'static str,
    /// What the agent does, in its own words.
    pub(super) act: Option<String>,
    /// A file the agent's tool has written by then.
    pub(super) writes: Option<(&'static str, &'static str)>,
    /// What Claude Code sends.
    pub(super) payload: Value,
    /// What must come of it.
    pub(super) expect: Expect,
}

/// What must come of a payload.
pub(super) enum Expect {
    /// Nothing, and why.
    Silence(&'static str),
    /// Context with this text in it.
    Context(&'static str),
    /// A deny with this text in it.
    Deny(&'static str),
    /// This command instead.
    Rewrite(&'static str),
}

impl Expect {
    /// Compares with the answer; the error says what is wrong.
    pub(super) fn check(&self, answer: &Answer) -> Result<(), String> {
        let stdout = String::from_utf8_lossy(&answer.stdout);
        let json: Value = serde_json::from_str(&stdout).unwrap_or_default();
        let at = |key: &str| {
            json.pointer(&format!("/hookSpecificOutput/{key}")).and_then(Value::as_str).unwrap_or("")
        };
        let as_expected = match self {
            Self::Silence(_) => stdout.is_empty(),
            Self::Context(part) => at("additionalContext").contains(part),
            Self::Deny(part) => {
                at("permissionDecision") == "deny" && at("permissionDecisionReason").contains(part)
            }
            Self::Rewrite(command) => at("updatedInput/command") == *command,
        };
        let stderr = String::from_utf8_lossy(&answer.stderr);
        if answer.exit_code == 0 && as_expected {
            Ok(())
        } else {
            Err(format!("unexpected answer (exit code {}): {stdout}{stderr}", answer.exit_code))
        }
    }
}

const BROKEN: &str = "#!/bin/sh\nif [ -z \"$1\" ]; then\n    echo \"usage: release.sh VERSION\" >&2\n    exit 2\necho \"releasing $1\"\n";
const FIXED: &str = "#!/bin/sh\nif [ -z \"$1\" ]; then\n    echo \"usage: release.sh VERSION\" >&2\n    exit 2\nfi\necho \"releasing $1\"\n";

/// The steps, in order.
pub(super) fn scenes(project: &Project) -> Vec<Scene> {
    let script = project.path("release.sh");
    let guarded = project.path("production/database.yaml");
    let broken = json!({"file_path": script, "content": BROKEN});
    let edit = json!({"file_path": script, "old_string": "    exit 2\necho", "new_string": "    exit 2\nfi\necho", "replace_all": false});
    let push =
        json!({"command": "git push --force origin main", "description": "Publish the release branch"});
    let write = |title, act: &str, payload, expect| Scene {
        title,
        act: Some(act.to_owned()),
        writes: None,
        payload,
        expect,
    };
    vec![
        Scene {
            title: "The session begins",
            act: None,
            writes: None,
            payload: project.payload("SessionStart", &json!({"source": "startup"})),
            expect: Expect::Context("## "),
        },
        Scene {
            title: "The agent has written a script with a mistake in it",
            act: Some("Write release.sh".to_owned()),
            writes: Some(("release.sh", BROKEN)),
            payload: project.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": broken, "tool_use_id": "toolu_01",
                "tool_response": {"type": "create", "filePath": script, "content": BROKEN, "structuredPatch": [], "originalFile": null}, "duration_ms": 12})),
            expect: Expect::Context("release.sh"),
        },
        Scene {
            title: "It has read that, and fixes the script in the same turn",
            act: Some("Edit release.sh: adds the missing `fi`".to_owned()),
            writes: Some(("release.sh", FIXED)),
            payload: project.payload("PostToolUse", &json!({"tool_name": "Edit", "tool_input": edit, "tool_use_id": "toolu_02",
                "tool_response": {"filePath": script, "oldString": "", "newString": "", "userModified": false}, "duration_ms": 9})),
            expect: Expect::Silence("the linter is content, so nothing is said"),
        },
        write(
            "It wants to change a file of production",
            "Write production/database.yaml",
            project.payload("PreToolUse", &json!({"tool_name": "Write", "tool_use_id": "toolu_03",
                "tool_input": {"file_path": guarded, "content": "host: db-2\n"}})),
            Expect::Deny("Operation denied by production-guard"),
        ),
        write(
            "It wants to push with force",
            "Bash git push --force origin main",
            project.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_use_id": "toolu_04", "tool_input": push})),
            Expect::Rewrite("git push --force-with-lease origin main"),
        ),
        write(
            "It runs something harmless",
            "Bash ls",
            project.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_use_id": "toolu_05",
                "tool_input": {"command": "ls", "description": "List files"}})),
            Expect::Silence("no hook is concerned"),
        ),
    ]
}
