//! `gradle`: `BUILD SUCCESSFUL in 1s`, `BUILD FAILED in 1s`, `2 tests completed, 1 failed`.

use super::super::run::Kind;
use super::Reading;

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let mut reading = Reading::default();
    let mut tested = false;
    for line in text.lines() {
        if line.starts_with("BUILD SUCCESSFUL") {
            reading.well = true;
            reading.close(line);
        } else if line.starts_with("BUILD FAILED") {
            reading.failed = true;
        } else if line.contains(" tests completed, ") || line.contains(" test completed, ") {
            reading.count_all(line);
            reading.close(line);
            let all =
                line.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default();
            reading.counts.passed = all.saturating_sub(reading.counts.failed + reading.counts.skipped);
        } else if let Some(name) = line.strip_suffix(" FAILED") {
            match name.strip_prefix("> Task ").or_else(|| name.strip_prefix(':')) {
                Some(task) if kind == Kind::Test && is_compiling(task) => reading.breaks(line),
                None if name.contains(" > ") => reading.fails(name),
                Some(_) | None => {}
            }
        } else if let Some(task) = line.strip_prefix("> Task ").or_else(|| line.strip_prefix(':')) {
            let mut words = task.split(' ');
            let is_test = words.next().is_some_and(|task| task.rsplit(':').next() == Some("test"));
            let state = words.next().unwrap_or_default();
            let idle = matches!(state, "NO-SOURCE" | "SKIPPED");
            reading.reused |= is_test && kind == Kind::Test && matches!(state, "UP-TO-DATE" | "FROM-CACHE");
            tested |= is_test && !idle;
            reading.empty |= is_test && idle;
        } else if line.starts_with("Task '") && line.contains("' not found in ")
            || line.contains(" does not contain a Gradle build")
        {
            reading.never_began(line);
        } else if ["* What went wrong:", "* Try:", "* Get more help at", "FAILURE: "]
            .iter()
            .any(|own| line.starts_with(own))
        {
            reading.failed = true;
        } else if let Some(task) = line.strip_prefix("Execution failed for task '")
            && kind == Kind::Test
            && is_compiling(task.split('\'').next().unwrap_or(task))
        {
            reading.breaks(line);
        } else if line.starts_with("Execution failed for task '") {
            line.clone_into(&mut reading.closing);
        }
    }
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
