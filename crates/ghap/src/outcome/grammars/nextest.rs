//! `cargo nextest run`: `Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 1 skipped`.

use super::rules::Effect::{Empty, Failed};
use super::{Reading, cargo, rules};

const FAILING: [&str; 5] = ["FAIL [", "TIMEOUT [", "SIGABRT [", "SIGSEGV [", "LEAK-FAIL ["];

pub(super) fn read(text: &str) -> Reading {
    let rules = [("error: no tests to run*", Empty), ("error: test run failed*", Failed)];
    rules::scan(text.lines(), &rules, |reading, line| {
        let own = line.trim_start();
        let behind_time = own.split_once("] ").map_or("", |(_, rest)| rest);
        if own.starts_with("Summary [")
            && let Some((_, counts)) = own.split_once(" run: ")
        {
            reading.close(own);
            reading.count_all(counts);
            // nextest calls both skipped.
            reading.counts.filtered = reading.counts.skipped;
            // `1/2 tests run`: it stopped at the first failure.
            let run = behind_time.split_whitespace().next();
            if run.and_then(|run| run.split_once('/')).is_some_and(|(run, all)| run != all) {
                reading.counts.filtered += 1;
            }
        } else if FAILING.iter().any(|begin| own.starts_with(begin)) {
            // `(2/3) demo tests::subtracts`
            let numbered = behind_time.strip_prefix('(').and_then(|rest| rest.split_once(") "));
            reading.fails(numbered.map_or(behind_time, |(_, name)| name));
        } else {
            let own = ["error: no tests to run", "error: test run failed"];
            return !own.iter().any(|begin| line.starts_with(begin)) && cargo::read_error(reading, line);
        }
        true
    })
}
