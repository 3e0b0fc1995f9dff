//! Codex CLI: how it is called, wired and kept quiet.

use std::fmt::Write as _;

use serde_json::Value;

use super::subject::{Configuration, Stage, Subject};
use crate::commands::consent::trusted_hash;

/// Codex CLI.
pub(super) const CODEX: Subject = Subject {
    agent: "codex",
    title: "Codex CLI",
    program: "codex",
    script: include_str!("files/codex.yaml"),
    settings_path: ".codex/hooks.json",
    settings: "",
    configuration: Some(Configuration { path: ".codex/config.toml", text: configuration }),
    arguments: &[
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "Prove that the hooks are alive.",
    ],
    environment,
    not_headless: &[],
    runs: 1,
};

/// A model on loopback, nothing that wants a network, and the trust that the user of this home would give in
/// `/hooks`. Codex runs the hooks because of it, so it is proven as well.
fn configuration(stage: &Stage<'_>) -> String {
    let mut text = include_str!("files/codex-config.toml").replace("{url}", stage.url);
    for agreement in stage.agreements {
        // What JSON writes as a text is one in TOML too.
        let (key, hash) = (Value::from(agreement.key.as_str()), Value::from(trusted_hash(agreement)));
        // Writing into a text does not fail.
        let _ = write!(text, "\n[hooks.state.{key}]\ntrusted_hash = {hash}\n");
    }
    text
}

fn environment(_: &Stage<'_>) -> Vec<(&'static str, String)> {
    // Any key will do: nobody looks at it.
    vec![("SCRIPTED_KEY", "none".to_owned())]
}
