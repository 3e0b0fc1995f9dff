//! `npm`, `pnpm`, `yarn`, `bun`: what they say around a script, and what bundlers say in it.
//!
//! npm says nothing of a script that failed, so its silence says nothing either.

use super::super::run::Run;
use super::{Reading, tsc};
use crate::outcome::programs::base_name;

/// What stands around the script.
pub(super) fn frame(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        let own = line.trim_start_matches(['[', ' ', '\u{2009}']);
        if is_missing(line) {
            reading.never_began(line);
        } else if own.starts_with("ELIFECYCLE")
            || line.starts_with("error Command failed with ")
            || line.starts_with("error: script \"") && line.contains(" exited with code ")
            || is_npm(line) && (line.contains("Lifecycle script") || line.contains("Test failed."))
        {
            reading.failed = true;
            own.trim_end().clone_into(&mut reading.closing);
        }
    }
    reading
}

/// The same, and the words of the tools that scripts build with.
pub(super) fn build(text: &str) -> Reading {
    let mut reading = frame(text);
    for line in text.lines() {
        let own = line.trim();
        let broken = tsc::says_error(own)
            || own.starts_with("error during build:")
            || own.starts_with("Failed to compile")
            || own.starts_with("ERROR in ")
            || own.starts_with("✘ [ERROR]")
            || own.starts_with("> Build failed")
            || own.starts_with("webpack ") && own.contains(" compiled with ") && own.contains(" error");
        let built = own.starts_with("✓ built in ")
            || own.starts_with("✓ Compiled successfully")
            || own.starts_with("Compiled successfully")
            || own.starts_with("webpack ") && own.contains(" compiled successfully");
        if broken {
            reading.failed = true;
            if reading.closing.is_empty() {
                own.clone_into(&mut reading.closing);
            }
        } else if built && !reading.failed {
            reading.well = true;
            own.clone_into(&mut reading.closing);
        }
    }
    reading
}

/// Whether the one that runs the script would have said that it failed.
pub(super) fn says_failures(run: &Run, text: &str) -> bool {
    let program = run.words.first().map(|word| base_name(word)).unwrap_or_default();
    // The script itself is shown before it runs, so that it is known to have run.
    let shown = text.lines().any(|line| line.starts_with("$ ") || line.starts_with("> "));
    matches!(program.as_str(), "pnpm" | "yarn") && shown
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
