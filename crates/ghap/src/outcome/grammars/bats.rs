//! `bats`, and others that print TAP: `1..2`, `ok 1 adds`, `not ok 2 subtracts`; or `2 tests, 1 failure`.

use super::rules::Effect::{Fails, NeverBegan};
use super::{Reading, is_number, may_fail, rules};

pub(super) fn read(text: &str) -> Reading {
    let rules = [
        (" ✗ *", Fails),
        ("Error: Test file *", NeverBegan),
        ("Error: Bad command line option*", NeverBegan),
    ];
    let mut planned: Option<u64> = None;
    let mut seen = 0;
    let mut reading = rules::scan(text.lines(), &rules, |reading, line| {
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
            && rules::matches_any(line, &["* tests, * failure*", "* test, * failure*"])
        {
            reading.close_with_total(line);
        } else {
            return false;
        }
        true
    });
    match planned {
        Some(0) => reading.empty = true,
        Some(planned) if planned == seen => {
            reading.closed = true;
            let failed = reading.counts.failed + reading.counts.errors;
            reading.closing = format!("{failed} of {planned} failed");
        }
        Some(_) | None => {}
    }
    reading
}

fn after_number<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    let (number, name) = line.strip_prefix(begin)?.split_once(' ')?;
    is_number(number).then(|| name.trim_start_matches("- "))
}
