//! Adapters: an agent's payload becomes our event, our outcome becomes the agent's answer.
//!
//! One folder per agent with its table entry, an `AgentSpec`. Everything here is pure: bytes and
//! surroundings come in, values go out.

mod agent_spec;
mod payload;
mod sender;
mod answer;
mod installer;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod gemini;
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

use tenter_contract::ports::AgentAdapter;
use tenter_contract::{AgentName, agent_names};

pub use sender::{other_sender, other_sender_of_bytes};

/// The table of agents, one line each.
static ADAPTERS: &[&dyn AgentAdapter] = &[
    &claude_code::CLAUDE,
    &cline::CLINE,
    &codex::CODEX,
    &copilot::COPILOT,
    &gemini::GEMINI,
    &opencode::KILO,
    &opencode::OPENCODE,
    &qwen::QWEN,
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

/// Every adapter, in the order of the table.
pub fn all() -> &'static [&'static dyn AgentAdapter] {
    ADAPTERS
}

/// The adapter of an agent, by its name or an alias.
pub fn by_name(name: &str) -> Option<&'static dyn AgentAdapter> {
    let own = agent_names::resolve(name)?;
    all().iter().copied().find(|adapter| adapter.name().as_str() == own)
}

/// The value of an agent's JSON settings, without comments.
pub fn settings_value(text: &str) -> Option<serde_json::Value> {
    tenter_json_edit::JsonText::parse(text).ok()?.value()
}

/// Whether a line of shell does nothing but call tenter for an agent.
pub fn is_call(line: &str) -> bool {
    all().iter().any(|agent| installer::tenter_program(line, agent.name().as_str()).is_some())
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
    fn every_agent_is_found_by_its_name() {
        for name in names() {
            assert_eq!(by_name(name.as_str()).map(AgentAdapter::name), Some(name));
        }
    }
}
