//! `tsc`: `file.ts(1,14): error TS2322: …`, and no output after a success.

use super::rules::Effect::{FailedWith, NeverBegan};
use super::{Reading, rules};

/// Without files and without a configuration `tsc` prints its help.
const ABSENT: [&str; 4] =
    ["error TS5023:*", "error TS5057:*", "error TS5058:*", "tsc: The TypeScript Compiler - *"];

pub(super) fn read(text: &str) -> Reading {
    let absent = ABSENT.map(|pattern| (pattern, NeverBegan));
    let rules = [absent.as_slice(), &[("Found * error*", FailedWith)]].concat();
    rules::scan(text.lines(), &rules, |reading, line| {
        let is_error = is_error(line) && !rules::matches_any(line, &ABSENT);
        if is_error {
            reading.fail_with_first(line);
            reading.counts.errors += 1;
        }
        is_error || line.starts_with("Found 0 ")
    })
}

/// `error TS2322:`
pub(super) fn is_error(line: &str) -> bool {
    let code = line.split_once("error TS").and_then(|(_, rest)| rest.split_once(':'));
    code.is_some_and(|(code, _)| !code.is_empty() && code.bytes().all(|c| c.is_ascii_digit()))
}
