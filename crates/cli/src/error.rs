//! What can go wrong on the command line: what happened, and what to type next.

use std::fmt;
use std::io::ErrorKind;

use strum::{IntoStaticStr, VariantNames};
use tenter_contract::event_names::{EVENTS, EventName};
use tenter_contract::ports::{Scope, TrailError};
use tenter_host::install::SettingsFileError;
use tenter_host::person::NoPerson;

use crate::commands::{ApprovalError, ChatError, MemoryFailure, MovedFolders, ProofError};
use crate::listing::typed;

/// An expected error: its reader is the person at the terminal.
#[derive(Debug, IntoStaticStr, VariantNames)]
pub(crate) enum CliError {
    /// An agent we do not know.
    UnknownAgent { name: String, suggestion: Option<String>, known: Vec<String> },
    /// An event name that is none.
    UnknownEvent { name: String, suggestion: Option<String> },
    /// A hook that does not exist.
    UnknownHook { name: String, suggestion: Option<String> },
    /// A name that several hooks have.
    AmbiguousHook { name: String, addresses: Vec<String> },
    /// A hook that exists but is off.
    HookIsOff { name: String },
    /// A schema that does not exist.
    UnknownSchema { name: String, suggestion: Option<String> },
    /// A record that does not exist.
    NoSuchRecord { seq: u64, session: Option<String> },
    /// No event is in the trail, or none of that session.
    NoEvent { session: Option<String> },
    /// Something on stdin or in a file that cannot be read as what it should be.
    BadInput { what: String, detail: String, hint: String },
    /// A file whose hooks cannot be converted.
    NotImported { file: String, detail: String, hint: String },
    /// A file that would be written over.
    Exists { path: String },
    /// A terminal where data was expected.
    NothingPiped { example: String },
    /// A payload that does not concern the hook under test.
    NotConcerned { hook: String, event: String, agent: String },
    /// A port or a folder that the scripted model cannot have.
    NoModel { option: String, detail: String },
    /// An agent that cannot be put to the proof.
    Proof(ProofError),
    /// The proof cannot be set up.
    Prove { what: String },
    /// Something is wrong with a question or an answer.
    Approval(ApprovalError),
    /// Our own agent cannot work.
    Chat(ChatError),
    /// The memory cannot do it.
    Memory(MemoryFailure),
    /// The audit trail cannot be used.
    Trail(TrailError),
    /// There is no place for state.
    NoState,
    /// The output could not be written.
    Unwritten(std::io::Error),
    /// No sample event could be made up for a hook.
    NoSample { hook: String },
    /// A hook that is not for the agent it was to be tested with.
    ForOthers { hook: String, agent: String, other: String },
    /// An agent that is answered, but whose settings nobody has taught us to write.
    NoInstaller { agent: String },
    /// None of the agents we know is on this machine.
    NoAgentHere,
    /// A scope that the agent does not have.
    NoScope { agent: &'static str, name: String, scope: Scope, other: Option<Scope> },
    /// The program will not stay where it is.
    PassingPlace { program: String, why: &'static str },
    /// The environment leads tenter's own files into the project, so that they would be written elsewhere.
    Moved(MovedFolders),
    /// An agent's settings file cannot be used.
    Settings(SettingsFileError),
    /// No project around the place where the command was typed.
    NoProject,
    /// Nothing around the place where the command was typed but the home, which is no project.
    OnlyHome { home: String },
    /// A question without anybody to answer it.
    NeedsAnswer { command: String },
    /// A command that a person must run.
    NeedsPerson { command: String, why: NoPerson },
    /// Another content than the one that was pinned.
    PinMismatch { pinned: String, found: String },
    /// A pin, and nothing that it could be about.
    NothingPinned { project: String },
    /// Commands that nobody can pin, and nobody who could agree to them.
    Unpinnable { commands: Vec<String> },
    /// A hook of the machine's owner.
    Managed { name: String },
    /// A hook that its own file switches off.
    OffInFile { name: String, file: String },
    /// A name that is taken.
    HookExists { name: String, place: String },
    /// No session of this project is in the trail.
    NoSession,
    /// A session of which nothing is in the trail.
    UnknownSession { id: String, suggestion: Option<String>, latest: Vec<String> },
    /// A profile that does not exist.
    UnknownProfile { name: String, suggestion: Option<String>, known: Vec<String> },
    /// A hook for the active profile, and none is active.
    NoActiveProfile,
    /// A file of ours could not be written.
    NotWritten { what: String, cause: std::io::Error },
    /// The demo cannot be set up or did not come out as it should.
    Demo { what: String },
}

/// Exit codes of our own; on the hot path an answer brings its own.
pub(crate) mod exit {
    /// An error of ours on the hot path. Not 2: to several agents that is a deny, and a typo in an agent's
    /// settings would freeze it. With 1 they show the error and go on.
    pub(crate) const STUMBLE: u8 = 1;
    /// Something was found: a broken trail, a failed check.
    pub(crate) const FINDING: u8 = 1;
    /// Something was typed wrong.
    pub(crate) const USAGE: u8 = 2;
    /// Something of ours is broken.
    pub(crate) const INTERNAL: u8 = 3;
}

/// A text without the numbers of the system's errors.
pub(crate) fn without_numbers(mut text: String) -> String {
    while let Some(from) = text.find(" (os error ")
        && let Some(length) = text[from..].find(')')
    {
        text.replace_range(from..=from + length, "");
    }
    text
}

const NO_PROJECT: &str = "go to a folder of a repository, or to one with a folder `.tenter` in it";
const ONLY_HOME: &str = "go to a repository below it; hooks for all of your work stand in your own hook file (`tenter hooks new`), and a folder `.tenter` in the home is for agents that are started right there";

/// What to write instead of an event that does not exist: the others of its namespace. What looks like a session of
/// another kind is a value of `source`.
fn events_near(name: &str) -> String {
    let (namespace, rest) = name.split_once(':').unwrap_or((name, ""));
    if namespace == "session" && ["startup", "resume", "clear", "compact"].contains(&rest) {
        return format!("it is `session:start` with `{{\"source\": \"{rest}\"}}` as data");
    }
    let of_namespace =
        |row: &&EventName| row.canonical.split_once(':').is_some_and(|(of, _)| of == namespace);
    let names: Vec<String> =
        EVENTS.iter().filter(of_namespace).map(|row| format!("`{}`", row.canonical)).collect();
    if names.is_empty() {
        "events look like `tool:pre`; an event of your own is `namespace:name` with a namespace of your own"
            .to_owned()
    } else {
        format!("the events of `{namespace}` are {}", names.join(", "))
    }
}

impl CliError {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::UnknownAgent { .. }
            | Self::UnknownEvent { .. }
            | Self::UnknownHook { .. }
            | Self::AmbiguousHook { .. }
            | Self::HookIsOff { .. }
            | Self::UnknownSchema { .. }
            | Self::NoSuchRecord { .. }
            | Self::NoEvent { .. }
            | Self::BadInput { .. }
            | Self::NotImported { .. }
            | Self::Exists { .. }
            | Self::NothingPiped { .. }
            | Self::NoSample { .. }
            | Self::ForOthers { .. }
            | Self::NotConcerned { .. }
            | Self::NoModel { .. }
            | Self::Proof(_)
            | Self::NoInstaller { .. }
            | Self::NoAgentHere
            | Self::NoScope { .. }
            | Self::NoProject
            | Self::OnlyHome { .. }
            | Self::NeedsAnswer { .. }
            | Self::Unpinnable { .. }
            | Self::Managed { .. }
            | Self::OffInFile { .. }
            | Self::HookExists { .. }
            | Self::NoSession
            | Self::UnknownSession { .. }
            | Self::NoActiveProfile
            | Self::UnknownProfile { .. }
            | Self::PassingPlace { .. }
            | Self::Moved(_) => exit::USAGE,
            Self::PinMismatch { .. } | Self::NothingPinned { .. } | Self::NeedsPerson { .. } => exit::FINDING,
            Self::Approval(error) => error.exit_code(),
            Self::Chat(error) => error.exit_code(),
            Self::Memory(error) => error.exit_code(),
            Self::NotWritten { .. }
            | Self::Trail(_)
            | Self::NoState
            | Self::Unwritten(_)
            | Self::Settings(_)
            | Self::Demo { .. }
            | Self::Prove { .. } => exit::INTERNAL,
        }
    }

