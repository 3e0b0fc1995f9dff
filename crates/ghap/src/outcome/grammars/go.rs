//! `go test` and `go build`: `ok  \tpackage\t0.1s`, `FAIL\tpackage`, `--- FAIL: Name`; of `-json` the same lines.

use serde_json::Value;

use super::Reading;
use super::rules::Effect::{Breaks, FailedWithFirst, NeverBegan};
use super::rules::{self, Effect};

pub(super) fn tests(text: &str) -> Reading {
    let unpacked;
    let text = if text.trim_start().starts_with("{\"Time\":") || text.contains("\n{\"Time\":") {
        unpacked = printed(text);
        &unpacked
    } else {
        text
    };
    let (mut packages, mut empty, mut ends_failing) = (0_u64, 0_u64, false);
    let mut reading = rules::scan(lines(text), &errors(Breaks), |reading, line| {
        if line.starts_with("ok  \t") {
            reading.reused |= line.contains("\t(cached)");
            packages += 1;
            if line.contains("[no tests to run]") {
                empty += 1;
            } else {
                reading.counts.passed += 1;
                reading.by_package = true;
                reading.close(line);
            }
        } else if line.starts_with("?   \t") && line.contains("[no test files]") {
            packages += 1;
            empty += 1;
        } else if let Some(package) = line.strip_prefix("FAIL\t") {
            packages += 1;
            if package.contains("[build failed]") || package.contains("[setup failed]") {
                reading.counts.errors += 1;
                reading.breaks(line);
            } else {
                reading.counts.failed += 1;
                reading.by_package = true;
                reading.close(line);
            }
        } else if let Some(name) = line.trim_start().strip_prefix("--- FAIL: ") {
            reading.fails(name.split(" (").next().unwrap_or(name));
        } else if line.trim_start().starts_with("--- SKIP: ") {
            reading.counts.skipped += 1;
        } else {
            ends_failing |= line == "FAIL";
            return line == "FAIL";
        }
        true
    });
    // The last line is the same if nothing could be built.
    reading.failed |= ends_failing && !reading.broken;
    reading.empty = packages > 0 && packages == empty;
    reading
}

pub(super) fn build(text: &str) -> Reading {
    rules::scan(lines(text), &errors(FailedWithFirst), |reading, line| {
        let place = line.split_once(".go:").map_or("", |(_, rest)| rest);
        let in_file = place.starts_with(|c: char| c.is_ascii_digit());
        if in_file {
            reading.fail_with_first(line);
        }
        in_file
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("go: downloading"))
}

fn errors(of_code: Effect) -> [(&'static str, Effect); 10] {
    [
        ("stat *directory not found", NeverBegan),
        ("go: cannot find main module*", NeverBegan),
        ("go: go.mod file not found*", NeverBegan),
        ("no Go files in *", NeverBegan),
        ("flag provided but not defined: *", NeverBegan),
        ("go: *", of_code),
        ("no required module provides package*", of_code),
        ("package * is not in *", of_code),
        ("cannot find package*", of_code),
        ("pattern *matched no packages*", of_code),
    ]
}

/// What `-json` wraps: the lines that would have been printed.
fn printed(text: &str) -> String {
    let output = |line: &str| {
        let event: Value = serde_json::from_str(line).ok()?;
        event.get("Output").and_then(Value::as_str).map(str::to_owned)
    };
    text.lines()
        .map(
            |line| if line.starts_with('{') { output(line).unwrap_or_default() } else { format!("{line}\n") },
        )
        .collect()
}
