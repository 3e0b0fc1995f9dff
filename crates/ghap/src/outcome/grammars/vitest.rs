//! `vitest`: `Tests  1 failed | 2 passed (3)`, and `FAIL  file > name` before each failure.

use super::Reading;

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut files_failed = false;
    for line in text.lines() {
        let own = line.trim_start();
        let counts = |name: &str| own.strip_prefix(name).filter(|rest| rest.starts_with("  "));
        if let Some(counts) =
            counts("Tests").filter(|counts| counts.ends_with(')') || counts.ends_with("no tests"))
        {
            reading.close(own);
            reading.count_all(counts.split('(').next().unwrap_or(counts));
        } else if let Some(counts) = counts("Test Files") {
            files_failed |= counts.contains(" failed");
        } else if let Some(name) = own.strip_prefix("FAIL  ") {
            match name.split_once(" > ") {
                Some(_) => reading.fails(name),
                None if name.trim_end().ends_with(']') => reading.breaks(own),
                None => files_failed = true,
            }
        } else if own.starts_with("No test files found, exiting with code") {
            reading.empty = true;
        } else if own.starts_with("ERROR: Coverage for ") {
            reading.failed = true;
            own.clone_into(&mut reading.closing);
        } else if let Some(counts) = counts("Errors")
            .filter(|counts| counts.trim_end().ends_with("errors") || counts.trim_end().ends_with("error"))
        {
            // What is thrown outside of any test fails the run.
            reading.failed |= !counts.trim().starts_with('0');
        }
    }
    if files_failed && reading.counts.failed == 0 && reading.failing.is_empty() {
        reading.breaks("a test file could not be run");
    }
    reading
}
