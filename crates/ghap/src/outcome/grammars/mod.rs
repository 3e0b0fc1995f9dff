//! Parsers for the output of each runner: its closing lines, and the lines that name failing tests.
//!
//! Any line about a failure counts as a failure. A pass counts only with the closing line of the runner, because parts of
//! the output may be missing.

mod bats;
mod cargo;
mod ctest;
mod dotnet;
mod go;
mod gradle;
mod jest;
mod make;
mod maven;
mod mocha;
mod nextest;
mod node;
mod phpunit;
mod pytest;
mod rspec;
mod rules;
mod script;
mod tsc;
mod unittest;
mod vitest;

use super::finding::{Counts, Verdict};
use super::run::{Kind, Run, Runner};
use super::text::never_ran;
pub(super) use rules::matches_any;

/// The facts in an output.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a text may say any of these, and several at once")]
pub(super) struct Reading {
    pub(super) counts: Counts,
    /// The counts are packages and not tests.
    pub(super) by_package: bool,
    /// The output has the closing line.
    pub(super) closed: bool,
    /// Success without counts, or silence of a runner that prints failures.
    pub(super) well: bool,
    /// A failure, counted or not.
    pub(super) failed: bool,
    /// The run broke before a test could fail.
    pub(super) broken: bool,
    /// There was nothing to run.
    pub(super) empty: bool,
    /// The run never began: no such script, target, file or option.
    pub(super) absent: bool,
    /// A test passed only after a retry.
    pub(super) retried: bool,
    /// The results are cached from an earlier run.
    pub(super) reused: bool,
    /// Names of failing tests.
    pub(super) failing: Vec<String>,
    /// The closing line, or the line that says what broke.
    pub(super) closing: String,
}

impl Reading {
    pub(super) fn verdict(&self) -> Verdict {
        let Counts { passed, failed, errors, skipped, .. } = self.counts;
        // A run that skips the tests proves nothing.
        let left_out = (self.closed || self.well) && skipped > 0 && passed == 0;
        if self.absent && failed == 0 && self.failing.is_empty() {
            Verdict::NotRun
        } else if failed > 0 || self.failed || !self.failing.is_empty() && !self.broken {
            Verdict::Failed
        } else if self.broken {
            Verdict::Errored
        } else if errors > 0 {
            Verdict::Failed
        } else if self.well && !left_out {
            Verdict::Passed
        } else if self.empty || left_out || self.closed && passed == 0 {
            Verdict::NoTests
        } else if self.closed {
            Verdict::Passed
        } else {
            Verdict::Unknown
        }
    }

    pub(super) fn counts_of_tests(&self) -> Counts {
        let Counts { skipped, filtered, .. } = self.counts;
        match (self.closed, self.by_package) {
            (true, false) => self.counts,
            (true, true) => Counts { skipped, filtered, ..Counts::default() },
            (false, _) => Counts::default(),
        }
    }

    pub(super) fn speaks_of_tests(&self) -> bool {
        self.closed || !self.failing.is_empty()
    }

    fn close(&mut self, line: &str) {
        self.closed = true;
        line.trim_matches(['=', ' ']).clone_into(&mut self.closing);
    }

    fn breaks(&mut self, line: &str) {
        if !self.broken && self.closing.is_empty() {
            line.trim().clone_into(&mut self.closing);
        }
        self.broken = true;
    }

    /// The first line that says why it never began.
    fn never_began(&mut self, line: &str) {
        if !self.absent {
            line.trim().clone_into(&mut self.closing);
        }
        self.absent = true;
    }

    /// A test that failed; each is named once.
    fn fails(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && !self.failing.iter().any(|known| known == name) {
            self.failing.push(name.to_owned());
        }
    }

