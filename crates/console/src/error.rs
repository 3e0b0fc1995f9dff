//! Errors of the command line: what happened, what to type next, and the exit code.

use std::fmt::{self, Display};
use std::io::ErrorKind;

use tenter_contract::event_names::{EVENTS, EventName};
use tenter_contract::ports::{Scope, StateError, TrailError};
use tenter_host::install::SettingsFileError;
use tenter_host::person::NoPerson;

use crate::listing::typed;

/// The exit code of a command, or the error to show.
pub type CommandResult = Result<u8, CliError>;

/// An expected error, for the person at the terminal.
#[derive(Debug)]
pub struct CliError {
    code: u8,
    message: String,
    hint: String,
    /// Whether the model of `tenter chat` failed, which `--json` reports as another kind.
    pub is_of_model: bool,
}

/// Exit codes of our own; on the hot path an answer brings its own.
pub mod exit {
    /// An internal error on the hot path. Not 2: to several agents that is a deny, and a typo in an agent's
    /// settings would block it. With 1 they show the error and go on.
    pub const HOOK_ERROR: u8 = 1;
    /// The command found a problem: a broken trail, a failed check.
    pub const FINDING: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const INTERNAL: u8 = 3;
}

const CHECK_FOLDER: &str = "check the owner of the folder and the free space on its disk";

impl CliError {
    fn new(code: u8, message: impl Display, hint: impl Display) -> Self {
        Self { code, message: message.to_string(), hint: hint.to_string(), is_of_model: false }
    }

    pub fn usage(message: impl Display, hint: impl Display) -> Self {
        Self::new(exit::USAGE, message, hint)
    }

    pub fn finding(message: impl Display, hint: impl Display) -> Self {
        Self::new(exit::FINDING, message, hint)
    }

    pub fn internal(message: impl Display, hint: impl Display) -> Self {
        Self::new(exit::INTERNAL, message, hint)
    }

    pub fn exit_code(&self) -> u8 {
        self.code
    }

    /// The message without its hint.
    pub fn happened(&self) -> String {
        without_numbers(self.message.clone())
    }

    /// What to type next.
    pub fn hint(&self) -> String {
        without_numbers(self.hint.clone())
    }

    /// The whole message as the user sees it.
    pub fn shown(&self) -> String {
        without_numbers(self.to_string())
    }
}

impl Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}\nhint: {}", self.message, self.hint)
    }
}

/// Removes `(os error N)`, which adds nothing to the words.
pub fn without_numbers(mut text: String) -> String {
    while let Some(from) = text.find(" (os error ")
        && let Some(length) = text[from..].find(')')
    {
        text.replace_range(from..=from + length, "");
    }
    text
}

/// The suggestion as a question, or another hint.
fn suggestion_or(suggestion: Option<String>, otherwise: impl Display) -> String {
    suggestion.map_or_else(|| otherwise.to_string(), |word| format!("did you mean `{word}`?"))
}

/// Agents, events and hooks.
impl CliError {
    pub fn unknown_agent(name: impl Display, suggestion: Option<String>, known: &[String]) -> Self {
        let hint = suggestion_or(suggestion, format!("this version knows {}", known.join(", ")));
        Self::usage(format!("agent `{name}` not found"), hint)
    }

    pub fn unknown_event(name: &str, suggestion: Option<String>) -> Self {
        Self::usage(format!("event `{name}` not found"), suggestion_or(suggestion, events_near(name)))
    }

    pub fn unknown_hook(name: impl Display, suggestion: Option<String>) -> Self {
        let hint = suggestion_or(suggestion, "run `tenter hooks list` to see all hooks");
        Self::usage(format!("hook `{name}` not found"), hint)
    }

    pub fn ambiguous_hook(name: impl Display, addresses: &[String]) -> Self {
        Self::usage(
            format!("several hooks have the name `{name}`"),
            format!("write one of {}", addresses.join(", ")),
        )
    }

