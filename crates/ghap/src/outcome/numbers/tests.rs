//! Predictions in numbers next to runs.

use super::super::{read, recognise};
use super::*;

/// How `pytest` ended, what the prediction says, and whether it holds.
type Row = (&'static str, &'static str, Option<bool>);

fn run(closing: &str) -> Finding {
    let code = i64::from(closing.contains("failed") || closing.contains("error"));
    read(&recognise("pytest -q", &[]), Some(code), &format!("{closing} in 0.1s")).unwrap()
}

#[test]
fn numbers_are_compared_with_what_was_counted() {
    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);
    let rows: [Row; 50] = [
        ("3 of 5 tests pass", "2 failed, 3 passed", YES),
        ("3 of 5 tests pass", "1 failed, 4 passed", NO),
        ("3 of 5 tests pass", "5 passed", NO),
        ("3/5 tests pass", "2 failed, 3 passed", YES),
        ("Three out of the five tests will pass.", "2 failed, 3 passed", YES),
        ("3 of 5 tests pass", "2 failed, 3 passed, 1 skipped", YES),
        ("3 of 6 tests pass", "2 failed, 3 passed, 1 skipped", YES),
        // Another run than the one that is meant.
        ("3 of 5 tests pass", "3 passed", None),
        ("3 of 5 tests pass", "7 failed, 3 passed", None),
        ("2 of 5 tests fail", "2 failed, 3 passed", YES),
        ("at least 4 of 5 tests pass", "2 failed, 3 passed", NO),
        ("at most one failure", "1 failed, 3 passed", YES),
        ("at most one failure", "4 passed", YES),
        ("at most one failure", "2 failed, 3 passed", NO),
        ("no more than 2 tests fail", "2 failed, 3 passed", YES),
        ("up to two tests will still fail", "3 failed, 3 passed", NO),
        ("fewer than 3 fail", "2 failed, 3 passed", YES),
        ("fewer than 3 fail", "5 passed", YES),
        ("Fewer than 3 failures.", "3 failed, 3 passed", NO),
        ("more than 3 tests fail", "3 failed, 3 passed", NO),
        ("at least one test fails", "1 failed, 3 passed", YES),
        ("at least one test fails", "4 passed", NO),
        ("2 tests fail", "2 failed, 3 passed", YES),
        ("2 tests fail", "3 failed, 3 passed", NO),
        ("2 tests fail", "5 passed", NO),
        ("I expect that two tests will fail because of the clock", "2 failed", YES),
        ("2 tests fail with an AssertionError", "2 failed, 3 passed", YES),
        ("pytest fails with 2 failures", "2 failed, 3 passed", YES),
        ("at most 1 failing test remains", "1 failed, 3 passed", YES),
        ("exactly 2 tests fail", "1 failed, 3 passed", NO),
        ("only 3 tests pass", "1 failed, 3 passed", YES),
        ("only 3 tests pass", "1 failed, 4 passed", NO),
        ("at least 3 tests pass", "1 failed, 4 passed", YES),
        ("at least 3 tests pass", "2 failed, 2 passed", NO),
        // There were not so many.
        ("at least 3 tests pass", "2 passed", None),
        ("fewer than 3 tests pass", "2 failed, 2 passed", YES),
        ("fewer than 3 tests pass", "2 passed", None),
        ("3 tests fail and 2 pass", "3 failed, 2 passed", YES),
        ("3 tests fail and 2 pass", "3 failed, 3 passed", NO),
        ("3 tests fail and 2 pass", "2 failed, 3 passed", NO),
        ("5 pass, none fails", "5 passed", YES),
        // A bare number of tests that pass need not be all of them.
        ("3 tests pass", "3 passed", YES),
        ("3 tests pass", "40 passed", YES),
        ("3 tests pass", "2 passed", None),
        ("3 tests pass", "2 failed, 2 passed", NO),
        ("3 tests pass", "2 failed, 3 passed", None),
        // What could not be run has neither passed nor failed.
        ("2 tests fail", "2 failed, 3 passed, 1 error", None),
        ("at most one failure", "1 error", None),
        // It says more than numbers, or a part without one.
        ("3 of 5 tests pass and the rest crashes", "2 failed, 3 passed", None),
        ("most tests pass", "2 failed, 3 passed", None),
    ];
    for (prediction, closing, expected) in rows {
        let numbers = numbers(prediction).unwrap_or_else(|| panic!("no numbers: {prediction}"));
        assert_eq!(numbers.hold(&run(closing)), expected, "{prediction}: {closing}");
    }
}

#[test]
fn what_is_counted_nowhere_is_compared_where_all_passed() {
    for (line, code, output, prediction, expected) in [
        ("pytest", 0, "", "at most one failure", Some(true)),
        ("pytest", 0, "", "2 tests fail", Some(false)),
        ("pytest", 1, "", "2 tests fail", None),
        ("pytest", 0, "", "3 of 5 tests pass", None),
        // These are packages.
        ("go test ./...", 1, "ok  \ta\t0.1s\nFAIL\tb\t0.1s\nFAIL\tc\t0.1s", "2 tests fail", None),
        // Its end was not seen.
        ("bats a", 1, "1..9\nnot ok 1 adds", "2 tests fail", None),
    ] {
        let found = read(&recognise(line, &[]), Some(code), output).unwrap();
        assert_eq!(numbers(prediction).unwrap().hold(&found), expected, "{line}: {prediction}");
    }
}

#[test]
fn a_part_that_is_not_understood_is_compared_with_nothing() {
    for prediction in [
        "80% of the tests pass",
        "half of the tests pass",
        "almost all tests pass",
        "nearly every test passes",
        "about 3 tests fail",
        "fewer than 5 errors",
        "it passes at least 8 times",
        "it passes 3 of 5 times",
        "at most 2 of the new tests fail",
        "2 tests fail, but test_login passes",
    ] {
        assert_eq!(numbers(prediction), Some(Numbers::Unclear), "{prediction}");
    }
}

#[test]
fn other_numbers_are_not_about_how_many() {
    for prediction in [
        "the test passes",
        "The test passes 20 times in a row",
        "all 5 tests pass",
        "the 3 failing tests pass",
        "0 failures",
        "no test fails, nothing breaks",
        "passes within 5 seconds",
        "passes in less than 5 seconds",
        "passes in about two minutes",
        "the suite passes with up to 8 threads",
        "exit code 0",
        "tests pass on Python 3.12",
        "the Python 3 tests pass",
        "cargo build will fail with E0308",
        "fails with 404",
        "passes after 2 tests were removed",
        "100% of the tests pass",
        "test_3 passes",
        "this one fails",
        "the third test passes",
        "the error about the cache is gone",
        "the test around line 20 passes",
        "in most cases the cache is cold",
        "",
    ] {
        assert_eq!(numbers(prediction), None, "{prediction}");
    }
}
