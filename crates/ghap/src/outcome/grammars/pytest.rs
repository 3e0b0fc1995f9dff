//! `pytest`: `=== 1 failed, 2 passed in 0.1s ===`, without the frame where it is quiet.

use super::rules::Effect::{Breaks, FailedWith, NeverBegan};
use super::{Reading, numbered, rules};

pub(super) fn read(text: &str) -> Reading {
    let rules = [
        ("!!!*during collection*", Breaks),
        ("INTERNALERROR>*", Breaks),
        ("ImportError while loading conftest*", Breaks),
        ("ERROR: usage: *", NeverBegan),
        ("ERROR: file or directory not found*", NeverBegan),
        ("ERROR: not found:*", NeverBegan),
        ("FAIL Required test coverage*", FailedWith),
        ("ERROR: Coverage failure*", FailedWith),
    ];
    let framed =
        text.lines().filter(|line| line.starts_with('=') && is_closing(line.trim_matches(['=', ' '])));
    // A test may print such a line; the runner's own is the last.
    let bare = text.lines().rfind(|line| is_closing(line.trim()));
    let mut closings: Vec<&str> = framed.collect();
    if closings.is_empty() {
        closings.extend(bare);
    }
    let mut reading = Reading::default();
    for line in &closings {
        // The last one with a failure is quoted.
        let fails = numbered(line).any(|(_, word)| matches!(word, "failed" | "error" | "errors"));
        if fails || reading.counts.failed + reading.counts.errors == 0 {
            reading.close(line);
        }
        reading.count_all(line);
    }
    reading = rules::scan_into(reading, text.lines(), &rules, named);
    let progress: String = text.lines().filter_map(marks).collect();
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
    let counted = |(_, word)| {
        matches!(word, "passed" | "failed" | "error" | "errors" | "skipped" | "deselected" | "xfailed")
            || matches!(word, "xpassed" | "rerun" | "warning" | "warnings")
    };
    let is_empty = line.starts_with("no tests ran");
    let begins = is_empty || line.starts_with(|first: char| first.is_ascii_digit());
    begins && line.contains(" in ") && (is_empty || numbered(line).any(counted))
}

/// Of `test_a.py ..F   [ 50%]` the marks.
fn marks(line: &str) -> Option<&str> {
    let (before, percent) = line.trim_end().strip_suffix("%]")?.rsplit_once('[')?;
    percent.trim().parse::<u8>().ok()?;
    let marks = before.split_whitespace().next_back()?;
    marks.bytes().all(|mark| b".FEsxXp".contains(&mark)).then_some(marks)
}

fn named(reading: &mut Reading, line: &str) -> bool {
    let failed = line.strip_prefix("FAILED ");
    let error = line.strip_prefix("ERROR ");
    if let Some(rest) = failed.or(error) {
        let name = rest.split(" - ").next().unwrap_or(rest);
        // unittest closes with `FAILED (failures=1)`.
        if name.contains("::") {
            reading.fails(name);
        } else if error.is_some() && is_python_file(name.trim_end()) {
            reading.breaks(line);
        }
    } else if let Some((name, rest)) = line.split_once(" FAILED")
        && name.contains("::")
        && !name.contains(' ')
        && (rest.trim().is_empty() || rest.trim_start().starts_with('['))
    {
        reading.fails(name);
    } else {
        return false;
    }
    true
}

fn is_python_file(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "py")
}
