//! Finds programs and runs them under the supervision that commands have.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{Access, access};
use tenter_contract::template::shell_quote;
use tenter_contract::{HookFailure, Said};

use super::call::{Call, missing};
use crate::command::call::not_kept;
use crate::stopping::is_asked;
use crate::supervise::{self, Ended, Order, TAG_VARIABLE, Tag};

/// This much of what a program wrote is kept in the transcript.
const TRANSCRIPT: usize = 16 * 1024;
/// Where a project keeps its own programs.
const LOCAL: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/// A program that has come to its end by itself.
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// What is run, and where.
pub(super) struct Run<'p> {
    pub(super) program: &'p Path,
    pub(super) arguments: Vec<OsString>,
    pub(super) folder: &'p Path,
}

impl Call<'_> {
    /// A program by its name, in `PATH`. Folders that are not absolute do not count: what stands there
    /// depends on where we are.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.variable("PATH")?;
        let folders =
            path.as_bytes().split(|byte| *byte == b':').map(|part| Path::new(OsStr::from_bytes(part)));
        folders.filter(|folder| folder.is_absolute()).find_map(|folder| executable(folder.join(name)))
    }

    /// A program by its name: the project's own, nearest to a file, then that of the virtual environment, then
    /// the machine's.
    pub(super) fn program_for(&self, name: &str, file: &Path, root: &Path) -> Option<PathBuf> {
        let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let mut own = above.flat_map(|folder| LOCAL.map(|local| folder.join(local).join(name)));
        own.find_map(executable)
            .or_else(|| {
                let environment = Path::new(self.variable("VIRTUAL_ENV")?);
                executable(environment.join("bin").join(name)).filter(|_| environment.is_absolute())
            })
            .or_else(|| self.program(name))
    }

    /// Runs a program to its end. One that does not end in time, or is killed, is a failure of the hook.
    pub(super) fn start(&mut self, run: &Run<'_>) -> Result<Ran, Said> {
        let mut command = Command::new(run.program);
        command.args(&run.arguments).current_dir(run.folder);
        command.env_clear().envs(&self.environment);
        let shown = shown(run.program, &run.arguments);
        let order = Order {
            command,
            stdin: b"",
            max_stdout: self.hook.max_output,
            deadline: self.deadline,
            tag: Tag::below(self.our_variable(TAG_VARIABLE)),
            remains: self.hook.remains,
            household: self.household,
            stop: self.stop,
            goes_on: None,
        };
        let finished = supervise::run(order)
            .map_err(|error| missing(format!("`{}` cannot be started: {error}", run.program.display())))?;
        let ran = Ran {
            code: if let Ended::Exited(code) = finished.ended { code } else { -1 },
            stdout: String::from_utf8_lossy(&finished.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&finished.stderr_tail).into_owned(),
        };
        self.keep(shown, &ran, finished.stdout_cut);
        self.transcript.notices.extend(not_kept(&finished));
        match finished.ended {
            Ended::Exited(code) => {
                self.transcript.exit_code = Some(code);
                Ok(ran)
            }
            Ended::TimedOut if is_asked(self.stop) => Err(Said::Failure(HookFailure::stopped())),
            Ended::TimedOut => Err(Said::Failure(HookFailure::TimedOut { after: self.hook.timeout })),
            Ended::Signalled(signal) => {
                Err(Said::Failure(HookFailure::Crashed { exit_code: None, signal: Some(signal) }))
            }
            Ended::GoesOn | Ended::Unknown => {
                Err(Said::Failure(HookFailure::Crashed { exit_code: None, signal: None }))
            }
        }
    }

    fn keep(&mut self, shown: String, ran: &Ran, cut: u64) {
        let transcript = &mut self.transcript;
        transcript.command = Some(match transcript.command.take() {
            Some(before) => format!("{before}\n{shown}"),
            None => shown,
        });
        for (kept, new) in [(&mut transcript.stdout, &ran.stdout), (&mut transcript.stderr, &ran.stderr)] {
            kept.push_str(new);
            kept.truncate(kept.floor_char_boundary(TRANSCRIPT));
        }
        transcript.cut += cut;
    }
}

/// A program that failed in a way that is not its finding.
pub(super) fn crashed(ran: &Ran) -> Said {
    Said::Failure(HookFailure::Crashed { exit_code: Some(ran.code), signal: None })
}

fn executable(file: PathBuf) -> Option<PathBuf> {
    (file.is_file() && access(&file, Access::EXEC_OK).is_ok()).then_some(file)
}

/// The command as a person would type it.
fn shown(program: &Path, arguments: &[OsString]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    let words = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    words
        .map(|word| {
            let word = word.to_string_lossy();
            if !word.is_empty() && word.chars().all(plain) { word.into_owned() } else { shell_quote(&word) }
        })
        .collect::<Vec<_>>()
        .join(" ")
}
