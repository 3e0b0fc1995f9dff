//! `cargo nextest run`: `Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 1 skipped`.

use super::{Reading, cargo};

/// How a line begins that names a test which did not pass.
const FAILING: [&str; 5] = ["FAIL [", "TIMEOUT [", "SIGABRT [", "SIGSEGV [", "LEAK-FAIL ["];

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        let own = line.trim_start();
        if own.starts_with("Summary [") && own.contains(" run: ") {
            reading.close(own);
            reading.count_all(own.split_once(" run: ").map_or("", |(_, counts)| counts));
            // It calls both so.
            reading.counts.filtered = reading.counts.skipped;
            // `1/2 tests run`: it stopped at the first failure.
            let run = own.split_once("] ").and_then(|(_, rest)| rest.split_whitespace().next());
            if run.and_then(|run| run.split_once('/')).is_some_and(|(run, all)| run != all) {
                reading.counts.filtered += 1;
            }
        } else if FAILING.iter().any(|begin| own.starts_with(begin)) {
            let name = own.split_once("] ").map_or("", |(_, name)| name);
            // `(2/3) demo tests::subtracts`
            let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
                Some((_, name)) => name,
                None => name,
            };
            reading.fails(name);
        } else if line.starts_with("error: no tests to run") {
            reading.empty = true;
        } else if line.starts_with("error: test run failed") {
            reading.failed = true;
        } else if cargo::error(line).is_some_and(cargo::never_begins) {
            reading.never_began(line);
        } else if let Some(error) = cargo::error(line)
            && (error.starts_with("could not compile") || !reading.closed && reading.failing.is_empty())
        {
            reading.breaks(line);
        }
    }
    reading
}
