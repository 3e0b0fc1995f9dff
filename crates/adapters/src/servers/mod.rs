//! Where agents keep the MCP servers that they start.
//!
//! Goose is not in the table: its servers are in a YAML file, which tenter does not write.

mod json;
mod toml;

use serde_json::{Value, json};
use tenter_contract::AgentName;
use tenter_contract::ports::{Scope, SettingsError, SettingsPlace, Uninstalled};

use crate::installer::{home, in_project};

/// The name of tenter's server.
pub const SERVER: &str = "tenter";

/// An agent's place for servers.
pub struct ServerSettings {
    agent: &'static str,
    user: Option<SettingsPlace>,
    project: Option<SettingsPlace>,
    form: Form,
}

/// How a server is written.
enum Form {
    /// Below a key of a JSON file, as this value.
    Json { key: &'static str, entry: fn(&str) -> Value },
    /// As a table `[mcp_servers.tenter]`.
    Toml,
}

const fn row(
    agent: &'static str,
    user: Option<SettingsPlace>,
    project: Option<SettingsPlace>,
    form: Form,
) -> ServerSettings {
    ServerSettings { agent, user, project, form }
}

/// The places, agent by agent.
static ALL: [ServerSettings; 20] = [
    // The folder of the variable has this file in it too; without it, the file is next to the folder.
    row(
        "claude",
        home("CLAUDE_CONFIG_DIR", "", ".claude.json"),
        in_project(".mcp.json"),
        Form::Json { key: SERVERS, entry: typed },
    ),
    row("codex", home("CODEX_HOME", ".codex", "config.toml"), in_project(".codex/config.toml"), Form::Toml),
    row(
        "gemini",
        home("GEMINI_CLI_HOME", "", ".gemini/settings.json"),
        in_project(".gemini/settings.json"),
        PLAIN,
    ),
    row("qwen", home("QWEN_HOME", ".qwen", "settings.json"), in_project(".qwen/settings.json"), PLAIN),
    row(
        "opencode",
        home("XDG_CONFIG_HOME", ".config", "opencode/opencode.json"),
        in_project("opencode.json"),
        Form::Json { key: "mcp", entry: in_one_list },
    ),
    row(
        "kilo",
        home("XDG_CONFIG_HOME", ".config", "kilo/kilo.json"),
        in_project("kilo.json"),
        Form::Json { key: "mcp", entry: in_one_list },
    ),
    row(
        "copilot",
        home("COPILOT_HOME", ".copilot", "mcp-config.json"),
        in_project(".github/mcp.json"),
        Form::Json { key: SERVERS, entry: with_tools },
    ),
    row("cursor", home("", ".cursor", "mcp.json"), in_project(".cursor/mcp.json"), PLAIN),
    // Where the file of a user lies depends on the system, the edition and the profile. VS Code reads Copilot CLI's too.
    row("vscode", None, in_project(".vscode/mcp.json"), Form::Json { key: "servers", entry: typed }),
    row("kiro", home("", ".kiro", "settings/mcp.json"), in_project(".kiro/settings/mcp.json"), PLAIN),
    row("amazonq", home("", ".aws/amazonq", "mcp.json"), in_project(".amazonq/mcp.json"), PLAIN),
    row(
        "factory",
        home("", ".factory", "mcp.json"),
        in_project(".factory/mcp.json"),
        Form::Json { key: SERVERS, entry: typed },
    ),
    row("augment", home("", ".augment", "settings.json"), None, PLAIN),
    row("windsurf", home("", ".codeium/windsurf", "mcp_config.json"), None, PLAIN),
    row(
        "amp",
        home("XDG_CONFIG_HOME", ".config", "amp/settings.json"),
        in_project(".amp/settings.json"),
        Form::Json { key: "amp.mcpServers", entry: plain },
    ),
    // The extension keeps another one, below the folder of its editor.
    row("cline", home("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json"), None, PLAIN),
    row(
        "crush",
        home("XDG_CONFIG_HOME", ".config", "crush/crush.json"),
        in_project("crush.json"),
        Form::Json { key: "mcp", entry: typed },
    ),
    row(
        "devin",
        home("XDG_CONFIG_HOME", ".config", "devin/config.json"),
        in_project(".devin/config.json"),
        PLAIN,
    ),
    row("antigravity", home("", ".gemini/config", "mcp_config.json"), None, PLAIN),
    row("kimi", home("", ".kimi", "mcp.json"), None, PLAIN),
];

const SERVERS: &str = "mcpServers";
const PLAIN: Form = Form::Json { key: SERVERS, entry: plain };

fn plain(program: &str) -> Value {
    json!({"command": program, "args": ["mcp"]})
}

fn typed(program: &str) -> Value {
    json!({"type": "stdio", "command": program, "args": ["mcp"]})
}

fn with_tools(program: &str) -> Value {
    json!({"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]})
}

fn in_one_list(program: &str) -> Value {
    json!({"type": "local", "command": [program, "mcp"], "enabled": true})
}

/// The place of an agent, if one is known.
pub fn of(agent: &AgentName) -> Option<&'static ServerSettings> {
    ALL.iter().find(|settings| settings.agent == agent.as_str())
}

impl ServerSettings {
    /// Where the settings of a scope lie, if the agent has such a scope.
    pub fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
            Scope::Local => None,
        }
    }

    /// Adds our server, or updates it in place. `None` is a file that does not exist yet.
    pub fn register(&self, settings: Option<&str>, program: &str) -> Result<String, SettingsError> {
        match self.form {
            Form::Json { key, entry } => json::register(settings, key, &entry(program)),
            Form::Toml => toml::register(settings, program),
        }
    }

    /// Removes it. `before` is the text from before it was put in, if it was kept.
    pub fn unregister(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        if self.registered(settings)?.is_none() {
            return Ok(Uninstalled::NotInstalled);
        }
        let cut = |text: &str, before: Option<&str>| match self.form {
            Form::Json { key, .. } => json::cut(text, key, before),
            Form::Toml => Ok(toml::cut(text)),
        };
        let known = before.filter(|before| matches!(self.registered(before), Ok(None)));
        let text = cut(settings, known)?;
        if let Some(before) = known
            && cut(&self.register(Some(before), "/tenter")?, known)? == text
        {
            return Ok(Uninstalled::Restored);
        }
        let bare = match self.form {
            Form::Json { .. } => text.split_whitespace().collect::<String>() == "{}",
            Form::Toml => text.trim().is_empty(),
        };
        Ok(if before.is_none() && bare { Uninstalled::NothingElse } else { Uninstalled::Cut { text } })
    }

    /// The program of our server, if it is registered.
    pub fn registered(&self, settings: &str) -> Result<Option<String>, SettingsError> {
        match self.form {
            Form::Json { key, .. } => json::registered(settings, key),
            Form::Toml => Ok(toml::registered(settings)),
        }
    }
}

/// Another server has our name, and it is its user's.
fn taken() -> SettingsError {
    SettingsError::WrongType {
        what: format!("the MCP server `{SERVER}`"),
        expected: "tenter's own; another program has that name, and tenter leaves it alone",
    }
}

/// The program of a command, if it is ours: `…/tenter mcp`.
fn program_of(words: &[&str]) -> Option<String> {
    match words {
        [program, "mcp"] if program.rsplit('/').next() == Some("tenter") => Some((*program).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
