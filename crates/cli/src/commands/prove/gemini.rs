//! Gemini CLI: how it is called, wired and kept quiet.

use serde_json::{Value, json};

use super::subject::{Stage, Subject};

/// Gemini CLI.
pub(super) const GEMINI: Subject = Subject {
    agent: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    script: include_str!("files/gemini.yaml"),
    settings_path: ".gemini/settings.json",
    settings,
    arguments: &["-p", "Prove that the hooks are alive.", "--approval-mode", "yolo"],
    environment,
};

fn settings(hook: &str) -> Value {
    // Its timeouts are milliseconds.
    let entry = json!([{"hooks": [{"type": "command", "command": hook, "timeout": 20_000}]}]);
    let events = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"];
    json!({
        "hooks": events.map(|event| (event.to_owned(), entry.clone())).into_iter().collect::<Value>(),
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
    })
}

fn environment(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("GOOGLE_GEMINI_BASE_URL", stage.url.to_owned()),
        // Any key will do: nobody looks at it.
        ("GEMINI_API_KEY", "none".to_owned()),
        // In a folder that is not trusted it takes back the leave to run tools.
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
    ]
}
