//! `go test` and `go build`: `ok  \tpackage\t0.1s`, `FAIL\tpackage`, `--- FAIL: Name`; of `-json` the same lines.

use serde_json::Value;

use super::Reading;

pub(super) fn tests(text: &str) -> Reading {
    let unpacked;
    let text = if text.trim_start().starts_with("{\"Time\":") || text.contains("\n{\"Time\":") {
        unpacked = printed(text);
        &unpacked
    } else {
        text
    };
    let mut reading = Reading::default();
    let (mut packages, mut empty, mut ends_failing) = (0_u64, 0_u64, false);
    for line in text.lines() {
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
        } else if line == "FAIL" {
            ends_failing = true;
        } else if never_begins(line) {
            reading.never_began(line);
        } else if is_mistake(line) {
            reading.breaks(line);
        }
    }
    // It ends so also if nothing could be built.
    reading.failed |= ends_failing && !reading.broken;
    reading.empty = packages > 0 && packages == empty;
    reading
}

pub(super) fn build(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        let of_file =
            line.split_once(".go:").is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
        if never_begins(line) {
            reading.never_began(line);
        } else if of_file || is_mistake(line) {
            if reading.closing.is_empty() {
                line.trim().clone_into(&mut reading.closing);
            }
            reading.failed = true;
        }
    }
    reading
}

/// What is wrong with the command, and not with the code.
fn never_begins(line: &str) -> bool {
    line.starts_with("stat ") && line.ends_with("directory not found")
        || line.starts_with("go: cannot find main module")
        || line.starts_with("go: go.mod file not found")
        || line.starts_with("no Go files in ")
        || line.starts_with("flag provided but not defined: ")
}

/// What keeps it from beginning, and may be the code.
fn is_mistake(line: &str) -> bool {
    line.starts_with("go: ") && !line.starts_with("go: downloading")
        || line.starts_with("no required module provides package")
        || line.starts_with("package ") && line.contains(" is not in ")
        || line.starts_with("cannot find package")
        || line.starts_with("pattern ") && line.contains("matched no packages")
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
