//! Each agent: is it here, and does it call us, once, at every event, and as the program we are?

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, IfGone, Scope, Wiring};
use tenter_contract::{AgentName, event_names};
use tenter_host::install::{SettingsFile, settings_path};
use tenter_host::program::SMALL;

use super::check::{Check, edit, typed};
use super::program::on_path;
use crate::commands::prove::isolation::without_network;
use crate::commands::prove::process::{self, End};

/// How long an agent may take to say which version it is.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// An entry of ours whose program is there, and the agent that runs it.
pub(super) struct AgentEntry {
    /// What people call the agent.
    pub(super) title: &'static str,
    /// What they type.
    pub(super) name: AgentName,
    /// The line its shell is given.
    pub(super) line: String,
}

/// Looks at every agent whose settings we can write; also gives one entry of each that calls us.
pub(super) fn check(own: Option<&Path>) -> (Vec<Check>, Vec<AgentEntry>) {
    let agents = tenter_adapters::all().iter().copied();
    let (checks, entries): (Vec<Vec<Check>>, Vec<Option<AgentEntry>>) = agents
        .filter_map(|agent| Some((agent, agent.installer()?)))
        .map(|(agent, installer)| of_agent(agent, installer, own))
        .unzip();
    (checks.concat(), entries.into_iter().flatten().collect())
}

