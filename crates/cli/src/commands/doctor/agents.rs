//! Each agent: is it here, and does it call us, once, at every event, and as the program we are?

use std::path::Path;

use tenter_adapters::by_name;
use tenter_contract::AgentName;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, IfGone, Proof, Reading, Scope};
use tenter_host::program::SMALL;

use crate::commands::doctor::check::{Check, Grade, edit};
use crate::commands::doctor::versions;
use crate::commands::doctor::versions::Asked;
use crate::install::agent_switch::switched_off;
use crate::install::detect::Detected;
use crate::install::installed::{InstalledFile, missing_events, program_of};
use crate::install::shared_settings::SharedFile;
use crate::install::{mcp_server, shared_settings};
use crate::listing::counted;

pub(crate) struct AgentEntry {
    pub(crate) title: &'static str,
    pub(crate) name: AgentName,
    pub(crate) line: String,
}

/// Looks at every agent whose settings we can write; also gives one entry of each that calls us.
pub(crate) fn check(own: Option<&Path>) -> (Vec<Check>, Vec<AgentEntry>) {
    let agents: Vec<AgentCheck> =
        tenter_adapters::all().iter().filter_map(|agent| AgentCheck::new(*agent)).collect();
    let asked = agents.iter().filter_map(AgentCheck::asked).collect::<Vec<_>>();
    let mut versions = versions::ask(&asked).into_iter();
    let (mut checks, mut entries, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    for looked in agents {
        let version = looked.asked().and_then(|_| versions.next());
        let (found, entry) = of_agent(&looked, version, own);
        if found.is_empty() {
            absent.push(looked.absent());
        }
        checks.extend(found);
        entries.extend(entry);
    }
    // A line for each would bury the few that are here.
    if !absent.is_empty() {
        checks.push(Check::ok("agents", format!("not here: {}", absent.join(", "))));
    }
    (checks, entries)
}

/// Hooks that no agent calls do nothing, however well they are written.
pub(crate) fn check_any_calls(of_agents: &[Check], entries: &[AgentEntry]) -> Vec<Check> {
    let has_problem = of_agents.iter().any(|check| check.grade == Grade::Problem);
    if has_problem || !entries.is_empty() {
        return Vec::new();
    }
    let some = tenter_adapters::all()
        .iter()
        .any(|agent| AgentCheck::new(*agent).is_some_and(|it| it.here.is_some()));
    vec![if some {
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

    /// Who is asked for a version; of an agent that no one has proven, no version is known to be right.
    fn asked(&self) -> Option<Asked> {
        let program = self.here.as_ref()?.program().filter(|_| self.proven)?.to_owned();
        Some(Asked { about: self.installer.title(), program, package: self.installer.package() })
    }

    fn presence(&self, version: Option<Check>, calling: &[(InstalledFile, Vec<Entry>)]) -> Option<Check> {
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
                Some(Check::ok(about, format!("{elsewhere}; its version was not asked")))
            }
            // An editor may bring it, or a folder that is on no shell's path.
            (None | Some(Detected::Folder(_)), [(settings, _), ..]) => Some(Check::ok(
                about,
                format!(
                    "not on PATH, so its version was not asked; if it is gone, not just elsewhere, `{}` tidies up",
                    settings.undo(self.name.as_str())
                ),
            )),
        }
    }

    /// How it is named among those that are not here. One that comes later may be called already.
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
}

/// Says nothing of an agent that is neither here nor calls us.
fn of_agent(
    looked: &AgentCheck,
    version: Option<Check>,
    own: Option<&Path>,
) -> (Vec<Check>, Option<AgentEntry>) {
    let AgentCheck { name, installer, proven, here } = looked;
    let (installer, about) = (*installer, looked.installer.title());
    let mut checks: Vec<Check> = Vec::new();
    let mut calling: Vec<(InstalledFile, Vec<Entry>)> = Vec::new();
    let mut in_the_way: Vec<Check> = Vec::new();
    // As long as these cannot be read, `init` cannot write them either.
    let mut users_are_unreadable = false;
    for settings in InstalledFile::all(installer) {
        let edit = edit(&settings.path);
        in_the_way.extend(
            settings.in_the_way(installer).into_iter().map(|text| Check::problem(about, text, edit.clone())),
        );
        match settings.entries(installer) {
            Err(why) => {
                users_are_unreadable |= settings.scope == Scope::User;
                let finding = format!("{} cannot be read: {why}", settings.path.display());
                checks.push(Check::problem(about, finding, edit));
            }
            Ok(entries) if entries.is_empty() => {}
            Ok(entries) => calling.push((settings, entries)),
        }
    }
    in_the_way.extend(switched_off(installer).map(|off| Check::problem(about, off.why, edit(&off.path))));
    let routes = shared_settings::others(installer);
    // A user who never had it is not told about it. One that is called by another's entries is not missed.
    let unknown = here.is_none() && (calling.is_empty() || installer.entries_name().is_some());
    if !proven && unknown && checks.is_empty() {
        return (Vec::new(), None);
    }
    if let Some(presence) = looked.presence(version, &calling) {
        checks.insert(0, presence);
    }
    let used = in_the_way.is_empty();
    if !calling.is_empty() {
        checks.append(&mut in_the_way);
    }
    for (settings, entries) in &calling {
        if let Some(pending_consent) = settings.pending_consent(installer) {
            let repair = format!("{name}   # {}", pending_consent.how);
            checks.push(Check::problem(about, pending_consent.message(&settings.path), repair));
        }
        let found = of_entries(about, settings, entries, installer, own, name.as_str());
        // Not even the best entries are called then, and why has just been said.
        checks.extend(found.into_iter().filter(|check| used || check.grade != Grade::Ok));
    }
    match (here.is_some(), calling.as_slice()) {
        (true, []) if users_are_unreadable => {}
        (true, []) if routes.iter().any(|route| route.reading != Reading::Sometimes) => {}
        (true, []) => {
            checks.push(Check::warning(about, "it does not call tenter", format!("tenter init {name}")));
        }
        (true | false, [_]) | (false, []) => {}
        (_, [(first, entries), .., (last, _)]) => {
            let twins = calling.iter().all(|(_, others)| others == entries);
            let yield_to_it = calling.iter().skip(1).all(|(_, others)| others.iter().all(Entry::yields));
            checks.push(if twins && installer.runs_twins_once() {
                let finding = format!(
                    "{} calls tenter at the same events; it runs the same command once",
                    last.path.display()
                );
                Check::ok(about, finding)
            } else if yield_to_it {
                let finding = format!(
                    "{} calls tenter too; what comes that way is left to {}, so that hooks run once",
                    last.path.display(),
                    first.path.display()
                );
                Check::ok(about, finding)
            } else {
                let finding = format!(
                    "{} calls tenter, and so does {}: hooks run more than once",
                    first.path.display(),
                    last.path.display()
                );
                Check::warning(about, finding, last.undo(name.as_str()))
            });
        }
    }
    if here.is_some() || !calling.is_empty() {
        checks.extend(routes.iter().map(|route| of_route(looked, route, &calling)));
    }
    checks.extend(Scope::ALL.into_iter().filter_map(|scope| of_server(about, name, scope)));
    let runs = |entry: &&Entry| program_of(entry).is_some();
    let entry = calling.iter().flat_map(|(_, entries)| entries).find(runs);
    (checks, entry.map(|entry| AgentEntry { title: about, name: name.clone(), line: entry.line.clone() }))
}

/// Whether the memory's server can be started, where it is registered.
fn of_server(about: &'static str, name: &AgentName, scope: Scope) -> Option<Check> {
    let place = mcp_server::ServerFile::open(name, scope)?.ok()?;
    let (program, path) = (place.registered()?, place.shown());
    let option = if scope == Scope::User { String::new() } else { format!(" --scope {scope}") };
    Some(if Path::new(&program).is_file() {
        Check::ok(about, format!("{path} starts tenter's memory"))
    } else {
        let finding = format!("{path} starts {program} for tenter's memory, which is not there");
        Check::problem(about, finding, format!("tenter init {name}{option}"))
    })
}

/// Another agent's file that this one reads too: whether hooks run once all the same.
fn of_route(looked: &AgentCheck, route: &SharedFile, calling: &[(InstalledFile, Vec<Entry>)]) -> Check {
    let (about, path, of) = (looked.installer.title(), route.path.display(), route.of);
    let Some((own, entries)) = calling.first() else {
        let when = if route.reading == Reading::Sometimes { "may read" } else { "reads" };
        return Check::ok(about, format!("it {when} {path}, {of}'s, which calls tenter"));
    };
    let own_path = own.path.display();
    if route.reading == Reading::InDisguise {
        let finding = format!(
            "{own_path} calls tenter, and so does {path}, {of}'s, which it reads too; its calls look the same, so hooks run more than once"
        );
        return Check::warning(about, finding, own.undo(looked.name.as_str()));
    }
    // What is written in a project silences nothing that is in the home folder.
    if route.scope == Scope::User && own.scope != Scope::User {
        let finding = format!(
            "it reads {path}, {of}'s, too, which is yours and answers, as {own_path} does: hooks of a tool call run once, others may run twice"
        );
        return Check::warning(about, finding, format!("tenter init {}", looked.name));
    }
    // As it is when an event comes: what comes by that way is left to entries that run and are as they should be.
    let left = if !entries.iter().any(|entry| program_of(entry).is_some()) {
        format!(", and is answered that way, because {own_path} calls a program that is not there")
    } else if !own.is_as_written(looked.installer) {
        format!(", and is answered that way as well, because {own_path} is not as `tenter init` writes it")
    } else {
        format!("; what comes that way is left to {own_path}, so that hooks run once")
    };
    Check::ok(about, format!("it reads {path}, {of}'s, too{left}"))
}

fn of_entries(
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
                let finding = format!("{path} calls {program}, which is not there: {then}");
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
