//! `npm`, `pnpm`, `yarn`, `bun`: their messages around a script, and those of bundlers.
//!
//! npm prints nothing about a script that failed, so its silence proves nothing.

use super::super::run::Run;
use super::rules::Effect::FailedWith;
use super::{Reading, rules, tsc};
use tenter_shell::program_name;

const BROKEN: [&str; 6] = [
    "error during build:*",
    "Failed to compile*",
    "ERROR in *",
    "✘ [ERROR]*",
    "> Build failed*",
    "webpack * compiled with * error*",
];
const BUILT: [&str; 4] = [
    "✓ built in *",
    "✓ Compiled successfully*",
    "Compiled successfully*",
    "webpack * compiled successfully*",
];

pub(super) fn frame(text: &str) -> Reading {
    let rules =
        [("error Command failed with *", FailedWith), ("error: script \"* exited with code *", FailedWith)];
    rules::scan(text.lines(), &rules, |reading, line| {
        let own = line.trim_start_matches(['[', ' ', '\u{2009}']);
        let npm_failed = is_npm(line) && (line.contains("Lifecycle script") || line.contains("Test failed."));
        if is_missing(line) {
            reading.never_began(line);
        } else if own.starts_with("ELIFECYCLE") || npm_failed {
            reading.fail_with(own);
        } else {
            return false;
        }
        true
    })
}

pub(super) fn build(text: &str) -> Reading {
    let mut reading = frame(text);
    for own in text.lines().map(str::trim) {
        if tsc::is_error(own) || rules::matches_any(own, &BROKEN) {
            reading.fail_with_first(own);
        } else if rules::matches_any(own, &BUILT) && !reading.failed {
            reading.well = true;
            own.clone_into(&mut reading.closing);
        }
    }
    reading
}

pub(super) fn reports_failures(run: &Run, text: &str) -> bool {
    let program = run.words.first().map(|word| program_name(word)).unwrap_or_default();
    // The package manager prints the script before it runs it.
    let shown = text.lines().any(|line| line.starts_with("$ ") || line.starts_with("> "));
    matches!(program, "pnpm" | "yarn") && shown
}

fn is_missing(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    is_npm(line) && NPM.iter().any(|own| lower.contains(own)) || rules::matches_any(&lower, &OTHERS)
}

/// npm's messages about commands that it cannot run, and about missing packages.
const NPM: [&str; 9] = [
    "missing script",
    "could not read package.json",
    "enoent: no such file or directory, open",
    "unknown command",
    "could not determine executable to run",
    "no workspaces found",
    "ejsonparse",
    "enoworkspaces",
    "unsupported engine",
];
/// The same for pnpm, yarn and bun.
const OTHERS: [&str; 13] = [
    "*err_pnpm_no_script*",
    "*err_pnpm_no_importer_manifest_found*",
    "*err_pnpm_no_pkg_manifest*",
    "*err_pnpm_recursive_exec_no_package*",
    "*error couldn't find a package.json file*",
    "*error: no package.json was found*",
    "*error: missing script*",
    "*couldn't find a script named*",
    "error: no test specified",
    "unknown command: \"*",
    "error command \"*\" not found.",
    "error: script not found *",
    "usage error: *",
];

fn is_npm(line: &str) -> bool {
    ["npm ERR! ", "npm error ", "npm error: "].iter().any(|begin| line.starts_with(begin))
}
