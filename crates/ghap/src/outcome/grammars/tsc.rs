//! `tsc`: `file.ts(1,14): error TS2322: …`, and nothing if all is well.

use super::Reading;

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        // Without files and without a configuration it prints its help.
        let absent = ["error TS5023:", "error TS5057:", "error TS5058:", "tsc: The TypeScript Compiler - "];
        if absent.iter().any(|own| line.starts_with(own)) {
            reading.never_began(line);
        } else if says_error(line) {
            if reading.closing.is_empty() {
                line.trim().clone_into(&mut reading.closing);
            }
            reading.failed = true;
            reading.counts.errors += 1;
        } else if line.starts_with("Found ") && line.contains(" error") && !line.starts_with("Found 0 ") {
            reading.failed = true;
            line.trim().clone_into(&mut reading.closing);
        }
    }
    reading
}

/// `error TS2322:`
pub(super) fn says_error(line: &str) -> bool {
    line.split_once("error TS").is_some_and(|(_, rest)| {
        rest.split_once(':')
            .is_some_and(|(code, _)| !code.is_empty() && code.bytes().all(|c| c.is_ascii_digit()))
    })
}
