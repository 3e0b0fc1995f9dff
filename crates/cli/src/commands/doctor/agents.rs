//! Each agent: is it here, and does it call us, once, at every event, and as the program we are?

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tenter_contract::AgentName;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, IfGone, Proof, Reading, Scope};
use tenter_host::program::SMALL;

use super::check::{Check, Grade, edit, typed};
use crate::commands::installed::{InPlace, missing_events, on_path, program_of};
use crate::commands::prove::isolation::without_network;
use crate::commands::prove::process::{self, End};
use crate::commands::routes::{self, Route};

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
    let (mut checks, mut entries, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    for (agent, installer) in agents.filter_map(|agent| Some((agent, agent.installer()?))) {
        let (found, entry) = of_agent(agent, installer, own);
        if found.is_empty() {
            absent.push(installer.title());
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

/// Says nothing of an agent that is neither here nor calls us.
fn of_agent(
    agent: &dyn AgentAdapter,
    installer: &'static dyn AgentInstaller,
    own: Option<&Path>,
) -> (Vec<Check>, Option<AgentEntry>) {
    let about = installer.title();
    let name = agent.name();
    let here = on_path(installer.program().unwrap_or(name.as_str()));
    let proven = agent.proof() == Proof::Measured;
    let mut checks: Vec<Check> = match &here {
        Some(program) if proven => vec![version(about, program)],
        Some(_) | None => Vec::new(),
    };
    let mut calling: Vec<(InPlace, Vec<Entry>)> = Vec::new();
    let mut in_the_way: Vec<Check> = Vec::new();
    // As long as these cannot be read, `init` cannot write them either.
    let mut users_are_unreadable = false;
    for settings in InPlace::of(installer) {
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
    let routes = routes::others(installer);
    // Somebody who never had it is not told about it. One that is called by another's entries is not missed.
    let unknown = here.is_none() && (calling.is_empty() || installer.entries_name().is_some());
    if !proven && unknown && checks.is_empty() {
        return (Vec::new(), None);
    }
    if !proven {
        let place = here.as_ref().map_or("not on PATH".to_owned(), |program| program.display().to_string());
        let finding = format!("not proven: tenter knows it from its documents alone; {place}");
        checks.push(Check::ok(about, finding));
    }
    let used = in_the_way.is_empty();
    if !calling.is_empty() {
        checks.append(&mut in_the_way);
    }
    for (settings, entries) in &calling {
        if let Some(awaited) = settings.awaited(installer) {
            let repair = format!("{name}   # {}", awaited.how);
            checks.push(Check::problem(about, awaited.told(&settings.path), repair));
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
        (false, [_]) if !proven => {}
        // An editor may bring it, or a folder that is on no shell's path.
        (false, [(settings, _)]) => checks.push(Check::ok(
            about,
            format!(
                "not on PATH, so its version was not asked; if it is gone, not just elsewhere, `{}` tidies up",
                settings.undo(name.as_str())
            ),
        )),
        (true, [_]) | (false, []) => {}
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
        checks.extend(routes.iter().map(|route| of_route(about, route, &calling, name.as_str())));
    }
    let runs = |entry: &&Entry| program_of(entry).is_some();
    let entry = calling.iter().flat_map(|(_, entries)| entries).find(runs);
    (checks, entry.map(|entry| AgentEntry { title: about, name, line: entry.line.clone() }))
}

/// Another agent's file that this one reads too: whether hooks run once all the same.
fn of_route(about: &'static str, route: &Route, calling: &[(InPlace, Vec<Entry>)], agent: &str) -> Check {
    let (path, of) = (route.path.display(), route.of);
    let Some((own, _)) = calling.first() else {
        let when = if route.reading == Reading::Sometimes { "may read" } else { "reads" };
        return Check::ok(about, format!("it {when} {path}, {of}'s, which calls tenter"));
    };
    let own_path = own.path.display();
    if route.reading == Reading::InDisguise {
        let finding = format!(
            "{own_path} calls tenter, and so does {path}, {of}'s, which it reads too; its calls look the same, so hooks run more than once"
        );
        return Check::warning(about, finding, own.undo(agent));
    }
    let finding = format!(
        "it reads {path}, {of}'s, too; what comes that way is left to {own_path}, so that hooks run once"
    );
    Check::ok(about, finding)
}

fn of_entries(
    about: &'static str,
    settings: &InPlace,
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
        checks.push(Check::warning(about, finding, again));
    }
    if checks.is_empty() {
        checks.push(Check::ok(about, format!("{path} calls tenter at {} events", entries.len())));
    }
    checks
}

fn version(about: &'static str, program: &Path) -> Check {
    let shown = program.display();
    let quiet = || without_network(program);
    let open = if quiet().is_some() { "" } else { " (asked with the network on: it cannot be cut off here)" };
    let ask = |home: Option<&Path>| {
        let mut command = quiet().unwrap_or_else(|| Command::new(program));
        if let Some(home) = home {
            move_home(&mut command, home);
        }
        ask_version(command)
    };
    // Agents leave files where they live even if they only say who they are. Programs that merely choose a version of
    // the agent may need the real home.
    let elsewhere = tempfile::tempdir().ok().and_then(|home| ask(Some(home.path())));
    if let Some(version) = elsewhere.or_else(|| ask(None)) {
        return Check::ok(about, format!("{version}, {shown}{open}"));
    }
    let finding = format!("{shown} does not say its version");
    Check::warning(about, finding, format!("{} --version", typed(program)))
}

/// Lets a program live in an empty folder.
fn move_home(command: &mut Command, home: &Path) {
    command.env("HOME", home);
    for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env(name, home.join(name));
    }
    for name in
        ["CLAUDE_CONFIG_DIR", "CLINE_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "QWEN_HOME"]
    {
        command.env_remove(name);
    }
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
