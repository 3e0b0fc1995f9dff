//! OpenCode: how it is called, wired and kept quiet.

use super::subject::{Configuration, Stage, Subject};

/// OpenCode.
pub(super) const OPENCODE: Subject = Subject {
    agent: "opencode",
    title: "OpenCode",
    program: "opencode",
    script: include_str!("files/opencode.yaml"),
    settings_path: ".config/opencode/plugins/tenter.js",
    settings: "",
    configuration: Some(Configuration { path: ".config/opencode/opencode.json", text: configuration }),
    arguments: &["run", "Prove that the hooks are alive."],
    environment,
    runs: 1,
    not_headless: &[],
};

/// A model on loopback, and leave to do everything.
pub(super) fn configuration(stage: &Stage<'_>) -> String {
    include_str!("files/opencode-config.json").replace("{url}", stage.url)
}

pub(super) fn environment(_: &Stage<'_>) -> Vec<(&'static str, String)> {
    vec![
        // Where there are plugins, it gets a package of types from npm first, and tries for a minute.
        ("npm_config_offline", "true".to_owned()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "true".to_owned()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "true".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "true".to_owned()),
    ]
}
