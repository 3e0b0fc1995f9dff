//! Whether what sessions learn is kept and recalled, and whether its store is well.

use std::time::Duration;

use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};
use tenter_memory::{Condition, Health, Project};
use tenter_store::StateFolder;

use crate::commands::doctor::agents::AgentEntry;
use crate::commands::doctor::check::{Check, INSTALL, typed};
use crate::install::user_hooks::{MemoryState, memory_state};

const ABOUT: &str = "memory";
/// A store of a hundred thousand experiences is looked at for so long and no longer.
const LOOKS: Duration = Duration::from_secs(3);

/// Looks for the hooks of memory, if there is an agent to remember something for, and at the store, if there is one. To
/// do without is no one's mistake.
pub(crate) fn check(places: &Places, entries: &[AgentEntry]) -> Vec<Check> {
    let hooks = entries.first().map(|agent| match memory_state(&Layers::read(places, here().as_deref())) {
        MemoryState::On => Check::ok(ABOUT, "on: what sessions learn is kept, and recalled when it matters"),
        MemoryState::Partly(lacking) => {
            let lacking = lacking.join(", ");
            Check::ok(ABOUT, format!("partly on, without {lacking}; `tenter hooks list` says why"))
        }
        MemoryState::Absent => Check::ok(ABOUT, format!("off; `tenter init {}` turns it on", agent.name)),
    });
    let folder = places.state_folder.as_ref().filter(|folder| folder.join("memory").exists());
    let store = folder.map(|folder| {
        let memory = tenter_host::memory::open(StateFolder::new(folder.clone()));
        let project = std::env::current_dir().ok().map(|folder| Project::from_folder(&folder));
        of_store(&memory.health(project.as_ref(), LOOKS))
    });
    hooks.into_iter().chain(store.into_iter().flatten()).collect()
}

fn of_store(health: &Health) -> Vec<Check> {
    let path = typed(&health.path);
    let shown = health.path.display();
    let megabytes = health.bytes.div_ceil(1_000_000);
    let repair = "tenter memory repair";
    let mut checks = vec![match &health.condition {
        Condition::Missing => Check::ok(ABOUT, format!("{shown} will be made when something is stored")),
        Condition::Whole { is_fully_checked: true } => {
            Check::ok(ABOUT, format!("{shown} is whole and can be written, {megabytes} MB"))
        }
        Condition::Whole { is_fully_checked: false } => Check::ok(
            ABOUT,
            format!("{shown} can be written, {megabytes} MB; it was too large to look at all of it"),
        ),
        Condition::Damaged(why) => Check::problem(
            ABOUT,
            format!("{shown} is damaged ({why}); what can be read can be saved"),
            repair,
        ),
        Condition::Newer(_) => {
            let finding = format!(
                "{shown} was written by a newer tenter; until this one is as new nothing is recalled"
            );
            Check::problem(ABOUT, finding, INSTALL)
        }
        Condition::ReadOnly(why) => Check::problem(ABOUT, happened(why), format!("chmod u+rw {path}")),
        Condition::Full => {
            let folder = health.path.parent().map(typed).unwrap_or_default();
            Check::problem(ABOUT, format!("{shown} finds no room on the disk"), format!("df -h {folder}"))
        }
        Condition::Unusable(why) => {
            let folder = health.path.parent().map(typed).unwrap_or_default();
            Check::problem(ABOUT, happened(why), format!("ls -la {folder}"))
        }
        Condition::Locked => {
            let finding = format!("{shown} is locked by another process; what is stored meanwhile waits");
            Check::warning(ABOUT, finding, format!("fuser -v {path}"))
        }
    }];
    match health.waiting {
        Some(0) => {}
        Some(waiting) if health.problem().is_some() => {
            checks.push(Check::ok(ABOUT, format!("{waiting} waiting to be stored, once that is possible")));
        }
        Some(waiting) => {
            let finding = format!("{waiting} waiting to be stored; the next command of the memory stores it");
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
            "{} of this project left behind by earlier sessions; `tenter ghap adopt` goes on with one",
            if health.orphans == 1 { "1 entry".to_owned() } else { format!("{} entries", health.orphans) }
        );
        checks.push(Check::ok(ABOUT, finding));
    }
    for aside in &health.damaged_files {
        let finding =
            format!("a damaged memory was moved to {}; what can be read of it can be saved", aside.display());
        checks.push(Check::warning(ABOUT, finding, repair));
    }
    checks
}

/// A message without what to do about it, which is in a line of its own.
fn happened(message: &str) -> String {
    message.split("; ").next().unwrap_or_default().to_owned()
}