fn of_agent(
    agent: &dyn AgentAdapter,
    installer: &'static dyn AgentInstaller,
    own: Option<&Path>,
) -> (Vec<Check>, Option<AgentEntry>) {
    let about = installer.title();
    let name = agent.name();
    let here = on_path(name.as_str());
    let mut checks: Vec<Check> = here.iter().map(|program| version(about, program)).collect();
    let mut calling: Vec<(Settings, Vec<Entry>)> = Vec::new();
    let mut in_the_way: Vec<Check> = Vec::new();
    for settings in Settings::of(installer) {
        let edit = edit(&settings.path);
        in_the_way.extend(
            warnings(&settings, installer).into_iter().map(|text| Check::problem(about, text, edit.clone())),
        );
        match settings.entries(installer) {
            Err(why) => {
                let finding = format!("{} cannot be read: {why}", settings.path.display());
                checks.push(Check::problem(about, finding, edit));
            }
            Ok(entries) if entries.is_empty() => {}
            Ok(entries) => {
                checks.extend(of_entries(about, &settings, &entries, installer, own, name.as_str()));
                calling.push((settings, entries));
            }
        }
    }
    if !calling.is_empty() {
        checks.append(&mut in_the_way);
    }
    match (here.is_some(), calling.as_slice()) {
        (true, []) => {
            checks.push(Check::warning(about, "it does not call tenter", format!("tenter init {name}")));
        }
        (false, []) => checks.push(Check::ok(about, "not on PATH")),
        (false, [(settings, _), ..]) => checks.push(Check::warning(
            about,
            format!("it is not on PATH, but {} calls tenter", settings.path.display()),
            settings.undo(name.as_str()),
        )),
        (true, [_]) => {}
        (true, [(first, entries), .., (last, _)]) => {
            let twins = calling.iter().all(|(_, others)| others == entries);
            checks.push(if twins && installer.runs_twins_once() {
                let finding = format!(
                    "{} calls tenter at the same events; it runs the same command once",
                    last.path.display()
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
    let runs = |entry: &&Entry| program_of(entry).is_some();
    let entry = calling.iter().flat_map(|(_, entries)| entries).find(runs);
    (checks, entry.map(|entry| AgentEntry { title: about, name, line: entry.line.clone() }))
}

/// The file that an entry calls, if it is there.
fn program_of(entry: &Entry) -> Option<PathBuf> {
    let named = PathBuf::from(&entry.program);
    let file = if entry.program.contains('/') { Some(named) } else { on_path(&entry.program) };
    fs::canonicalize(file?).ok()
}

/// One settings file of an agent that is there.
struct Settings {
    scope: Scope,
    path: PathBuf,
    text: Result<String, String>,
}

impl Settings {
    fn of(installer: &dyn AgentInstaller) -> Vec<Self> {
        let project = env::current_dir().unwrap_or_default();
        let mut found: Vec<Self> = Vec::new();
        for scope in Scope::ALL {
            let path = installer.place(scope).and_then(|place| settings_path(place, &project).ok());
            // In the home folder, the project's file is the user's.
            let Some(path) = path.filter(|path| found.iter().all(|other| other.path != *path)) else {
                continue;
            };
            let text = match SettingsFile::read(&path) {
                Ok(file) => file.text.map(Ok),
                Err(error) => Some(Err(error.to_string())),
            };
            found.extend(text.map(|text| Self { scope, path, text }));
        }
        found
    }

    fn entries(&self, installer: &dyn AgentInstaller) -> Result<Vec<Entry>, String> {
        let text = self.text.as_ref().map_err(Clone::clone)?;
        installer.entries(text).map_err(|error| error.to_string())
    }

    fn option(&self) -> String {
        if self.scope == Scope::User { String::new() } else { format!(" --scope {}", self.scope) }
    }

    fn undo(&self, agent: &str) -> String {
        format!("tenter uninstall {agent}{}", self.option())
    }
}

fn of_entries(
    about: &'static str,
    settings: &Settings,
    entries: &[Entry],
    installer: &dyn AgentInstaller,
    own: Option<&Path>,
    agent: &str,
) -> Vec<Check> {
    let path = settings.path.display();
    let again = format!("tenter init {agent}{}", settings.option());
    let mut checks = Vec::new();
    let mut programs: Vec<&Entry> = entries.iter().collect();
    programs.sort_by_key(|entry| &entry.program);
    programs.dedup_by_key(|entry| &entry.program);
    for entry in programs {
        let program = &entry.program;
        match program_of(entry) {
            None => {
                let finding = format!("{path} calls {program}, which is not there: no hook runs");
                checks.push(Check::problem(about, finding, again.clone()));
            }
            Some(found) if own.is_some_and(|own| own != found && own.with_file_name(SMALL) != found) => {
                let finding = format!("{path} calls {program}, which is not the tenter that is running");
                checks.push(Check::warning(about, finding, again.clone()));
            }
            Some(_) => {}
        }
    }
    let installed: Vec<_> = entries
        .iter()
        .filter_map(|entry| event_names::find(&entry.event))
        .map(|row| row.kind.clone())
        .collect();
    let missing: Vec<String> = installer
        .events()
        .into_iter()
        .filter(|event| !installed.contains(event))
        .map(|event| event.to_string())
        .collect();
    if !missing.is_empty() {
        let finding = format!("{path} does not call tenter at {}", missing.join(", "));
        checks.push(Check::warning(about, finding, again));
    }
    if checks.is_empty() {
        checks.push(Check::ok(about, format!("{path} calls tenter at {} events", entries.len())));
    }
    checks
}

/// What keeps the entries from working.
fn warnings(settings: &Settings, installer: &dyn AgentInstaller) -> Vec<String> {
    let any = Wiring { program: "/tenter".to_owned(), if_gone: IfGone::GoOn };
    let installed = settings.text.as_ref().ok().and_then(|text| installer.install(Some(text), &any).ok());
    installed.map(|installed| installed.warnings).unwrap_or_default()
}

fn version(about: &'static str, program: &Path) -> Check {
    let shown = program.display();
    let quiet = without_network(program);
    let open = if quiet.is_some() { "" } else { " (asked with the network on: it cannot be cut off here)" };
    if let Some(version) = ask_version(quiet.unwrap_or_else(|| Command::new(program))) {
        return Check::ok(about, format!("{version}, {shown}{open}"));
    }
    let finding = format!("{shown} does not say its version");
    Check::warning(about, finding, format!("{} --version", typed(program)))
}

/// The first line of `--version`. To a file, so that nothing it leaves running can keep us waiting.
fn ask_version(mut command: Command) -> Option<String> {
    let said = tempfile::NamedTempFile::new().ok()?;
    command.arg("--version").stdin(Stdio::null()).stdout(said.reopen().ok()?).stderr(Stdio::null());
    match process::run(command, VERSION_LIMIT) {
        Ok(End::Exited(Some(0))) => {}
        Ok(End::Exited(_) | End::TookTooLong | End::Interrupted) | Err(_) => return None,
    }
    let mut text = String::new();
    File::open(said.path()).ok()?.take(4096).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}
