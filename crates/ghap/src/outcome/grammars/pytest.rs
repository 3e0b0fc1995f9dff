//! `pytest`: `=== 1 failed, 2 passed in 0.1s ===`, without the frame where it is quiet.

use super::{Reading, numbered};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let framed =
        text.lines().filter(|line| line.starts_with('=') && is_closing(line.trim_matches(['=', ' '])));
    // A test may print such a line; the runner's own is the last.
    let bare = text.lines().rfind(|line| is_closing(line.trim()));
    let mut closings: Vec<&str> = framed.collect();
    if closings.is_empty() {
        closings.extend(bare);
    }
    for line in &closings {
        // Of several the last that says of a failure is quoted.
        let fails = numbered(line).any(|(_, word)| matches!(word, "failed" | "error" | "errors"));
        if fails || reading.counts.failed + reading.counts.errors == 0 {
            reading.close(line);
        }
        reading.count_all(line);
    }
    let mut progress = String::new();
    for line in text.lines() {
        if let Some(marks) = marks(line) {
            progress.push_str(marks);
        }
        named(line, &mut reading);
    }
    // `-qq` prints no closing line at all.
    if closings.is_empty() && !reading.broken {
        reading.failed |= progress.contains(['F', 'E']);
        let whole = text.lines().any(|line| marks(line).is_some() && line.trim_end().ends_with("[100%]"));
        reading.well = whole && !reading.failed && reading.failing.is_empty();
    }
    reading
}

/// `1 failed, 2 passed in 0.1s`, `no tests ran in 0.1s`, `4 deselected in 0.1s`
pub(super) fn is_closing(line: &str) -> bool {
    let counted = || {
        numbered(line).any(|(_, word)| {
            matches!(
                word,
                "passed"
                    | "failed"
                    | "error"
                    | "errors"
                    | "skipped"
                    | "deselected"
                    | "xfailed"
                    | "xpassed"
                    | "rerun"
                    | "warning"
                    | "warnings"
            )
        })
    };
    let begins = line.starts_with(|first: char| first.is_ascii_digit()) || line.starts_with("no tests ran");
    begins && line.contains(" in ") && (line.starts_with("no tests ran") || counted())
}

/// Of `test_a.py ..F   [ 50%]` the marks.
fn marks(line: &str) -> Option<&str> {
    let (before, percent) = line.trim_end().strip_suffix("%]")?.rsplit_once('[')?;
    percent.trim().parse::<u8>().ok()?;
    let marks = before.split_whitespace().next_back()?;
    marks.bytes().all(|mark| b".FEsxXp".contains(&mark)).then_some(marks)
}

fn named(line: &str, reading: &mut Reading) {
    if let Some(rest) = line.strip_prefix("FAILED ") {
        // unittest closes with `FAILED (failures=1)`.
        let name = rest.split(" - ").next().unwrap_or(rest);
        if name.contains("::") {
            reading.fails(name);
        }
    } else if let Some((name, rest)) = line.split_once(" FAILED")
        && name.contains("::")
        && !name.contains(' ')
        && (rest.trim().is_empty() || rest.trim_start().starts_with('['))
    {
        reading.fails(name);
    } else if let Some(rest) = line.strip_prefix("ERROR ") {
        let name = rest.split(" - ").next().unwrap_or(rest);
        if name.contains("::") {
            reading.fails(name);
        } else if is_python_file(name.trim_end()) {
            reading.breaks(line);
        }
    } else if line.starts_with("!!!") && line.contains("during collection")
        || line.starts_with("INTERNALERROR>")
        || line.starts_with("ImportError while loading conftest")
    {
        reading.breaks(line);
    } else if line.starts_with("ERROR: usage: ")
        || line.starts_with("ERROR: file or directory not found")
        || line.starts_with("ERROR: not found:")
    {
        reading.never_began(line);
    } else if line.starts_with("FAIL Required test coverage") || line.starts_with("ERROR: Coverage failure") {
        reading.failed = true;
        line.trim().clone_into(&mut reading.closing);
    }
}

fn is_python_file(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "py")
}
