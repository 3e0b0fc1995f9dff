//! What a session is reported when it begins, and what is left for when it matters.

use tenter_contract::SessionCounter;
use tenter_contract::SessionId;
use tenter_contract::ports::{CountOp, SessionStore};
use tenter_ghap::{Resolution, RunSeen, Status, Who};

use super::{FOOTER, Fixture, HOUR, effects, injected_text, start};
use crate::context::tokens;
use crate::{MemoryCategory, NewJournalEntry, NewMemory, Project};

/// An entry that ended so, and what a run stated of it just before.
fn resolved(fixture: &Fixture, goal: &str, status: Status, run: Option<Status>) -> String {
    let who = Who::new(SessionId::parse("s0").unwrap());
    let memory = fixture.memory();
    let entry = memory.start_ghap(&who, Some(&fixture.project()), &start(goal, "a guess")).unwrap();
    if let Some(says) = run {
        let run = RunSeen {
            entry: entry.id,
            iteration: entry.iteration_count,
            seen_at: entry.created_at,
            runner: "pytest".to_owned(),
            passed: says == Status::Confirmed,
            summary: "1 failed".to_owned(),
            says: Some(says),
        };
        memory.entries().note_run(&who, &run).unwrap();
    }
    let wrong = status == Status::Falsified;
    let end = Resolution {
        surprise: wrong.then(|| "unexpected".to_owned()),
        root_cause: wrong.then(|| ("wrong-assumption".to_owned(), "a reason".to_owned())),
        lesson: (status != Status::Abandoned).then(|| (format!("Lesson of {goal}"), None)),
        ..Resolution::new(status, "seen with my own eyes")
    };
    let id = memory.resolve_ghap(&who, &end).unwrap().entry.id;
    fixture.later(60_000);
    id
}

#[test]
fn a_line_says_how_it_ended_and_what_a_run_contradicts_is_no_success() {
    use Status::{Abandoned, Confirmed, Falsified};
    for (status, run, expected) in [
        (Confirmed, None, "- Parse the broken invoices: Lesson of Parse the broken invoices"),
        (Confirmed, Some(Confirmed), "- Parse the broken invoices: Lesson of Parse the broken invoices"),
        (
            Falsified,
            None,
            "- Parse the broken invoices (prediction was wrong): Lesson of Parse the broken invoices",
        ),
        (
            Confirmed,
            Some(Falsified),
            "- Parse the broken invoices (claimed right, but contradicted by its last run): Lesson of Parse the broken invoices",
        ),
        (
            Falsified,
            Some(Confirmed),
            "- Parse the broken invoices (claimed wrong, but contradicted by its last run): Lesson of Parse the broken invoices",
        ),
        (Abandoned, None, "- Parse the broken invoices, abandoned (1 minute ago)"),
    ] {
        let fixture = Fixture::new();
        let id = resolved(&fixture, "Parse the broken invoices", status, run);
        let text = injected_text(&fixture.run(&fixture.started("s1", "startup")));
        let heading = if status == Abandoned { "Recent Work:" } else { "Top Values (lessons learned):" };
        let expected = format!("## Session Context\n\n{heading}\n{expected} [{id}]\n\n{FOOTER}");
        assert_eq!(text, expected, "{status} {run:?}");
        let recalled =
            injected_text(&fixture.run(&fixture.prompt("s2", "Parse the broken invoices once more")));
        let doubt = "bronze, but its last run says otherwise";
        let contradicted = run.is_some_and(|run| run != status);
        assert_eq!(recalled.contains(doubt), contradicted, "{status} {run:?}: {recalled}");
    }
}

#[test]
fn what_is_proven_comes_before_what_is_said_and_that_before_what_is_doubted() {
    use Status::{Abandoned, Confirmed, Falsified};
    let fixture = Fixture::new();
    for (goal, status, run) in [
        ("gold", Falsified, Some(Falsified)),
        ("silver", Confirmed, None),
        ("bronze", Confirmed, Some(Falsified)),
        ("given up", Abandoned, None),
    ] {
        resolved(&fixture, goal, status, run);
    }
    let text = injected_text(&fixture.run(&fixture.started("s1", "startup")));
    let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
    let goals: Vec<&str> =
        lines.filter_map(|line| line.split([':', ',', '(']).next()).map(str::trim).collect();
    assert_eq!(goals, ["gold", "silver", "bronze", "given up"], "{text}");
}

