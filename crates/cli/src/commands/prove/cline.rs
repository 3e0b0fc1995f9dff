//! Cline: how it is called, wired and kept quiet.

use serde_json::json;

use super::subject::{Configuration, Stage, Subject};

/// Cline.
pub(super) const CLINE: Subject = Subject {
    agent: "cline",
    title: "Cline",
    program: "cline",
    script: include_str!("files/cline.yaml"),
    settings_path: ".cline/hooks",
    settings: "",
    configuration: Some(Configuration { path: ".cline/data/settings/providers.json", text: provider }),
    arguments: &["Prove that the hooks are alive.", "--auto-approve", "true"],
    environment,
    // One prompt on the command line is no prompt to it.
    not_headless: &["prompt:submit"],
    // Either deny ends a run.
    runs: 3,
};

fn provider(stage: &Stage<'_>) -> String {
    const NAME: &str = "openai-compatible";
    // Any key and any model will do: nobody looks at them.
    let settings = json!({
        "provider": NAME, "apiKey": "none", "model": "scripted", "baseUrl": format!("{}/v1", stage.url),
    });
    let provider = json!({
        "settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
    });
    json!({"version": 1, "lastUsedProvider": NAME, "modes": {}, "providers": { NAME: provider }}).to_string()
}

fn environment(_stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        // Otherwise it leaves a process behind that serves its other windows.
        ("CLINE_SESSION_BACKEND_MODE", "local".to_owned()),
        ("CLINE_NO_AUTO_UPDATE", "1".to_owned()),
    ]
}
