//! `phpunit`: `OK (1 test, 1 assertion)`, or `FAILURES!` above `Tests: 2, Assertions: 2, Failures: 1.`

use super::rules::Effect::{Breaks, Empty, Failed, NeverBegan, Well};
use super::{Reading, is_number, rules};

pub(super) fn read(text: &str) -> Reading {
    let rules = [
        ("OK, but *", Well),
        ("FAILURES!", Failed),
        ("ERRORS!", Failed),
        ("WARNINGS!", Failed),
        ("No tests executed!*", Empty),
        ("PHP Fatal error: *", Breaks),
        ("PHP Parse error: *", Breaks),
        ("Cannot open file \"*", NeverBegan),
        ("Test file \"*\" not found", NeverBegan),
        ("Could not read *", NeverBegan),
    ];
    let mut reading = rules::scan(text.lines(), &rules, |reading, line| {
        if let Some(counts) = line.strip_prefix("OK (").filter(|counts| counts.contains(" assertion")) {
            reading.counts.passed += counts.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(1);
            reading.close(line);
        } else if rules::matches_any(line, &["Tests: *Assertions: *"]) {
            reading.close_keyed(line);
        } else if let Some((number, name)) = line.split_once(") ")
            && is_number(number)
            && name.contains("::")
            && !name.contains(' ')
        {
            // Risky and skipped tests are listed in the same form, above the closing line that does not count them.
            reading.failing.push(name.to_owned());
        } else {
            return false;
        }
        true
    });
    if !reading.failed && reading.counts.failed + reading.counts.errors == 0 {
        reading.failing.clear();
    }
    reading
}
