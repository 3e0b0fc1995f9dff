//! Each agent: is it here, and does it call us, once, at every event, and as the program we are?

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tenter_contract::event_names;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, IfGone, Scope, Wiring};
use tenter_host::install::{SettingsFile, settings_path};
use tenter_host::program::SMALL;

use super::check::{Check, typed};
use super::program::on_path;
use crate::commands::prove::process::{self, End};

/// How long an agent may take to say which version it is.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// Looks at every agent whose settings we can write.
pub(super) fn check(own: Option<&Path>) -> Vec<Check> {
    let agents = tenter_adapters::all().iter().copied();
    agents.filter_map(|agent| Some((agent, agent.installer()?))).flat_map(|it| of_agent(it, own)).collect()
}

fn of_agent(
    (agent, installer): (&dyn AgentAdapter, &'static dyn AgentInstaller),
    own: Option<&Path>,
) -> Vec<Check> {
    let about = installer.title();
    let name = agent.name();
    let here = on_path(name.as_str());
    let mut checks: Vec<Check> = here.iter().map(|program| version(about, program)).collect();
    let mut calling: Vec<Settings> = Vec::new();
    let mut in_the_way: Vec<Check> = Vec::new();
    for settings in Settings::of(installer) {
        let edit = format!("edit {}", typed(&settings.path));
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
                calling.push(settings);
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
        (false, [settings, ..]) => checks.push(Check::warning(
            about,
            format!("it is not on PATH, but {} calls tenter", settings.path.display()),
            format!("install {about}, or type `{}`", settings.undo(name.as_str())),
        )),
        (true, [_]) => {}
        (true, [.., last]) => checks.push(Check::warning(
            about,
            format!("{} settings files call tenter, so that hooks run more than once", calling.len()),
            last.undo(name.as_str()),
        )),
    }
    checks
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
    let mut programs: Vec<&str> = entries.iter().map(|entry| entry.program.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    for program in programs {
        let file = if program.contains('/') { Some(PathBuf::from(program)) } else { on_path(program) };
        match file.and_then(|file| fs::canonicalize(file).ok()) {
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
    if let Some(version) = ask_version(program) {
        return Check::ok(about, format!("{version}, {shown}"));
    }
    let finding = format!("{shown} does not say its version");
    Check::warning(about, finding, format!("{} --version", typed(program)))
}

/// The first line of `--version`. To a file, so that nothing it leaves running can keep us waiting.
fn ask_version(program: &Path) -> Option<String> {
    let said = tempfile::NamedTempFile::new().ok()?;
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(said.reopen().ok()?).stderr(Stdio::null());
    match process::run(command, VERSION_LIMIT) {
        Ok(End::Exited(Some(0))) => {}
        Ok(End::Exited(_) | End::TookTooLong | End::Interrupted) | Err(_) => return None,
    }
    let mut text = String::new();
    File::open(said.path()).ok()?.take(4096).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}
