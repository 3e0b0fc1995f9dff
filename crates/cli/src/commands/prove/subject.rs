//! An agent that can be put to the proof.

use serde_json::Value;

use super::claude::CLAUDE;

/// What must be known of an agent to run it.
pub(super) struct Subject {
    /// Its name in `tenter hook NAME`.
    pub(super) agent: &'static str,
    /// Its name for people.
    pub(super) title: &'static str,
    /// Its program, as it is found by `PATH`.
    pub(super) program: &'static str,
    /// What the model says to it.
    pub(super) script: &'static str,
    /// Its settings, below the home.
    pub(super) settings_path: &'static str,
    /// Settings that call this command at every event of the proof.
    pub(super) settings: fn(&str) -> Value,
    /// One prompt, headless, with leave to run shell commands and write files.
    pub(super) arguments: &'static [&'static str],
    /// What it needs besides `PATH`, `HOME` and the like.
    pub(super) environment: fn(&Stage<'_>) -> Vec<(&'static str, String)>,
}

/// What an agent finds when it starts.
pub(super) struct Stage<'a> {
    /// The model.
    pub(super) url: &'a str,
    /// A folder for files that do not last.
    pub(super) scratch: &'a str,
}

/// Everyone who can be put to the proof.
pub(super) const SUBJECTS: [&Subject; 1] = [&CLAUDE];
