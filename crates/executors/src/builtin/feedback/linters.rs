//! Linters: ruff, eslint, clippy and shellcheck.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::nearest;
use super::tool::{
    Looked, Order, Plan, Subject, Tool, all_lines, by_code, has_extension, is_javascript, is_python, is_rust,
};
use crate::builtin::programs::Ran;

const SAYS: &str = "found problems in";

pub(super) const ALL: [Tool; 4] = [
    Tool {
        name: "ruff",
        program: "ruff",
        runs: None,
        fits: is_python,
        plan: |subject| {
            let words = ["check", "--quiet", "--no-fix", "--force-exclude", "--output-format=concise", "--"];
            Plan::on_file(subject, &words)
        },
        reads: by_code,
        keeps: all_lines,
        says: SAYS,
        order: Order::FileFirst,
    },
    Tool {
        name: "eslint",
        program: "eslint",
        runs: None,
        fits: is_javascript,
        plan: |subject| {
            Plan::on_file(
                subject,
                &["--no-color", "--no-error-on-unmatched-pattern", "--format=stylish", "--"],
            )
        },
        reads: eslint,
        keeps: all_lines,
        says: SAYS,
        order: Order::FileFirst,
    },
    Tool {
        name: "clippy",
        program: "cargo-clippy",
        runs: Some("cargo"),
        fits: is_rust,
        plan: clippy,
        reads: cargo,
        keeps: is_diagnostic,
        says: SAYS,
        order: Order::FileFirst,
    },
    Tool {
        name: "shellcheck",
        program: "shellcheck",
        runs: None,
        fits: is_shell,
        plan: |subject| Plan::on_file(subject, &["--format=gcc", "--color=never", "--"]),
        reads: by_code,
        keeps: all_lines,
        says: SAYS,
        order: Order::FileFirst,
    },
];

/// A project without a configuration does not use it. A file that its configuration ignores is a warning.
fn eslint(ran: &Ran) -> Looked {
    let ignored = ran.stdout.contains("File ignored");
    match ran.code {
        0 if ran.stdout.trim().is_empty() || ignored => Looked::Clean,
        0 | 1 => Looked::Found,
        _ if ran.stderr.contains("eslint.config") || ran.stderr.contains("configuration file") => {
            Looked::NotSetUp("eslint has no configuration here".to_owned())
        }
        _ => Looked::Broken,
    }
}

/// The whole crate of the file: there is no smaller piece that compiles.
fn clippy(subject: &Subject) -> Plan {
    let Some(manifest) = nearest(&subject.file, &subject.root, "Cargo.toml") else {
        return Plan::Nothing(format!("{} belongs to no crate", subject.shown()));
    };
    let words = ["clippy", "--quiet", "--message-format=short", "--no-deps", "--manifest-path"];
    let mut arguments: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
    arguments.push(manifest.clone().into());
    Plan::Run { arguments, folder: manifest.parent().unwrap_or(&subject.root).to_owned() }
}

/// Warnings do not change cargo's exit code.
fn cargo(ran: &Ran) -> Looked {
    if ran.stderr.lines().any(is_diagnostic) {
        return Looked::Found;
    }
    match ran.code {
        0 => Looked::Clean,
        _ if ran.stderr.contains("is not installed") => {
            Looked::NotSetUp("clippy is not installed for this toolchain".to_owned())
        }
        _ => Looked::Broken,
    }
}

/// `src/lib.rs:3:5: warning: …`
fn is_diagnostic(line: &str) -> bool {
    [": warning", ": error"].iter().any(|level| {
        let place = line.split(level).next().unwrap_or_default();
        place.len() < line.len() && place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':')
    })
}

/// By its name, or by its first line.
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
    fn only_lines_with_a_place_are_diagnostics() {
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
