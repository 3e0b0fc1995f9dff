//! Hook files: what is wrong with them, how many hooks run, and whether their scripts can.

use std::env;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_contract::{Handler, HookSpec, Level};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use super::check::{Check, edit, typed};
use crate::commands::hooks;

const ABOUT: &str = "hooks";

/// Looks at the hook files and the scripts they name.
pub(super) fn check(places: &Places) -> Vec<Check> {
    let layers = Layers::read(places, here().as_deref());
    let hooks = hooks::in_force(&layers);
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
    checks.extend(hooks.iter().filter_map(|hook| script(hook)));
    checks
}

/// The command that a hint begins with, if it is one of ours: `` `tenter trust` shows them and asks``.
fn command(hint: &str) -> Option<&str> {
    let (command, _) = hint.strip_prefix('`')?.split_once('`')?;
    command.starts_with("tenter ").then_some(command)
}

/// What keeps the script of a hook from running.
fn script(hook: &HookSpec) -> Option<Check> {
    let Handler::Script(script) = &hook.handler else { return None };
    let script = match (script.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        (Some(_) | None, _) => PathBuf::from(script),
    };
    let file = Path::new(&hook.source.folder).join(script);
    let file = std::path::absolute(&file).unwrap_or(file);
    let (name, shown) = (hook.id.address(), file.display());
    if !file.is_file() {
        let place = format!("{}:{}", hook.source.file, hook.source.line);
        let finding = format!("{name}: there is no script {shown}, which {place} names");
        return Some(Check::problem(ABOUT, finding, edit(Path::new(&hook.source.file))));
    }
    let has_interpreter = file.extension().is_some_and(|it| it == "py" || it == "sh" || it == "js");
    let runs = has_interpreter || access(&file, Access::EXEC_OK).is_ok();
    let finding = format!("{name}: the script {shown} is not executable");
    (!runs).then(|| Check::problem(ABOUT, finding, format!("chmod +x {}", typed(&file))))
}