    /// `2 failed`, by the words that most runners share.
    fn count(&mut self, number: u64, word: &str) {
        match word {
            "passed" | "pass" | "passing" | "xpassed" | "succeeded" => {
                self.counts.passed += number;
            }
            "failed" | "fail" | "failing" | "failure" | "failures" | "timed" | "cancelled" => {
                self.counts.failed += number;
            }
            "error" | "errors" => self.counts.errors += number,
            "skipped" | "ignored" | "pending" | "todo" | "skip" | "xfailed" => self.counts.skipped += number,
            "filtered" | "deselected" => self.counts.filtered += number,
            "rerun" | "reruns" | "retried" | "flaky" => self.retried |= number > 0,
            _ => {}
        }
    }

    fn fail_with(&mut self, line: &str) {
        self.failed = true;
        line.trim().clone_into(&mut self.closing);
    }

    fn fail_with_first(&mut self, line: &str) {
        self.failed = true;
        self.quote_first(line);
    }

    fn quote_first(&mut self, line: &str) {
        if self.closing.is_empty() {
            line.trim().clone_into(&mut self.closing);
        }
    }

    /// `3 tests, 1 failure`: all that neither failed nor were skipped have passed.
    fn close_with_total(&mut self, line: &str) {
        self.count_all(line);
        let all = line.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default();
        self.counts.passed = all.saturating_sub(self.counts.failed + self.counts.skipped);
        self.close(line);
    }

    /// `Tests run: 3, Failures: 1, Skipped: 1`
    fn close_keyed(&mut self, line: &str) {
        let mut all = 0;
        for (key, number) in keyed(line) {
            match key {
                "Tests run" | "Tests" => all = number,
                "Failures" | "Failed" | "failed" => self.counts.failed += number,
                "Errors" => self.counts.errors += number,
                "Skipped" | "skipped" | "Incomplete" => self.counts.skipped += number,
                "Passed" | "succeeded" => self.counts.passed += number,
                _ => {}
            }
        }
        let Counts { failed, errors, skipped, .. } = self.counts;
        self.counts.passed += all.saturating_sub(failed + errors + skipped);
        self.close(line);
    }

    /// Every `number word` of a line.
    fn count_all(&mut self, line: &str) {
        for (number, word) in numbered(line) {
            self.count(number, word);
        }
    }
}

/// `2 failed, 1 passed in 0.1s` as pairs.
fn numbered(line: &str) -> impl Iterator<Item = (u64, &str)> {
    let words: Vec<&str> = words(line).collect();
    let pairs: Vec<_> = words.windows(2).filter_map(|pair| Some((pair[0].parse().ok()?, pair[1]))).collect();
    pairs.into_iter()
}

/// `Failures: 1, Errors: 2` and `failures=1` as pairs.
fn keyed(line: &str) -> impl Iterator<Item = (&str, u64)> {
    line.split([',', '(', ')', ';', '.', '-']).filter_map(|part| {
        let (key, value) = part.split_once([':', '='])?;
        Some((key.trim(), value.trim().parse().ok()?))
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, ',' | ';' | '|' | '(' | ')' | '.' | ':')
    })
    .filter(|word| !word.is_empty())
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether TAP marks a test as expected to fail. Escaped, so that searches for open tasks do not find it.
fn may_fail(name: &str) -> bool {
    name.contains("# TO\u{44}O")
}

