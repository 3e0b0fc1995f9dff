//! `dotnet test` and `dotnet build`: `Failed!  - Failed: 1, Passed: 2, …`, `Build succeeded.`, `error CS1002`.

use super::super::run::Kind;
use super::rules::Effect::{Empty, Failed, NeverBegan, Well};
use super::{Reading, rules};

const CLOSINGS: [&str; 4] = ["Passed!  - *", "Failed!  - *", "Skipped!  - *", "Test summary: total: *"];

pub(super) fn read(text: &str, kind: Kind) -> Reading {
    let rules = [
        ("Test Run Successful.*", Well),
        ("Test Run Failed.*", Failed),
        ("Test Run Aborted.*", Failed),
        ("No test is available in *", Empty),
        ("No test matches *", Empty),
        ("* error MSB1003: *", NeverBegan),
        ("* error MSB1009: *", NeverBegan),
    ];
    let mut built = None;
    let mut reading = rules::scan(text.lines().map(str::trim_start), &rules, |reading, own| {
        if rules::matches_any(own, &CLOSINGS) {
            reading.close_keyed(own);
        } else if own.starts_with("Build succeeded") {
            built = Some(true);
        } else if own.starts_with("Build FAILED") || own.starts_with("Build failed with ") || is_error(own) {
            reading.quote_first(own);
            built = Some(false);
        } else if let Some(name) = own.strip_prefix("Failed ").filter(|name| name.ends_with(']')) {
            reading.fails(name.rsplit_once(" [").map_or(name, |(name, _)| name));
        } else {
            return false;
        }
        true
    });
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

/// `a.cs(1,2): error CS1002: ; expected`
fn is_error(line: &str) -> bool {
    line.split_once("error ").is_some_and(|(before, rest)| {
        let code = rest.split_once(':').map_or("", |(code, _)| code);
        (before.ends_with(": ") || before.is_empty())
            && ["CS", "MSB", "NU", "NETSDK", "FS", "BC"].iter().any(|kind| rest.starts_with(kind))
            && code.ends_with(|last: char| last.is_ascii_digit())
            && !matches!(code, "MSB1003" | "MSB1009")
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
