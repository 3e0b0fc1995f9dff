//! What real runners printed (`fixtures/outcomes`, captured by `scripts/capture-outcomes`), and what is read in it.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use tenter_ghap::outcome::{Finding, Kind, Verdict, read, recognise};

/// Printed by a script that failed or passed without a trace: without an exit code nothing can know.
const NO_TRACE: [&str; 5] = [
    "script/build-failed-npm",
    "script/build-passed-npm",
    "script/failed-npm-exit",
    "script/passed-npm-plain",
    "script/failed-npm-piped",
];

struct Captured {
    /// `pytest/failed-quiet`
    name: String,
    command: String,
    exit_code: i64,
    output: String,
}

impl Captured {
    /// What the name of the file says.
    fn expected(&self) -> (Kind, Verdict) {
        let case = self.name.split_once('/').unwrap().1;
        let (kind, case) = match case.strip_prefix("build-") {
            Some(case) => (Kind::Build, case),
            None => (Kind::Test, case),
        };
        let verdict = match case.split('-').next().unwrap() {
            "passed" => Verdict::Passed,
            "failed" => Verdict::Failed,
            "errored" => Verdict::Errored,
            "none" => Verdict::NoTests,
            "unrun" => Verdict::NotRun,
            "unknown" => Verdict::Unknown,
            other => panic!("{}: `{other}` is no verdict", self.name),
        };
        (kind, verdict)
    }

    fn finding(&self, exit_code: Option<i64>) -> Finding {
        let runs = recognise(&self.command, &[]);
        read(&runs, exit_code, &self.output)
            .unwrap_or_else(|| panic!("{}: `{}` is a run", self.name, self.command))
    }
}

#[test]
fn a_line_of_megabytes_is_no_run() {
    assert_eq!(recognise(&format!("cargo test {}", "x ".repeat(1000)), &[]).len(), 1);
    assert!(recognise(&format!("cargo test {}", "x ".repeat(1_000_000)), &[]).is_empty());
}

fn captured() -> Vec<Captured> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/outcomes");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let files = entries(&folder).into_iter().filter(|path| path.is_dir()).flat_map(|runner| entries(&runner));
    files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let (head, output) = text.split_once("----\n").unwrap();
            let mut head = head.lines();
            Captured {
                name: path.strip_prefix(&folder).unwrap().with_extension("").display().to_string(),
                command: head.next().unwrap().strip_prefix("$ ").unwrap().to_owned(),
                exit_code: head.next().unwrap().strip_prefix("exit ").unwrap().parse().unwrap(),
                output: output.to_owned(),
            }
        })
        .collect()
}

#[test]
fn what_real_runners_print_is_judged_as_it_was() {
    let mut wrong = Vec::new();
    for case in captured() {
        let (kind, expected) = case.expected();
        for exit_code in [Some(case.exit_code), None] {
            let silent = NO_TRACE.contains(&case.name.as_str());
            let piped = case.command.contains('|');
            let found = case.finding(exit_code);
            let expected = if silent && (exit_code.is_none() || piped) { Verdict::Unknown } else { expected };
            if (found.kind, found.verdict) != (kind, expected) {
                wrong.push(format!("{} with {exit_code:?}: {found:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn at_least_a_dozen_runners_were_captured() {
    let runners: std::collections::BTreeSet<_> =
        captured().into_iter().map(|case| case.name.split_once('/').unwrap().0.to_owned()).collect();
    assert!(runners.len() >= 12, "{runners:?}");
}

/// Behind `npm test` and `make test` is any of them.
#[test]
fn what_a_script_runs_is_not_read_as_the_opposite_of_what_it_came_to() {
    let mut recognised = 0;
    for case in captured() {
        let (kind, expected) = case.expected();
        if kind == Kind::Build || case.name == "pytest/failed-coverage" {
            continue;
        }
        let found = read(&recognise("npm test", &[]), None, &case.output).unwrap().verdict;
        let right = match expected {
            Verdict::Passed => matches!(found, Verdict::Passed | Verdict::Unknown),
            Verdict::Failed | Verdict::Errored | Verdict::NotRun | Verdict::NoTests | Verdict::Unknown => {
                found != Verdict::Passed
            }
        };
        assert!(right, "{}: {found:?}", case.name);
        recognised += usize::from(found == expected);
    }
    assert!(recognised > 150, "only {recognised} were recognised");
}

/// Agents cut what is long: wherever the beginning or the middle is missing, nothing turns into its opposite.
#[test]
fn a_text_of_which_lines_are_missing_is_not_read_as_its_opposite() {
    // Of a bar for coverage that was not reached nothing is stated below; the tests have passed.
    for case in captured().into_iter().filter(|case| case.name != "pytest/failed-coverage") {
        let (_, expected) = case.expected();
        let lines: Vec<&str> = case.output.lines().collect();
        for at in 0..=lines.len() {
            let cut = Captured {
                output: lines[at..].join("\n"),
                command: case.command.clone(),
                name: case.name.clone(),
                exit_code: 0,
            };
            let found = cut.finding(None).verdict;
            let opposite = matches!(
                (expected, found),
                (Verdict::Passed, Verdict::Failed | Verdict::Errored)
                    | (Verdict::Failed | Verdict::Errored, Verdict::Passed)
            );
            // A runner that is silent when all is well, cut down to nothing, is silent.
            let silenced =
                found == Verdict::Passed && (at..lines.len()).all(|line| !says_failure(lines[line]));
            assert!(!opposite || silenced, "{} from line {at}: {found:?}", case.name);
        }
    }
}

fn says_failure(line: &str) -> bool {
    let line = line.to_lowercase();
    ["fail", "error", "***", "cannot", "not ok", "✖", "✗"].iter().any(|word| line.contains(word))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Lines of all runners in any order, and what is none of theirs, behind any of the commands.
    #[test]
    fn no_output_makes_it_panic(picks in vec(any::<Index>(), 0..30), noise in "[ -~\u{1b}ä✖●\t%()=#*]{0,40}", code in -1..300_i64) {
        let cases = captured();
        let lines: Vec<&str> = cases.iter().flat_map(|case| case.output.lines()).collect();
        let mut text: Vec<&str> = picks.iter().map(|pick| *pick.get(&lines)).collect();
        text.push(&noise);
        for case in cases.iter().step_by(7) {
            let runs = recognise(&case.command, &[]);
            read(&runs, Some(code), &text.join("\n"));
            read(&runs, None, &text.join("\n"));
        }
    }
}
