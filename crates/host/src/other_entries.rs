//! Finds another entry of tenter that answers an event, so that its hooks run once.
//!
//! Agents run the entries of several files, and any program may have written a file in a project. So an entry leaves an
//! event only to an entry of the same trust or more: an entry in a project never silences one in the home folder. The
//! other entry must also be exactly as `tenter init` writes it for the running program: a matcher, a timeout, a variable
//! or a redirection may keep it from judging. In every other case both answer: a call that is judged twice is better than
//! one that is never judged.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_adapters::by_name;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Reading, ReadsToo, Scope, SettingsPlace};
use tenter_contract::{AgentName, Event, EventKind};

use crate::install::{SettingsFile, settings_path};
use crate::program::{FULL, SMALL, own_program};

pub(crate) struct EntryRun<'a> {
    pub(crate) sender: &'a dyn AgentAdapter,
    /// The agent that it names, whose settings have it.
    pub(crate) named: &'a dyn AgentAdapter,
    pub(crate) scope: Option<Scope>,
    pub(crate) event: &'a Event,
}

impl EntryRun<'_> {
    /// Whether the event is left to an entry in the sender's own settings, or in those that it reads before the named
    /// agent's.
    pub(crate) fn has_better_entry(&self) -> bool {
        let Some(own) = self.sender.installer() else { return false };
        let named = self.named.name();
        if own.entries_name().as_ref() == Some(&named) {
            return false;
        }
        let scopes = self.trusted_scopes();
        let others = own.reads_too().iter().take_while(|other| other.agent != named);
        let others = others.filter_map(|other| Some((installer_of(&other.agent)?, other.scopes)));
        let mut better = std::iter::once((own, &Scope::ALL[..])).chain(others);
        better.any(|(installer, read)| {
            let read = scopes.iter().copied().filter(|scope| read.contains(scope));
            self.answered_by(installer, read)
        })
    }

    /// Whether an entry that names a project scope leaves the event to one in the home folder, which the sender certainly
    /// runs too.
    pub(crate) fn has_entry_at_home(&self) -> bool {
        let Some(own) = self.sender.installer().filter(|_| self.scope.is_some_and(in_project)) else {
            return false;
        };
        let named = self.named.name();
        let is_its_own = self.sender.name() == named || own.entries_name().as_ref() == Some(&named);
        let reads_users = |other: &ReadsToo| other.agent == named && other.scopes.contains(&Scope::User);
        let reads_named = is_its_own || own.reads_too().iter().any(reads_users);
        let always = own.reads_too().iter().filter(|other| {
            other.reading == Reading::Always && other.agent != named && other.scopes.contains(&Scope::User)
        });
        let homes = std::iter::once(own)
            .chain(self.named.installer().filter(|_| reads_named))
            .chain(always.filter_map(|other| installer_of(&other.agent)));
        homes.into_iter().any(|installer| self.answered_by(installer, [Scope::User]))
    }

    /// The scopes whose entries have at least the trust of this one. If this entry may be in the home folder, or was not
    /// found, only the home folder counts.
    fn trusted_scopes(&self) -> &'static [Scope] {
        let found = || {
            let (reader, named) = (self.sender.installer()?, self.named.installer()?);
            let read = self.read_scopes(reader);
            let mut scopes = [Scope::User, Scope::Local, Scope::Project].into_iter();
            scopes.find(|scope| read.contains(scope) && self.may_have_entry(named, *scope))
        };
        match self.scope.or_else(found) {
            None | Some(Scope::User) => &[Scope::User],
            Some(Scope::Local) => &[Scope::User, Scope::Local],
            Some(Scope::Project) => &Scope::ALL,
        }
    }

    /// Which of the named agent's settings the sender reads: Copilot CLI reads Claude Code's of the project, and not
    /// those of the user. A sender that is not known to read any may read all.
    fn read_scopes(&self, reader: &dyn AgentInstaller) -> &'static [Scope] {
        let named = self.named.name();
        let other = reader.reads_too().iter().find(|other| other.agent == named);
        other.map_or(&Scope::ALL, |other| other.scopes)
    }

    /// Whether the settings of a scope have an entry of ours, or cannot be found or read.
    fn may_have_entry(&self, installer: &dyn AgentInstaller, scope: Scope) -> bool {
        let Some(place) = installer.place(scope) else { return false };
        let files = self.files(Some(place));
        let lost = files.is_empty() && !in_project(scope);
        lost || files.iter().any(|path| match SettingsFile::open(installer, path) {
            Ok(file) => file.text.is_some_and(|text| installer.is_installed(&text) != Ok(false)),
            Err(_) => true,
        })
    }

    fn answered_by(&self, installer: &dyn AgentInstaller, scopes: impl IntoIterator<Item = Scope>) -> bool {
        scopes.into_iter().any(|scope| {
            // A file inside a project is not the user's own, whatever variable leads there.
            let counts =
                |path: &PathBuf| in_project(scope) || !self.projects().any(|it| path.starts_with(it));
            let files = self.files(installer.place(scope)).into_iter().filter(counts);
            files.into_iter().any(|path| self.is_answered_in(installer, scope, &path) == Some(true))
        })
    }

    fn files(&self, place: Option<SettingsPlace>) -> Vec<PathBuf> {
        match place {
            None => Vec::new(),
            Some(SettingsPlace::Project { file }) => self.projects().map(|it| it.join(file)).collect(),
            Some(home @ SettingsPlace::Home { .. }) => {
                settings_path(home, Path::new("")).into_iter().collect()
            }
        }
    }

    fn projects(&self) -> impl Iterator<Item = &Path> {
        [&self.event.project_root, &self.event.cwd].into_iter().flatten().map(Path::new)
    }

    /// Whether these settings are what `tenter init` makes of them for the program that runs now, nothing in them keeps
    /// the agent from running our entries, and one of these is for the event, by our name or the agent's.
    fn is_answered_in(&self, installer: &dyn AgentInstaller, scope: Scope, settings: &Path) -> Option<bool> {
        let text = SettingsFile::open(installer, settings).ok()?.text?;
        let native = self.event.raw.get("hook_event_name").and_then(Value::as_str);
        let entry = installer.entries(&text).ok()?.into_iter().find(|entry| {
            EventKind::parse(&entry.event).as_ref() == Some(&self.event.kind) || native == Some(&entry.event)
        })?;
        let overruled = self.files(installer.taken_instead(scope)).iter().any(|other| other.exists());
        if overruled || !is_ours(Path::new(&entry.program)) || !installer.in_the_way(&text).ok()?.is_empty() {
            return None;
        }
        Some(installer.is_as_written(&text, scope))
    }
}

fn in_project(scope: Scope) -> bool {
    match scope {
        Scope::User => false,
        Scope::Project | Scope::Local => true,
    }
}

fn installer_of(agent: &AgentName) -> Option<&'static dyn AgentInstaller> {
    by_name(agent.as_str())?.installer()
}

/// Whether a program is the running one, or the other one in its folder.
fn is_ours(program: &Path) -> bool {
    let (Ok(own), Ok(program)) = (own_program(), fs::canonicalize(program)) else { return false };
    [SMALL, FULL].iter().any(|name| own.with_file_name(name) == program)
}
