//! `mvn`: `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0` of all, and `BUILD SUCCESS` or `BUILD FAILURE`.

use super::super::run::Kind;
use super::{Reading, keyed};

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let mut reading = Reading::default();
    let mut ended = None;
    let (mut compiling, mut complains) = (false, false);
    for line in text.lines() {
        complains |= line.starts_with("[ERROR]");
        let own = ["[INFO] ", "[ERROR] ", "[WARNING] "]
            .iter()
            .find_map(|level| line.strip_prefix(level))
            .unwrap_or(line);
        if own.starts_with("Tests run: ") && own.contains("Failures: ") && !own.contains("Time elapsed") {
            let mut all = 0;
            for (key, number) in keyed(own) {
                match key {
                    "Tests run" => all = number,
                    "Failures" => reading.counts.failed += number,
                    "Errors" => reading.counts.errors += number,
                    "Skipped" => reading.counts.skipped += number,
                    _ => {}
                }
            }
            let counts = reading.counts;
            reading.counts.passed += all.saturating_sub(counts.failed + counts.errors + counts.skipped);
            reading.close(own);
        } else if ["The goal you specified requires a project", "Unknown lifecycle phase ", "POM file "]
            .iter()
            .any(|begin| own.starts_with(begin))
        {
            reading.never_began(own);
        } else if own.starts_with("BUILD SUCCESS") {
            ended = Some(true);
        } else if own.starts_with("BUILD FAILURE") {
            ended = Some(false);
        } else if own.starts_with("COMPILATION ERROR") || own.contains("Compilation failure") {
            compiling = true;
        } else if line.starts_with("[ERROR] Failed to execute goal") {
            ended = Some(false);
            if reading.closing.is_empty() {
                own.clone_into(&mut reading.closing);
            }
        } else if let Some((name, _)) = own.split_once("  Time elapsed: ")
            && (own.contains("<<< FAILURE!") || own.contains("<<< ERROR!"))
            && !name.starts_with("Tests run")
        {
            reading.fails(name);
        }
    }
    let failing = reading.counts.failed + reading.counts.errors > 0;
    match (ended, kind) {
        (Some(false), Kind::Test) if compiling && !failing => reading.breaks("COMPILATION ERROR"),
        (Some(false), _) => reading.failed = true,
        (Some(true), Kind::Build) => reading.well = true,
        // The tests are counted if there are any.
        (Some(true), Kind::Test) => reading.empty = !reading.closed,
        // Of `-q` and of a beginning that is cut off this is all there is.
        (None, _) => reading.failed |= failing || complains,
    }
    reading
}
