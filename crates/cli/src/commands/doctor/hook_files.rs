//! Checks hook files: their problems, how many hooks run, and whether their programs exist.

use std::path::Path;

use tenter_contract::{HookSpec, Level};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use crate::commands::doctor::check::{Check, edit, typed};
use crate::hooks;
use crate::hooks::startable::{CannotStart, cannot_start};

const ABOUT: &str = "hooks";

pub(crate) fn check(places: &Places) -> Vec<Check> {
    let layers = Layers::read(places, here().as_deref());
    let hooks = hooks::active_hooks(&layers);
    let off = hooks::off(&layers).count();
    let mut checks = Vec::new();
    match layers.files.first() {
        None => checks.push(Check::ok(ABOUT, "there is no hook file yet")),
        Some(file) => {
            checks.push(Check::ok(ABOUT, format!("{} on, {off} off in {}", hooks.len(), file.name)));
        }
    }
    for problem in layers.set.problems.iter().chain(&layers.set.lost_guards) {
        let lines = || problem.text.lines().map(str::trim);
        let first = lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").or(first.strip_prefix("warning: ")).unwrap_or(first);
        let place = lines().find_map(|line| line.strip_prefix("--> ")).unwrap_or("the hook file");
        let hint = lines().find_map(|line| line.strip_prefix("hint: ")).and_then(command);
        let (finding, repair) = (format!("{place}: {first}"), hint.unwrap_or("tenter hooks list"));
        checks.push(match problem.level {
            Level::Error => Check::problem(ABOUT, finding, repair),
            Level::Info | Level::Warning => Check::warning(ABOUT, finding, repair),
        });
    }
    checks.extend(hooks.iter().filter_map(|hook| starting(hook)));
    checks
}

/// The tenter command that a hint begins with, as in `` `tenter trust` shows them and asks``.
fn command(hint: &str) -> Option<&str> {
    let (command, _) = hint.strip_prefix('`')?.split_once('`')?;
    command.starts_with("tenter ").then_some(command)
}

fn starting(hook: &HookSpec) -> Option<Check> {
    let CannotStart { finding, not_executable, script } = cannot_start(hook)?;
    let repair = match not_executable {
        Some(file) => format!("chmod +x {}", typed(&file)),
        None => edit(script.as_deref().unwrap_or(Path::new(&hook.source.file))),
    };
    Some(Check::problem(ABOUT, format!("{}: {finding}", hook.id.address()), repair))
}
