//! Copilot CLI: how it is called, wired and kept quiet.

use super::subject::{Stage, Subject};

/// Copilot CLI.
pub(super) const COPILOT: Subject = Subject {
    agent: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    script: include_str!("files/copilot.yaml"),
    settings_path: ".copilot/hooks/tenter.json",
    settings: "",
    configuration: None,
    arguments: &["-p", "Prove that the hooks are alive.", "--allow-all-tools", "--allow-all-paths"],
    environment,
    not_headless: &[],
    runs: 1,
};

fn environment(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", stage.url)),
        // Any key will do: nobody looks at it.
        ("COPILOT_PROVIDER_API_KEY", "none".to_owned()),
        // With a name that it does not know it has one tool to make files and one to change them.
        ("COPILOT_MODEL", "scripted".to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_AUTO_UPDATE", "false".to_owned()),
    ]
}
