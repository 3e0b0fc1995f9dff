//! Finds programs for built-ins and runs them like commands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use tenter_contract::{HookFailure, HookOutput};

use super::builtin_run::{BuiltinRun, missing};
use crate::command::text;
use crate::hook_run::stderr_cut_notice;
use crate::programs::{display_command, find_in_path, is_executable};
use crate::supervise::Ended;

/// The size of an output in the transcript.
const TRANSCRIPT: usize = 16 * 1024;
/// The program folders of a project.
const LOCAL: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The output of a program that ended by itself.
pub(super) struct ToolOutput {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A program to run.
pub(super) struct ToolProcess<'p> {
    pub(super) program: &'p Path,
    pub(super) arguments: Vec<OsString>,
    pub(super) folder: &'p Path,
}

impl BuiltinRun<'_> {
    /// A program in `PATH`.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        find_in_path(name, self.variable("PATH")?)
    }

    /// A program in `PATH`, or a failure.
    pub(super) fn required_program(&self, name: &str) -> Result<PathBuf, HookOutput> {
        self.program(name).ok_or_else(|| missing(format!("`{name}` was not found")))
    }

    /// A program of the project, nearest to a file, else of the virtual environment, else in `PATH`.
    pub(super) fn program_for(&self, name: &str, file: &Path, root: &Path) -> Option<PathBuf> {
        let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let mut own = above.flat_map(|folder| LOCAL.map(|local| folder.join(local).join(name)));
        let of_environment = || {
            let environment = Path::new(self.variable("VIRTUAL_ENV")?);
            let file = environment.join("bin").join(name);
            (environment.is_absolute() && is_executable(&file)).then_some(file)
        };
        own.find(|file| is_executable(file)).or_else(of_environment).or_else(|| self.program(name))
    }

    /// Runs a program to its end. A timeout or a signal is a failure of the hook.
    pub(super) fn start(&mut self, tool: &ToolProcess<'_>) -> Result<ToolOutput, HookOutput> {
        let mut command = Command::new(tool.program);
        command.args(&tool.arguments).current_dir(tool.folder);
        command.env_clear().envs(&self.environment);
        let finished = self
            .supervise(command, b"", None)
            .map_err(|error| missing(format!("`{}` cannot be started: {error}", tool.program.display())))?;
        let output = ToolOutput {
            code: finished.ended.code().unwrap_or(-1),
            stdout: text::lossy(&finished.stdout),
            stderr: text::lossy(&finished.stderr_tail),
        };
        self.record(tool, &output, finished.stdout_cut);
        self.transcript.notices.extend(stderr_cut_notice(&finished));
        let crashed = |signal| HookFailure::Crashed { exit_code: None, signal };
        Err(HookOutput::Failure(match finished.ended {
            Ended::Exited(code) => {
                self.transcript.exit_code = Some(code);
                return Ok(output);
            }
            Ended::TimedOut => self.timeout_failure(),
            Ended::Signalled(signal) => crashed(Some(signal)),
            Ended::LeftAsync | Ended::Unknown => crashed(None),
        }))
    }

    fn record(&mut self, tool: &ToolProcess<'_>, output: &ToolOutput, cut: u64) {
        let words = std::iter::once(tool.program.as_os_str());
        let shown = display_command(words.chain(tool.arguments.iter().map(OsString::as_os_str)));
        let transcript = &mut self.transcript;
        transcript.command = Some(match transcript.command.take() {
            Some(before) => format!("{before}\n{shown}"),
            None => shown,
        });
        for (kept, new) in
            [(&mut transcript.stdout, &output.stdout), (&mut transcript.stderr, &output.stderr)]
        {
            kept.push_str(new);
            kept.truncate(kept.floor_char_boundary(TRANSCRIPT));
        }
        transcript.cut += cut;
    }
}

/// The failure of a tool that crashed instead of reporting findings.
pub(super) fn crashed(output: &ToolOutput) -> HookOutput {
    HookOutput::Failure(HookFailure::Crashed { exit_code: Some(output.code), signal: None })
}
