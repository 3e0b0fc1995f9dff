//! Reads the runs of a line, its exit code and its output into one finding.

use super::finding::{Counts, Finding, Verdict};
use super::grammars::{self, Reading};
use super::run::{Kind, Printed, Run, Runner};
use super::{narrowed, text};
use crate::quote::on_one_line;

/// The number of failing tests to keep.
const NAMES: usize = 5;
/// The longest line, in characters.
const LINE: usize = 200;
/// Exit code of `timeout` after it killed its command.
const TIMED_OUT: i64 = 124;
/// 128 plus the number of the signal.
const KILLED: i64 = 137;
const TERMINATED: i64 = 143;

/// The finding for the runs of a line; none without runs.
///
/// The last failing run counts, or else the last run with a result. Each run is judged by its own part of the output; if
/// the parts cannot be separated, the finding is mixed.
pub fn read(runs: &[Run], exit_code: Option<i64>, output: &str) -> Option<Finding> {
    let text = text::plain(output);
    let parts = attribute(runs, &text);
    let findings = runs.iter().zip(&parts).map(|(run, part)| {
        let own = runs.iter().filter(|other| other.runner == run.runner).count();
        let found = judge(run, exit_code, part.unwrap_or(&text), source(run, own, &text));
        Finding { mixed: part.is_none(), ..found }
    });
    let rank = |finding: &Finding| match finding.verdict {
        Verdict::Failed | Verdict::Errored => 3,
        Verdict::Passed | Verdict::NoTests => 2,
        Verdict::NotRun => 1,
        Verdict::Unknown => 0,
    };
    let findings: Vec<Finding> = findings.collect();
    let mut found = findings.iter().max_by_key(|finding| rank(finding))?.clone();
    let kind = found.kind;
    let same_kind = || findings.iter().filter(|other| other.kind == kind);
    // `cargo test a && cargo test b` exits with 0 only if both passed.
    let agree = same_kind().all(|other| other.verdict == found.verdict);
    let by_code = agree && found.verdict == Verdict::Passed && runs.iter().all(|run| run.zero_means_passed);
    found.mixed = !agree || found.mixed && !(by_code && exit_code == Some(0));
    found.narrowed &= same_kind().all(|other| other.narrowed);
    found.doubtful |= same_kind().any(|other| other.doubtful);
    if found.mixed || same_kind().count() > 1 && parts.iter().any(Option::is_none) {
        // It is unknown which run printed the counts.
        found.counts = Counts::default();
        if parts.iter().any(Option::is_none) {
            found.summary.clear();
        }
    }
    Some(found)
}

/// The part of the output of each run: all of it for the only run of a runner, and the lines up to its closing line for one
/// of several. None if the parts cannot be separated.
fn attribute<'t>(runs: &[Run], text: &'t str) -> Vec<Option<&'t str>> {
    let any = |run: &Run| matches!(run.runner, Runner::Script | Runner::Make | Runner::Cmake | Runner::Other);
    let rivals = |run: &Run| {
        let is_rival =
            |other: &&Run| other.kind == run.kind && (other.runner == run.runner || any(other) || any(run));
        runs.iter().filter(is_rival).count()
    };
    runs.iter()
        .enumerate()
        .map(|(at, run)| {
            if rivals(run) == 1 {
                return Some(text);
            }
            let before = runs[..at].iter().filter(|other| other.runner == run.runner).count();
            let own = runs.iter().filter(|other| other.runner == run.runner).count();
            (rivals(run) == own)
                .then(|| parts(run.runner, text))
                .flatten()
                .filter(|parts| parts.len() == own)?
                .get(before)
                .copied()
        })
        .collect()
}

/// Splits a text after each closing line of this runner.
fn parts(runner: Runner, text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        if grammars::closes(runner, line)? {
            parts.push(&text[begin..end]);
            begin = end;
        }
    }
    // The rest belongs to the last part.
    if let Some(last) = parts.pop() {
        parts.push(&text[begin - last.len()..]);
    }
    Some(parts)
}

/// Where the text of a run comes from.
#[derive(Clone, Copy, PartialEq)]
enum TextSource {
    Own,
    /// From the run, but lines may be missing.
    Some,
    Unclear,
    Foreign,
}

