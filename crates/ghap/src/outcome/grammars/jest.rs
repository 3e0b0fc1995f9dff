//! `jest`: `Tests:       1 failed, 2 passed, 3 total`, and `●` before each failure.

use super::rules::Effect::{Count, Empty, FailedWith, Fails};
use super::{Reading, rules};

pub(super) fn read(text: &str) -> Reading {
    // Tests print indented lines.
    let rules = [
        ("Tests:* total*", Count),
        ("  ● *", Fails),
        ("No tests found, exiting with code*", Empty),
        // Coverage below its threshold.
        ("Jest: *threshold*", FailedWith),
    ];
    let mut suites_failed = false;
    let mut reading = rules::scan(text.lines(), &rules, |reading, line| {
        if let Some(counts) = line.strip_prefix("Test Suites:") {
            suites_failed |= counts.contains(" failed");
        } else if line.trim_end() == "  ● Test suite failed to run" {
            reading.breaks(line.trim_start_matches(" ●"));
        } else if line.starts_with("FAIL ") && line.contains(['.', '/']) && !line.contains(" > ") {
            suites_failed = true;
        } else {
            return line.starts_with("  ● Console");
        }
        true
    });
    if suites_failed && reading.counts.failed == 0 && reading.failing.is_empty() {
        // A file that fails without a failing test could not be read.
        if reading.closed {
            reading.breaks("a test file could not be run");
        } else {
            reading.failed = !reading.broken;
        }
    }
    reading
}
