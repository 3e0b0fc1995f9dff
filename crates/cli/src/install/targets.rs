//! `init` and `uninstall` for several agents: those that are named, or those that are here.

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Scope};
use tenter_host::install::{SettingsFile, settings_path};

use crate::arguments::{ScopeArgument, SettingsArguments};
use crate::error::{CliError, CommandResult};
use crate::install::detect::Detected;
use crate::install::installed::InstalledFile;
use crate::install::summary::Summary;
use crate::install::{mcp_server, summary};
use crate::places;
use crate::printer;
use crate::printer::{Printer, Tone, json_line};

/// One settings file.
pub(crate) struct Target {
    pub(crate) agent: &'static dyn AgentAdapter,
    pub(crate) scope: Scope,
}

/// What was done to one file.
pub(crate) struct TargetReport {
    pub(crate) code: u8,
    /// The same for programs.
    pub(crate) as_json: Value,
    /// Its line at the end of many.
    pub(crate) summary: Option<Summary>,
}

/// Does something to each file. What goes wrong with one is reported and keeps no one from the next.
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
            printer.line(json_line(&as_json));
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
                summaries.extend(summary.map(|summary| (target.title(), summary)));
            }
            Err(error) => {
                codes.push(error.exit_code());
                let (agent, scope) = (target.agent.name(), target.scope.as_str());
                let (as_json, summary) = (error.to_string(), Summary::NotWritten(error.happened()));
                let result = summary.as_str();
                all.push(
                    json!({"agent": agent.as_str(), "scope": scope, "result": result, "error": as_json}),
                );
                summaries.push((target.title(), summary));
                printer::write_error(&error.shown());
            }
        }
    }
    if arguments.json {
        printer.line(json_line(&json!({"agents": all})));
    } else if let [_, _, ..] = summaries.as_slice() {
        summary::show(summaries, printer);
    }
    Ok(codes.into_iter().max().unwrap_or_default())
}

/// The files that are written: of the agents that are named, or else of all that are on this machine.
pub(crate) fn to_install(arguments: &SettingsArguments) -> Result<Vec<Target>, CliError> {
    let scope = arguments.scope.map_or(Scope::User, scope_of);
    if !arguments.agents.is_empty() {
        return named(&arguments.agents, scope);
    }
    let mut here: Vec<Target> = of_all(scope).filter(Target::is_here).collect();
    // One that has no such settings is passed over, unless there is no other.
    if here.iter().any(Target::has_place) {
        here.retain(Target::has_place);
    }
    if here.is_empty() { Err(CliError::no_agent_found()) } else { Ok(here) }
}

/// The files that are looked through: of the agents that are named, or else all that call us or start our server.
pub(crate) fn to_uninstall(arguments: &SettingsArguments) -> Result<Vec<Target>, CliError> {
    let scope = arguments.scope.map(scope_of);
    if !arguments.agents.is_empty() {
        return named(&arguments.agents, scope.unwrap_or(Scope::User));
    }
    let scopes = scope.map_or(Scope::ALL.to_vec(), |scope| vec![scope]);
    // The entries of one that is called by another's are taken out with the other's.
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

    /// Whether this is the file of our hooks, and they are in it.
    pub(crate) fn calls_from(&self, file: &SettingsFile) -> bool {
        let project = std::env::current_dir().unwrap_or_default();
        let own = self.installer().and_then(|it| settings_path(it.place(self.scope)?, &project).ok());
        let text = file.text.as_deref().unwrap_or_default();
        own.as_ref() == Some(&file.path)
            && self.installer().is_some_and(|installer| installer.is_installed(text).unwrap_or(true))
    }

    /// Whether the agent's settings start our server.
    fn starts_our_server(&self) -> bool {
        let place = mcp_server::ServerFile::open(&self.agent.name(), self.scope);
        place.and_then(Result::ok).is_some_and(|place| place.registered().is_some())
    }

    /// Whether this file has entries of ours, or cannot be read, which a user must be told.
    pub(crate) fn calls_us(&self) -> bool {
        let Some(installer) = self.installer() else { return false };
        let files = InstalledFile::all(installer);
        let mut of_scope = files.iter().filter(|file| file.scope == self.scope);
        of_scope.any(|file| file.entries(installer).map_or(true, |entries| !entries.is_empty()))
    }
}
