//! Kilo: how it is called, wired and kept quiet.

use super::opencode::{configuration, environment};
use super::subject::{Configuration, Stage, Subject};

/// Kilo.
pub(super) const KILO: Subject = Subject {
    agent: "kilo",
    title: "Kilo",
    program: "kilo",
    script: include_str!("files/opencode.yaml"),
    settings_path: ".config/kilo/plugin/tenter.js",
    settings: "",
    configuration: Some(Configuration { path: ".config/kilo/kilo.json", text: configuration }),
    arguments: &["run", "Prove that the hooks are alive."],
    environment: quiet,
    runs: 1,
    not_headless: &[],
};

fn quiet(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    let own = [("KILO_DISABLE_MODELS_FETCH", "true"), ("KILO_DISABLE_AUTOUPDATE", "true")];
    environment(stage).into_iter().chain(own.map(|(name, value)| (name, value.to_owned()))).collect()
}
