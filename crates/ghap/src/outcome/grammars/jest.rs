//! `jest`: `Tests:       1 failed, 2 passed, 3 total`, and `●` before each failure.

use super::Reading;

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut suites_failed = false;
    for line in text.lines() {
        // Indented is what a test prints.
        if let Some(counts) = line.strip_prefix("Tests:").filter(|counts| counts.contains(" total")) {
            reading.close(line);
            reading.count_all(counts);
        } else if let Some(counts) = line.strip_prefix("Test Suites:") {
            suites_failed |= counts.contains(" failed");
        } else if let Some(name) = line.strip_prefix("  ● ") {
            if name.trim() == "Test suite failed to run" {
                reading.breaks(name);
            } else if !name.starts_with("Console") {
                reading.fails(name);
            }
        } else if line.starts_with("No tests found, exiting with code") {
            reading.empty = true;
        } else if line.starts_with("FAIL ") && line.contains(['.', '/']) && !line.contains(" > ") {
            suites_failed = true;
        } else if line.starts_with("Jest: ") && line.contains("threshold") {
            // A bar for coverage that was not reached.
            reading.failed = true;
            line.clone_into(&mut reading.closing);
        }
    }
    if suites_failed && reading.counts.failed == 0 && reading.failing.is_empty() {
        let counted = reading.closed;
        // A file that fails without a failing test could not be read.
        if counted {
            reading.breaks("a test file could not be run");
        } else {
            reading.failed = !reading.broken;
        }
    }
    reading
}
