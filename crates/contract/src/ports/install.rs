//! Installs tenter's command in an agent's settings, and removes it.

use crate::spelling::spelled;
use std::fmt;

use crate::{AgentName, EventKind};

/// One agent's settings, as far as hooks are concerned: text in, text out.
///
/// Duties: only tenter's own entries change, whatever else the text contains and however it is written; `install` of
/// what it made changes nothing; `uninstall` of what `install` made of a text, given that text, is that text, byte
/// for byte. A text that cannot be read is an error, never a guess. `adapters/tests/installing.rs` runs every
/// installer through these.
pub trait AgentInstaller: Send + Sync {
    /// The agent's name for people.
    fn title(&self) -> &'static str;

    /// The settings file of a scope, if the agent has such a scope.
    fn place(&self, scope: Scope) -> Option<SettingsPlace>;

    /// The file of each event, for an agent that has no settings and runs whatever lies in a folder under the name of
    /// an event. The place is then that folder, and the text that of our files in it, joined by
    /// [`hook_files`](super::hook_files).
    fn files(&self) -> &'static [&'static str] {
        &[]
    }

    /// The events with an entry, in the order they are written.
    fn events(&self) -> Vec<EventKind>;

    /// Further events that the adapter derives from the agent's events: a result that is a failure, the beginning of
    /// a sub-agent.
    fn becomes_too(&self) -> &'static [EventKind] {
        &[]
    }

    /// Whether hooks at an event run in this agent.
    fn sends(&self, event: &EventKind) -> bool {
        self.events().contains(event) || self.becomes_too().contains(event)
    }

    /// Adds one entry for each event; older entries are updated in place. `None` is a file that does not exist yet.
    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError>;

    /// Removes the entries. `before` is the text from before the first installation, if it was kept. It restores
    /// details such as the spaces of an empty object.
    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError>;

    /// tenter's entries, by event.
    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError>;

    /// Whether the settings have an entry of tenter.
    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError>;

    /// What the entries do when their program is gone.
    fn if_gone(&self, settings: &str) -> IfGone {
        let entries = self.entries(settings).unwrap_or_default();
        let denies = entries.iter().any(|entry| entry.line.contains("tenter is gone from "));
        if denies { IfGone::Deny } else { IfGone::GoOn }
    }

    /// Whether all entries are exactly what `install` writes in this scope for their program. Entries that people
    /// wrote themselves may be for some tools only.
    fn is_as_written(&self, settings: &str, scope: Scope) -> bool {
        let program = self.entries(settings).ok().and_then(|entries| entries.into_iter().next());
        let Some(entry) = program else { return false };
        let installation = entry.installation().map(str::to_owned);
        let wiring = Wiring { program: entry.program, if_gone: self.if_gone(settings), scope, installation };
        self.install(Some(settings), &wiring).is_ok_and(|installed| installed.text == settings)
    }

    /// Messages about settings that keep entries from working.
    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError>;

    /// Another file of the same scope that the agent uses instead, if it has hooks at the same events.
    fn taken_instead(&self, _scope: Scope) -> Option<SettingsPlace> {
        None
    }

    /// Messages about that file that keep entries from working.
    fn overruled_by(&self, _other: &str) -> Vec<String> {
        Vec::new()
    }

    /// Where all hooks of the agent can be switched off, if that is not a file that has hooks.
    fn switch(&self) -> Option<Switch> {
        None
    }

    /// The consent that the user must give in the agent itself before it runs an entry. `None` if none is needed.
    fn consent(&self) -> Option<Consent> {
        None
    }

    /// What the user agrees to with each of our entries in this file, as far as that is known.
    fn agreements(&self, _file: &str, _settings: &str) -> Result<Vec<Agreement>, SettingsError> {
        Ok(Vec::new())
    }

    /// A further step for the user that no file shows.
    fn still_to_do(&self) -> Option<&'static str> {
        None
    }

    /// The program by which the agent is found on `PATH`, if it is not called as we call the agent.
    fn program(&self) -> Option<&'static str> {
        None
    }

    /// The folder in the home by which the agent is found too, if its settings lie in none of its own.
    fn home_folder(&self) -> Option<&'static str> {
        None
    }

    /// The npm package that brings the program, if there is one.
    fn package(&self) -> Option<&'static str> {
        None
    }

    /// The agent that its entries name, if that is another one: two agents that read the same folder are called by
    /// the same entries; their payloads differ.
    fn entries_name(&self) -> Option<AgentName> {
        None
    }

    /// Whose settings it reads besides its own. Of several entries that would be called for one event the one in
    /// its own settings answers, then those of the first agent here, and so on.
    fn reads_too(&self) -> &'static [ReadsToo] {
        &[]
    }

    /// Whether the agent runs an entry once if two of its files have the same one.
    fn runs_twins_once(&self) -> bool {
        false
    }
}

