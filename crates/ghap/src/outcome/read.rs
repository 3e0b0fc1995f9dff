//! From the runs of a line, its exit code and what it printed to one finding.

use super::finding::{Finding, Verdict};
use super::grammars::{self, Reading};
use super::run::{Kind, Run, Runner};
use super::text;

/// So many names of what failed are kept.
const NAMES: usize = 5;
/// So many characters of a line that somebody else wrote.
const LINE: usize = 200;

/// What the runs of a line came to; none if there are none.
///
/// If several ran, the last one that failed counts, and if none failed, the last one of which anything is known.
pub fn read(runs: &[Run], exit_code: Option<i64>, output: &str) -> Option<Finding> {
    let text = text::plain(output);
    let findings = runs.iter().map(|run| judge(run, exit_code, &text));
    findings.reduce(|before, next| {
        let failed = |finding: &Finding| matches!(finding.verdict, Verdict::Failed | Verdict::Errored);
        let keeps = failed(&before) && !failed(&next)
            || next.verdict == Verdict::Unknown && before.verdict != Verdict::Unknown;
        if keeps { before } else { next }
    })
}

/// The exit code counts where it is this run's; what was printed says the rest.
fn judge(run: &Run, exit_code: Option<i64>, text: &str) -> Finding {
    let mut reading = grammars::read(run, text);
    let by_text = reading.verdict();
    let mut verdict = match exit_code {
        Some(0) if run.zero_means_passed => match by_text {
            Verdict::NoTests => Verdict::NoTests,
            Verdict::Passed | Verdict::Failed | Verdict::Errored | Verdict::Unknown => Verdict::Passed,
        },
        Some(code) if code != 0 && run.nonzero_means_failed => by_code(run.runner, code, &reading, text),
        Some(_) | None => by_text,
    };
    if run.kind == Kind::Build && verdict == Verdict::Errored {
        verdict = Verdict::Failed;
    }
    if verdict != by_text && verdict == Verdict::Passed {
        // The text said otherwise, or nothing: it is not about this.
        reading = Reading::default();
    }
    reading.failing.truncate(NAMES);
    Finding {
        runner: run.runner,
        kind: run.kind,
        verdict,
        counts: reading.counts,
        failing: reading.failing.iter().map(|name| text::on_one_line(name, LINE)).collect(),
        summary: summary(&reading, verdict, exit_code),
    }
}

/// What a code other than 0 means, which is the run's own.
fn by_code(runner: Runner, code: i64, reading: &Reading, text: &str) -> Verdict {
    let by_text = reading.verdict();
    match (runner, code) {
        (_, 126 | 127) => Verdict::Unknown,
        _ if reading.absent => Verdict::Unknown,
        // What a user has ended came to nothing; what took too long, and `timeout` has ended, did not work.
        (_, 130) => Verdict::Unknown,
        (_, 124) | (Runner::Pytest, 2..=4) => Verdict::Errored,
        (Runner::Pytest, 5) => Verdict::NoTests,
        _ if by_text == Verdict::Unknown && text::never_ran(text) => Verdict::Unknown,
        _ => match by_text {
            Verdict::Errored | Verdict::NoTests => by_text,
            Verdict::Passed | Verdict::Failed | Verdict::Unknown => Verdict::Failed,
        },
    }
}

fn summary(reading: &Reading, verdict: Verdict, exit_code: Option<i64>) -> String {
    if !reading.closing.is_empty() {
        return text::on_one_line(&reading.closing, LINE);
    }
    match (verdict, exit_code) {
        (Verdict::Errored, Some(124)) => "it did not end in time".to_owned(),
        (Verdict::Failed | Verdict::Errored, Some(code)) if code != 0 => format!("exit code {code}"),
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
    fn the_exit_code_of_a_run_counts_more_than_what_it_prints() {
        use Verdict::*;
        for (line, code, output, expected) in [
            ("pytest", Some(0), "1 failed in 0.1s", Passed),
            ("pytest", Some(1), "3 passed in 0.1s", Failed),
            ("pytest", Some(0), "", Passed),
            ("pytest", Some(5), "", NoTests),
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
    fn what_never_ran_came_to_nothing() {
        for (line, code, output) in [
            ("pytest", Some(127), "bash: pytest: command not found"),
            ("cd nowhere && pytest", Some(1), "bash: line 1: cd: nowhere: No such file or directory"),
            ("cd nowhere && make build", None, "bash: line 1: cd: nowhere: No such file or directory"),
            ("npm test", Some(1), "npm error Missing script: \"test\""),
            ("make test", Some(2), "make: *** No rule to make target 'test'.  Stop."),
            ("pytest", Some(130), ""),
        ] {
            assert_eq!(verdict(line, code, output), Verdict::Unknown, "{line}");
        }
        let late = read(&recognise("timeout 60 pytest", &[]), Some(124), "").unwrap();
        assert_eq!((late.verdict, late.summary.as_str()), (Verdict::Errored, "it did not end in time"));
    }

    /// Of several the last one that failed, else the last.
    #[test]
    fn of_several_runs_the_last_failure_counts() {
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
