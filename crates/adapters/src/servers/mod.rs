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

enum Form {
    /// Below a key of a JSON file, as this value.
    Json { key: &'static str, entry: fn(&str) -> Value },
    /// As a table `[mcp_servers.tenter]`.
    Toml,
}

const fn row(
    agent: &'static str,
    user: Option<(&'static str, &'static str, &'static str)>,
    project: &'static str,
    form: Form,
) -> ServerSettings {
    let user = match user {
        Some((variable, folder, file)) => home(variable, folder, file),
        None => None,
    };
    let project = if project.is_empty() { None } else { in_project(project) };
    ServerSettings { agent, user, project, form }
}

/// The places, agent by agent: the variable, the folder in the home and the file of the user, and the file of a project.
static ALL: [ServerSettings; 20] = [
    // The folder of the variable has this file in it too; without it, the file is next to the folder.
    row("claude", Some(("CLAUDE_CONFIG_DIR", "", ".claude.json")), ".mcp.json", json(SERVERS, typed)),
    row("codex", Some(("CODEX_HOME", ".codex", "config.toml")), ".codex/config.toml", Form::Toml),
    row("gemini", Some(("GEMINI_CLI_HOME", "", ".gemini/settings.json")), ".gemini/settings.json", PLAIN),
    row("qwen", Some(("QWEN_HOME", ".qwen", "settings.json")), ".qwen/settings.json", PLAIN),
    row(
        "opencode",
        Some((CONFIG, ".config", "opencode/opencode.json")),
        "opencode.json",
        json("mcp", in_one_list),
    ),
    row("kilo", Some((CONFIG, ".config", "kilo/kilo.json")), "kilo.json", json("mcp", in_one_list)),
    row(
        "copilot",
        Some(("COPILOT_HOME", ".copilot", "mcp-config.json")),
        ".github/mcp.json",
        json(SERVERS, with_tools),
    ),
    row("cursor", Some(("", ".cursor", "mcp.json")), ".cursor/mcp.json", PLAIN),
    // Where the file of a user lies depends on the system, the edition and the profile. VS Code reads Copilot CLI's too.
    row("vscode", None, ".vscode/mcp.json", json("servers", typed)),
    row("kiro", Some(("", ".kiro", "settings/mcp.json")), ".kiro/settings/mcp.json", PLAIN),
    row("amazonq", Some(("", ".aws/amazonq", "mcp.json")), ".amazonq/mcp.json", PLAIN),
    row("factory", Some(("", ".factory", "mcp.json")), ".factory/mcp.json", json(SERVERS, typed)),
    row("augment", Some(("", ".augment", "settings.json")), "", PLAIN),
    row("windsurf", Some(("", ".codeium/windsurf", "mcp_config.json")), "", PLAIN),
    row(
        "amp",
        Some((CONFIG, ".config", "amp/settings.json")),
        ".amp/settings.json",
        json("amp.mcpServers", plain),
    ),
    // The extension keeps another one, below the folder of its editor.
    row("cline", Some(("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json")), "", PLAIN),
    row("crush", Some((CONFIG, ".config", "crush/crush.json")), "crush.json", json("mcp", typed)),
    row("devin", Some((CONFIG, ".config", "devin/config.json")), ".devin/config.json", PLAIN),
    row("antigravity", Some(("", ".gemini/config", "mcp_config.json")), "", PLAIN),
    row("kimi", Some(("", ".kimi", "mcp.json")), "", PLAIN),
];

const CONFIG: &str = "XDG_CONFIG_HOME";
const SERVERS: &str = "mcpServers";
const PLAIN: Form = json(SERVERS, plain);

const fn json(key: &'static str, entry: fn(&str) -> Value) -> Form {
    Form::Json { key, entry }
}

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
pub fn find(agent: &AgentName) -> Option<&'static ServerSettings> {
    ALL.iter().find(|settings| settings.agent == agent.as_str())
}

impl ServerSettings {
    /// The settings file of a scope, if the agent has such a scope.
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
