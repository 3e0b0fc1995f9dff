//! Test runners: pytest, cargo, vitest, jest and go, and which tests belong to a file.

use std::path::{Path, PathBuf};

use super::tool::{
    LineOrder, Plan, Tool, ToolVerdict, WrittenFile, has_extension, is_javascript, is_python, is_rust,
};
use crate::builtin::tool_process::ToolOutput;

/// The most entries of a test folder that are read.
const ENTRIES: usize = 5000;
/// The most test files that are run for one file.
const FILES: usize = 5;
const PYTEST: [&str; 6] = ["-q", "--tb=short", "--color=no", "--no-header", "-p", "no:cacheprovider"];
const VITEST: [&str; 3] = ["related", "--run", "--passWithNoTests"];
const JEST: [&str; 4] = ["--ci", "--colors=false", "--passWithNoTests", "--findRelatedTests"];

pub(super) const ALL: [Tool; 5] = [
    runner("pytest", "pytest", is_python, pytest).verdict(pytest_verdict),
    runner("cargo test", "cargo", is_rust, cargo_test),
    runner("vitest", "vitest", is_javascript, |file| Plan::on_file(file, &VITEST)),
    runner("jest", "jest", is_javascript, |file| Plan::on_file(file, &JEST)),
    runner("go test", "go", |file| has_extension(file, &["go"]), go_test),
];

/// The command of the hook file.
pub(super) const OWN: Tool = runner("The tests", "", |_| true, |_| Plan::Nothing(String::new()));

const fn runner(
    name: &'static str,
    program: &'static str,
    accepts: fn(&Path) -> bool,
    plan: fn(&WrittenFile) -> Plan,
) -> Tool {
    let tool = Tool::new(name, accepts, plan, "failed after a change of").verdict(any_failure);
    Tool { program, order: LineOrder::End, ..tool }
}

fn any_failure(output: &ToolOutput) -> ToolVerdict {
    if output.code == 0 { ToolVerdict::Clean } else { ToolVerdict::Findings }
}

/// 1 is a failed test, 2 an unreadable one, 5 no test at all; other codes are failures of pytest.
fn pytest_verdict(output: &ToolOutput) -> ToolVerdict {
    match output.code {
        0 => ToolVerdict::Clean,
        1 | 2 => ToolVerdict::Findings,
        5 => ToolVerdict::NotSetUp("pytest found no test".to_owned()),
        _ => ToolVerdict::Broken,
    }
}

fn pytest(file: &WrittenFile) -> Plan {
    let tests = python_tests(file);
    if tests.is_empty() {
        return Plan::Nothing(format!("no test belongs to {}", file.shown()));
    }
    Plan::new(&PYTEST, tests, &file.root)
}

/// The file itself if it is a test, else tests named after it: in its folder, and below the `tests` folder of any folder
/// above.
fn python_tests(file: &WrittenFile) -> Vec<PathBuf> {
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
    if stem.starts_with("test_") || stem.ends_with("_test") {
        return vec![file.path.clone()];
    }
    let names = [format!("test_{stem}.py"), format!("{stem}_test.py")];
    let mut found = Vec::new();
    let above = file.path.ancestors().skip(1).take_while(|folder| folder.starts_with(&file.root));
    for (level, folder) in above.enumerate() {
        if level == 0 {
            found.extend(names.iter().map(|name| folder.join(name)).filter(|test| test.is_file()));
        }
        for tests in ["tests", "test"] {
            find_below(&folder.join(tests), &names, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found.truncate(FILES);
    found
}

/// Files of these names anywhere below a folder. Links to folders are not followed: they can go in circles.
fn find_below(folder: &Path, names: &[String; 2], found: &mut Vec<PathBuf>) {
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

/// The crate of the file, or one file of `tests/`.
fn cargo_test(file: &WrittenFile) -> Plan {
    let Some(manifest) = file.nearest("Cargo.toml") else {
        return Plan::Nothing(format!("{} belongs to no crate", file.shown()));
    };
    let folder = manifest.parent().unwrap_or(&file.root).to_owned();
    let mut words = vec![manifest];
    if file.path.parent() == Some(&folder.join("tests")) {
        words.push("--test".into());
        words.push(file.path.file_stem().unwrap_or_default().into());
    }
    Plan::new(&["test", "--quiet", "--manifest-path"], words, folder)
}

/// The package of the file.
fn go_test(file: &WrittenFile) -> Plan {
    Plan::new(&["test", "."], None, file.path.parent().unwrap_or(&file.root))
}