pub(super) fn read(run: &Run, text: &str) -> Reading {
    let mut reading = match (run.runner, run.kind) {
        (Runner::Pytest, _) => pytest::read(text),
        (Runner::Unittest, _) => unittest::read(text),
        (Runner::Cargo, Kind::Test) => cargo::tests(text),
        (Runner::Cargo, Kind::Build) => cargo::build(text),
        (Runner::Nextest, _) => nextest::read(text),
        (Runner::Jest, _) => jest::read(text),
        (Runner::Vitest, _) => vitest::read(text),
        (Runner::Mocha, _) => mocha::read(text),
        (Runner::NodeTest, _) => node::read(text),
        (Runner::Go, Kind::Test) => go::tests(text),
        (Runner::Go, Kind::Build) => go::build(text),
        (Runner::Tsc, _) => tsc::read(text),
        (Runner::Gradle, kind) => gradle::read(text, kind),
        (Runner::Maven, kind) => maven::read(text, kind),
        (Runner::Dotnet, kind) => dotnet::read(text, kind),
        (Runner::Rspec, _) => rspec::read(text),
        (Runner::Phpunit, _) => phpunit::read(text),
        (Runner::Ctest, _) => ctest::read(text),
        (Runner::Bats, _) => bats::read(text),
        (Runner::Script, Kind::Build) => script::build(text),
        (Runner::Cmake | Runner::Make, Kind::Build) => make::read(text),
        (Runner::Other, Kind::Build) => worst(script::build(text), make::read(text)),
        (Runner::Script, Kind::Test) => {
            let (frame, tests) = (script::frame(text), unknown_runner(text));
            // The package manager's message about a missing script resembles a test error.
            if frame.absent && !tests.closed { frame } else { worst(frame, tests) }
        }
        (Runner::Cmake | Runner::Make, Kind::Test) => worst(make::read(text), unknown_runner(text)),
        (Runner::Other, Kind::Test) => unknown_runner(text),
    };
    // Some runners print only failures.
    if run.end_shown
        && reading == Reading::default()
        && silent_when_well(run, text)
        && never_ran(text).is_none()
    {
        reading.well = true;
    }
    reading
}

pub(super) fn closes(runner: Runner, line: &str) -> Option<bool> {
    let line = line.trim_end();
    Some(match runner {
        Runner::Pytest => pytest::is_closing(line.trim_matches(['=', ' '])),
        Runner::Unittest => line == "OK" || line.starts_with("OK (") || line.starts_with("FAILED ("),
        Runner::Nextest => line.trim_start().starts_with("Summary ["),
        Runner::Jest => line.starts_with("Time:"),
        Runner::Rspec => rspec::is_closing(line),
        Runner::Ctest => line.contains("% tests passed, "),
        _ => return None,
    })
}

/// Whether silence means success.
fn silent_when_well(run: &Run, text: &str) -> bool {
    let has = |options: &[&str]| run.words.iter().any(|word| options.contains(&word.as_str()));
    match (run.runner, run.kind) {
        (Runner::Tsc | Runner::Make | Runner::Cmake, _) | (Runner::Go, Kind::Build) => true,
        (Runner::Cargo, Kind::Build) | (Runner::Gradle | Runner::Maven, _) => has(&["-q", "--quiet"]),
        (Runner::Script, _) => script::reports_failures(run, text),
        _ => false,
    }
}

/// Reads the output of an unknown runner with all parsers; the worst result counts.
fn unknown_runner(text: &str) -> Reading {
    let readers = [
        pytest::read,
        unittest::read,
        cargo::closings,
        nextest::read,
        jest::read,
        vitest::read,
        mocha::read,
        node::read,
        go::tests,
        rspec::read,
        phpunit::read,
        ctest::read,
        bats::read,
    ];
    let tools = [gradle::read, maven::read, dotnet::read];
    let readings =
        readers.iter().map(|read| read(text)).chain(tools.iter().map(|read| read(text, Kind::Test)));
    readings.filter(|reading| reading.verdict() != Verdict::Unknown).fold(Reading::default(), worst)
}

fn worst(one: Reading, other: Reading) -> Reading {
    let weight = |reading: &Reading| match reading.verdict() {
        Verdict::Failed => 4,
        Verdict::Errored => 3,
        Verdict::Passed => 2,
        Verdict::NotRun | Verdict::NoTests => 1,
        Verdict::Unknown => 0,
    };
    // Of two failures, the one with names.
    let rank =
        |reading: &Reading| (weight(reading), reading.failing.len(), reading.counts != Counts::default());
    if rank(&other) > rank(&one) { other } else { one }
}
