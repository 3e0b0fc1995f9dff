//! Type checkers: mypy, pyright and tsc.

use super::tool::{Plan, Tool, ToolVerdict, WrittenFile, is_python, is_typescript};
use crate::builtin::tool_process::ToolOutput;

const FINDING: &str = "found problems after a change of";
const MYPY: [&str; 5] =
    ["--no-error-summary", "--no-color-output", "--hide-error-context", "--no-pretty", "--"];

pub(super) const ALL: [Tool; 3] = [
    Tool::new("mypy", is_python, |file| Plan::on_file(file, &MYPY), FINDING),
    Tool::new("pyright", is_python, |file| Plan::on_file(file, &[]), FINDING)
        .keeps(|line| line.contains(" - ")),
    Tool::new("tsc", is_typescript, tsc, FINDING).verdict(tsc_verdict),
];

/// Checks the whole project: a single file would be checked with other settings than it is built with.
fn tsc(file: &WrittenFile) -> Plan {
    match file.nearest("tsconfig.json") {
        Some(config) => Plan::new(&["--noEmit", "--pretty", "false", "--project"], Some(config), &file.root),
        None => Plan::Nothing(format!("{} belongs to no `tsconfig.json`", file.shown())),
    }
}

/// 1 and 2 both mean errors, with and without output.
fn tsc_verdict(output: &ToolOutput) -> ToolVerdict {
    match output.code {
        0 => ToolVerdict::Clean,
        1 | 2 if output.stdout.contains("error TS") => ToolVerdict::Findings,
        _ => ToolVerdict::Broken,
    }
}
