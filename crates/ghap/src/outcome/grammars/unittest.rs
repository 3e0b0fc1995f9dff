//! `python -m unittest`: `Ran 3 tests in 0.1s`, then `OK` or `FAILED (failures=1)`.

use super::{Reading, keyed};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut ran: Option<u64> = None;
    let (mut loads, mut errors) = (0, 0);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Ran ")
            && let Some((number, _)) = rest.split_once(" test")
            && rest.contains(" in ")
        {
            ran = number.parse().ok();
        } else if line == "OK" || line.starts_with("OK (") && line.contains('=') {
            // phpunit says `OK (1 test, 1 assertion)`.
            // What is expected to fail has not passed.
            let skipped = keyed(line)
                .filter(|(key, _)| matches!(*key, "skipped" | "expected failures"))
                .map(|(_, number)| number)
                .sum();
            if let Some(ran) = ran.take() {
                reading.counts.passed += ran.saturating_sub(skipped);
                reading.counts.skipped += skipped;
                reading.close(line);
            } else if is_last(line, text) && !reading.closed {
                reading.well = true;
                reading.close(line);
            }
        } else if line.starts_with("FAILED (") && line.contains('=') {
            let mut failing = 0;
            for (key, number) in keyed(line) {
                match key {
                    "failures" | "unexpected successes" => reading.counts.failed += number,
                    "errors" => reading.counts.errors += number,
                    "skipped" => reading.counts.skipped += number,
                    _ => {}
                }
                failing += number;
            }
            reading.counts.passed += ran.take().unwrap_or_default().saturating_sub(failing);
            reading.close(line);
        } else if line.starts_with("NO TESTS RAN") {
            reading.empty = true;
        } else if let Some(name) = line.strip_prefix("FAIL: ").filter(|name| name.ends_with(')')) {
            reading.fails(name);
        } else if let Some(name) = line.strip_prefix("ERROR: ").filter(|name| name.ends_with(')')) {
            errors += 1;
            // What represents a file that could not be imported.
            if name.contains("_FailedTest") || name.contains("ModuleImportFailure") {
                loads += 1;
            } else {
                reading.fails(name);
            }
        }
    }
    if loads > 0 && loads == errors && reading.counts.failed == 0 {
        reading.counts.errors = loads;
        reading.breaks("a test module could not be imported");
    }
    reading
}

fn is_last(line: &str, text: &str) -> bool {
    text.lines().rfind(|other| !other.trim().is_empty()).is_some_and(|last| std::ptr::eq(last, line))
}
