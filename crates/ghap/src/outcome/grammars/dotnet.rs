//! `dotnet test` and `dotnet build`: `Failed!  - Failed: 1, Passed: 2, …`, `Build succeeded.`, `error CS1002`.

use super::super::run::Kind;
use super::{Reading, keyed};

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let mut reading = Reading::default();
    let mut built = None;
    for line in text.lines() {
        let own = line.trim_start();
        let closes = own.starts_with("Passed!  - ")
            || own.starts_with("Failed!  - ")
            || own.starts_with("Skipped!  - ");
        if closes || own.starts_with("Test summary: total: ") {
            let counts = own.trim_start_matches("Test summary: ");
            for (key, number) in keyed(counts) {
                match key.trim_start_matches(['!', '-', ' ']) {
                    "Failed" | "failed" => reading.counts.failed += number,
                    "Passed" | "succeeded" => reading.counts.passed += number,
                    "Skipped" | "skipped" => reading.counts.skipped += number,
                    _ => {}
                }
            }
            reading.close(own);
        } else if own.starts_with("Test Run Successful.") {
            reading.well = true;
            reading.close(own);
        } else if own.starts_with("Test Run Failed.") || own.starts_with("Test Run Aborted.") {
            reading.failed = true;
        } else if own.starts_with("No test is available in ") || own.starts_with("No test matches ") {
            reading.empty = true;
        } else if own.contains(" error MSB1003: ") || own.contains(" error MSB1009: ") {
            reading.never_began(own);
        } else if own.starts_with("Build succeeded") {
            built = Some(true);
        } else if own.starts_with("Build FAILED") || own.starts_with("Build failed with ") || is_error(own) {
            if reading.closing.is_empty() {
                own.clone_into(&mut reading.closing);
            }
            built = Some(false);
        } else if let Some(name) = own.strip_prefix("Failed ").filter(|name| name.ends_with(']')) {
            reading.fails(name.rsplit_once(" [").map_or(name, |(name, _)| name));
        }
    }
    match (built, kind) {
        (Some(true), Kind::Build) => reading.well = true,
        (Some(false), Kind::Build) => reading.failed = true,
        (Some(false), Kind::Test) if reading.counts.failed == 0 && reading.failing.is_empty() => {
            reading.broken = true;
        }
        (Some(_) | None, _) => {}
    }
    reading
}

/// `a.cs(1,2): error CS1002: ; expected`, `MSBUILD : error MSB1003: …`
fn is_error(line: &str) -> bool {
    line.split_once("error ").is_some_and(|(before, rest)| {
        (before.ends_with(": ") || before.is_empty())
            && ["CS", "MSB", "NU", "NETSDK", "FS", "BC"].iter().any(|code| rest.starts_with(code))
            && rest
                .split_once(':')
                .is_some_and(|(code, _)| code.ends_with(|last: char| last.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Verdict;
    use super::*;

    /// As its documents show them; it could not be installed where the others were captured.
    #[test]
    fn its_closing_lines_are_known() {
        use Verdict::*;
        for (kind, text, expected) in [
            (
                Kind::Test,
                "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 12 ms - x.dll (net8.0)",
                Passed,
            ),
            (
                Kind::Test,
                "  Failed Demo.Tests.Subtracts [12 ms]\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5",
                Failed,
            ),
            (
                Kind::Test,
                "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 0.5s",
                Failed,
            ),
            (
                Kind::Test,
                "Test summary: total: 2, failed: 0, succeeded: 2, skipped: 0, duration: 0.5s",
                Passed,
            ),
            (Kind::Test, "/a/b.cs(3,9): error CS1002: ; expected [/a/a.csproj]", Errored),
            (Kind::Test, "No test is available in /a/bin/a.dll.", NoTests),
            (Kind::Build, "Build succeeded.\n    0 Warning(s)\n    0 Error(s)", Passed),
            (Kind::Build, "Build FAILED.\n\n/a/b.cs(3,9): error CS1002: ; expected", Failed),
            (Kind::Build, "Build failed with 1 error(s) in 2.1s", Failed),
            (Kind::Build, "MSBUILD : error MSB1003: Specify a project or solution file.", NotRun),
            (Kind::Build, "Determining projects to restore...", Unknown),
        ] {
            assert_eq!(read(text, kind).verdict(), expected, "{text}");
        }
    }
}
