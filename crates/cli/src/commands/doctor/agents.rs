//! Checks each agent: whether it is installed and calls this tenter once at every event.

use std::path::Path;

use tenter_adapters::by_name;
use tenter_contract::AgentName;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, IfGone, Proof, Reading, Scope};
use tenter_host::program::SMALL;

use crate::commands::doctor::check::{Check, Grade, edit};
use crate::commands::doctor::versions::{self, VersionQuery};
use crate::install::agent_switch::switched_off;
use crate::install::detect::Detected;
use crate::install::installed::{InstalledFile, missing_events, program_of};
use crate::install::mcp_server::ServerFile;
use crate::install::settings::scope_option;
use crate::install::shared_settings::{self, SharedFile};
use crate::listing::counted;

pub(crate) struct AgentEntry {
    pub(crate) title: &'static str,
    pub(crate) name: AgentName,
    pub(crate) line: String,
}

/// Checks every agent whose settings tenter can write. Also returns one entry of each that calls tenter.
pub(crate) fn check(own: Option<&Path>) -> (Vec<Check>, Vec<AgentEntry>) {
    let agents: Vec<AgentCheck> =
        tenter_adapters::all().iter().filter_map(|agent| AgentCheck::new(*agent)).collect();
    let queries = agents.iter().filter_map(AgentCheck::version_query).collect::<Vec<_>>();
    let mut versions = versions::ask(&queries).into_iter();
    let (mut checks, mut entries, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    for agent in agents {
        let version = agent.version_query().and_then(|_| versions.next());
        let (found, entry) = agent.check(version, own);
        if found.is_empty() {
            absent.push(agent.absent());
        }
        checks.extend(found);
        entries.extend(entry);
    }
    // A line for each would hide the few that are installed.
    if !absent.is_empty() {
        checks.push(Check::ok("agents", format!("not here: {}", absent.join(", "))));
    }
    (checks, entries)
}

/// Reports if no agent calls tenter, so that no hook runs.
pub(crate) fn check_any_calls(of_agents: &[Check], entries: &[AgentEntry]) -> Vec<Check> {
    let has_problem = of_agents.iter().any(|check| check.grade == Grade::Problem);
    if has_problem || !entries.is_empty() {
        return Vec::new();
    }
    let is_here =
        |agent: &&'static dyn AgentAdapter| AgentCheck::new(*agent).is_some_and(|it| it.here.is_some());
    vec![if tenter_adapters::all().iter().any(is_here) {
        Check::problem("agents", "no agent calls tenter, so no hook runs", "tenter init")
    } else {
        let finding = "no agent was found on this machine, and none calls tenter, so no hook runs";
        Check::problem("agents", finding, "tenter init claude")
    }]
}

struct AgentCheck {
    name: AgentName,
    installer: &'static dyn AgentInstaller,
    proven: bool,
    here: Option<Detected>,
}

impl AgentCheck {
    fn new(agent: &'static dyn AgentAdapter) -> Option<Self> {
        let (name, installer) = (agent.name(), agent.installer()?);
        let here = Detected::find(agent, installer);
        Some(Self { name, installer, proven: agent.proof() == Proof::Measured, here })
    }

    /// The program to ask for its version. Versions of agents that are not proven are of no use.
    fn version_query(&self) -> Option<VersionQuery> {
        let program = self.here.as_ref()?.program().filter(|_| self.proven)?.to_owned();
        Some(VersionQuery { about: self.installer.title(), program, package: self.installer.package() })
    }

    fn presence(&self, version: Option<Check>, calling: &[CallingFile]) -> Option<Check> {
        let about = self.installer.title();
        let elsewhere = match &self.here {
            None => "not on PATH".to_owned(),
            Some(Detected::Program(path)) => path.display().to_string(),
            Some(Detected::Folder(folder)) => format!("not on PATH, but {} is there", folder.display()),
        };
        match (&self.here, calling) {
            _ if !self.proven => {
                let finding =
                    format!("not proven: tenter supports it from its documentation only; {elsewhere}");
                Some(Check::ok(about, finding))
            }
            (Some(Detected::Program(_)), _) => version,
            (None, []) => None,
            (Some(Detected::Folder(_)), []) => {
                Some(Check::ok(about, format!("{elsewhere}; its version is unknown")))
            }
            // It may be part of an editor, or in a folder that is not on PATH.
            (None | Some(Detected::Folder(_)), [(settings, _), ..]) => Some(Check::ok(
                about,
                format!(
                    "not on PATH, so its version is unknown; if you removed it, run `{}`",
                    settings.undo(self.name.as_str())
                ),
            )),
        }
    }

    /// Its name in the list of absent agents.
    fn absent(&self) -> String {
        let title = self.installer.title();
        let other = self.installer.entries_name().and_then(|name| by_name(name.as_str())?.installer());
        let calls =
            |file: &InstalledFile| file.entries(self.installer).is_ok_and(|entries| !entries.is_empty());
        match other.filter(|_| InstalledFile::all(self.installer).iter().any(calls)) {
            Some(other) => format!("{title} (the entries of {} would call tenter for it)", other.title()),
            None => title.to_owned(),
        }
    }

    /// The checks of the agent, none if it is absent and does not call tenter.
    fn check(&self, version: Option<Check>, own: Option<&Path>) -> (Vec<Check>, Option<AgentEntry>) {
        let Self { name, installer, proven, here } = self;
        let (installer, about) = (*installer, self.installer.title());
        let mut checks: Vec<Check> = Vec::new();
        let mut calling: Vec<CallingFile> = Vec::new();
        let mut obstacles: Vec<Check> = Vec::new();
        // `init` cannot write user settings that cannot be read.
        let mut user_settings_unreadable = false;
        for settings in InstalledFile::all(installer) {
            let edit = edit(&settings.path);
            let found = settings.obstacles(installer).into_iter();
            obstacles.extend(found.map(|text| Check::problem(about, text, edit.clone())));
            match settings.entries(installer) {
                Err(why) => {
                    user_settings_unreadable |= settings.scope == Scope::User;
                    let finding = format!("{} cannot be read: {why}", settings.path.display());
                    checks.push(Check::problem(about, finding, edit));
                }
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => calling.push((settings, entries)),
            }
        }
        obstacles.extend(switched_off(installer).map(|off| Check::problem(about, off.why, edit(&off.path))));
        let others = shared_settings::others(installer);
        // An absent agent that is not proven, or that another agent's entries serve, is not reported.
        let unknown = here.is_none() && (calling.is_empty() || installer.entries_name().is_some());
        if !proven && unknown && checks.is_empty() {
            return (Vec::new(), None);
        }
        if let Some(presence) = self.presence(version, &calling) {
            checks.insert(0, presence);
        }
        let is_effective = obstacles.is_empty();
        if !calling.is_empty() {
            checks.append(&mut obstacles);
        }
        for (settings, entries) in &calling {
            if let Some(consent) = settings.pending_consent(installer) {
                let repair = format!("{name}   # {}", consent.how);
                checks.push(Check::problem(about, consent.message(&settings.path), repair));
            }
            let found = check_entries(about, settings, entries, installer, own, name.as_str());
            // With an obstacle even correct entries have no effect.
            checks.extend(found.into_iter().filter(|check| is_effective || check.grade != Grade::Ok));
        }
        match (here.is_some(), calling.as_slice()) {
            (true, []) if user_settings_unreadable => {}
            (true, []) if others.iter().any(|file| file.reading != Reading::Sometimes) => {}
            (true, []) => {
                checks.push(Check::warning(about, "it does not call tenter", format!("tenter init {name}")));
            }
            (true | false, [_]) | (false, []) => {}
            (_, [first, .., last]) => checks.push(self.check_several(&calling, first, last)),
        }
        if here.is_some() || !calling.is_empty() {
            checks.extend(others.iter().map(|file| self.check_shared(file, &calling)));
        }
        checks.extend(Scope::ALL.into_iter().filter_map(|scope| check_server(about, name, scope)));
        let runs = |entry: &&Entry| program_of(entry).is_some();
        let entry = calling.iter().flat_map(|(_, entries)| entries).find(runs);
        let entry =
            entry.map(|entry| AgentEntry { title: about, name: name.clone(), line: entry.line.clone() });
        (checks, entry)
    }

    /// Whether hooks run once although several files of the agent call tenter.
    fn check_several(&self, calling: &[CallingFile], first: &CallingFile, last: &CallingFile) -> Check {
        let about = self.installer.title();
        let ((first, entries), (last, _)) = (first, last);
        let (first_path, last_path) = (first.path.display(), last.path.display());
        if calling.iter().all(|(_, others)| others == entries) && self.installer.runs_twins_once() {
            let finding =
                format!("{last_path} calls tenter at the same events; it runs the same command once");
            Check::ok(about, finding)
        } else if calling.iter().skip(1).all(|(_, others)| others.iter().all(Entry::yields)) {
            Check::ok(
                about,
                format!(
                    "{last_path} calls tenter too; tenter answers only the calls from {first_path}, so that hooks run once"
                ),
            )
        } else {
            let finding =
                format!("{first_path} calls tenter, and so does {last_path}: hooks run more than once");
            Check::warning(about, finding, last.undo(self.name.as_str()))
        }
    }

    /// Whether hooks run once although the agent also reads this file of another agent.
    fn check_shared(&self, file: &SharedFile, calling: &[CallingFile]) -> Check {
        let (about, path, of) = (self.installer.title(), file.path.display(), file.of);
        let Some((own, entries)) = calling.first() else {
            let when = if file.reading == Reading::Sometimes { "may read" } else { "reads" };
            return Check::ok(about, format!("it {when} {path} of {of}, which calls tenter"));
        };
        let own_path = own.path.display();
        if file.reading == Reading::InDisguise {
            let finding = format!(
                "{own_path} calls tenter, and so does {path} of {of}, which it reads too; its calls look the same, so hooks run more than once"
            );
            return Check::warning(about, finding, own.undo(self.name.as_str()));
        }
        // Entries of a project do not silence those in the home folder.
        if file.scope == Scope::User && own.scope != Scope::User {
            let finding = format!(
                "it reads {path} of {of} too, which answers as {own_path} does: hooks of a tool call run once, others may run twice"
            );
            return Check::warning(about, finding, format!("tenter init {}", self.name));
        }
        // An event takes the same decision: it leaves calls to entries that run and are as `init` writes them.
        let result = if !entries.iter().any(|entry| program_of(entry).is_some()) {
            format!(", and tenter answers its calls, because {own_path} calls a program that does not exist")
        } else if !own.is_as_written(self.installer) {
            format!(
                ", and tenter answers its calls as well, because {own_path} is not as `tenter init` writes it"
            )
        } else {
            format!("; tenter answers only the calls from {own_path}, so that hooks run once")
        };
        Check::ok(about, format!("it reads {path} of {of} too{result}"))
    }
}

/// A settings file with its entries that call tenter.
type CallingFile = (InstalledFile, Vec<Entry>);

/// Whether the memory server can be started, if it is registered.
fn check_server(about: &'static str, name: &AgentName, scope: Scope) -> Option<Check> {
    let file = ServerFile::open(name, scope)?.ok()?;
    let (program, path) = (file.registered()?, file.path());
    Some(if Path::new(&program).is_file() {
        Check::ok(about, format!("{path} starts tenter's memory"))
    } else {
        let finding = format!("{path} starts {program} for tenter's memory, which does not exist");
        Check::problem(about, finding, format!("tenter init {name}{}", scope_option(scope)))
    })
}

fn check_entries(
    about: &'static str,
    settings: &InstalledFile,
    entries: &[Entry],
    installer: &dyn AgentInstaller,
    own: Option<&Path>,
    agent: &str,
) -> Vec<Check> {
    let path = settings.path.display();
    let again = settings.again(agent);
    let mut checks = Vec::new();
    let mut programs: Vec<&Entry> = entries.iter().collect();
    programs.sort_by_key(|entry| &entry.program);
    programs.dedup_by_key(|entry| &entry.program);
    for entry in programs {
        let program = &entry.program;
        match program_of(entry) {
            None => {
                let then = match settings.if_gone(installer) {
                    IfGone::GoOn => "no hook runs",
                    IfGone::Deny => "no hook runs, and tool calls are denied, because its entries are strict",
                };
                let finding = format!("{path} calls {program}, which does not exist: {then}");
                checks.push(Check::problem(about, finding, again.clone()));
            }
            Some(found) if own.is_some_and(|own| own != found && own.with_file_name(SMALL) != found) => {
                let finding = format!("{path} calls {program}, which is not the tenter that is running");
                checks.push(Check::warning(about, finding, again.clone()));
            }
            Some(_) => {}
        }
    }
    let missing = missing_events(entries, installer);
    if !missing.is_empty() {
        let finding = format!("{path} does not call tenter at {}", missing.join(", "));
        checks.push(Check::warning(about, finding, again.clone()));
    }
    if checks.is_empty() && !settings.is_as_written(installer) {
        let finding = format!(
            "{path} calls tenter, but not as `tenter init` writes it, so hooks may not run, or not take effect, at every call"
        );
        checks.push(Check::warning(about, finding, again));
    }
    if checks.is_empty() {
        checks.push(Check::ok(
            about,
            format!("{path} calls tenter at {}", counted(entries.len() as u64, "event")),
        ));
    }
    checks
}
