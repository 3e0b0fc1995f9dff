//! Whether the program of a hook is there. Nothing is run.

use std::env;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_contract::{Command, Handler, HookSpec};

/// Why a hook cannot start.
pub(crate) struct CannotStart {
    /// What is wrong.
    pub(crate) finding: String,
    /// The file to make executable, if that is all it takes.
    pub(crate) not_executable: Option<PathBuf>,
}

/// Why a hook cannot start, as far as its file says.
pub(crate) fn cannot_start(hook: &HookSpec) -> Option<CannotStart> {
    match &hook.handler {
        Handler::Script(script) => of_script(hook, script),
        Handler::Command(Command::Argv(words)) => of_program(hook, words.first()?.as_str()),
        Handler::Command(Command::Shell(line)) => {
            let first = line.as_str().split_whitespace().next()?;
            // What a shell makes of other words is not known before it runs.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/~".contains(c);
            (first.contains('/') && first.chars().all(is_plain)).then(|| of_program(hook, first))?
        }
        _ => None,
    }
}

fn of_script(hook: &HookSpec, script: &str) -> Option<CannotStart> {
    let file = Path::new(&hook.source.folder).join(expanded(script));
    let file = std::path::absolute(&file).unwrap_or(file);
    let shown = file.display();
    if !file.is_file() {
        let place = format!("{}:{}", hook.source.file, hook.source.line);
        return Some(missing(format!("there is no script {shown}, which {place} names")));
    }
    let has_interpreter = file.extension().is_some_and(|it| it == "py" || it == "sh" || it == "js");
    let runs = has_interpreter || access(&file, Access::EXEC_OK).is_ok();
    let finding = format!("the script {shown} is not executable");
    (!runs).then_some(CannotStart { finding, not_executable: Some(file) })
}

fn of_program(hook: &HookSpec, program: &str) -> Option<CannotStart> {
    if program.contains(['{', '$']) {
        return None;
    }
    let path = expanded(program);
    // A relative path is looked for where the hook runs, which an event says.
    let is_there = match (program.contains('/'), path.is_absolute()) {
        (true, true) => path.is_file(),
        (true, false) => return None,
        (false, _) => {
            let has_path = hook.env.iter().any(|(name, _)| name == "PATH");
            let folders = env::var_os("PATH").unwrap_or_default();
            has_path || env::split_paths(&folders).any(|folder| folder.join(program).is_file())
        }
    };
    let place = format!("{}:{}", hook.source.file, hook.source.line);
    (!is_there).then(|| missing(format!("there is no program `{program}`, which {place} names")))
}

fn missing(finding: String) -> CannotStart {
    CannotStart { finding, not_executable: None }
}

fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        (Some(_) | None, _) => PathBuf::from(path),
    }
}
