//! Which tests belong to a file, and who runs them: pytest, cargo, vitest, jest or go.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::nearest;
use super::tool::{
    Looked, Order, Plan, Subject, Tool, all_lines, has_extension, is_javascript, is_python, is_rust,
};
use crate::builtin::programs::Ran;

const SAYS: &str = "failed after a change of";
/// So many entries of a folder of tests are looked at.
const ENTRIES: usize = 5000;
/// So many files of tests are run for one file.
const FILES: usize = 5;

pub(super) const ALL: [Tool; 5] = [
    test("pytest", "pytest", is_python, pytest, pytest_says),
    test("cargo test", "cargo", is_rust, cargo_test, any_failure),
    test(
        "vitest",
        "vitest",
        is_javascript,
        |subject| Plan::on_file(subject, &["related", "--run", "--passWithNoTests"]),
        any_failure,
    ),
    test(
        "jest",
        "jest",
        is_javascript,
        |subject| {
            Plan::on_file(subject, &["--ci", "--colors=false", "--passWithNoTests", "--findRelatedTests"])
        },
        any_failure,
    ),
    test("go test", "go", |file| has_extension(file, &["go"]), go_test, any_failure),
];

/// What the hook's own command said.
pub(super) const OWN: Tool = test("The tests", "", |_| true, |_| Plan::Nothing(String::new()), any_failure);

const fn test(
    name: &'static str,
    program: &'static str,
    fits: fn(&Path) -> bool,
    plan: fn(&Subject) -> Plan,
    reads: fn(&Ran) -> Looked,
) -> Tool {
    Tool { name, program, runs: None, fits, plan, reads, keeps: all_lines, says: SAYS, order: Order::End }
}

fn any_failure(ran: &Ran) -> Looked {
    if ran.code == 0 { Looked::Clean } else { Looked::Found }
}

/// 1 is a failed test, 2 one that cannot even be read, 5 none at all; the others are pytest's own failures.
fn pytest_says(ran: &Ran) -> Looked {
    match ran.code {
        0 => Looked::Clean,
        1 | 2 => Looked::Found,
        5 => Looked::NotSetUp("pytest found no test".to_owned()),
        _ => Looked::Broken,
    }
}

fn pytest(subject: &Subject) -> Plan {
    let tests = python_tests(subject);
    if tests.is_empty() {
        return Plan::Nothing(format!("no test belongs to {}", subject.shown()));
    }
    let words = ["-q", "--tb=short", "--color=no", "--no-header", "-p", "no:cacheprovider"];
    let mut arguments: Vec<OsString> = words.iter().map(Into::into).collect();
    arguments.extend(tests.into_iter().map(OsString::from));
    Plan::Run { arguments, folder: subject.root.clone() }
}

/// The file itself if it is a test, else those named after it: beside it, and below the `tests` of any folder
/// above it.
fn python_tests(subject: &Subject) -> Vec<PathBuf> {
    let stem = subject.file.file_stem().unwrap_or_default().to_string_lossy();
    if stem.starts_with("test_") || stem.ends_with("_test") {
        return vec![subject.file.clone()];
    }
    let names = [format!("test_{stem}.py"), format!("{stem}_test.py")];
    let mut found = Vec::new();
    let above = subject.file.ancestors().skip(1).take_while(|folder| folder.starts_with(&subject.root));
    for (level, folder) in above.enumerate() {
        if level == 0 {
            found.extend(names.iter().map(|name| folder.join(name)).filter(|file| file.is_file()));
        }
        for tests in ["tests", "test"] {
            below(&folder.join(tests), &names, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found.truncate(FILES);
    found
}

/// Files of these names anywhere below a folder. Links to folders are not followed: they can go in circles.
fn below(folder: &Path, names: &[String; 2], found: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                return;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) if names.iter().any(|name| entry.file_name() == name.as_str()) => {
                    found.push(entry.path());
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// The crate of the file; a file of `tests/` alone if it is one.
fn cargo_test(subject: &Subject) -> Plan {
    let Some(manifest) = nearest(&subject.file, &subject.root, "Cargo.toml") else {
        return Plan::Nothing(format!("{} belongs to no crate", subject.shown()));
    };
    let folder = manifest.parent().unwrap_or(&subject.root).to_owned();
    let mut arguments: Vec<OsString> =
        ["test", "--quiet", "--manifest-path"].iter().map(Into::into).collect();
    arguments.push(manifest.into());
    if subject.file.parent() == Some(&folder.join("tests")) {
        arguments.push("--test".into());
        arguments.push(subject.file.file_stem().unwrap_or_default().into());
    }
    Plan::Run { arguments, folder }
}

/// The package of the file.
fn go_test(subject: &Subject) -> Plan {
    let folder = subject.file.parent().unwrap_or(&subject.root).to_owned();
    Plan::Run { arguments: vec!["test".into(), ".".into()], folder }
}
