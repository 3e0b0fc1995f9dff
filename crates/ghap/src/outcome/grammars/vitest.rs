//! `vitest`: `Tests  1 failed | 2 passed (3)`, and `FAIL  file > name` before each failure.

use super::rules::Effect::{Empty, FailedWith};
use super::{Reading, rules};

pub(super) fn read(text: &str) -> Reading {
    let rules = [("No test files found, exiting with code*", Empty), ("ERROR: Coverage for *", FailedWith)];
    let mut files_failed = false;
    let mut reading = rules::scan(text.lines().map(str::trim_start), &rules, |reading, own| {
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
        } else if let Some(counts) = counts("Errors").map(str::trim)
            && (counts.ends_with("errors") || counts.ends_with("error"))
        {
            // An error outside of all tests fails the run.
            reading.failed |= !counts.starts_with('0');
        } else {
            return false;
        }
        true
    });
    if files_failed && reading.counts.failed == 0 && reading.failing.is_empty() {
        reading.breaks("a test file could not be run");
    }
    reading
}
