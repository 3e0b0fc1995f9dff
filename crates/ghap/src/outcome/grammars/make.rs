//! `make`, and `cmake --build`: `make: *** [Makefile:2: test] Error 1`, and no line of its own after a success.

use super::rules::Effect::{FailedWith, NeverBegan};
use super::{Reading, rules};

/// A target that does not exist was not run, unless another one needs it. The same is true of a missing program.
const MISSING: [&str; 4] =
    ["No rule to make target*", "No targets specified*", "*] Error 127", "*] Error 126"];

pub(super) fn read(text: &str) -> Reading {
    let rules = [
        ("ninja: build stopped*", FailedWith),
        ("Error: * is not a directory", NeverBegan),
        ("Error: could not load cache*", NeverBegan),
    ];
    rules::scan(text.lines(), &rules, |reading, line| {
        let Some((program, error)) = line.split_once(": *** ") else { return false };
        if !matches!(program.split('[').next(), Some("make" | "gmake")) {
            return true;
        }
        let needed = error.starts_with("No rule") && error.contains("needed by");
        let missing = rules::matches_any(error, &MISSING) && !needed;
        reading.absent |= missing && !reading.failed;
        reading.failed |= !missing;
        line.trim().clone_into(&mut reading.closing);
        true
    })
}
