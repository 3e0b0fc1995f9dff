//! The page of security cases is made from the tests that carry a case in their doc comment, so that it names
//! no test that does not exist, and no case stands there without one.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{generated, tree};

/// What happened elsewhere, to other programs, and the scenarios that show it for ours.
struct Case {
    id: &'static str,
    what: &'static str,
    scenarios: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case { id: "G4", what: "invalid bytes, a NUL or a byte order mark in the payload", scenarios: &[] },
    Case { id: "G5", what: "the harmful part is at the end of a very large payload", scenarios: &[] },
    Case {
        id: "P1",
        what: "the response does not name its event, and the agent ignores the deny",
        scenarios: &["one-hook-guards-every-agent"],
    },
    Case {
        id: "P2",
        what: "exit code 2 with and without JSON, a deny with exit code 1, large output, duplicate keys",
        scenarios: &["deny-with-any-exit-code"],
    },
    Case {
        id: "P3",
        what: "a hook is missing, not executable, crashes or hangs, or `git checkout` removes it",
        scenarios: &["failing-guard-denies", "failing-hook-notifies-user"],
    },
    Case { id: "P4", what: "an unknown tool: general rules apply, shell rules do not", scenarios: &[] },
    Case {
        id: "P5",
        what: "two rewriters of different speed; an empty reply",
        scenarios: &["rewrites-chain"],
    },
    Case {
        id: "P6",
        what: "one hook rewrites, another asks: the approved call is the one that runs",
        scenarios: &["one-question-about-the-final-input"],
    },
    Case {
        id: "P7",
        what: "a rewrite that a guard would deny; an allow against a deny or an ask",
        scenarios: &["guards-check-rewritten-input"],
    },
    Case {
        id: "P8",
        what: "matchers and event names without a match; one invalid entry among valid ones",
        scenarios: &["suspicious-matcher-warning", "typo-warning-once-per-session"],
    },
    Case {
        id: "P9",
        what: "a guard that fails repeatedly stays active; a stop hook has a limit",
        scenarios: &["stop-loop-limit"],
    },
    Case {
        id: "P10",
        what: "a question times out: the reason names the timeout, never the user",
        scenarios: &["unanswered-question-gives-reason"],
    },
    Case { id: "P11", what: "calls of a sub-agent", scenarios: &[] },
    Case {
        id: "P12",
        what: "processes after a kill, a timeout or an upgrade; memory use over 10,000 events",
        scenarios: &["leftover-processes-end"],
    },
    Case {
        id: "I1",
        what: "injected text with our closing tag, a forged section or role markers",
        scenarios: &["injected-text-is-sanitized"],
    },
    Case {
        id: "I2",
        what: "instructions in fetched or remembered text: it is framed as data with its source",
        scenarios: &[],
    },
    Case {
        id: "I3",
        what: "instructions in the output of a linter, a test or another agent",
        scenarios: &[],
    },
    Case { id: "I4", what: "invisible characters, direction changes and hidden text", scenarios: &[] },
    Case { id: "I5", what: "many small injections exceed the budget together", scenarios: &["turn-budget"] },
    Case {
        id: "C1",
        what: "a fresh clone with hostile hooks: nothing runs before its exact content is trusted",
        scenarios: &[],
    },
    Case { id: "C2", what: "a project reads or sends data without permission of the user", scenarios: &[] },
    Case { id: "C3", what: "a project extends its own rights or removes the user's guards", scenarios: &[] },
    Case { id: "C4", what: "an agent changes the files and settings of its own hooks", scenarios: &[] },
    Case {
        id: "C5",
        what: "the environment or an `.env` file moves tenter's home into the project",
        scenarios: &[],
    },
    Case { id: "C6", what: "one byte of a trusted hook file or its script changes", scenarios: &[] },
    Case { id: "C7", what: "headless or in CI: project hooks run only if pinned by hash", scenarios: &[] },
    Case {
        id: "C8",
        what: "the trail is cut, reordered or rolled back; clocks jump; parallel writers crash; it grows large",
        scenarios: &[],
    },
];

const MARK: &str = "/// Security case ";

#[test]
fn every_security_case_has_its_tests() {
    let mut tests = tests();
    let mut table = String::from("| case | subject | tests |\n|---|---|---|\n");
    for Case { id, what, scenarios } in CASES {
        let found = tests.remove(*id).unwrap_or_default();
        assert!(!found.is_empty(), "no test has `{MARK}{id}` in its doc comment");
        let named = found.iter().map(|(file, name)| format!("[`{name}`](../../{file})"));
        let shown = scenarios.iter().map(|name| {
            let file = format!("scenarios/{name}.md");
            assert!(tree::root().join(&file).is_file(), "{file} does not exist");
            format!("[`{name}`](../../{file})")
        });
        let links = shown.chain(named).collect::<Vec<_>>().join("<br>");
        writeln!(table, "| {id} | {what} | {links} |").unwrap();
    }
    assert!(tests.is_empty(), "cases without a row in security_cases.rs: {tests:?}");
    generated::check("docs/reference/security-cases.md", "security cases", &table);
}

/// The tests of each case: file and name.
fn tests() -> BTreeMap<String, Vec<(String, String)>> {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in tree::files("crates", "rs") {
        let text = tree::text(&file);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(rest) = line.strip_prefix(MARK) else { continue };
            let id = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
            let name = lines[number..].iter().find_map(|line| line.strip_prefix("fn ")?.split('(').next());
            let head = lines[number..].iter().take_while(|line| !line.starts_with("fn "));
            let is_test = head.into_iter().any(|line| *line == "#[test]");
            let name =
                name.filter(|_| is_test).unwrap_or_else(|| panic!("{file}: `{line}` is above no test"));
            found.entry(id.to_owned()).or_default().push((file.clone(), name.to_owned()));
        }
    }
    found
}
