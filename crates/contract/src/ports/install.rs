//! Putting our command into an agent's settings, and taking it out again.

use crate::spelling::spelled;
use std::fmt;

use crate::{AgentName, EventKind};

/// One agent's settings, as far as hooks are concerned: text in, text out.
///
/// Duties: nothing is touched but our own entries, whatever else stands in the text and however it is
/// written; `install` of what it made changes nothing; `uninstall` of what `install` made of a text, given
/// that text, is that text, byte for byte. A text that cannot be read is an error, never a guess.
/// `adapters/tests/installing.rs` runs every installer through these.
pub trait AgentInstaller: Send + Sync {
    /// What people call the agent.
    fn title(&self) -> &'static str;

    /// Where the settings of a scope lie, if the agent has such a scope.
    fn place(&self, scope: Scope) -> Option<SettingsPlace>;

    /// The file of each event, for an agent that has no settings and runs whatever lies in a folder under the name of
    /// an event. The place is then that folder, and the text that of our files in it, joined by
    /// [`hook_files`](super::hook_files).
    fn files(&self) -> &'static [&'static str] {
        &[]
    }

    /// The events at which we are called, in the order they are written.
    fn events(&self) -> Vec<EventKind>;

    /// Events of ours that come besides, because one of the agent's becomes another by what stands in it: a result that
    /// is a failure, the beginning of a sub-agent.
    fn becomes_too(&self) -> &'static [EventKind] {
        &[]
    }

    /// Whether hooks at an event run in this agent.
    fn sends(&self, event: &EventKind) -> bool {
        self.events().contains(event) || self.becomes_too().contains(event)
    }

    /// Puts one entry of ours under each event; older ones are brought up to date where they stand.
    /// `None` is a file that does not exist yet.
    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError>;

    /// Takes our entries out. `before` is the text from before the first installation, if it was kept: it
    /// settles what the text alone no longer shows, such as the spaces of an object that was empty.
    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError>;

    /// Our entries, by event.
    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError>;

    /// Whether the settings have an entry of ours.
    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError>;

    /// What our entries in these settings do when their program is gone: those that deny say so, and why.
    fn if_gone(&self, settings: &str) -> IfGone {
        let entries = self.entries(settings).unwrap_or_default();
        let denies = entries.iter().any(|entry| entry.line.contains("tenter is gone from "));
        if denies { IfGone::Deny } else { IfGone::GoOn }
    }

    /// Whether our entries in these settings are, all of them and word for word, what `install` writes in this scope
    /// for the program that they call. What people wrote themselves may call us at some tools alone, or for no time.
    fn is_as_written(&self, settings: &str, scope: Scope) -> bool {
        let program = self.entries(settings).ok().and_then(|entries| entries.into_iter().next());
        let Some(entry) = program else { return false };
        let installation = entry.installation().map(str::to_owned);
        let wiring = Wiring { program: entry.program, if_gone: self.if_gone(settings), scope, installation };
        self.install(Some(settings), &wiring).is_ok_and(|installed| installed.text == settings)
    }

    /// What keeps entries in such settings from working, as people are told it.
    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError>;

    /// Another file of the same scope that the agent takes hooks from instead, if it has any of the same events.
    fn taken_instead(&self, _scope: Scope) -> Option<SettingsPlace> {
        None
    }

    /// What in that file keeps our entries from working, as people are told it.
    fn overruled_by(&self, _other: &str) -> Vec<String> {
        Vec::new()
    }

    /// Where all hooks of the agent can be switched off, if that is not a file that has hooks.
    fn switch(&self) -> Option<Switch> {
        None
    }

    /// What its user must agree to, in the agent itself, before it runs any entry: nobody else can. `None` if
    /// entries work as they are written.
    fn consent(&self) -> Option<Consent> {
        None
    }

    /// What the user agrees to with each of our entries in this file, as far as that is known.
    fn agreements(&self, _file: &str, _settings: &str) -> Result<Vec<Agreement>, SettingsError> {
        Ok(Vec::new())
    }

    /// What its user has to do besides, in words for people; what nobody can see in a file.
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
    /// the same entries, and told apart by what they send.
    fn entries_name(&self) -> Option<AgentName> {
        None
    }

    /// Whose settings it reads besides its own. Of several entries that would be called for one event the one in
    /// its own settings answers, then those of the first agent here, and so on.
    fn reads_too(&self) -> &'static [ReadsToo] {
        &[]
    }

    /// Whether the agent runs an entry once that stands, word for word, in two of its files.
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
    /// When, and whether it can be told.
    pub reading: Reading,
}

/// How an agent reads another's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Always, and its payloads are known as its own: an entry of its own is not needed.
    Always,
    /// Only if its user, or something else, has switched that on: an entry of its own is needed.
    Sometimes,
    /// Always, and its payloads look like those of the other agent: with an entry of its own, hooks run twice.
    InDisguise,
}

spelled! {
    /// Whose settings. Where those of several scopes call us for one event, the least answers.
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
    /// The id of the installation, which an entry in a user's own settings tells.
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

/// Settings with our entries in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The new text.
    pub text: String,
    /// What keeps the entries from working, or from working as expected.
    pub warnings: Vec<String>,
}

/// Settings without our entries.
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
    /// Nothing else stands in the text, and nothing is known to have stood there before.
    NothingElse,
}

/// An entry of ours, of today or older.
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
    /// The id of the installation that it tells.
    pub fn installation(&self) -> Option<&str> {
        self.words().skip_while(|word| *word != "--installation").nth(1)
    }

    /// Whether it says which scope it stands in: then it leaves an event to an entry in a scope before it, so that both
    /// together run hooks once.
    pub fn yields(&self) -> bool {
        self.words().any(|word| word == "--scope")
    }

    /// The words of its line, whether quoted or not. Those of ours have no spaces.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.line.split_whitespace().map(|word| word.trim_matches('\''))
    }
}

/// A switch for all hooks of an agent: a key of a table of its TOML files that is `false`. We read it and never write
/// it.
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
    /// What to do, as people are told it.
    pub how: &'static str,
    /// Where the agent keeps what was agreed to. We read it and never write it.
    pub kept_in: SettingsPlace,
}

/// What a user agrees to with one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The agent's name for the event.
    pub event: String,
    /// Under what the agent remembers it.
    pub key: String,
    /// Of what it remembers the SHA-256.
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
    /// Something that hooks are written into has another type.
    WrongType { what: String, expected: &'static str },
    /// A key stands twice, so that it is not clear which one counts.
    Twice { key: String },
    /// It is a file of tenter's own, and something else stands in it.
    Foreign,
    /// The edited text would not say what it should: a bug of ours, found before anything was written.
    WouldDamage,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { detail } => write!(f, "it is not JSON: {detail}"),
            Self::NotToml { detail } => write!(f, "it is not TOML: {detail}"),
            Self::WrongType { what, expected } => write!(f, "{what} is not {expected}"),
            Self::Twice { key } => write!(f, "the key `{key}` stands there twice"),
            Self::Foreign => f.write_str("tenter did not write it"),
            Self::WouldDamage => f.write_str("the change would damage it, which is a bug of tenter"),
        }
    }
}

impl std::error::Error for SettingsError {}
