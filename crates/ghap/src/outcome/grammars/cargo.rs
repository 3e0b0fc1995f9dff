//! `cargo test`, `cargo build` and `cargo check`: `test result: ok. 1 passed; 0 failed`, `Finished`, `error: …`.

use super::Reading;

pub(super) fn tests(text: &str) -> Reading {
    let mut reading = closings(text);
    for line in text.lines() {
        let Some(error) = error(line) else { continue };
        if is_failure(error) {
            reading.failed = true;
        } else if never_begins(error) {
            reading.never_began(line);
        } else if error.starts_with("could not compile") || !reading.closed && reading.failing.is_empty() {
            // What a test prints may look like an error; what keeps every test from running is one.
            reading.breaks(line);
        }
    }
    reading
}

/// What the test programs say, whoever runs them.
pub(super) fn closings(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        if line.starts_with("test result: ") {
            let failed = line.starts_with("test result: FAILED");
            // Each test program closes; of a run that fails, one that failed says how.
            if failed || !reading.failed {
                reading.close(line);
            }
            reading.count_all(line);
            reading.failed |= failed;
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            reading.fails(name);
        } else if let Some(name) = line.strip_suffix(" --- FAILED").filter(|name| !name.contains(' ')) {
            reading.fails(name);
        }
    }
    reading
}

pub(super) fn build(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        if error(line).is_some_and(never_begins) {
            reading.never_began(line);
        } else if error(line).is_some() {
            reading.failed = true;
            // The last one counts what there is.
            line.trim().clone_into(&mut reading.closing);
        } else if line.trim_start().starts_with("Finished ") {
            reading.well = true;
            reading.close(line);
        }
    }
    reading
}

/// What stands behind `error:` or `error[E0308]:`.
pub(super) fn error(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error")?;
    let rest = match rest.strip_prefix('[') {
        Some(code) => code.split_once(']')?.1,
        None => rest,
    };
    rest.strip_prefix(": ")
}

/// What is wrong with the command, and not with the code.
pub(super) fn never_begins(error: &str) -> bool {
    [
        "could not find `Cargo.toml`",
        "manifest path `",
        "no such command: ",
        "unexpected argument ",
        "toolchain '",
    ]
    .iter()
    .chain(&["package ID specification ", "none of the selected packages contain", "the package '"])
    .any(|own| error.starts_with(own))
        || error.starts_with("no ") && error.contains(" target named ")
}

fn is_failure(error: &str) -> bool {
    ["test failed", "doctest failed", "test run failed"].iter().any(|own| error.starts_with(own))
        || error.ends_with("targets failed:")
        || error.ends_with("target failed:")
}

#[cfg(test)]
mod cases {
    use super::*;

    #[test]
    fn of_several_test_programs_one_that_failed_closes_the_run() {
        let ok = "test result: ok. 1 passed; 0 failed";
        let failed = "test result: FAILED. 0 passed; 1 failed";
        for (lines, closing) in [(vec![ok, failed, ok], failed), (vec![failed, ok], failed), (vec![ok], ok)] {
            let reading = closings(&lines.join("\n"));
            assert_eq!(reading.closing, closing, "{lines:?}");
            assert_eq!(reading.counts.passed, lines.iter().filter(|line| **line == ok).count() as u64);
        }
    }
}
