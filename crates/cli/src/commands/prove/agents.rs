//! The agents that `tenter prove` can prove: how it starts and configures each and keeps it offline.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::commands::prove::provable_agent::{ConfigFile, ProvableAgent, RunContext};
use crate::install::consent::trusted_hash;

const PROMPT: &str = "Prove that the hooks are alive.";

/// The defaults of most agents.
const AGENT: ProvableAgent = ProvableAgent {
    agent: "",
    title: "",
    program: "",
    script: "",
    settings_path: "",
    settings: "",
    config_file: None,
    arguments: &[],
    environment: &[],
    not_headless: &[],
    runs: 1,
};

/// Kilo is a fork and differs in names only.
const OPENCODE: ProvableAgent = ProvableAgent {
    agent: "opencode",
    title: "OpenCode",
    program: "opencode",
    script: include_str!("files/opencode.yaml"),
    settings_path: ".config/opencode/plugins/tenter.js",
    config_file: Some(ConfigFile { path: ".config/opencode/opencode.json", text: opencode_config }),
    arguments: &["run", PROMPT],
    environment: &[
        // With plugins, both get a package of types from npm first and try for a minute.
        ("npm_config_offline", "true"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "true"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "true"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "true"),
        ("KILO_DISABLE_MODELS_FETCH", "true"),
        ("KILO_DISABLE_AUTOUPDATE", "true"),
    ],
    ..AGENT
};

/// Keys and model names are arbitrary: the scripted model ignores them.
pub(crate) const AGENTS: [ProvableAgent; 8] = [
    ProvableAgent {
        agent: "claude",
        title: "Claude Code",
        program: "claude",
        script: include_str!("files/claude.yaml"),
        settings_path: ".claude/settings.json",
        arguments: &["-p", PROMPT, "--allowedTools", "Bash", "Write"],
        environment: &[
            ("ANTHROPIC_BASE_URL", "{url}"),
            ("ANTHROPIC_API_KEY", "none"),
            // It keeps files below /tmp otherwise.
            ("CLAUDE_CODE_TMPDIR", "{scratch}"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("IS_SANDBOX", "1"),
        ],
        ..AGENT
    },
    ProvableAgent {
        agent: "cline",
        title: "Cline",
        program: "cline",
        script: include_str!("files/cline.yaml"),
        settings_path: ".cline/hooks",
        config_file: Some(ConfigFile { path: ".cline/data/settings/providers.json", text: cline_provider }),
        arguments: &[PROMPT, "--auto-approve", "true"],
        // Otherwise it leaves a server process behind.
        environment: &[("CLINE_SESSION_BACKEND_MODE", "local"), ("CLINE_NO_AUTO_UPDATE", "1")],
        // It sends no prompt event for a prompt on the command line.
        not_headless: &["prompt:submit"],
        // Each deny ends a run.
        runs: 3,
        ..AGENT
    },
    ProvableAgent {
        agent: "codex",
        title: "Codex CLI",
        program: "codex",
        script: include_str!("files/codex.yaml"),
        settings_path: ".codex/hooks.json",
        config_file: Some(ConfigFile { path: ".codex/config.toml", text: codex_config }),
        arguments: &["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
        environment: &[("SCRIPTED_KEY", "none")],
        ..AGENT
    },
    ProvableAgent {
        agent: "copilot",
        title: "Copilot CLI",
        program: "copilot",
        script: include_str!("files/copilot.yaml"),
        settings_path: ".copilot/hooks/tenter.json",
        arguments: &["-p", PROMPT, "--allow-all-tools", "--allow-all-paths"],
        environment: &[
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", "none"),
            // With an unknown model it has one tool to make files and one to change them.
            ("COPILOT_MODEL", "scripted"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ],
        ..AGENT
    },
    ProvableAgent {
        agent: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        script: include_str!("files/gemini.yaml"),
        settings_path: ".gemini/settings.json",
        settings: include_str!("files/gemini-settings.json"),
        arguments: &["-p", PROMPT, "--approval-mode", "yolo"],
        environment: &[
            ("GOOGLE_GEMINI_BASE_URL", "{url}"),
            ("GEMINI_API_KEY", "none"),
            // In a folder that is not trusted, tools need approval again.
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
        ..AGENT
    },
    ProvableAgent {
        agent: "kilo",
        title: "Kilo",
        program: "kilo",
        settings_path: ".config/kilo/plugin/tenter.js",
        config_file: Some(ConfigFile { path: ".config/kilo/kilo.json", text: opencode_config }),
        ..OPENCODE
    },
    OPENCODE,
    ProvableAgent {
        agent: "qwen",
        title: "Qwen Code",
        program: "qwen",
        script: include_str!("files/qwen.yaml"),
        settings_path: ".qwen/settings.json",
        settings: include_str!("files/qwen-settings.json"),
        arguments: &["-p", PROMPT, "--approval-mode", "yolo"],
        environment: &[
            ("OPENAI_BASE_URL", "{url}/v1"),
            ("OPENAI_API_KEY", "none"),
            ("OPENAI_MODEL", "scripted"),
        ],
        // It sends the start of a session only in a terminal.
        not_headless: &["session:start"],
        ..AGENT
    },
];

fn cline_provider(context: &RunContext<'_>) -> String {
    const NAME: &str = "openai-compatible";
    let settings = json!({
        "provider": NAME, "apiKey": "none", "model": "scripted", "baseUrl": format!("{}/v1", context.url),
    });
    let provider = json!({
        "settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
    });
    json!({"version": 1, "lastUsedProvider": NAME, "modes": {}, "providers": { NAME: provider }}).to_string()
}

/// With the trust that the user would give in `/hooks`, so that the proof covers it.
fn codex_config(context: &RunContext<'_>) -> String {
    let mut text = include_str!("files/codex-config.toml").replace("{url}", context.url);
    for agreement in context.agreements {
        // A JSON string is a TOML string too.
        let (key, hash) = (Value::from(agreement.key.as_str()), Value::from(trusted_hash(agreement)));
        let _ = write!(text, "\n[hooks.state.{key}]\ntrusted_hash = {hash}\n");
    }
    text
}

fn opencode_config(context: &RunContext<'_>) -> String {
    include_str!("files/opencode-config.json").replace("{url}", context.url)
}