    /// The whole message as it is shown: without the numbers of the system's own errors, which tell nobody more
    /// than their words do.
    pub(crate) fn shown(&self) -> String {
        without_numbers(self.to_string())
    }

    /// What happened, alone.
    pub(crate) fn happened(&self) -> String {
        let text = self.shown();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        text.split_once("\nhint: ").map_or(text, |(happened, _)| happened).to_owned()
    }

    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        let meant = |suggestion: &Option<String>, otherwise: &str| match suggestion {
            Some(word) => format!("did you mean `{word}`?"),
            None => otherwise.to_owned(),
        };
        match self {
            Self::UnknownAgent { suggestion, known, .. } => {
                meant(suggestion, &format!("this version knows {}", known.join(", ")))
            }
            Self::UnknownEvent { suggestion, name } => meant(suggestion, &events_near(name)),
            Self::UnknownHook { suggestion, .. } => {
                meant(suggestion, "`tenter hooks list` lists all of them")
            }
            Self::AmbiguousHook { addresses, .. } => format!("write one of {}", addresses.join(", ")),
            Self::HookIsOff { .. } => "`tenter hooks list` says why".to_owned(),
            Self::Approval(error) => error.hint(),
            Self::Chat(error) => error.hint(),
            Self::Memory(error) => error.hint(),
            Self::UnknownSchema { suggestion, .. } => meant(suggestion, "`tenter schema` lists the names"),
            Self::NoSuchRecord { .. } | Self::NoEvent { .. } | Self::UnknownSession { .. } => {
                self.hint_about_records()
            }
            Self::BadInput { hint, .. } | Self::NotImported { hint, .. } => hint.clone(),
            Self::Exists { .. } => {
                "nothing was changed; write it elsewhere with `--out FILE` and copy over what you want".to_owned()
            }
            Self::NothingPiped { example } => format!("try `{example}`"),
            Self::NotConcerned { hook, agent, .. } => {
                let agent = if agent == "claude" { String::new() } else { format!(" --agent {agent}") };
                let hook = typed(hook);
                format!("`tenter hooks explain {hook} --payload FILE{agent}` says what is against it")
            }
            Self::ForOthers { hook, other, .. } => {
                format!("try `tenter hooks test {} --agent {other}`", typed(hook))
            }
            Self::NoModel { .. } => {
                "leave `--port` out to get one that is free; `--record` wants a folder".to_owned()
            }
            Self::Proof(error) => error.hint(),
            Self::Trail(error) => trail_hint(error),
            Self::NotWritten { .. } => CHECK_FOLDER.to_owned(),
            Self::Unwritten(_) => "what was written is not the whole; make room and run it again".to_owned(),
            Self::NoSample { .. } => {
                "give it one: `--payload FILE`, or add `examples: { matches: […] }` to the hook".to_owned()
            }
            Self::NoState => "set HOME, or XDG_STATE_HOME to an absolute path".to_owned(),
            Self::NoInstaller { agent } => {
                format!("put `tenter hook {agent}` into its settings yourself, once per event")
            }
            Self::NoAgentHere => "`tenter init claude` installs for one that comes later".to_owned(),
            Self::NoScope { name, other, .. } => scope_hint(name, *other),
            Self::PassingPlace { .. } => {
                "install it first (`cargo install --path crates/cli`) and run that one, or add `--allow-build-path`"
                    .to_owned()
            }
            Self::Moved(moved) => moved.hint(),
            Self::Settings(error) => settings_hint(error),
            Self::NoProject => NO_PROJECT.to_owned(),
            Self::OnlyHome { .. } => ONLY_HOME.to_owned(),
            Self::NeedsAnswer { command } => format!("type `{command}` if you have looked at it"),
            Self::NeedsPerson { command, .. } => format!(
                "run `{command}` in a terminal of your own, or run `tenter approvals watch` in one and try again"
            ),
            Self::PinMismatch { found, .. } => {
                format!("look at what changed; if it is right, pin `{found}`")
            }
            Self::NothingPinned { .. } => {
                "go to the project that has them, or leave `tenter trust --pin` out here".to_owned()
            }
            Self::Unpinnable { .. } => {
                "say in the hook what decides (`trust_files: [Makefile]`), or type `tenter trust` on a terminal"
                    .to_owned()
            }
            Self::Managed { .. } => "ask the owner of this machine; its file is in /etc/tenter".to_owned(),
            Self::OffInFile { .. } => "take that line out of the file".to_owned(),
            Self::HookExists { name, .. } => {
                format!("choose another name, or look at it with `tenter hooks show {name}`")
            }
            Self::NoSession => {
                "name it: `--session ID` (`tenter audit sessions` lists the ids)".to_owned()
            }
            Self::UnknownProfile { suggestion, known, .. } => meant(
                suggestion,
                &if known.is_empty() {
                    "there are none yet: write `profiles/NAME.yaml` beside your hook file".to_owned()
                } else {
                    format!("there are {}", known.join(", "))
                },
            ),
            Self::NoActiveProfile => {
                "`tenter profile use NAME` makes one active; `tenter profile list` lists them".to_owned()
            }
            Self::Demo { .. } | Self::Prove { .. } => KEEP.to_owned(),
        }
    }
}

