//! Stops 1 and 8: an agent's payload becomes our event, our fitted outcome its answer.
//!
//! One folder per agent, all of the same shape; a new agent is a copy of a folder and a line in `ADAPTERS`.
//! Everything here is pure: bytes and surroundings come in, values go out.

mod door;
mod sender;
mod answer;
mod settings_text;
mod documented;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod gemini;
mod kilo;
mod opencode;
mod qwen;
mod cursor;
mod vscode;
mod kiro;
mod amazonq;
mod factory;
mod augment;
mod crush;
mod goose;
mod kimi;
mod windsurf;
mod devin;
mod antigravity;
mod amp;
pub mod servers;
#[cfg(test)]
mod exact_answers;

use tenter_contract::AgentName;
use tenter_contract::ports::AgentAdapter;

pub use sender::{other_sender, other_sender_of_bytes};

/// The table of agents, one line each.
static ADAPTERS: &[&dyn AgentAdapter] = &[
    &claude_code::ClaudeCode,
    &cline::Cline,
    &codex::Codex,
    &copilot::Copilot,
    &gemini::Gemini,
    &kilo::KILO,
    &opencode::OPENCODE,
    &qwen::Qwen,
    &cursor::CURSOR,
    &vscode::VSCODE,
    &kiro::KIRO,
    &amazonq::AMAZON_Q,
    &factory::FACTORY,
    &augment::AUGMENT,
    &crush::CRUSH,
    &goose::GOOSE,
    &kimi::KIMI,
    &windsurf::WINDSURF,
    &devin::DEVIN,
    &antigravity::ANTIGRAVITY,
    &amp::AMP,
];

/// Other words people use for an agent, and its name. Case does not count, and `_` is `-`.
static ALIASES: &[(&str, &str)] = &[
    ("claude-code", "claude"),
    ("cline-cli", "cline"),
    ("codex-cli", "codex"),
    ("copilot-cli", "copilot"),
    ("gemini-cli", "gemini"),
    ("kilo-code", "kilo"),
    ("kilocode", "kilo"),
    ("open-code", "opencode"),
    ("qwen-code", "qwen"),
    ("cursor-agent", "cursor"),
    ("vs-code", "vscode"),
    ("code", "vscode"),
    ("kiro-cli", "kiro"),
    ("amazon-q", "amazonq"),
    ("q", "amazonq"),
    ("droid", "factory"),
    ("auggie", "augment"),
    ("kimi-cli", "kimi"),
    ("cascade", "windsurf"),
    ("devin-cli", "devin"),
    ("agy", "antigravity"),
];

/// Every adapter, in the order of the table.
pub fn all() -> &'static [&'static dyn AgentAdapter] {
    ADAPTERS
}

/// The adapter of an agent, by its name or an alias.
pub fn by_name(name: &str) -> Option<&'static dyn AgentAdapter> {
    let wanted = name.to_ascii_lowercase().replace('_', "-");
    let own = ALIASES.iter().find(|(alias, _)| *alias == wanted).map_or(wanted.as_str(), |(_, own)| own);
    all().iter().copied().find(|adapter| adapter.name().as_str() == own)
}

/// The names [`by_name`] knows, without aliases; for listings and for "did you mean …?".
pub fn names() -> impl Iterator<Item = AgentName> {
    all().iter().map(|adapter| adapter.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_found_by_its_name_and_its_aliases() {
        for (spelling, expected) in [
            ("claude", Some("claude")),
            ("claude-code", Some("claude")),
            ("claude_code", Some("claude")),
            ("Claude-Code", Some("claude")),
            ("Cline_CLI", Some("cline")),
            ("codex", Some("codex")),
            ("copilot-cli", Some("copilot")),
            ("gemini", Some("gemini")),
            ("Gemini CLI", None),
            ("gemini_cli", Some("gemini")),
            ("Qwen-Code", Some("qwen")),
            ("OpenCode", Some("opencode")),
            ("kilocode", Some("kilo")),
            ("claudia", None),
            ("", None),
        ] {
            let found = by_name(spelling).map(|adapter| adapter.name().to_string());
            assert_eq!(found.as_deref(), expected, "{spelling}");
        }
    }

    #[test]
    fn every_alias_leads_to_an_agent_and_every_name_is_its_own() {
        for (alias, name) in ALIASES {
            assert!(by_name(alias).is_some(), "{alias} means {name}, which is not in the table");
        }
        for name in names() {
            assert_eq!(by_name(name.as_str()).map(AgentAdapter::name), Some(name));
        }
    }
}
