//! `npm`, `pnpm`, `yarn`, `bun`: what they say around a script, and what bundlers say in it.
//!
//! npm says nothing of a script that failed, so its silence says nothing either.

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
    // The script itself is shown before it runs, so that it is known to have run.
    let shown = text.lines().any(|line| line.starts_with("$ ") || line.starts_with("> "));
    matches!(program, "pnpm" | "yarn") && shown
}

fn is_missing(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    is_npm(line) && NPM.iter().any(|own| lower.contains(own))
        || OTHERS.iter().any(|own| lower.contains(own))
        || lower == "error: no test specified"
        || lower.starts_with("unknown command: \"")
        || lower.starts_with("error command \"") && lower.ends_with("\" not found.")
        || lower.starts_with("error: script not found ")
        || lower.starts_with("usage error: ")
}

/// What npm says of a command that it cannot run, and of a package that is not there.
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
/// The same of pnpm, yarn and bun.
const OTHERS: [&str; 8] = [
    "err_pnpm_no_script",
    "err_pnpm_no_importer_manifest_found",
    "err_pnpm_no_pkg_manifest",
    "err_pnpm_recursive_exec_no_package",
    "error couldn't find a package.json file",
    "error: no package.json was found",
    "error: missing script",
    "couldn't find a script named",
];

fn is_npm(line: &str) -> bool {
    ["npm ERR! ", "npm error ", "npm error: "].iter().any(|begin| line.starts_with(begin))
}
