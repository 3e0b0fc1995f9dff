//! The description of an agent that `tenter prove` can prove.

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Agreement};
use tenter_contract::{Capabilities, Event, EventKind, RewriteInput, Timestamp};

use crate::commands::prove::agents::AGENTS;

pub(crate) struct ProvableAgent {
    pub(crate) agent: &'static str,
    pub(crate) title: &'static str,
    pub(crate) program: &'static str,
    /// The script of the model.
    pub(crate) script: &'static str,
    pub(crate) settings_path: &'static str,
    /// Settings in addition to the entries that `init` writes.
    pub(crate) settings: &'static str,
    pub(crate) config_file: Option<ConfigFile>,
    /// One headless prompt, with permission to run shell commands and write files.
    pub(crate) arguments: &'static [&'static str],
    /// Additional variables, with the placeholders `{url}` and `{scratch}`.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// Events that it does not send when it runs headless.
    pub(crate) not_headless: &'static [&'static str],
    /// How often it runs until the script ends: more than once if a deny ends a run, so that the model does not receive
    /// the reason.
    pub(crate) runs: usize,
}

/// A file that depends on the run.
pub(crate) struct ConfigFile {
    pub(crate) path: &'static str,
    pub(crate) text: fn(&RunContext<'_>) -> String,
}

pub(crate) struct RunContext<'a> {
    pub(crate) url: &'a str,
    /// A folder for temporary files.
    pub(crate) scratch: &'a str,
    /// The consent of the user to the entries that `init` writes.
    pub(crate) agreements: &'a [Agreement],
}

pub(crate) fn provable_agents() -> impl Iterator<Item = &'static ProvableAgent> {
    AGENTS.iter().filter(|target| target.installer().is_some())
}

impl ProvableAgent {
    pub(crate) fn environment(&self, context: &RunContext<'_>) -> Vec<(&'static str, String)> {
        let value = |text: &str| text.replace("{url}", context.url).replace("{scratch}", context.scratch);
        self.environment.iter().map(|(name, text)| (*name, value(text))).collect()
    }

    pub(crate) fn installer(&self) -> Option<&'static dyn AgentInstaller> {
        self.adapter()?.installer()
    }

    /// The npm package of the program.
    pub(crate) fn package(&self) -> &'static str {
        self.installer().and_then(AgentInstaller::package).unwrap_or(self.program)
    }

    pub(crate) fn install_command(&self) -> String {
        format!("npm install --global {}", self.package())
    }

    /// Whether it runs a tool with a rewritten input; otherwise the call is denied.
    pub(crate) fn takes_rewrites(&self) -> bool {
        self.capabilities(EventKind::ToolPre)
            .is_some_and(|capabilities| capabilities.rewrite_input != RewriteInput::Never)
    }

    /// Whether a hook can make it continue when it runs headless.
    pub(crate) fn continues_after_stop(&self) -> bool {
        self.capabilities(EventKind::OrchestratorComplete)
            .is_some_and(|capabilities| capabilities.block.possible())
    }

    /// Whether the model receives the reason of a deny.
    pub(crate) fn reports_reason(&self) -> bool {
        self.runs == 1
    }

    /// Its capabilities in an unattended run.
    fn capabilities(&self, kind: EventKind) -> Option<Capabilities> {
        let adapter = self.adapter()?;
        let event = Event::new(kind, adapter.name(), None, Timestamp::default());
        Some(adapter.capabilities(&Event { attended: Some(false), ..event }))
    }

    pub(crate) fn adapter(&self) -> Option<&'static dyn AgentAdapter> {
        tenter_adapters::by_name(self.agent)
    }
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::{IfGone, Scope, Wiring};
    use tenter_models::Script;

    use super::*;

    #[test]
    fn every_agent_has_same_turns_and_entries() {
        for target in &AGENTS {
            let script = Script::read(target.script, "/p").unwrap();
            let calls: Vec<usize> = script.turns.iter().map(|turn| turn.calls.len()).collect();
            assert_eq!(calls, [1, 1, 1, 1, 0, 0], "{}", target.agent);
            let installer = target.installer().unwrap();
            let wiring = Wiring {
                program: "/bin/tenter-hook".to_owned(),
                if_gone: IfGone::GoOn,
                scope: Scope::User,
                installation: None,
            };
            let settings = installer.install(Some(target.settings), &wiring).unwrap();
            assert_eq!(settings.warnings, [""; 0], "{}", target.agent);
            let lines = installer.entries(&settings.text).unwrap();
            assert_eq!(lines.len(), installer.events().len(), "{}", target.agent);
        }
    }
}
