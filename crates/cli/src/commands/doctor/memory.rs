//! Checks the memory: whether its hooks run, and the condition of its store.

use std::time::Duration;

use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};
use tenter_memory::{Condition, Health, Project};
use tenter_store::StateFolder;

use crate::commands::doctor::agents::AgentEntry;
use crate::commands::doctor::check::{Check, INSTALL, typed};
use crate::install::user_hooks::{MemoryState, memory_state};

const ABOUT: &str = "memory";
/// The time limit for a large store.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Checks the memory hooks if an agent calls tenter, and the store if it exists. A missing memory is not a problem.
pub(crate) fn check(places: &Places, entries: &[AgentEntry]) -> Vec<Check> {
    let hooks = entries.first().map(|agent| match memory_state(&Layers::read(places, here().as_deref())) {
        MemoryState::On => {
            Check::ok(ABOUT, "on: stores what sessions learn, and recalls it in later sessions")
        }
        MemoryState::Partly(lacking) => {
            let lacking = lacking.join(", ");
            Check::ok(ABOUT, format!("partly on, without {lacking}; run `tenter hooks list` to see why"))
        }
        MemoryState::Absent => Check::ok(ABOUT, format!("off; `tenter init {}` turns it on", agent.name)),
    });
    let folder = places.state_folder.as_ref().filter(|folder| folder.join("memory").exists());
    let store = folder.map(|folder| {
        let memory = tenter_host::memory::open(StateFolder::new(folder.clone()));
        let project = std::env::current_dir().ok().map(|folder| Project::from_folder(&folder));
        check_store(&memory.health(project.as_ref(), TIME_LIMIT))
    });
    hooks.into_iter().chain(store.into_iter().flatten()).collect()
}

fn check_store(health: &Health) -> Vec<Check> {
    let path = typed(&health.path);
    let shown = health.path.display();
    let megabytes = health.bytes.div_ceil(1_000_000);
    let folder = health.path.parent().map(typed).unwrap_or_default();
    let repair = "tenter memory repair";
    let mut checks = vec![match &health.condition {
        Condition::Missing => Check::ok(ABOUT, format!("{shown} is created with the first entry")),
        Condition::Whole { is_fully_checked: true } => {
            Check::ok(ABOUT, format!("{shown} is intact and writable, {megabytes} MB"))
        }
        Condition::Whole { is_fully_checked: false } => Check::ok(
            ABOUT,
            format!("{shown} can be written, {megabytes} MB; it is too large for a full check"),
        ),
        Condition::Damaged(why) => Check::problem(
            ABOUT,
            format!("{shown} is damaged ({why}); its readable part can be saved"),
            repair,
        ),
        Condition::Newer(_) => {
            let finding = format!("{shown} was written by a newer tenter; update tenter to use it");
            Check::problem(ABOUT, finding, INSTALL)
        }
        Condition::ReadOnly(why) => Check::problem(ABOUT, happened(why), format!("chmod u+rw {path}")),
        Condition::Full => {
            Check::problem(ABOUT, format!("{shown}: no space left on the disk"), format!("df -h {folder}"))
        }
        Condition::Unusable(why) => Check::problem(ABOUT, happened(why), format!("ls -la {folder}")),
        Condition::Locked => {
            let finding = format!("{shown} is locked by another process; new entries wait");
            Check::warning(ABOUT, finding, format!("fuser -v {path}"))
        }
    }];
    match health.waiting {
        Some(0) => {}
        Some(waiting) if health.problem().is_some() => {
            checks.push(Check::ok(ABOUT, format!("{waiting} waiting to be stored, once that is possible")));
        }
        Some(waiting) => {
            let finding = format!("{waiting} waiting to be stored; the next memory command stores them");
            checks.push(Check::warning(ABOUT, finding, "tenter memory stats"));
        }
        None => {
            let waiting = health.path.with_file_name("waiting.jsonl");
            let finding = format!("{} cannot be read", waiting.display());
            checks.push(Check::problem(ABOUT, finding, format!("ls -l {}", typed(&waiting))));
        }
    }
    if health.orphans > 0 {
        let finding = format!(
            "{} of this project left by earlier sessions; `tenter ghap adopt` continues one",
            if health.orphans == 1 { "1 entry".to_owned() } else { format!("{} entries", health.orphans) }
        );
        checks.push(Check::ok(ABOUT, finding));
    }
    for path in &health.damaged_files {
        let finding =
            format!("a damaged memory was moved to {}; its readable part can be saved", path.display());
        checks.push(Check::warning(ABOUT, finding, repair));
    }
    checks
}

/// A message without its hint, which the report has in a line of its own.
fn happened(message: &str) -> String {
    message.split("; ").next().unwrap_or_default().to_owned()
}
