//! Whoever calls. The command names an agent, but agents read each other's settings files: Copilot CLI runs the
//! hooks of a repository's `.claude/settings.json`, Cursor and VS Code those of the user too. And one agent may call us
//! by two of its own files.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use tenter_adapters::{by_name, other_sender, other_sender_of_bytes};
use tenter_contract::ports::{
    AgentAdapter, AgentInstaller, DecodeError, Decoded, Entry, Scope, SettingsPlace, Surroundings,
};
use tenter_contract::{Abilities, AgentName, Answer, Event, EventKind, Fitted};

use crate::inline::environment_of;
use crate::install::{SettingsFile, settings_path};

/// The adapter of the agent that calls: the one that the command names until a payload is certainly of another.
pub(crate) struct Caller<'a> {
    named: &'a dyn AgentAdapter,
    /// Whose settings the command stands in, if it says so.
    scope: Option<Scope>,
    other: OnceLock<&'static dyn AgentAdapter>,
}

impl<'a> Caller<'a> {
    /// The agent that the command names, and where it says that it stands.
    pub(crate) fn named(named: &'a dyn AgentAdapter, scope: Option<Scope>) -> Self {
        Self { named, scope, other: OnceLock::new() }
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
    /// at, so that nothing is parsed twice. Another agent's payload is read by its own adapter. What the same agent
    /// tells us by a better entry too is left to that one.
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        let decoded = self.named.decode(payload, surroundings);
        let other = match &decoded {
            Ok(Decoded::Event(event)) => {
                event.raw.as_object().and_then(|raw| other_sender(self.named, raw, is_set))
            }
            Ok(Decoded::NotForUs) => None,
            Err(_) => other_sender_of_bytes(self.named, payload, is_set),
        };
        let (sender, decoded) = match other {
            None => (self.named, decoded?),
            Some(other) => {
                let other = *self.other.get_or_init(|| other);
                let surroundings =
                    Surroundings { environment: environment_of(other), ..surroundings.clone() };
                (other, other.decode(payload, &surroundings)?)
            }
        };
        match &decoded {
            Decoded::Event(event)
                if (other.is_some() && has_better_entry(sender, &self.named.name(), event))
                    || self.scope.is_some_and(|scope| has_entry_before(sender, self.named, scope, event)) =>
            {
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
/// settings that cannot be read, or that the agent does not use as they are, prove nothing: a call that is answered
/// twice is better than one that nobody judges.
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

/// Whether the agent that calls runs an entry of the agent that is named in a scope before this one too. Which scopes it
/// reads depends on who it is: Copilot CLI reads Claude Code's of the project, and not those of the user.
fn has_entry_before(
    sender: &dyn AgentAdapter,
    named: &dyn AgentAdapter,
    scope: Scope,
    event: &Event,
) -> bool {
    let (Some(reader), Some(installer)) = (sender.installer(), named.installer()) else { return false };
    let reads_all = sender.name() == named.name() || reader.entries_name() == Some(named.name());
    let others = reader.reads_too().iter().find(|other| other.agent == named.name());
    let read = if reads_all { &Scope::ALL[..] } else { others.map_or(&[][..], |other| other.scopes) };
    let before: Vec<Scope> = read.iter().copied().filter(|other| *other < scope).collect();
    has_entry(installer, &before, event)
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
        paths.iter().any(|path| calls_us(installer, path, event))
    })
}

/// Whether settings call us at an event, by its name or, where the agent's event became another of ours, by the agent's.
fn calls_us(installer: &dyn AgentInstaller, settings: &Path, event: &Event) -> bool {
    let Some(text) = SettingsFile::of(installer, settings).ok().and_then(|file| file.text) else {
        return false;
    };
    let entries = installer.entries(&text).unwrap_or_default();
    let told = event.raw.get("hook_event_name").and_then(Value::as_str);
    let calls = |entry: &Entry| {
        let same = EventKind::parse(&entry.event).as_ref() == Some(&event.kind) || told == Some(&entry.event);
        same && !entry.is_special() && Path::new(&entry.program).is_file()
    };
    entries.iter().any(calls) && installer.in_the_way(&text).is_ok_and(|why| why.is_empty())
}
