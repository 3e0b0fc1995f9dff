//! `cargo test`, `cargo build` and `cargo check`: `test result: ok. 1 passed; 0 failed`, `Finished`, `error: …`.

use super::{Reading, rules};

/// Errors in the command line, and not in the code.
const COMMAND_ERRORS: [&str; 9] = [
    "could not find `Cargo.toml`*",
    "manifest path `*",
    "no such command: *",
    "unexpected argument *",
    "toolchain '*",
    "package ID specification *",
    "none of the selected packages contain*",
    "the package '*",
    "no * target named *",
];
const FAILURES: [&str; 5] =
    ["test failed*", "doctest failed*", "test run failed*", "*targets failed:", "*target failed:"];

pub(super) fn tests(text: &str) -> Reading {
    let mut reading = closings(text);
    for line in text.lines() {
        if error(line).is_some_and(|error| rules::matches_any(error, &FAILURES)) {
            reading.failed = true;
        } else {
            read_error(&mut reading, line);
        }
    }
    reading
}

pub(super) fn read_error(reading: &mut Reading, line: &str) -> bool {
    let Some(error) = error(line) else { return false };
    if rules::matches_any(error, &COMMAND_ERRORS) {
        reading.never_began(line);
    } else if error.starts_with("could not compile") || !reading.closed && reading.failing.is_empty() {
        reading.breaks(line);
    }
    true
}

pub(super) fn closings(text: &str) -> Reading {
    rules::scan(text.lines(), &[("test * ... FAILED", rules::Effect::Fails)], |reading, line| {
        if line.starts_with("test result: ") {
            let failed = line.starts_with("test result: FAILED");
            // Each test program closes. The closing line of one that failed is quoted.
            if failed || !reading.failed {
                reading.close(line);
            }
            reading.count_all(line);
            reading.failed |= failed;
            return true;
        }
        let name = line.strip_suffix(" --- FAILED").filter(|name| !name.contains(' '));
        name.map(|name| reading.fails(name)).is_some()
    })
}

pub(super) fn build(text: &str) -> Reading {
    rules::scan(text.lines(), &[], |reading, line| {
        match error(line) {
            Some(error) if rules::matches_any(error, &COMMAND_ERRORS) => reading.never_began(line),
            // The last error has the total.
            Some(_) => reading.fail_with(line),
            None if line.trim_start().starts_with("Finished ") => {
                reading.well = true;
                reading.close(line);
            }
            None => {}
        }
        true
    })
}

/// The text after `error:` or `error[E0308]:`.
fn error(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error")?;
    let rest = match rest.strip_prefix('[') {
        Some(code) => code.split_once(']')?.1,
        None => rest,
    };
    rest.strip_prefix(": ")
}

#[cfg(test)]
mod cases {
    use super::*;

    #[test]
    fn failed_test_program_is_quoted() {
        let ok = "test result: ok. 1 passed; 0 failed";
        let failed = "test result: FAILED. 0 passed; 1 failed";
        for (lines, closing) in [(vec![ok, failed, ok], failed), (vec![failed, ok], failed), (vec![ok], ok)] {
            let reading = closings(&lines.join("\n"));
            assert_eq!(reading.closing, closing, "{lines:?}");
            assert_eq!(reading.counts.passed, lines.iter().filter(|line| **line == ok).count() as u64);
        }
    }
}
