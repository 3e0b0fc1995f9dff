//! The settings files that `init` and `uninstall` change: of the named agents, or of all agents on this machine.

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Scope};
use tenter_host::install::{SettingsFile, settings_path};

use crate::arguments::{ScopeArgument, SettingsArguments};
use crate::error::{CliError, CommandResult};
use crate::install::detect::Detected;
use crate::install::installed::InstalledFile;
use crate::install::mcp_server::ServerFile;
use crate::install::summary::{self, Summary};
use crate::places;
use crate::printer::{self, Printer, Tone};

pub(crate) struct Target {
    pub(crate) agent: &'static dyn AgentAdapter,
    pub(crate) scope: Scope,
}

/// The result for one file.
pub(crate) struct TargetReport {
    pub(crate) code: u8,
    pub(crate) as_json: Value,
    pub(crate) summary: Summary,
}

/// Acts on each file. An error with one file is reported and does not affect the others.
pub(crate) fn each(
    targets: &[Target],
    arguments: &SettingsArguments,
    printer: &Printer,
    act: impl Fn(&Target) -> Result<TargetReport, CliError>,
) -> CommandResult {
    let one = matches!(arguments.agents.as_slice(), [_]);
    if let (true, [target]) = (one, targets) {
        let TargetReport { code, as_json, .. } = act(target)?;
        if arguments.json {
            printer.json(&as_json)?;
        }
        return Ok(code);
    }
    let mut codes: Vec<u8> = Vec::new();
    let mut all: Vec<Value> = Vec::new();
    let mut summaries: Vec<(String, Summary)> = Vec::new();
    for target in targets {
        if !arguments.json {
            if !codes.is_empty() {
                printer.gap();
            }
            printer.line(printer.tone(Tone::Heading, target.title()));
        }
        match act(target) {
            Ok(TargetReport { code, as_json, summary }) => {
                codes.push(code);
                all.push(as_json);
                summaries.push((target.title(), summary));
            }
            Err(error) => {
                codes.push(error.exit_code());
                all.push(target.error_as_json(&error));
                summaries.push((target.title(), Summary::NotWritten(error.happened())));
                printer::write_error(&error.shown());
            }
        }
    }
    if arguments.json {
        printer.json(&json!({"agents": all}))?;
    } else if let [_, _, ..] = summaries.as_slice() {
        summary::show(summaries, printer);
    }
    Ok(codes.into_iter().max().unwrap_or_default())
}

/// The files that `init` writes: of the named agents, or of all agents on this machine.
pub(crate) fn to_install(arguments: &SettingsArguments) -> Result<Vec<Target>, CliError> {
    let scope = arguments.scope.map_or(Scope::User, scope_of);
    if !arguments.agents.is_empty() {
        return named(&arguments.agents, scope);
    }
    let mut here: Vec<Target> = of_all(scope).filter(Target::is_here).collect();
    // An agent without settings of this scope is skipped, unless all are.
    if here.iter().any(Target::has_place) {
        here.retain(Target::has_place);
    }
    if here.is_empty() { Err(CliError::no_agent_found()) } else { Ok(here) }
}

/// The files that `uninstall` changes: of the named agents, or all that call tenter or start its server.
pub(crate) fn to_uninstall(arguments: &SettingsArguments) -> Result<Vec<Target>, CliError> {
    let scope = arguments.scope.map(scope_of);
    if !arguments.agents.is_empty() {
        return named(&arguments.agents, scope.unwrap_or(Scope::User));
    }
    let scopes = scope.map_or(Scope::ALL.to_vec(), |scope| vec![scope]);
    // Shared entries are removed with the agent that owns them.
    let has_own = |target: &Target| target.installer().is_some_and(|it| it.entries_name().is_none());
    let is_ours = |target: &Target| has_own(target) && target.calls_us() || target.starts_our_server();
    Ok(scopes.into_iter().flat_map(of_all).filter(is_ours).collect())
}

fn named(names: &[String], scope: Scope) -> Result<Vec<Target>, CliError> {
    names.iter().map(|name| Ok(Target { agent: places::agent(name)?, scope })).collect()
}

fn of_all(scope: Scope) -> impl Iterator<Item = Target> {
    let agents = tenter_adapters::all().iter().copied().filter(|agent| agent.installer().is_some());
    agents.map(move |agent| Target { agent, scope })
}

pub(crate) fn scope_of(argument: ScopeArgument) -> Scope {
    match argument {
        ScopeArgument::User => Scope::User,
        ScopeArgument::Project => Scope::Project,
        ScopeArgument::Local => Scope::Local,
    }
}

impl Target {
    pub(crate) fn title(&self) -> String {
        let title =
            self.installer().map_or_else(|| self.agent.name().to_string(), |it| it.title().to_owned());
        if self.scope == Scope::User { title } else { format!("{title} ({})", self.scope) }
    }

    fn installer(&self) -> Option<&'static dyn AgentInstaller> {
        self.agent.installer()
    }

    fn has_place(&self) -> bool {
        self.installer().is_some_and(|installer| installer.place(self.scope).is_some())
    }

    fn is_here(&self) -> bool {
        self.installer().is_some_and(|installer| Detected::find(self.agent, installer).is_some())
    }

    /// An error for programs.
    pub(crate) fn error_as_json(&self, error: &CliError) -> Value {
        let result = Summary::NotWritten(String::new()).as_str();
        let (agent, scope) = (self.agent.name(), self.scope.as_str());
        json!({"agent": agent.as_str(), "scope": scope, "result": result, "error": error.to_string()})
    }

    /// Whether this is the file of the agent's hooks, and it has tenter's entries.
    pub(crate) fn calls_from(&self, file: &SettingsFile) -> bool {
        let project = std::env::current_dir().unwrap_or_default();
        let own = self.installer().and_then(|it| settings_path(it.place(self.scope)?, &project).ok());
        let text = file.text.as_deref().unwrap_or_default();
        own.as_ref() == Some(&file.path)
            && self.installer().is_some_and(|installer| installer.is_installed(text).unwrap_or(true))
    }

    fn starts_our_server(&self) -> bool {
        let file = ServerFile::open(&self.agent.name(), self.scope);
        file.and_then(Result::ok).is_some_and(|file| file.registered().is_some())
    }

    /// Whether this file has entries of ours. A file that cannot be read counts, so that the user gets the error.
    pub(crate) fn calls_us(&self) -> bool {
        let Some(installer) = self.installer() else { return false };
        let files = InstalledFile::all(installer);
        let mut of_scope = files.iter().filter(|file| file.scope == self.scope);
        of_scope.any(|file| file.entries(installer).map_or(true, |entries| !entries.is_empty()))
    }
}