    pub fn hook_is_off(name: impl Display) -> Self {
        Self::usage(format!("hook `{name}` is off"), "run `tenter hooks list` to see why")
    }

    pub fn hook_is_managed(name: impl Display) -> Self {
        Self::usage(
            format!("hook `{name}` is managed by the owner of this machine and cannot be switched off"),
            "ask the owner of this machine; the hook file is in /etc/tenter",
        )
    }

    pub fn hook_off_in_file(name: impl Display, file: impl Display) -> Self {
        Self::usage(
            format!("hook `{name}` is off because its file has `enabled: false`: {file}"),
            "remove that line from the file",
        )
    }

    pub fn hook_exists(name: impl Display, place: impl Display) -> Self {
        Self::usage(
            format!("hook `{name}` already exists: {place}"),
            format!("choose another name, or run `tenter hooks show {name}` to see it"),
        )
    }

    pub fn hook_not_matched(hook: &str, event: impl Display, agent: &str) -> Self {
        let option = if agent == "claude" { String::new() } else { format!(" --agent {agent}") };
        Self::usage(
            format!("hook `{hook}` does not match this {event} event"),
            format!(
                "run `tenter hooks explain {} --payload FILE{option}` to see which condition fails",
                typed(hook)
            ),
        )
    }

    pub fn hook_for_other_agent(hook: &str, agent: impl Display, other: impl Display) -> Self {
        Self::usage(
            format!("hook `{hook}` is not for {agent}"),
            format!("try `tenter hooks test {} --agent {other}`", typed(hook)),
        )
    }

    pub fn no_sample(hook: impl Display) -> Self {
        Self::usage(
            format!("no sample event matches the conditions of hook `{hook}`"),
            "pass one with `--payload FILE`, or add `examples: { matches: […] }` to the hook",
        )
    }

    pub fn unknown_profile(name: impl Display, suggestion: Option<String>, known: &[String]) -> Self {
        let otherwise = match known {
            [] => "there are no profiles yet: write `profiles/NAME.yaml` in the folder of your hook file"
                .to_owned(),
            known => format!("the profiles are {}", known.join(", ")),
        };
        Self::usage(format!("profile `{name}` not found"), suggestion_or(suggestion, otherwise))
    }

    pub fn no_active_profile() -> Self {
        Self::usage(
            "no profile is active",
            "run `tenter profile use NAME` to activate one; `tenter profile list` lists them",
        )
    }
}

/// Files and input.
impl CliError {
    pub fn bad_input(what: impl Display, detail: impl Display, hint: impl Display) -> Self {
        Self::usage(format!("{what} cannot be used: {detail}"), hint)
    }

    pub fn not_imported(file: impl Display, detail: impl Display, hint: impl Display) -> Self {
        Self::usage(format!("{file} cannot be imported: {detail}"), hint)
    }

    pub fn file_exists(path: impl Display) -> Self {
        Self::usage(
            format!("the file {path} already exists"),
            "nothing was changed; write another file with `--out FILE` and copy what you want",
        )
    }

    pub fn stdin_is_terminal(example: impl Display) -> Self {
        Self::usage("this command reads data from stdin, but stdin is a terminal", format!("try `{example}`"))
    }

    pub fn unknown_schema(name: impl Display, suggestion: Option<String>) -> Self {
        let hint = suggestion_or(suggestion, "run `tenter schema` to see the names");
        Self::usage(format!("schema `{name}` not found"), hint)
    }

    pub fn not_written(what: impl Display, cause: impl Display) -> Self {
        Self::internal(format!("{what} could not be written: {cause}"), CHECK_FOLDER)
    }

    pub fn output_not_written(cause: impl Display) -> Self {
        Self::internal(
            format!("the output could not be written: {cause}"),
            "the output is incomplete; free some space and run the command again",
        )
    }