/// Settings of another agent that an agent reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadsToo {
    /// Whose.
    pub agent: AgentName,
    /// Which of them.
    pub scopes: &'static [Scope],
    /// When it reads them.
    pub reading: Reading,
}

/// How an agent reads another's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Always, and its payloads are known as its own: an entry of its own is not needed.
    Always,
    /// Only if its user, or something else, has switched that on: an entry of its own is needed.
    Sometimes,
    /// Always, and its payloads look like those of the other agent. With an entry of its own, hooks would run twice.
    InDisguise,
}

spelled! {
    /// The scope of settings. If several scopes have an entry for one event, the first one answers.
    #[derive(PartialOrd, Ord)]
    pub enum Scope {
        /// The user's, for every project.
        User = "user",
        /// The project's, shared with everybody who works on it.
        Project = "project",
        /// The user's own in this project.
        Local = "local",
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a settings file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsPlace {
    /// In a folder of the user.
    Home {
        /// The variable that names the folder of the file, if it is set; empty if there is none.
        variable: &'static str,
        /// The folder below the home directory, if it is not.
        folder: &'static str,
        /// The file in it.
        file: &'static str,
    },
    /// Below the project.
    Project {
        /// The file.
        file: &'static str,
    },
}

/// What is written into the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// The absolute path of the program.
    pub program: String,
    /// What an entry does when the program is no longer there.
    pub if_gone: IfGone,
    /// The scope of these settings.
    pub scope: Scope,
    /// The id of the installation, for an entry in the user's own settings.
    pub installation: Option<String>,
}

/// What an entry does when its program is no longer there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfGone {
    /// Nothing: an uninstalled program must not freeze the agent.
    GoOn,
    /// It denies, where a deny prevents something.
    Deny,
}

/// Settings with the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The new text.
    pub text: String,
    /// What keeps the entries from working, or from working as expected.
    pub warnings: Vec<String>,
}

/// Settings without the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uninstalled {
    /// There were none.
    NotInstalled,
    /// Nothing else was changed since: the text is the one from before.
    Restored,
    /// Other things were changed since: our entries are cut out of the text.
    Cut {
        /// The new text.
        text: String,
    },
    /// The text has nothing else, and no earlier text is known.
    NothingElse,
}

/// An entry of tenter, current or older.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The agent's name for the event.
    pub event: String,
    /// The program it calls, as it is written there.
    pub program: String,
    /// The line the agent's shell is given.
    pub line: String,
}

impl Entry {
    /// The id of its installation.
    pub fn installation(&self) -> Option<&str> {
        self.words().skip_while(|word| *word != "--installation").nth(1)
    }

    /// Whether it names its scope. Then it leaves an event to an entry in an earlier scope, so that hooks run once.
    pub fn yields(&self) -> bool {
        self.words().any(|word| word == "--scope")
    }

    /// The words of its line, without quotes. The entries of tenter have no spaces in words.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.line.split_whitespace().map(|word| word.trim_matches('\''))
    }
}

/// A switch for all hooks of an agent: a key of a table of its TOML files that is `false`. tenter reads it and never
/// writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The user's file, which also says which projects are trusted.
    pub user: SettingsPlace,
    /// The project's, which counts over the user's in a project that is trusted, and not at all elsewhere.
    pub project: SettingsPlace,
    /// The table.
    pub table: &'static str,
    /// The names of the key; the first that is set counts.
    pub keys: &'static [&'static str],
}

/// How an agent's user agrees to its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consent {
    /// What the user has to do.
    pub how: &'static str,
    /// Where the agent keeps what was agreed to. tenter reads it and never writes it.
    pub kept_in: SettingsPlace,
}

/// The consent to one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The agent's name for the event.
    pub event: String,
    /// The key under which the agent remembers it.
    pub key: String,
    /// The content whose SHA-256 it remembers.
    pub content: String,
}

/// Why settings cannot be edited. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum SettingsError {
    /// They are not JSON, not even with comments.
    NotJson { detail: String },
    /// They are not TOML.
    NotToml { detail: String },
    /// A value that contains hooks has another type.
    WrongType { what: String, expected: &'static str },
    /// A key occurs twice, so that it is not clear which one counts.
    Twice { key: String },
    /// It should be a file of tenter, and has other content.
    Foreign,
    /// The edited text would be wrong: a bug in tenter, found before anything was written.
    WouldDamage,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { detail } => write!(f, "it is not JSON: {detail}"),
            Self::NotToml { detail } => write!(f, "it is not TOML: {detail}"),
            Self::WrongType { what, expected } => write!(f, "{what} is not {expected}"),
            Self::Twice { key } => write!(f, "the key `{key}` occurs twice"),
            Self::Foreign => f.write_str("tenter did not write it"),
            Self::WouldDamage => f.write_str("the change would damage it, which is a bug of tenter"),
        }
    }
}

impl std::error::Error for SettingsError {}
