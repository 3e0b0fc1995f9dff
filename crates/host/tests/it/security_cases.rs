//! The page of security cases is generated from the doc comments of tests, so each named
//! test exists, and each case has one.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{generated, tree};

/// An incident of another program, and the scenarios that test it here.
struct Case {
    id: &'static str,
    what: &'static str,
    scenarios: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        id: "G4",
        what: "a byte that is no text, a NUL, a byte order mark in the payload: the call is judged all the same",
        scenarios: &[],
    },
    Case { id: "G5", what: "the dangerous part is at the end of a very large payload", scenarios: &[] },
    Case {
        id: "P1",
        what: "the answer does not name its event, and the agent ignores the deny",
        scenarios: &["one-hook-guards-every-agent"],
    },
    Case {
        id: "P2",
        what: "exit code 2 with and without JSON, a deny with exit code 1, a megabyte of output, duplicate keys",
        scenarios: &["a-deny-is-never-lost"],
    },
    Case {
        id: "P3",
        what: "a hook is missing, not executable, crashes, hangs, or a `git checkout` takes it away",
        scenarios: &["a-guard-that-fails-denies", "a-failing-hook-is-told"],
    },
    Case {
        id: "P4",
        what: "an unknown tool: rules for every tool apply, rules for shells do not",
        scenarios: &[],
    },
    Case {
        id: "P5",
        what: "two rewriters, one slower than the other; a reply that says nothing",
        scenarios: &["rewrites-chain"],
    },
    Case {
        id: "P6",
        what: "one hook rewrites, another asks: what the user approves is what runs",
        scenarios: &["one-question-about-the-final-input"],
    },
    Case {
        id: "P7",
        what: "a rewrite that a guard would have denied; an allow against a deny or an ask",
        scenarios: &["a-rewritten-input-is-judged-again"],
    },
    Case {
        id: "P8",
        what: "matchers and event names that match nothing; one bad entry among good ones",
        scenarios: &["a-suspicious-matcher-is-told", "a-typo-is-told-once-per-session"],
    },
    Case {
        id: "P9",
        what: "a guard that fails again and again is not given up; a stop hook may deny a limited number of times",
        scenarios: &["no-agent-is-kept-going-for-ever"],
    },
    Case {
        id: "P10",
        what: "a question times out: the agent reads that it timed out, never that the user denied",
        scenarios: &["a-question-without-an-answer-says-why"],
    },
    Case { id: "P11", what: "calls of a sub-agent are judged too", scenarios: &[] },
    Case {
        id: "P12",
        what: "no process is left after a kill, a timeout or an upgrade; memory stays bounded over 10,000 events",
        scenarios: &["nothing-outlives-its-hook"],
    },
    Case {
        id: "I1",
        what: "injected text holds our closing tag, a forged section of another hook, role markers",
        scenarios: &["injected-text-cannot-speak-for-others"],
    },
    Case {
        id: "I2",
        what: "text that was fetched or remembered says what to do: it is framed as data, with its source",
        scenarios: &[],
    },
    Case {
        id: "I3",
        what: "what a linter, a test or another agent prints contains instructions",
        scenarios: &[],
    },
    Case {
        id: "I4",
        what: "characters without width, of another direction, or in which text is hidden",
        scenarios: &[],
    },
    Case {
        id: "I5",
        what: "many small injections pass the limit one by one and are too much together",
        scenarios: &["what-hooks-may-spend"],
    },
    Case {
        id: "C1",
        what: "a fresh clone with hostile hooks: nothing of it runs before that exact content is trusted",
        scenarios: &[],
    },
    Case { id: "C2", what: "a project reads or sends what the user has not opened to it", scenarios: &[] },
    Case {
        id: "C3",
        what: "a project widens its own rights, or takes the user's guards away",
        scenarios: &[],
    },
    Case {
        id: "C4",
        what: "an agent writes, creates or removes the files and switches that say which hooks judge it",
        scenarios: &[],
    },
    Case {
        id: "C5",
        what: "the environment, or an `.env` file, moves tenter's home into the project",
        scenarios: &[],
    },
    Case {
        id: "C6",
        what: "a trusted hook file, or a script that it runs, changes by one byte",
        scenarios: &[],
    },
    Case {
        id: "C7",
        what: "headless or in CI: hooks of the project run only if pinned by hash",
        scenarios: &[],
    },
    Case {
        id: "C8",
        what: "the trail is cut, reordered, swapped, rolled back; clocks jump, writers meet and crash; it grows long",
        scenarios: &[],
    },
];

const MARK: &str = "/// Security case ";

#[test]
fn every_security_case_has_its_tests() {
    let mut tests = tests();
    let mut table = String::from("| case | what it is about | shown by |\n|---|---|---|\n");
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