fn source(run: &Run, own: usize, text: &str) -> TextSource {
    let closings = grammars::closes(run.runner, "")
        .map(|_| text.lines().filter(|line| grammars::closes(run.runner, line) == Some(true)).count());
    match (run.printed, closings) {
        (Printed::Foreign, _) => TextSource::Foreign,
        (_, Some(closings)) if closings > own => TextSource::Unclear,
        (Printed::Shared, None) => TextSource::Unclear,
        // A single closing line counts failures too.
        (Printed::Filtered, None) => TextSource::Some,
        (Printed::Own | Printed::Filtered | Printed::Shared, _) => TextSource::Own,
    }
}

fn judge(run: &Run, exit_code: Option<i64>, text: &str, source: TextSource) -> Finding {
    let mut reading =
        if source == TextSource::Foreign { Reading::default() } else { grammars::read(run, text) };
    let by_text = reading.verdict();
    let failed = matches!(by_text, Verdict::Failed | Verdict::Errored);
    let mut doubtful = reading.retried || reading.reused;
    let mut verdict = match exit_code {
        Some(0) if run.zero_means_passed => {
            doubtful |= failed && source == TextSource::Own;
            if by_text == Verdict::NoTests { Verdict::NoTests } else { Verdict::Passed }
        }
        Some(code) if code != 0 && run.nonzero_means_failed => by_code(run.runner, code, &reading, text),
        // A visible failure counts even if lines are missing; a pass does not.
        Some(_) | None if source == TextSource::Some && by_text == Verdict::Passed => Verdict::Unknown,
        Some(_) | None => {
            doubtful |= source == TextSource::Unclear;
            by_text
        }
    };
    if run.kind == Kind::Build && verdict == Verdict::Errored {
        verdict = Verdict::Failed;
    }
    // A failing test run prints test results, unless it could not start.
    let speaks = reading.speaks_of_tests() || reading.broken || reading.failed && always_reports(run.runner);
    let is_silent = run.kind == Kind::Test && !speaks && source != TextSource::Foreign;
    doubtful |=
        is_silent && verdict == Verdict::Failed && always_reports(run.runner) && !text.trim().is_empty();
    // Filtered lines do not show the other results.
    doubtful |= run.printed == Printed::Filtered && run.kind == Kind::Test && verdict == Verdict::Passed;
    // Exit code 0 of pytest means that no test failed; only its output shows whether tests were skipped.
    let says_passed = source != TextSource::Foreign && text.to_lowercase().contains("passed");
    let of_pytest = run.runner == Runner::Pytest && (verdict == Verdict::Failed || says_passed);
    let shown = run.kind == Kind::Build || speaks || of_pytest;
    if verdict != by_text && verdict == Verdict::Passed {
        // The text contradicts the exit code or is empty, so it is not about this run.
        reading = Reading::default();
    }
    let mut counts = reading.counts_of_tests();
    if verdict == Verdict::Failed && narrowed::stops_early(run) {
        counts.filtered = counts.filtered.max(1);
    }
    reading.failing.truncate(NAMES);
    Finding {
        runner: run.runner,
        kind: run.kind,
        verdict,
        counts,
        failing: reading.failing.iter().map(|name| on_one_line(name, LINE)).collect(),
        summary: summary(&reading, verdict, exit_code, text),
        exit_code: exit_code.filter(|_| run.nonzero_means_failed),
        narrowed: narrowed::is_narrowed(run),
        mixed: false,
        doubtful,
        shown,
    }
}

/// Whether a runner always prints test results, so that output without results means a crash.
fn always_reports(runner: Runner) -> bool {
    !matches!(
        runner,
        Runner::Pytest | Runner::Script | Runner::Make | Runner::Cmake | Runner::Other | Runner::Tsc
    )
}

