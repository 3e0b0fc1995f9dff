//! Qwen Code: how it is called, wired and kept quiet.

use super::subject::{Stage, Subject};

/// Qwen Code.
pub(super) const QWEN: Subject = Subject {
    agent: "qwen",
    title: "Qwen Code",
    program: "qwen",
    script: include_str!("files/qwen.yaml"),
    settings_path: ".qwen/settings.json",
    settings: include_str!("files/qwen-settings.json"),
    configuration: None,
    arguments: &["-p", "Prove that the hooks are alive.", "--approval-mode", "yolo"],
    environment,
    // It says when a session begins only to hooks that somebody at a terminal has.
    not_headless: &["session:start"],
    runs: 1,
};

fn environment(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_BASE_URL", format!("{}/v1", stage.url)),
        // Any key and any model will do: nobody looks at them.
        ("OPENAI_API_KEY", "none".to_owned()),
        ("OPENAI_MODEL", "scripted".to_owned()),
    ]
}
