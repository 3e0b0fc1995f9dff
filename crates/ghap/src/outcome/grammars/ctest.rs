//! `ctest`: `50% tests passed, 1 tests failed out of 2`.

use super::rules::Effect::Empty;
use super::{Reading, is_number, rules};

const FAILED: [&str; 6] =
    ["Failed)", "Not Run)", "Timeout)", "SEGFAULT)", "Exception", "Subprocess aborted)"];

pub(super) fn read(text: &str) -> Reading {
    let mut errors = false;
    let mut reading = rules::scan(text.lines(), &[("No tests were found!!!*", Empty)], |reading, line| {
        if let Some((percent, counts)) = line.split_once("% tests passed, ")
            && percent.trim().parse::<u64>().is_ok()
            && let Some((failed, all)) = counts.split_once(" tests failed out of ")
            && let (Ok(failed), Ok(all)) = (failed.parse::<u64>(), all.trim().parse::<u64>())
        {
            reading.counts.failed += failed;
            reading.counts.passed += all.saturating_sub(failed);
            reading.close(line);
        } else if line.starts_with("Errors while running CTest") {
            errors = true;
        } else if let Some((name, result)) = line.split_once("***")
            && let Some((_, name)) = name.split_once(": ")
            && line.contains(" Test ")
            && !result.starts_with("Skipped")
        {
            reading.fails(name.trim_end_matches(['.', ' ']));
        } else if let Some((number, rest)) = line.trim_start().split_once(" - ")
            && is_number(number)
            && let Some((name, result)) = rest.rsplit_once(" (")
        {
            if result.starts_with("Disabled)") || result.starts_with("Skipped)") {
                reading.counts.skipped += 1;
            } else if FAILED.iter().any(|known| result.starts_with(known)) {
                reading.fails(name);
            }
        } else {
            return false;
        }
        true
    });
    reading.failed |= errors && !reading.empty;
    reading
}