const KEEP: &str = "run it again with `--keep` and look at what it left";

impl CliError {
    /// What to type next if a record or a session is not there.
    fn hint_about_records(&self) -> String {
        match self {
            Self::NoSuchRecord { session: Some(session), .. } => {
                format!("`tenter audit show --session {session}` lists those of that session")
            }
            Self::NoEvent { session: Some(session) } => {
                format!("`tenter audit show --session {session}` lists what is recorded of it")
            }
            Self::NoEvent { session: None } => {
                "`tenter init` lets an agent call tenter; `echo '{}' | tenter emit session:start` makes one"
                    .to_owned()
            }
            Self::UnknownSession { suggestion: Some(id), .. } => format!("did you mean `{id}`?"),
            Self::UnknownSession { latest, .. } if latest.is_empty() => {
                "no session is recorded yet: `tenter init` lets an agent call tenter".to_owned()
            }
            Self::UnknownSession { latest, .. } => {
                format!("the latest: `{}`; `tenter audit sessions` lists more", latest.join("`, `"))
            }
            _ => "`tenter audit show` lists the last records".to_owned(),
        }
    }
}

/// What to do about a settings file.
const CHECK_FOLDER: &str = "check the folder's owner and the free space on its disk";

fn trail_hint(error: &TrailError) -> String {
    match error {
        TrailError::Damaged { .. } => "`tenter audit verify` names the first bad record".to_owned(),
        TrailError::Busy { .. } => "try again".to_owned(),
        TrailError::Unusable { path, cause } if cause.kind() == ErrorKind::InvalidInput => {
            format!("type `mv {0} {0}.old`; the next event writes a file there", typed(path))
        }
        TrailError::Unusable { .. } => CHECK_FOLDER.to_owned(),
    }
}

