//! `mvn`: `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0` of all, and `BUILD SUCCESS` or `BUILD FAILURE`.

use super::super::run::Kind;
use super::rules::Effect::NeverBegan;
use super::{Reading, rules};

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let rules = [
        ("The goal you specified requires a project*", NeverBegan),
        ("Unknown lifecycle phase *", NeverBegan),
        ("POM file *", NeverBegan),
    ];
    let mut ended = None;
    let mut compiling = false;
    let complains = text.lines().any(|line| line.starts_with("[ERROR]"));
    let levels = ["[INFO] ", "[ERROR] ", "[WARNING] "];
    let own = |line| levels.iter().find_map(|level| str::strip_prefix(line, level)).unwrap_or(line);
    let mut reading = rules::scan(text.lines().map(own), &rules, |reading, own| {
        if rules::matches_any(own, &["Tests run: *Failures: *"]) && !own.contains("Time elapsed") {
            reading.close_keyed(own);
        } else if own.starts_with("BUILD SUCCESS") {
            ended = Some(true);
        } else if own.starts_with("BUILD FAILURE") {
            ended = Some(false);
        } else if own.starts_with("COMPILATION ERROR") || own.contains("Compilation failure") {
            compiling = true;
        } else if own.starts_with("Failed to execute goal") {
            ended = Some(false);
            reading.quote_first(own);
        } else if let Some((name, _)) = own.split_once("  Time elapsed: ")
            && (own.contains("<<< FAILURE!") || own.contains("<<< ERROR!"))
            && !name.starts_with("Tests run")
        {
            reading.fails(name);
        } else {
            return false;
        }
        true
    });
    let failing = reading.counts.failed + reading.counts.errors > 0;
    match (ended, kind) {
        (Some(false), Kind::Test) if compiling && !failing => reading.breaks("COMPILATION ERROR"),
        (Some(false), _) => reading.failed = true,
        (Some(true), Kind::Build) => reading.well = true,
        // The tests are counted if there are any.
        (Some(true), Kind::Test) => reading.empty = !reading.closed,
        // The output of `-q`, or one whose beginning is missing.
        (None, _) => reading.failed |= failing || complains,
    }
    reading
}
