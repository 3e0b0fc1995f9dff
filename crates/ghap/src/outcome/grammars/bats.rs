//! `bats`, and others that print TAP: `1..2`, `ok 1 adds`, `not ok 2 subtracts`; or `2 tests, 1 failure`.

use super::{Reading, may_fail};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut planned: Option<u64> = None;
    let mut seen = 0;
    for line in text.lines() {
        if let Some(plan) = line.strip_prefix("1..") {
            planned = plan.split_whitespace().next().and_then(|number| number.parse().ok());
        } else if let Some(name) = after_number(line, "not ok ") {
            seen += 1;
            if name.starts_with("setup_file failed") || name.starts_with("bats-gather-tests") {
                reading.counts.errors += 1;
                reading.breaks(name);
            } else if !may_fail(name) {
                reading.counts.failed += 1;
                reading.fails(name);
            }
        } else if let Some(name) = after_number(line, "ok ") {
            seen += 1;
            let skipped = name.contains("# skip") || name.contains("# SKIP");
            reading.count(1, if skipped { "skipped" } else { "passed" });
        } else if line.starts_with(|first: char| first.is_ascii_digit())
            && (line.contains(" tests, ") || line.contains(" test, "))
            && line.contains(" failure")
        {
            // `2 tests, 1 failure, 1 skipped`
            reading.count_all(line);
            let all =
                line.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default();
            reading.counts.passed = all.saturating_sub(reading.counts.failed + reading.counts.skipped);
            reading.close(line);
        } else if let Some(name) = line.strip_prefix(" ✗ ") {
            reading.fails(name);
        } else if line.starts_with("Error: Test file ") || line.starts_with("Error: Bad command line option")
        {
            reading.never_began(line);
        }
    }
    match planned {
        Some(0) => reading.empty = true,
        Some(planned) if planned == seen => {
            reading.closed = true;
            reading.closing =
                format!("{} of {planned} failed", reading.counts.failed + reading.counts.errors);
        }
        Some(_) | None => {}
    }
    reading
}

fn after_number<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    let (number, name) = line.strip_prefix(begin)?.split_once(' ')?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then(|| name.trim_start_matches("- "))
}
