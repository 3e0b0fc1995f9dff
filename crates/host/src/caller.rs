//! Whoever calls. The command names an agent, but agents read each other's settings files: Copilot CLI runs the
//! hooks of a repository's `.claude/settings.json`, Cursor and VS Code those of the user too.

use std::path::Path;
use std::sync::OnceLock;

use tenter_adapters::{by_name, other_sender, other_sender_of_bytes};
use tenter_contract::ports::{
    AgentAdapter, AgentInstaller, DecodeError, Decoded, Scope, SettingsPlace, Surroundings,
};
use tenter_contract::{Abilities, AgentName, Answer, Event, EventKind, Fitted};

use crate::inline::environment_of;
use crate::install::{SettingsFile, settings_path};

/// The adapter of the agent that calls: the one that the command names until a payload is certainly of another.
pub(crate) struct Caller<'a> {
    named: &'a dyn AgentAdapter,
    other: OnceLock<&'static dyn AgentAdapter>,
}

impl<'a> Caller<'a> {
    /// The agent that the command names.
    pub(crate) fn named(named: &'a dyn AgentAdapter) -> Self {
        Self { named, other: OnceLock::new() }
    }

    fn agent(&self) -> &dyn AgentAdapter {
        match self.other.get() {
            Some(other) => *other,
            None => self.named,
        }
    }
}

impl AgentAdapter for Caller<'_> {
    fn name(&self) -> AgentName {
        self.agent().name()
    }

    fn environment(&self) -> &'static [&'static str] {
        self.agent().environment()
    }

    fn project_variables(&self) -> &'static [&'static str] {
        self.agent().project_variables()
    }

    /// Reads the payload as one of the named agent, which it nearly always is; what that took apart is looked
    /// at, so that nothing is parsed twice. Another agent's payload is read by its own adapter, unless that agent
    /// has an entry of its own and calls us by that one too.
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        let decoded = self.named.decode(payload, surroundings);
        let other = match &decoded {
            Ok(Decoded::Event(event)) => {
                event.raw.as_object().and_then(|raw| other_sender(self.named, raw, is_set))
            }
            Ok(Decoded::NotForUs) => None,
            Err(_) => other_sender_of_bytes(self.named, payload, is_set),
        };
        let Some(other) = other else { return decoded };
        let other = *self.other.get_or_init(|| other);
        let surroundings = Surroundings { environment: environment_of(other), ..surroundings.clone() };
        let decoded = other.decode(payload, &surroundings)?;
        match &decoded {
            Decoded::Event(event) if has_better_entry(other, &self.named.name(), event) => {
                Ok(Decoded::NotForUs)
            }
            Decoded::Event(_) | Decoded::NotForUs => Ok(decoded),
        }
    }

    fn abilities(&self, event: &Event) -> Abilities {
        self.agent().abilities(event)
    }

    fn encode(&self, fitted: &Fitted) -> Answer {
        self.agent().encode(fitted)
    }

    fn silence(&self) -> Answer {
        self.agent().silence()
    }

    fn refusal(&self, reason: &str) -> Answer {
        self.agent().refusal(reason)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        self.agent().installer()
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether the agent calls us at this event also by an entry that counts before one of the agent that is named: by one
/// in its own settings, or in those that it reads before the others. An entry whose program is gone does nothing, and
/// settings that cannot be read prove nothing: a call that is answered twice is better than one that nobody judges.
fn has_better_entry(agent: &dyn AgentAdapter, named: &AgentName, event: &Event) -> bool {
    let Some(installer) = agent.installer() else { return false };
    if installer.entries_name().as_ref() == Some(named) {
        return false;
    }
    let others = installer.reads_too().iter().take_while(|other| other.agent != *named);
    let others = others.filter_map(|other| Some((by_name(other.agent.as_str())?.installer()?, other.scopes)));
    std::iter::once((installer, &Scope::ALL[..]))
        .chain(others)
        .any(|(installer, scopes)| has_entry(installer, scopes, event))
}

fn has_entry(installer: &dyn AgentInstaller, scopes: &[Scope], event: &Event) -> bool {
    let projects = [event.project_root.as_deref(), event.cwd.as_deref()];
    scopes.iter().filter_map(|scope| installer.place(*scope)).any(|place| {
        let paths: Vec<_> = match place {
            SettingsPlace::Home { .. } => settings_path(place, Path::new("")).into_iter().collect(),
            SettingsPlace::Project { file } => {
                projects.into_iter().flatten().map(|project| Path::new(project).join(file)).collect()
            }
        };
        paths.iter().any(|path| calls_us(installer, path, &event.kind))
    })
}

fn calls_us(installer: &dyn AgentInstaller, settings: &Path, kind: &EventKind) -> bool {
    let text = SettingsFile::of(installer, settings).ok().and_then(|file| file.text);
    let entries = text.and_then(|text| installer.entries(&text).ok()).unwrap_or_default();
    entries.iter().any(|entry| {
        EventKind::parse(&entry.event).as_ref() == Some(kind) && Path::new(&entry.program).is_file()
    })
}
