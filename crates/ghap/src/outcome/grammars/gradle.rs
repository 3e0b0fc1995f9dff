//! `gradle`: `BUILD SUCCESSFUL in 1s`, `BUILD FAILED in 1s`, `2 tests completed, 1 failed`.

use super::super::run::Kind;
use super::rules::Effect::{Failed, NeverBegan, Well};
use super::{Reading, rules};

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let rules = [
        ("BUILD SUCCESSFUL*", Well),
        ("BUILD FAILED*", Failed),
        ("Task '*' not found in *", NeverBegan),
        ("* does not contain a Gradle build*", NeverBegan),
        ("* What went wrong:*", Failed),
        ("* Try:*", Failed),
        ("* Get more help at*", Failed),
        ("FAILURE: *", Failed),
    ];
    let mut tested = false;
    let mut reading = rules::scan(text.lines(), &rules, |reading, line| {
        let task = |line: &'_ str| {
            line.strip_prefix("> Task ").or_else(|| line.strip_prefix(':')).map(str::to_owned)
        };
        if line.contains(" tests completed, ") || line.contains(" test completed, ") {
            reading.close_with_total(line);
        } else if let Some(name) = line.strip_suffix(" FAILED") {
            match task(name) {
                Some(task) if kind == Kind::Test && is_compiling(&task) => reading.breaks(line),
                None if name.contains(" > ") => reading.fails(name),
                Some(_) | None => {}
            }
        } else if let Some(task) = task(line) {
            let mut words = task.split(' ');
            let is_test = words.next().is_some_and(|task| task.rsplit(':').next() == Some("test"));
            let state = words.next().unwrap_or_default();
            let idle = matches!(state, "NO-SOURCE" | "SKIPPED");
            reading.reused |= is_test && kind == Kind::Test && matches!(state, "UP-TO-DATE" | "FROM-CACHE");
            tested |= is_test && !idle;
            reading.empty |= is_test && idle;
        } else if let Some(task) = line.strip_prefix("Execution failed for task '") {
            if kind == Kind::Test && is_compiling(task.split('\'').next().unwrap_or(task)) {
                reading.breaks(line);
            } else {
                line.clone_into(&mut reading.closing);
            }
        } else {
            return false;
        }
        true
    });
    if kind == Kind::Build {
        reading.empty = false;
    }
    if reading.empty && !tested && reading.well {
        reading.well = false;
    } else {
        reading.empty = false;
    }
    // A build that failed because nothing compiled has not failed a test.
    if reading.broken && reading.counts.failed == 0 {
        reading.failed = false;
    }
    reading
}

fn is_compiling(task: &str) -> bool {
    let name = task.rsplit(':').next().unwrap_or(task);
    name.starts_with("compile") || name.starts_with("process") || name.ends_with("Classes")
}