    pub fn model_not_served(option: impl Display, detail: impl Display) -> Self {
        Self::usage(
            format!("the model cannot be served with `{option}`: {detail}"),
            "omit `--port` to use a free port; `--record` needs a folder",
        )
    }

    pub fn demo_failed(what: impl Display) -> Self {
        Self::internal(format!("the demo failed: {what}"), KEEP)
    }

    pub fn proof_failed(what: impl Display) -> Self {
        Self::internal(format!("the proof failed: {what}"), KEEP)
    }
}

const KEEP: &str = "run it again with `--keep` and look at the files it leaves";

/// The audit trail and its sessions.
impl CliError {
    pub fn unknown_record(seq: u64, session: Option<String>) -> Self {
        match session {
            None => Self::usage(
                format!("record {seq} not found"),
                "run `tenter audit show` to see the last records",
            ),
            Some(session) => Self::usage(
                format!("session `{session}` has no record {seq}"),
                format!("run `tenter audit show --session {session}` to see its records"),
            ),
        }
    }

    pub fn no_event(session: Option<String>) -> Self {
        match session {
            None => Self::usage(
                "the audit trail has no event yet",
                "run `tenter init` so that an agent calls tenter, or `echo '{}' | tenter emit session:start`",
            ),
            Some(session) => Self::usage(
                format!("the audit trail has no event of session `{session}`"),
                format!("run `tenter audit show --session {session}` to see its records"),
            ),
        }
    }

    pub fn no_session() -> Self {
        Self::usage(
            "the audit trail has no session of this project",
            "pass `--session ID`; `tenter audit sessions` lists the ids",
        )
    }

    pub fn unknown_session(id: impl Display, suggestion: Option<String>, latest: &[String]) -> Self {
        let otherwise = match latest {
            [] => "no session is recorded yet: run `tenter init` so that an agent calls tenter".to_owned(),
            latest => format!("the latest: `{}`; `tenter audit sessions` lists more", latest.join("`, `")),
        };
        Self::usage(format!("the audit trail has no session `{id}`"), suggestion_or(suggestion, otherwise))
    }
}

/// Places, people and trust.
impl CliError {
    pub fn no_state() -> Self {
        Self::internal("tenter has no state folder", "set HOME, or XDG_STATE_HOME to an absolute path")
    }

    pub fn no_project() -> Self {
        Self::usage("there is no project here", "go to a repository, or to a folder that contains `.tenter`")
    }

    pub fn home_is_no_project(home: impl Display) -> Self {
        Self::usage(
            format!(
                "there is no project here: {home} is your home folder or contains it, which is not a project"
            ),
            "go to a repository in it; write hooks for all projects with `tenter hooks new`. A `.tenter` folder in \
             the home folder is only for agents started in the home folder itself",
        )
    }

    pub fn needs_answer(command: impl Display) -> Self {
        Self::usage(
            "this command asks a question, but there is no terminal",
            format!("review it, then run `{command}`"),
        )
    }

    pub fn needs_person(command: impl Display, why: &NoPerson) -> Self {
        Self::finding(
            format!("`{command}` needs a person: {why}"),
            format!(
                "run `{command}` in a terminal of your own, or run `tenter approvals watch` in one and try again"
            ),
        )
    }

    pub fn pin_mismatch(pinned: impl Display, found: impl Display) -> Self {
        Self::finding(
            format!("the hooks of this project do not have the pinned hash `{pinned}`; nothing was trusted"),
            format!("review the changes; if they are right, pin `{found}`"),
        )
    }

    pub fn nothing_pinned(project: impl Display) -> Self {
        Self::finding(
            format!("{project} has no hooks of its own, so there is nothing to trust or pin"),
            "go to the project that has hooks, or omit `tenter trust --pin` here",
        )
    }

    pub fn unpinnable(commands: &[String]) -> Self {
        Self::usage(
            format!("`{}` runs files that no hash covers; nothing was trusted", commands.join("`, `")),
            "list the files in the hook (`trust_files: [Makefile]`), or run `tenter trust` in a terminal",
        )
    }
}

