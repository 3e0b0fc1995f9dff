//! Claude Code: how it is called, wired and kept quiet.

use super::subject::{Stage, Subject};

/// Claude Code.
pub(super) const CLAUDE: Subject = Subject {
    agent: "claude",
    title: "Claude Code",
    program: "claude",
    script: include_str!("files/claude.yaml"),
    settings_path: ".claude/settings.json",
    settings: "",
    configuration: None,
    arguments: &["-p", "Prove that the hooks are alive.", "--allowedTools", "Bash", "Write"],
    environment,
    not_headless: &[],
    runs: 1,
};

fn environment(stage: &Stage<'_>) -> Vec<(&'static str, String)> {
    let on = || "1".to_owned();
    vec![
        ("ANTHROPIC_BASE_URL", stage.url.to_owned()),
        // Any key will do: nobody looks at it.
        ("ANTHROPIC_API_KEY", "none".to_owned()),
        // It keeps files below /tmp otherwise.
        ("CLAUDE_CODE_TMPDIR", stage.scratch.to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
        ("DISABLE_AUTOUPDATER", on()),
        ("DISABLE_TELEMETRY", on()),
        ("IS_SANDBOX", on()),
    ]
}