/// The texts of a session that begins and then turns to what was shown.
#[test]
fn related_prompt_points_at_the_start_text_once() {
    let fixture = Fixture::new();
    let flaky = fixture.falsify("s0", "Fix the flaky cache test");
    fixture.falsify("s0", "Translate the manual into Dutch");
    let events = || {
        let prompt = |text| fixture.prompt("s1", text);
        [
            fixture.started("s1", "startup"),
            prompt("Write a poem about autumn leaves"),
            prompt("The flaky cache test fails again, fix it"),
            prompt("Fix that flaky cache test now"),
        ]
    };
    let pointer = format!(
        "## Relevant Context\n\n\
         ### Shown at the start of this session, and relevant here\n\
         - Fix the flaky cache test\n  \
         Surprise: Surprised: Fix the flaky cache test\n  \
         Root cause: Reason: Fix the flaky cache test\n\n{FOOTER}"
    );
    // The second time is after a compaction: another context.
    for round in ["begun", "compacted"] {
        let [notices, poem, about, again] = events().map(|event| injected_text(&fixture.run(&event)));
        assert!(
            notices.contains(&format!("Lesson: Fix the flaky cache test [{flaky}]")),
            "{round}: {notices}"
        );
        assert_eq!((poem.as_str(), about, again.as_str()), ("", pointer.clone(), ""), "{round}");
        fixture
            .session_store()
            .count(Some(&SessionId::parse("s1").unwrap()), &SessionCounter::Contexts, CountOp::Increment)
            .unwrap();
    }
}

#[test]
fn a_page_of_the_journal_comes_with_what_is_next() {
    let steps = |steps: &[&str]| steps.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
    for (next_steps, line) in [
        (steps(&[]), "- Moved the cache. (just now)"),
        (
            steps(&["run the\ntests", " ", "tell Ann"]),
            "- Moved the cache; next: run the tests; tell Ann (just now)",
        ),
    ] {
        let fixture = Fixture::new();
        let page = NewJournalEntry {
            summary: "Moved the cache.".to_owned(),
            next_steps,
            project: Some(fixture.project()),
            ..NewJournalEntry::default()
        };
        fixture.memory().store_journal_entry(&page).unwrap();
        let notices = injected_text(&fixture.run(&fixture.started("s1", "startup")));
        assert!(notices.contains(line), "{notices}");
    }
}

#[test]
fn older_work_appears_only_for_a_related_prompt() {
    let fixture = Fixture::new();
    fixture.falsify("s0", "Fix the flaky cache test");
    for goal in ["Sort the mail", "Paint the fence", "Mow the lawn", "Feed the fish", "Bake the bread"] {
        fixture.later(HOUR);
        fixture.falsify("s0", goal);
    }
    let notices = injected_text(&fixture.run(&fixture.started("s1", "startup")));
    assert!(notices.contains("Bake the bread") && !notices.contains("Fix the flaky"), "{notices}");
    let prompt = || fixture.prompt("s1", "The flaky cache test fails again, fix it");
    let recalled = injected_text(&fixture.run(&prompt()));
    assert!(recalled.contains("Lesson: Lesson: Fix the flaky cache test\nSurprise: "), "{recalled}");
    assert_eq!(effects(&fixture.run(&prompt())), []);
}

#[test]
fn every_session_gets_preferences_and_important_memories() {
    use MemoryCategory::{Decision, Fact, Preference};
    let fixture = Fixture::new();
    let store = |content: &str, category, importance: f64, project: Option<Project>| {
        let content = content.to_owned();
        let new = NewMemory {
            content,
            category: Some(category),
            importance: Some(importance),
            tags: vec![],
            project,
        };
        fixture.memory().store_memory(&new).unwrap();
    };
    let here = || Some(fixture.project());
    store("Ann wants small commits", Preference, 0.5, here());
    store("Ann likes tea", Preference, 0.4, here());
    store("The office is in Bonn", Fact, 0.7, here());
    store("The port is 8080", Fact, 0.9, here());
    store("We chose SQLite", Decision, 0.8, None);
    store("Bob wants large commits", Preference, 0.9, Some(Project::named("elsewhere")));
    // Many later ones change nothing.
    for number in 0..60 {
        store(&format!("Detail {number}"), Fact, 0.5, here());
    }
    let lines = |session: &str| {
        let text = injected_text(&fixture.run(&fixture.started(session, "startup")));
        let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
        lines.map(|line| line.split(" [").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines("s1"), ["The port is 8080", "We chose SQLite", "Ann wants small commits"]);
    for name in ["red", "green", "blue", "grey"] {
        fixture.later(1000);
        store(&format!("Ann wants {name}"), Preference, 0.6, here());
    }
    let expected = [
        "The port is 8080",
        "We chose SQLite",
        "Ann wants grey",
        "Ann wants blue",
        "Ann wants green",
        "2 more: `tenter memory list`",
    ];
    assert_eq!(lines("s2"), expected);
}

#[test]
fn a_beginning_stays_within_its_tokens() {
    let fixture = Fixture::new();
    for number in 0..8 {
        let long = format!("a long story about number {number}, ").repeat(8);
        fixture.learn("s0", &long, "a guess", &long);
        let new = NewMemory {
            content: format!("remember {long}"),
            category: Some(MemoryCategory::Preference),
            importance: Some(0.5),
            tags: vec![],
            project: Some(fixture.project()),
        };
        fixture.memory().store_memory(&new).unwrap();
    }
    let text = injected_text(&fixture.run(&fixture.started("s1", "startup")));
    assert!(tokens(&text) <= 500, "{}", tokens(&text));
    assert!(text.contains("Top Values (lessons learned):") && text.contains("Remembered:"), "{text}");
}