/// Installation.
impl CliError {
    pub fn no_agent_found() -> Self {
        Self::usage(
            "no agent found: no agent's program is on PATH, and no agent's folder is in your home folder",
            "run `tenter init claude` to install for an agent that you add later",
        )
    }

    pub fn no_installer(agent: impl Display) -> Self {
        Self::usage(
            format!("tenter cannot write the settings of {agent} yet"),
            format!("add `tenter hook {agent}` to its settings yourself, once per event"),
        )
    }

    pub fn no_scope(agent: &str, name: impl Display, scope: Scope, other: Option<Scope>) -> Self {
        let hint = match other.filter(|scope| *scope != Scope::User) {
            Some(scope) => format!("go to a project and add `--scope {scope}`, which is for that project"),
            None => format!("try `tenter init {name}`, which is for all of your projects"),
        };
        Self::usage(format!("{agent} has no settings of scope `{scope}`"), hint)
    }

    pub fn not_installed(program: impl Display, why: &str) -> Self {
        Self::usage(
            format!("{program} is not installed: {why}"),
            "install it first (`cargo install --path crates/cli`) and run that one, or add `--allow-build-path`",
        )
    }
}

impl From<StateError> for CliError {
    fn from(error: StateError) -> Self {
        Self::internal(format!("`{}` cannot be used: {}", error.path, error.cause), CHECK_FOLDER)
    }
}

impl From<TrailError> for CliError {
    fn from(error: TrailError) -> Self {
        let hint = match &error {
            TrailError::Damaged { .. } => "run `tenter audit verify` to find the first bad record".to_owned(),
            TrailError::Busy { .. } => "try again".to_owned(),
            TrailError::Unusable { path, cause } if cause.kind() == ErrorKind::InvalidInput => {
                format!("run `mv {0} {0}.old`; the next event writes a new file", typed(path))
            }
            TrailError::Unusable { .. } => CHECK_FOLDER.to_owned(),
        };
        Self::internal(error, hint)
    }
}

impl From<SettingsFileError> for CliError {
    fn from(error: SettingsFileError) -> Self {
        let hint = match &error {
            SettingsFileError::NoHome => "set HOME to an absolute path".to_owned(),
            SettingsFileError::Relative { variable } => {
                format!("set {variable} to an absolute path, or unset it")
            }
            SettingsFileError::LeadsOut { path, .. } => {
                format!("nothing was changed; check the link with `ls -l {}`, and remove it", path.display())
            }
            SettingsFileError::Unreadable { .. } => {
                "nothing was changed; fix the file and try again".to_owned()
            }
            SettingsFileError::ReadOnly { .. } => {
                "nothing was changed; make it writable (`chmod u+w`), or change it where it is generated"
                    .to_owned()
            }
            SettingsFileError::Changed { .. } => "nothing was changed; run the command again".to_owned(),
            SettingsFileError::Unwritable { .. } => format!("nothing was changed; {CHECK_FOLDER}"),
        };
        Self::internal(error, hint)
    }
}

/// The events of the same namespace. A made-up session event is a value of `source`.
fn events_near(name: &str) -> String {
    let (namespace, rest) = name.split_once(':').unwrap_or((name, ""));
    if namespace == "session" && ["startup", "resume", "clear", "compact"].contains(&rest) {
        return format!("use `session:start` with `{{\"source\": \"{rest}\"}}` as data");
    }
    let of_namespace =
        |row: &&EventName| row.canonical.split_once(':').is_some_and(|(of, _)| of == namespace);
    let names: Vec<String> =
        EVENTS.iter().filter(of_namespace).map(|row| format!("`{}`", row.canonical)).collect();
    if names.is_empty() {
        "events look like `tool:pre`; an event of your own is `namespace:name` with your own namespace"
            .to_owned()
    } else {
        format!("the events of `{namespace}` are {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests;
