//! Type checkers: mypy, pyright and tsc.

use super::nearest;
use super::tool::{Looked, Order, Plan, Subject, Tool, all_lines, by_code, is_python, is_typescript};
use crate::builtin::programs::Ran;

const SAYS: &str = "found problems after a change of";

pub(super) const ALL: [Tool; 3] = [
    Tool {
        name: "mypy",
        program: "mypy",
        runs: None,
        fits: is_python,
        plan: |subject| {
            let words =
                ["--no-error-summary", "--no-color-output", "--hide-error-context", "--no-pretty", "--"];
            Plan::on_file(subject, &words)
        },
        reads: by_code,
        keeps: all_lines,
        says: SAYS,
        order: Order::FileFirst,
    },
    Tool {
        name: "pyright",
        program: "pyright",
        runs: None,
        fits: is_python,
        plan: |subject| Plan::on_file(subject, &[]),
        reads: by_code,
        keeps: |line| line.contains(" - "),
        says: SAYS,
        order: Order::FileFirst,
    },
    Tool {
        name: "tsc",
        program: "tsc",
        runs: None,
        fits: is_typescript,
        plan: tsc,
        reads: typescript,
        keeps: all_lines,
        says: SAYS,
        order: Order::FileFirst,
    },
];

/// The whole project of the file: a single file would be checked with other settings than it is built with.
fn tsc(subject: &Subject) -> Plan {
    match nearest(&subject.file, &subject.root, "tsconfig.json") {
        Some(config) => {
            let words = ["--noEmit", "--pretty", "false", "--project"];
            let mut arguments: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
            arguments.push(config.into());
            Plan::Run { arguments, folder: subject.root.clone() }
        }
        None => Plan::Nothing(format!("{} belongs to no `tsconfig.json`", subject.shown())),
    }
}

/// 1 and 2 both mean errors, with and without output.
fn typescript(ran: &Ran) -> Looked {
    match ran.code {
        0 => Looked::Clean,
        1 | 2 if ran.stdout.contains("error TS") => Looked::Found,
        _ => Looked::Broken,
    }
}
