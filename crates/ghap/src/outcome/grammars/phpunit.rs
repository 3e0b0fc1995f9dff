//! `phpunit`: `OK (1 test, 1 assertion)`, or `FAILURES!` above `Tests: 2, Assertions: 2, Failures: 1.`

use super::{Reading, keyed};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        if line.starts_with("OK (") && line.contains(" assertion") {
            reading.counts.passed +=
                line["OK (".len()..].split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1);
            reading.close(line);
        } else if line.starts_with("OK, but ") {
            reading.well = true;
            reading.close(line);
        } else if matches!(line, "FAILURES!" | "ERRORS!" | "WARNINGS!") {
            reading.failed = true;
        } else if line.starts_with("Tests: ") && line.contains("Assertions: ") {
            let mut all = 0;
            for (key, number) in keyed(line) {
                match key {
                    "Tests" => all = number,
                    "Failures" => reading.counts.failed += number,
                    "Errors" => reading.counts.errors += number,
                    "Skipped" | "Incomplete" => reading.counts.skipped += number,
                    _ => {}
                }
            }
            let counts = reading.counts;
            reading.counts.passed += all.saturating_sub(counts.failed + counts.errors + counts.skipped);
            reading.close(line);
        } else if line.starts_with("No tests executed!") {
            reading.empty = true;
        } else if line.starts_with("PHP Fatal error: ") || line.starts_with("PHP Parse error: ") {
            reading.breaks(line);
        } else if line.starts_with("Cannot open file \"")
            || line.starts_with("Test file \"") && line.ends_with("\" not found")
            || line.starts_with("Could not read ")
        {
            reading.never_began(line);
        } else if let Some((number, name)) = line.split_once(") ")
            && number.bytes().all(|digit| digit.is_ascii_digit())
            && name.contains("::")
            && !name.contains(' ')
        {
            // Risky and skipped tests are listed in the same form, above the closing line that does not count them.
            reading.failing.push(name.to_owned());
        }
    }
    if !reading.failed && reading.counts.failed + reading.counts.errors == 0 {
        reading.failing.clear();
    }
    reading
}
