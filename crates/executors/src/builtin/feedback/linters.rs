//! Linters: ruff, eslint, clippy and shellcheck.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::tool::{
    LineOrder, Plan, Tool, ToolVerdict, WrittenFile, has_extension, is_javascript, is_python, is_rust,
};
use crate::builtin::tool_process::ToolOutput;

const FINDING: &str = "found problems in";
const RUFF: [&str; 6] = ["check", "--quiet", "--no-fix", "--force-exclude", "--output-format=concise", "--"];
const ESLINT: [&str; 4] = ["--no-color", "--no-error-on-unmatched-pattern", "--format=stylish", "--"];
const SHELLCHECK: [&str; 3] = ["--format=gcc", "--color=never", "--"];

pub(super) const ALL: [Tool; 4] = [
    Tool::new("ruff", is_python, |file| Plan::on_file(file, &RUFF), FINDING),
    Tool::new("eslint", is_javascript, |file| Plan::on_file(file, &ESLINT), FINDING).verdict(eslint_verdict),
    Tool {
        name: "clippy",
        program: "cargo-clippy",
        runs: Some("cargo"),
        accepts: is_rust,
        plan: clippy,
        verdict: clippy_verdict,
        keeps: is_diagnostic,
        finding: FINDING,
        order: LineOrder::FileFirst,
    },
    Tool::new("shellcheck", is_shell, |file| Plan::on_file(file, &SHELLCHECK), FINDING),
];

/// A project without a configuration does not use eslint. An ignored file causes only a warning.
fn eslint_verdict(output: &ToolOutput) -> ToolVerdict {
    let ignored = output.stdout.contains("File ignored");
    match output.code {
        0 if output.stdout.trim().is_empty() || ignored => ToolVerdict::Clean,
        0 | 1 => ToolVerdict::Findings,
        _ if output.stderr.contains("eslint.config") || output.stderr.contains("configuration file") => {
            ToolVerdict::NotSetUp("eslint has no configuration here".to_owned())
        }
        _ => ToolVerdict::Broken,
    }
}

/// Checks the whole crate: it is the smallest part that compiles.
fn clippy(file: &WrittenFile) -> Plan {
    let Some(manifest) = file.nearest("Cargo.toml") else {
        return Plan::Nothing(format!("{} belongs to no crate", file.shown()));
    };
    let folder = manifest.parent().unwrap_or(&file.root).to_owned();
    let words = ["clippy", "--quiet", "--message-format=short", "--no-deps", "--manifest-path"];
    Plan::new(&words, Some(manifest), folder)
}

/// Warnings do not change cargo's exit code.
fn clippy_verdict(output: &ToolOutput) -> ToolVerdict {
    if output.stderr.lines().any(is_diagnostic) {
        return ToolVerdict::Findings;
    }
    match output.code {
        0 => ToolVerdict::Clean,
        _ if output.stderr.contains("is not installed") => {
            ToolVerdict::NotSetUp("clippy is not installed for this toolchain".to_owned())
        }
        _ => ToolVerdict::Broken,
    }
}

/// `src/lib.rs:3:5: warning: …`
fn is_diagnostic(line: &str) -> bool {
    [": warning", ": error"].iter().any(|level| {
        let place = line.split(level).next().unwrap_or_default();
        place.len() < line.len() && place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':')
    })
}

/// Recognises a shell script by its name or its first line.
fn is_shell(file: &Path) -> bool {
    if file.extension().is_some() {
        return has_extension(file, &["sh", "bash", "ksh", "dash", "bats"]);
    }
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(128).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    let line = head.lines().next().unwrap_or_default();
    let mut words = line.strip_prefix("#!").unwrap_or_default().split_whitespace();
    let named = |word: &str| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "dash" | "ksh"));
    read.is_ok() && words.any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostic_needs_a_place() {
        for (line, expected) in [
            ("src/lib.rs:3:5: warning: unused variable: `x`", true),
            ("src/lib.rs:3:5: error[E0308]: mismatched types", true),
            ("warning: `a` (lib) generated 1 warning", false),
            ("error: could not compile `a` (lib) due to 1 previous error", false),
            ("    Checking a v0.1.0", false),
        ] {
            assert_eq!(is_diagnostic(line), expected, "{line}");
        }
    }
}
