//! Where agents keep the MCP servers they start: settings text in, settings text out.
//!
//! A table and not a part of each agent's folder, because all but two have the same form. Goose is not in it, whose
//! servers stand in a YAML file, which tenter does not write.

mod json;
mod toml;

use serde_json::{Value, json};
use tenter_contract::AgentName;
use tenter_contract::ports::{Scope, SettingsError, SettingsPlace, Uninstalled};

/// The name under which tenter's server stands.
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

/// The places, agent by agent.
static ALL: [ServerSettings; 20] = [
    // The folder of the variable has this file in it too; without it, the file lies beside the folder.
    ServerSettings {
        agent: "claude",
        user: Some(SettingsPlace::Home { variable: "CLAUDE_CONFIG_DIR", folder: "", file: ".claude.json" }),
        project: Some(SettingsPlace::Project { file: ".mcp.json" }),
        form: Form::Json { key: SERVERS, entry: typed },
    },
    ServerSettings {
        agent: "codex",
        user: Some(SettingsPlace::Home { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" }),
        project: Some(SettingsPlace::Project { file: ".codex/config.toml" }),
        form: Form::Toml,
    },
    ServerSettings {
        agent: "gemini",
        user: Some(SettingsPlace::Home {
            variable: "GEMINI_CLI_HOME",
            folder: "",
            file: ".gemini/settings.json",
        }),
        project: Some(SettingsPlace::Project { file: ".gemini/settings.json" }),
        form: PLAIN,
    },
    ServerSettings {
        agent: "qwen",
        user: Some(SettingsPlace::Home { variable: "QWEN_HOME", folder: ".qwen", file: "settings.json" }),
        project: Some(SettingsPlace::Project { file: ".qwen/settings.json" }),
        form: PLAIN,
    },
    ServerSettings {
        agent: "opencode",
        user: Some(SettingsPlace::Home {
            variable: "XDG_CONFIG_HOME",
            folder: ".config",
            file: "opencode/opencode.json",
        }),
        project: Some(SettingsPlace::Project { file: "opencode.json" }),
        form: Form::Json { key: "mcp", entry: in_one_list },
    },
    ServerSettings {
        agent: "kilo",
        user: Some(SettingsPlace::Home {
            variable: "XDG_CONFIG_HOME",
            folder: ".config",
            file: "kilo/kilo.json",
        }),
        project: Some(SettingsPlace::Project { file: "kilo.json" }),
        form: Form::Json { key: "mcp", entry: in_one_list },
    },
    ServerSettings {
        agent: "copilot",
        user: Some(SettingsPlace::Home {
            variable: "COPILOT_HOME",
            folder: ".copilot",
            file: "mcp-config.json",
        }),
        project: Some(SettingsPlace::Project { file: ".github/mcp.json" }),
        form: Form::Json { key: SERVERS, entry: with_tools },
    },
    ServerSettings {
        agent: "cursor",
        user: Some(SettingsPlace::Home { variable: "", folder: ".cursor", file: "mcp.json" }),
        project: Some(SettingsPlace::Project { file: ".cursor/mcp.json" }),
        form: PLAIN,
    },
    // Where the file of a user lies depends on the system, the edition and the profile. VS Code reads Copilot CLI's too.
    ServerSettings {
        agent: "vscode",
        user: None,
        project: Some(SettingsPlace::Project { file: ".vscode/mcp.json" }),
        form: Form::Json { key: "servers", entry: typed },
    },
    ServerSettings {
        agent: "kiro",
        user: Some(SettingsPlace::Home { variable: "", folder: ".kiro", file: "settings/mcp.json" }),
        project: Some(SettingsPlace::Project { file: ".kiro/settings/mcp.json" }),
        form: PLAIN,
    },
    ServerSettings {
        agent: "amazonq",
        user: Some(SettingsPlace::Home { variable: "", folder: ".aws/amazonq", file: "mcp.json" }),
        project: Some(SettingsPlace::Project { file: ".amazonq/mcp.json" }),
        form: PLAIN,
    },
    ServerSettings {
        agent: "factory",
        user: Some(SettingsPlace::Home { variable: "", folder: ".factory", file: "mcp.json" }),
        project: Some(SettingsPlace::Project { file: ".factory/mcp.json" }),
        form: Form::Json { key: SERVERS, entry: typed },
    },
    ServerSettings {
        agent: "augment",
        user: Some(SettingsPlace::Home { variable: "", folder: ".augment", file: "settings.json" }),
        project: None,
        form: PLAIN,
    },
    ServerSettings {
        agent: "windsurf",
        user: Some(SettingsPlace::Home {
            variable: "",
            folder: ".codeium/windsurf",
            file: "mcp_config.json",
        }),
        project: None,
        form: PLAIN,
    },
    ServerSettings {
        agent: "amp",
        user: Some(SettingsPlace::Home {
            variable: "XDG_CONFIG_HOME",
            folder: ".config",
            file: "amp/settings.json",
        }),
        project: Some(SettingsPlace::Project { file: ".amp/settings.json" }),
        form: Form::Json { key: "amp.mcpServers", entry: plain },
    },
    // The extension keeps another one, below the folder of its editor.
    ServerSettings {
        agent: "cline",
        user: Some(SettingsPlace::Home {
            variable: "CLINE_DIR",
            folder: ".cline",
            file: "data/settings/cline_mcp_settings.json",
        }),
        project: None,
        form: PLAIN,
    },
    ServerSettings {
        agent: "crush",
        user: Some(SettingsPlace::Home {
            variable: "XDG_CONFIG_HOME",
            folder: ".config",
            file: "crush/crush.json",
        }),
        project: Some(SettingsPlace::Project { file: "crush.json" }),
        form: Form::Json { key: "mcp", entry: typed },
    },
    ServerSettings {
        agent: "devin",
        user: Some(SettingsPlace::Home {
            variable: "XDG_CONFIG_HOME",
            folder: ".config",
            file: "devin/config.json",
        }),
        project: Some(SettingsPlace::Project { file: ".devin/config.json" }),
        form: PLAIN,
    },
    ServerSettings {
        agent: "antigravity",
        user: Some(SettingsPlace::Home { variable: "", folder: ".gemini/config", file: "mcp_config.json" }),
        project: None,
        form: PLAIN,
    },
    ServerSettings {
        agent: "kimi",
        user: Some(SettingsPlace::Home { variable: "", folder: ".kimi", file: "mcp.json" }),
        project: None,
        form: PLAIN,
    },
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

    /// Puts our server in, or brings it up to date where it stands. `None` is a file that does not exist yet.
    pub fn register(&self, settings: Option<&str>, program: &str) -> Result<String, SettingsError> {
        match self.form {
            Form::Json { key, entry } => json::register(settings, key, &entry(program)),
            Form::Toml => toml::register(settings, program),
        }
    }

    /// Takes it out. `before` is the text from before it was put in, if it was kept.
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

    /// The program that is started, if our server stands there.
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
