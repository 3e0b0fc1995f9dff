//! An agent that can be put to the proof.

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Agreement};
use tenter_contract::{Abilities, Event, EventKind, RewriteInput, SessionId, Timestamp};

use super::claude::CLAUDE;
use super::cline::CLINE;
use super::codex::CODEX;
use super::copilot::COPILOT;
use super::gemini::GEMINI;
use super::kilo::KILO;
use super::opencode::OPENCODE;
use super::qwen::QWEN;

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
    /// What stands there besides the entries that `init` writes.
    pub(super) settings: &'static str,
    /// Another file that it reads.
    pub(super) configuration: Option<Configuration>,
    /// One prompt, headless, with leave to run shell commands and write files.
    pub(super) arguments: &'static [&'static str],
    /// What it needs besides `PATH`, `HOME` and the like.
    pub(super) environment: fn(&Stage<'_>) -> Vec<(&'static str, String)>,
    /// Events that it does not tell of when it runs headless, so that nothing can be proven about them.
    pub(super) not_headless: &'static [&'static str],
    /// How often it is started until the model has said everything: more than once where a deny ends a run, so that
    /// the model cannot be told why.
    pub(super) runs: usize,
}

/// A file of the agent that depends on the stage.
pub(super) struct Configuration {
    /// Where it lies, below the home.
    pub(super) path: &'static str,
    /// What stands in it.
    pub(super) text: fn(&Stage<'_>) -> String,
}

/// What an agent finds when it starts.
pub(super) struct Stage<'a> {
    /// The model.
    pub(super) url: &'a str,
    /// A folder for files that do not last.
    pub(super) scratch: &'a str,
    /// What its user would agree to before it runs the entries that `init` writes.
    pub(super) agreements: &'a [Agreement],
}

/// Everyone there is.
const ALL: [&Subject; 8] = [&CLAUDE, &CLINE, &CODEX, &COPILOT, &GEMINI, &KILO, &OPENCODE, &QWEN];

/// Everyone who can be put to the proof: agents that this version also answers.
pub(super) fn subjects() -> impl Iterator<Item = &'static Subject> {
    ALL.into_iter().filter(|subject| subject.installer().is_some())
}

impl Subject {
    /// What writes its settings.
    pub(super) fn installer(&self) -> Option<&'static dyn AgentInstaller> {
        self.adapter()?.installer()
    }

    /// Whether it runs a tool with an input that a hook has changed. Where it does not, the call is denied.
    pub(super) fn takes_rewrites(&self) -> bool {
        self.abilities(EventKind::ToolPre)
            .is_some_and(|abilities| abilities.rewrite_input != RewriteInput::Never)
    }

    /// Whether it can be kept from stopping when it runs headless. Where it cannot, the user is told.
    pub(super) fn goes_on(&self) -> bool {
        self.abilities(EventKind::OrchestratorComplete).is_some_and(|abilities| abilities.block.possible())
    }

    /// Whether the model is told why something was denied.
    pub(super) fn tells_why(&self) -> bool {
        self.runs == 1
    }

    /// What it can carry at an event while nobody sits in front of it.
    fn abilities(&self, kind: EventKind) -> Option<Abilities> {
        let adapter = self.adapter()?;
        let event = Event::new(kind, adapter.name(), SessionId::unknown(), Timestamp::default());
        Some(adapter.abilities(&Event { attended: Some(false), ..event }))
    }

    /// What speaks its language.
    pub(super) fn adapter(&self) -> Option<&'static dyn AgentAdapter> {
        tenter_adapters::by_name(self.agent)
    }
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::{IfGone, Scope, Wiring};
    use tenter_models::Script;

    use super::*;

    #[test]
    fn every_agent_is_walked_through_the_same_turns_and_calls_what_init_writes() {
        for subject in ALL {
            let script = Script::read(subject.script, "/p").unwrap();
            let calls: Vec<usize> = script.turns.iter().map(|turn| turn.calls.len()).collect();
            assert_eq!(calls, [1, 1, 1, 1, 0, 0], "{}", subject.agent);
            let installer = subject.installer().unwrap();
            let wiring = Wiring {
                program: "/bin/tenter-hook".to_owned(),
                if_gone: IfGone::GoOn,
                scope: Scope::User,
                installation: None,
            };
            let settings = installer.install(Some(subject.settings), &wiring).unwrap();
            assert_eq!(settings.warnings, [""; 0], "{}", subject.agent);
            let lines = installer.entries(&settings.text).unwrap();
            assert_eq!(lines.len(), installer.events().len(), "{}", subject.agent);
        }
    }
}
