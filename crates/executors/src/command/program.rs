//! The program of a hook: a line for the shell, a program with arguments, or a file.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use tenter_contract::{
    Command, Event, Handler, HookFailure, HookOutput, HookSpec, NoValue, Placeholder, Template,
};

use super::home;
use crate::missing;
use crate::programs::{display_command, find_in_path, is_executable, quote_if_needed};

/// The shell. An absolute path, so that no `PATH` of a project decides what judges its commands.
const SHELL: &str = "/bin/sh";

/// Shells that imported hooks name without a folder.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// A program, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) file: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// The command line as a person would type it.
    pub(crate) shown: String,
}

impl Program {
    /// The program of a hook for an event; the error is the output of a hook that has none.
    pub(crate) fn from_hook(
        hook: &HookSpec,
        event: &Event,
        path: Option<&str>,
        home: Option<&Path>,
    ) -> Result<Self, HookOutput> {
        match &hook.handler {
            Handler::Command(Command::Shell(line)) => {
                let line = filled(line, (hook, event), path, Template::shell)?;
                Ok(Self {
                    file: SHELL.into(),
                    arguments: vec!["-c".into(), line.clone().into()],
                    shown: line,
                })
            }
            Handler::Command(Command::Argv(words)) => {
                let words = words.iter().map(|word| filled(word, (hook, event), path, Template::argument));
                Self::from_words(words.collect::<Result<_, _>>()?, home)
            }
            Handler::Script(script) => Self::from_script(script, &hook.source.folder, home),
            _ => Err(missing(format!("`{}` is no program", hook.handler.kind()))),
        }
    }

    /// The file to start. A shell that is not in `PATH` is taken from its usual place, so that a guard written for bash
    /// works with a broken `PATH`.
    pub(crate) fn file_in(&self, search_path: Option<&OsStr>) -> OsString {
        let file = &self.file;
        if !SHELLS.iter().any(|shell| file == shell) {
            return file.clone();
        }
        let found = search_path.and_then(|path| find_in_path(file, path));
        let found = found.or_else(|| find_in_path(file, OsStr::new("/bin:/usr/bin:/usr/local/bin")));
        found.map_or_else(|| file.clone(), PathBuf::into_os_string)
    }

    pub(crate) fn from_words(words: Vec<String>, home: Option<&Path>) -> Result<Self, HookOutput> {
        let mut words = words.into_iter();
        let Some(first) = words.next().filter(|first| !first.is_empty()) else {
            return Err(missing("the command is empty".to_owned()));
        };
        Ok(Self::new(home::expand(&first, home), words.map(OsString::from).collect()))
    }

    /// An executable file runs itself; others run with the interpreter of their first line, else with the usual one for
    /// their extension.
    fn from_script(script: &str, folder: &str, home: Option<&Path>) -> Result<Self, HookOutput> {
        let named = Path::new(folder).join(home::expand(script, home));
        // The hook runs in another folder, where a relative path would be searched.
        let file = std::path::absolute(&named).unwrap_or(named);
        let shown = file.display();
        match std::fs::metadata(&file) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(missing(format!("`{shown}` is not a file"))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(missing(format!("`{shown}` does not exist")));
            }
            Err(error) => return Err(missing(format!("`{shown}` cannot be used: {error}"))),
        }
        if is_executable(&file) {
            return Ok(Self::new(file, Vec::new()));
        }
        match file.extension().and_then(interpreter) {
            Some(usual) => {
                let mut words = first_line(&file).unwrap_or_else(|| vec![usual.into()]);
                words.push(file.into());
                let program = words.remove(0);
                Ok(Self::new(program.into(), words))
            }
            None => Err(missing(format!(
                "`{shown}` is not executable; type `chmod +x {}`",
                quote_if_needed(&file.to_string_lossy())
            ))),
        }
    }

    fn new(file: PathBuf, arguments: Vec<OsString>) -> Self {
        let file = file.into_os_string();
        let shown = display_command(std::iter::once(&file).chain(&arguments).map(OsString::as_os_str));
        Self { file, arguments, shown }
    }
}

fn interpreter(extension: &std::ffi::OsStr) -> Option<&'static str> {
    match extension.to_str()? {
        "py" => Some("python3"),
        "sh" => Some(SHELL),
        "js" => Some("node"),
        _ => None,
    }
}

/// The words after `#!`: a program and at most one argument, as the system reads it.
fn first_line(file: &Path) -> Option<Vec<OsString>> {
    let mut start = [0; 256];
    let length = std::fs::File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let line = start.get(..length)?.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let (program, argument) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let argument = Some(argument.trim()).filter(|argument| !argument.is_empty());
    Path::new(program)
        .is_absolute()
        .then(|| [program].into_iter().chain(argument).map(OsString::from).collect())
}

/// Fills a template. A NUL byte cannot be passed to a program and must not hide the value from a guard.
fn filled(
    template: &Template,
    (hook, event): (&HookSpec, &Event),
    path: Option<&str>,
    fill: impl Fn(&Template, &Event, Option<&str>) -> Result<String, NoValue>,
) -> Result<String, HookOutput> {
    let text = fill(template, event, path).map_err(|NoValue(value)| crate::without_value(hook, value))?;
    if !text.contains('\0') {
        return Ok(text);
    }
    let has_nul = |name: &str| {
        let value = Template::parse(&format!("{{{name}}}")).ok()?.argument(event, path).ok()?;
        Some(value.contains('\0'))
    };
    let mentioned = Placeholder::ALL.into_iter().filter(|value| template.mentions(*value));
    let detail = match mentioned.map(Placeholder::as_str).find(|name| has_nul(name) == Some(true)) {
        Some(name) => format!("the value of {name} contains a NUL byte"),
        None => "the command contains a NUL byte".to_owned(),
    };
    Err(HookOutput::Failure(HookFailure::Garbled { detail }))
}

#[cfg(test)]
mod tests;
