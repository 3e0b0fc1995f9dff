//! What is run: a line for the shell, a program with arguments, or a file.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use tenter_contract::template::shell_quote;
use tenter_contract::{Command, Event, Handler, HookFailure, HookSpec, NoValue, Placeholder, Said, Template};

use super::home;

/// The shell. An absolute path, so that no `PATH` of a project decides what judges its commands.
const SHELL: &str = "/bin/sh";

/// Shells that imported hooks name without a folder.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// A program, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// What is started.
    pub(crate) file: OsString,
    /// With these arguments.
    pub(crate) arguments: Vec<OsString>,
    /// As a person would type it.
    pub(crate) shown: String,
}

impl Program {
    /// The program of a hook for an event; what is said instead if there is none.
    pub(crate) fn of(
        hook: &HookSpec,
        event: &Event,
        path: Option<&str>,
        home: Option<&Path>,
    ) -> Result<Self, Said> {
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
                Self::of_words(words.collect::<Result<_, _>>()?, home)
            }
            Handler::Script(script) => Self::of_script(script, &hook.source.folder, home),
            _ => Err(missing(format!("`{}` is no program", hook.handler.kind()))),
        }
    }

    /// The file to start. A shell that `PATH` does not lead to is taken from its usual place, because a guard that is
    /// written for bash must not go off with a broken `PATH`.
    pub(crate) fn file_in(&self, search_path: Option<&OsStr>) -> OsString {
        let file = &self.file;
        if !SHELLS.iter().any(|shell| file == shell) {
            return file.clone();
        }
        let folders = search_path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        let mut folders: Vec<PathBuf> = folders;
        folders.retain(|folder| folder.is_absolute());
        folders.extend(["/bin", "/usr/bin", "/usr/local/bin"].map(PathBuf::from));
        let runs =
            |file: &PathBuf| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
        let found = folders.into_iter().map(|folder| folder.join(file)).find(runs);
        found.map_or_else(|| file.clone(), PathBuf::into_os_string)
    }

    /// A program and its arguments, as they are.
    pub(crate) fn of_words(words: Vec<String>, home: Option<&Path>) -> Result<Self, Said> {
        let mut words = words.into_iter();
        let Some(first) = words.next().filter(|first| !first.is_empty()) else {
            return Err(missing("the command is empty".to_owned()));
        };
        Ok(Self::new(home::expand(&first, home), words.map(OsString::from).collect()))
    }

    /// A file that can be executed is; others run with the interpreter that their first line names, else with
    /// the one that their name calls for.
    fn of_script(script: &str, folder: &str, home: Option<&Path>) -> Result<Self, Said> {
        let named = Path::new(folder).join(home::expand(script, home));
        // The hook runs in another folder than ours, so a relative path would be looked for there.
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
        if rustix::fs::access(&file, rustix::fs::Access::EXEC_OK).is_ok() {
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
                word(&file.to_string_lossy())
            ))),
        }
    }

    fn new(file: PathBuf, arguments: Vec<OsString>) -> Self {
        let file = file.into_os_string();
        let words = std::iter::once(&file).chain(&arguments).map(|text| word(&text.to_string_lossy()));
        let shown = words.collect::<Vec<_>>().join(" ");
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

/// What stands behind `#!`: a program and at most one argument, as the system reads it.
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

/// Fills a template. A NUL byte in it cannot be handed
/// to any program and must not pass as "nothing to see here".
fn filled(
    template: &Template,
    (hook, event): (&HookSpec, &Event),
    path: Option<&str>,
    fill: impl Fn(&Template, &Event, Option<&str>) -> Result<String, NoValue>,
) -> Result<String, Said> {
    let text = fill(template, event, path).map_err(|NoValue(value)| crate::without_value(hook, value))?;
    if !text.contains('\0') {
        return Ok(text);
    }
    let has_nul = |name: &str| {
        Template::parse(&format!("{{{name}}}"))
            .ok()
            .and_then(|alone| alone.argument(event, path).ok())
            .is_some_and(|value| value.contains('\0'))
    };
    let mut mentioned = Placeholder::ALL.into_iter().filter(|(value, _)| template.mentions(*value));
    let detail = match mentioned.find(|(_, name)| has_nul(name)) {
        Some((_, name)) => format!("the value of {name} contains a NUL byte"),
        None => "the command contains a NUL byte".to_owned(),
    };
    Err(Said::Failure(HookFailure::Garbled { detail }))
}

fn missing(detail: String) -> Said {
    Said::Failure(HookFailure::Missing { detail })
}

/// A word as one would type it: quoted only if it must be.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { shell_quote(text) }
}

#[cfg(test)]
mod tests;
