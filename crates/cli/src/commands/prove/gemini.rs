//! Gemini CLI: how it is called, wired and kept quiet.

use super::subject::{Stage, Subject};

/// Gemini CLI.
pub(super) const GEMINI: Subject = Subject {
    agent: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    script: include_str!("files/gemini.yaml"),
    settings_path: ".gemini/settings.json",
    settings: include_str!("files/gemini-settings.json"),
    configuration: None,
    arguments: &["-p", "Prove that the hooks are alive.", "--approval-mode", "yolo"],
    environment,
    not_headless: &[],
    runs: 1,
};

fn environment(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("GOOGLE_GEMINI_BASE_URL", stage.url.to_owned()),
        // Any key will do: nobody looks at it.
        ("GEMINI_API_KEY", "none".to_owned()),
        // In a folder that is not trusted it takes back the leave to run tools.
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
    ]
}
