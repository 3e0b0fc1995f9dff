//! Checks whether the program of a hook exists, without running it.

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_contract::{Command, Handler, HookSpec};

#[derive(Default)]
pub(crate) struct CannotStart {
    pub(crate) finding: String,
    /// The file to make executable, if that is the only problem.
    pub(crate) not_executable: Option<PathBuf>,
    /// The script to change, if it is not the hook file.
    pub(crate) script: Option<PathBuf>,
}

pub(crate) fn cannot_start(hook: &HookSpec) -> Option<CannotStart> {
    match &hook.handler {
        Handler::Script(script) => check_script(hook, script),
        Handler::Command(Command::Argv(words)) => check_program(hook, words.first()?.as_str()),
        Handler::Command(Command::Shell(line)) => {
            let first = line.as_str().split_whitespace().next()?;
            // Only the shell can expand other words.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/~".contains(c);
            (first.contains('/') && first.chars().all(is_plain)).then(|| check_program(hook, first))?
        }
        _ => None,
    }
}

fn check_script(hook: &HookSpec, script: &str) -> Option<CannotStart> {
    let file = Path::new(&hook.source.folder).join(expanded(script));
    let file = std::path::absolute(&file).unwrap_or(file);
    let shown = file.display();
    if !file.is_file() {
        let place = format!("{}:{}", hook.source.file, hook.source.line);
        return Some(missing(format!("there is no script {shown}, which {place} names")));
    }
    let executable = access(&file, Access::EXEC_OK).is_ok();
    let has_interpreter = file.extension().is_some_and(|it| it == "py" || it == "sh" || it == "js");
    if executable || has_interpreter {
        return check_first_line(hook, &file, executable);
    }
    Some(not_executable(file))
}

fn not_executable(file: PathBuf) -> CannotStart {
    let finding = format!("the script {} is not executable", file.display());
    CannotStart { finding, not_executable: Some(file), script: None }
}

/// The largest first line.
const FIRST_LINE: usize = 256;

/// The problem with the first line of a script. The system takes the end of a Windows line as a part of the
/// interpreter's name.
fn check_first_line(hook: &HookSpec, file: &Path, executed: bool) -> Option<CannotStart> {
    let mut start = [0; FIRST_LINE];
    let length = File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let line = start.get(..length)?.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let shown = file.display();
    let wrong =
        |finding| Some(CannotStart { finding, script: Some(file.to_owned()), ..CannotStart::default() });
    if executed && line.ends_with('\r') {
        return wrong(format!("the first line of {shown} has the end of a Windows line (CRLF)"));
    }
    let mut words = line.split_whitespace();
    let program = Path::new(words.next()?);
    if program.is_absolute() && !program.is_file() {
        let program = program.display();
        return wrong(format!("the first line of {shown} names {program}, which does not exist"));
    }
    let is_env = program.file_name().is_some_and(|name| name == "env");
    let found = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    (is_env && !is_on_path(hook, found))
        .then(|| wrong(format!("the first line of {shown} names `{found}`, which does not exist")))?
}

fn is_on_path(hook: &HookSpec, program: &str) -> bool {
    let has_path = hook.env.iter().any(|(name, _)| name == "PATH");
    let folders = env::var_os("PATH").unwrap_or_default();
    has_path || env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn check_program(hook: &HookSpec, program: &str) -> Option<CannotStart> {
    if program.contains(['{', '$']) {
        return None;
    }
    let path = expanded(program);
    // A relative path depends on the folder of the event.
    let is_there = match (program.contains('/'), path.is_absolute()) {
        (true, true) if path.is_file() => {
            let executable = access(&path, Access::EXEC_OK).is_ok();
            return if executable { check_first_line(hook, &path, true) } else { Some(not_executable(path)) };
        }
        (true, true) => false,
        (true, false) => return None,
        (false, _) => is_on_path(hook, program),
    };
    let place = format!("{}:{}", hook.source.file, hook.source.line);
    (!is_there).then(|| missing(format!("there is no program `{program}`, which {place} names")))
}

fn missing(finding: String) -> CannotStart {
    CannotStart { finding, ..CannotStart::default() }
}

fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        (Some(_) | None, _) => PathBuf::from(path),
    }
}