/// How to install for an agent that has another scope than the one that was asked for.
fn scope_hint(name: &str, other: Option<Scope>) -> String {
    match other.filter(|scope| *scope != Scope::User) {
        Some(scope) => format!("go to a project and add `--scope {scope}`, which is for that project"),
        None => format!("try `tenter init {name}`, which is for every project of yours"),
    }
}

fn settings_hint(error: &SettingsFileError) -> String {
    match error {
        SettingsFileError::NoHome => "set HOME to an absolute path".to_owned(),
        SettingsFileError::Relative { variable } => {
            format!("set {variable} to an absolute path, or unset it")
        }
        SettingsFileError::LeadsOut { path, .. } => {
            format!("nothing was changed; look at the link with `ls -l {}`, and remove it", path.display())
        }
        SettingsFileError::Unreadable { .. } => "nothing was changed; mend it and try again".to_owned(),
        SettingsFileError::ReadOnly { .. } => {
            "nothing was changed; make it writable (`chmod u+w`), or change it where it is made".to_owned()
        }
        SettingsFileError::Changed { .. } => "nothing was changed; run the command again".to_owned(),
        SettingsFileError::Unwritable { .. } => {
            "nothing was changed; check the folder's owner and the free space on its disk".to_owned()
        }
    }
}

impl From<tenter_memory::MemoryError> for CliError {
    fn from(error: tenter_memory::MemoryError) -> Self {
        Self::Memory(error.into())
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("error: ")?;
        match self {
            Self::UnknownAgent { name, .. } => write!(f, "there is no agent `{name}`"),
            Self::UnknownEvent { name, .. } => write!(f, "there is no event `{name}`"),
            Self::UnknownHook { name, .. } => write!(f, "there is no hook `{name}`"),
            Self::AmbiguousHook { name, .. } => write!(f, "several hooks are called `{name}`"),
            Self::HookIsOff { name } => write!(f, "hook `{name}` is off"),
            Self::UnknownSchema { name, .. } => write!(f, "there is no schema `{name}`"),
            Self::NoSuchRecord { seq, session: None } => write!(f, "there is no record {seq}"),
            Self::NoSuchRecord { seq, session: Some(session) } => {
                write!(f, "session `{session}` has no record {seq}")
            }
            Self::NoEvent { session: None } => f.write_str("no event is in the audit trail yet"),
            Self::NoEvent { session: Some(session) } => {
                write!(f, "no event of session `{session}` is in the audit trail")
            }
            Self::BadInput { what, detail, .. } => write!(f, "{what} cannot be used: {detail}"),
            Self::NotImported { file, detail, .. } => write!(f, "{file} cannot be imported: {detail}"),
            Self::Exists { path } => write!(f, "there is a file at {path} already"),
            Self::NothingPiped { .. } => {
                f.write_str("this command reads its data from stdin, and that is a terminal")
            }
            Self::ForOthers { hook, agent, .. } => write!(f, "hook `{hook}` is not for {agent}"),
            Self::NotConcerned { hook, event, .. } => {
                write!(f, "hook `{hook}` is not concerned by this {event} event")
            }
            Self::NoModel { option, detail } => {
                write!(f, "the model cannot be served with `{option}`: {detail}")
            }
            Self::Proof(error) => error.fmt(f),
            Self::Prove { what } => write!(f, "the proof cannot be made: {what}"),
            Self::Trail(error) => error.fmt(f),
            Self::Approval(error) => error.fmt(f),
            Self::Chat(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::Unwritten(error) => write!(f, "the output could not be written: {error}"),
            Self::NoSample { hook } => {
                write!(f, "no event could be made up that matches the conditions of hook `{hook}`")
            }
            Self::NoState => f.write_str("there is no folder for tenter's state"),
            Self::NoInstaller { agent } => write!(f, "tenter cannot write the settings of {agent} yet"),
            Self::NoAgentHere => f.write_str(
                "no agent was found: no program of one is on PATH, and no folder of one in your home",
            ),
            Self::NoScope { agent, scope, .. } => {
                write!(f, "{agent} has no settings of the scope `{scope}`")
            }
            Self::PassingPlace { program, why } => write!(f, "{program} is not installed: {why}"),
            Self::Moved(moved) => moved.fmt(f),
            Self::Settings(error) => error.fmt(f),
            Self::Demo { what } => write!(f, "the demo failed: {what}"),
            Self::NoProject => f.write_str("there is no project here"),
            Self::OnlyHome { home } => {
                write!(
                    f,
                    "there is no project here: {home} is your home or around it, and that is no project for what lies in it"
                )
            }
            Self::NeedsAnswer { .. } => {
                f.write_str("this wants an answer, and there is no terminal to ask on")
            }
            Self::NeedsPerson { command, why } => write!(f, "`{command}` needs a person: {why}"),
            Self::PinMismatch { pinned, .. } => {
                write!(
                    f,
                    "what this project would run is not what was pinned (`{pinned}`); nothing was trusted"
                )
            }
            Self::NothingPinned { project } => {
                write!(
                    f,
                    "{project} has no hooks of its own, so there is nothing to trust and nothing to pin"
                )
            }
            Self::Unpinnable { commands } => write!(
                f,
                "`{}` does what the project says at the time, which no hash covers; nothing was trusted",
                commands.join("`, `")
            ),
            Self::Managed { name } => {
                write!(
                    f,
                    "hook `{name}` is managed: the owner of this machine wants it, and nobody switches it off"
                )
            }
            Self::OffInFile { name, file } => {
                write!(f, "hook `{name}` is off because its file says `enabled: false`: {file}")
            }
            Self::HookExists { name, place } => write!(f, "there is a hook `{name}` already: {place}"),
            Self::NoSession => f.write_str("no session of this project is in the audit trail"),
            Self::UnknownSession { id, .. } => {
                write!(f, "nothing of a session `{id}` is in the audit trail")
            }
            Self::UnknownProfile { name, .. } => write!(f, "there is no profile `{name}`"),
            Self::NoActiveProfile => f.write_str("no profile is active"),
            Self::NotWritten { what, cause } => write!(f, "{what} could not be written: {cause}"),
        }?;
        write!(f, "\nhint: {}\n", self.hint())
    }
}

#[cfg(test)]
mod tests;