/// The verdict for an exit code other than 0.
fn by_code(runner: Runner, code: i64, reading: &Reading, text: &str) -> Verdict {
    let by_text = reading.verdict();
    match (runner, code) {
        // The user interrupted the run.
        (_, 130) => Verdict::Unknown,
        (_, 126 | 127) | (Runner::Pytest, 4) => Verdict::NotRun,
        // A killed run might have passed, unless a test failed before.
        (_, TIMED_OUT | KILLED | TERMINATED) if reading.failing.is_empty() => Verdict::NotRun,
        _ if by_text == Verdict::Unknown && text::never_ran(text).is_some() => Verdict::NotRun,
        (Runner::Pytest, 2 | 3) => Verdict::Errored,
        (Runner::Pytest, 5) => Verdict::NoTests,
        _ => match by_text {
            Verdict::Errored | Verdict::NotRun | Verdict::NoTests => by_text,
            Verdict::Passed | Verdict::Failed | Verdict::Unknown => Verdict::Failed,
        },
    }
}

fn summary(reading: &Reading, verdict: Verdict, exit_code: Option<i64>, text: &str) -> String {
    match (verdict, exit_code) {
        (Verdict::NotRun, Some(TIMED_OUT)) => "it did not end in time".to_owned(),
        (Verdict::NotRun, Some(KILLED | TERMINATED)) => "it was ended from outside".to_owned(),
        (Verdict::NotRun, Some(127)) => "command not found".to_owned(),
        _ if !reading.closing.is_empty() => on_one_line(&reading.closing, LINE),
        (Verdict::NotRun, _) if let Some(why) = text::never_ran(text) => on_one_line(why, LINE),
        (Verdict::Failed | Verdict::Errored | Verdict::NotRun, Some(code)) if code != 0 => {
            format!("exit code {code}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::*;

    fn verdict(line: &str, exit_code: Option<i64>, output: &str) -> Verdict {
        read(&recognise(line, &[]), exit_code, output).unwrap().verdict
    }

    #[test]
    fn exit_code_outranks_output() {
        use Verdict::*;
        for (line, code, output, expected) in [
            ("pytest", Some(0), "1 failed in 0.1s", Passed),
            ("pytest", Some(1), "3 passed in 0.1s", Failed),
            ("pytest", Some(0), "", Passed),
            ("pytest", Some(5), "", NoTests),
            ("pytest", Some(0), "== 3 skipped in 0.1s ==", NoTests),
            ("pytest", Some(0), "== 2 skipped, 1 xfailed in 0.1s ==", NoTests),
            ("pytest", Some(0), "== 1 passed, 2 skipped in 0.1s ==", Passed),
            ("cargo test", Some(0), "test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured;", NoTests),
            ("python3 -m unittest", Some(0), "Ran 3 tests in 0.1s\n\nOK (skipped=3)", NoTests),
            ("jest", Some(0), "Tests:       2 skipped, 2 total", NoTests),
            ("pytest", Some(2), "", Errored),
            ("pytest", None, "", Unknown),
            ("pytest | tail -1", Some(0), "1 failed in 0.1s", Failed),
            ("pytest | tail -1", Some(0), "", Unknown),
            ("pytest; echo done", Some(0), "== 2 passed in 0.1s ==\ndone", Passed),
            ("npm run build", Some(1), "", Failed),
            ("npm run build", None, "", Unknown),
            ("npm run build", None, "src/a.ts(1,2): error TS2322: no", Failed),
            ("make build", None, "cc -o a a.c", Passed),
            ("make build | head -3", None, "cc -o a a.c", Unknown),
            ("cargo build -q", None, "", Passed),
            ("cargo build", None, "", Unknown),
        ] {
            assert_eq!(verdict(line, code, output), expected, "{line}: {output}");
        }
    }

    #[test]
    fn killed_runs_are_not_run() {
        use Verdict::*;
        let no_folder = "bash: line 1: cd: nowhere: No such file or directory";
        let no_image = "docker: Error response from daemon: No such image: x:latest.";
        let ended = "make: *** [Makefile:2: build] Terminated";
        for (line, code, output, expected, summary) in [
            ("pytest", Some(127), "bash: pytest: command not found", NotRun, "command not found"),
            ("cd nowhere && pytest", Some(1), no_folder, NotRun, no_folder),
            ("cd nowhere && cargo test", Some(1), "zsh: cd: nowhere", NotRun, "zsh: cd: nowhere"),
            ("docker run x pytest", Some(125), no_image, NotRun, no_image),
            ("cd nowhere && make build", None, no_folder, Unknown, ""),
            ("pytest", Some(130), "", Unknown, ""),
            ("timeout 60 pytest", Some(124), "", NotRun, "it did not end in time"),
            ("timeout 60 pytest", Some(124), "a.py::test_b PASSED [ 50%]", NotRun, "it did not end in time"),
            ("timeout 60 make build", Some(124), ended, NotRun, "it did not end in time"),
            ("timeout -k 5 60 cargo test", Some(137), "running 3 tests", NotRun, "it was ended from outside"),
            // What failed before has failed, and so has what crashed.
            ("timeout 60 pytest -v", Some(124), "a.py::test_b FAILED [ 50%]", Failed, "exit code 124"),
            ("pytest", Some(139), "", Failed, "exit code 139"),
            ("ctest --test-dir nowhere", Some(1), "", Failed, "exit code 1"),
        ] {
            let found = read(&recognise(line, &[]), code, output).unwrap();
            assert_eq!((found.verdict, found.summary.as_str()), (expected, summary), "{line}: {output}");
        }
    }

    /// Each runner says so in its own words, on the last line of these.
    #[test]
    fn wrong_commands_are_not_run() {
        for (line, code, output) in [
            ("npm test", 1, "npm error Missing script: \"test\""),
            ("pytest", 4, "ImportError while loading conftest 'x'."),
            ("make test", 2, "make: pytest: No such file\nmake: *** [Makefile:2: test] Error 127"),
            ("cargo test", 101, "error: could not find `Cargo.toml` in `/x` or any parent directory"),
            ("cargo build", 101, "error: manifest path `x/Cargo.toml` does not exist"),
            ("cargo nextest run", 101, "error: no such command: `nextest`"),
            ("cargo test", 101, "error: unexpected argument '--foo' found"),
            ("go test ./...", 1, "go: cannot find main module, but found .git/config in /x"),
            ("go build", 1, "no Go files in /x"),
            ("gradle tets test", 1, "* What went wrong:\nTask 'tets' not found in root project 'x'."),
            ("mvn test", 1, "[INFO] BUILD FAILURE\nThe goal you specified requires a project to execute"),
            ("npx tsc -p nowhere", 1, "error TS5058: The specified path does not exist: 'nowhere'."),
            ("node --test missing.js", 1, "Could not find '/x/missing.js'"),
        ] {
            let found = read(&recognise(line, &[]), Some(code), output).unwrap();
            let last = output.lines().next_back().unwrap();
            assert_eq!((found.verdict, found.summary.as_str()), (Verdict::NotRun, last), "{line}");
        }
        assert_eq!(verdict("make test", Some(2), "make: *** [Makefile:2: test] Error 1"), Verdict::Failed);
    }

    /// Of several the last one that failed, else the last.
    #[test]
    fn last_failure_of_several_runs_counts() {
        for (line, code, output, expected) in [
            (
                "cargo build && cargo test",
                Some(101),
                "    Finished `dev`\ntest result: FAILED. 0 passed; 1 failed;",
                (Kind::Test, Verdict::Failed),
            ),
            (
                "cargo build && cargo test",
                Some(101),
                "error: could not compile `a` (lib)",
                (Kind::Test, Verdict::Errored),
            ),
            (
                "cargo build && cargo test",
                Some(0),
                "test result: ok. 1 passed; 0 failed;",
                (Kind::Test, Verdict::Passed),
            ),
            ("pytest a; cargo build", Some(0), "== 1 failed in 0.1s ==", (Kind::Test, Verdict::Failed)),
            ("pytest a; cargo build", Some(0), "== 1 passed in 0.1s ==", (Kind::Build, Verdict::Passed)),
            ("pytest a; cargo build | tail", None, "== 1 passed in 0.1s ==", (Kind::Test, Verdict::Passed)),
            (
                "pytest -q a; pytest -q b",
                None,
                "FAILED a.py::test_x - no\n1 failed in 0.1s\n2 passed in 0.1s",
                (Kind::Test, Verdict::Failed),
            ),
        ] {
            let found = read(&recognise(line, &[]), code, output).unwrap();
            assert_eq!((found.kind, found.verdict), expected, "{line}: {output}");
        }
        assert_eq!(read(&[], Some(0), ""), None);
    }
}
