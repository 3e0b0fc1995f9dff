//! What is stated where all is well.

use serde_json::json;
use tenter_contract::SessionCounter;
use tenter_contract::ports::{CountOp, SessionStore};
use tenter_contract::{Event, SessionId};
use tenter_ghap::Who;

use super::{FOOTER, Fixture, HOUR, effects, injected_text, injections, start};
use crate::{MemoryCategory, NewMemory, Scope};

#[test]
fn where_nothing_is_known_nothing_is_said() {
    let fixture = Fixture::new();
    for event in [
        fixture.started("s1", "startup"),
        fixture.prompt("s1", "fix the flaky cache test"),
        fixture.ended("s1", "other"),
    ] {
        let report = fixture.run(&event);
        assert_eq!(effects(&report), [], "{:?}", event.kind);
    }
}

#[test]
fn a_session_begins_with_the_best_lessons_and_the_latest_work_beside_them() {
    let fixture = Fixture::new();
    let lessons = ["Isolate tests", "Measure first", "Read the error", "Ask", "Pin it", "Less is more"];
    let ids = lessons.map(|lesson| {
        fixture.later(2 * HOUR);
        fixture.learn("s1", &format!("Goal of {lesson}"), "the timeout is too short", lesson)
    });
    fixture.later(5 * 60_000);
    let report = fixture.run(&fixture.started("s2", "startup"));
    assert_eq!(
        injected_text(&report),
        format!(
            "## Session Context\n\n\
             Top Values (lessons learned):\n\
             - Goal of Less is more: Less is more [{}]\n\
             - Goal of Pin it: Pin it [{}]\n\
             - Goal of Ask: Ask [{}]\n\
             - Goal of Read the error: Read the error [{}]\n\
             - Goal of Measure first: Measure first [{}]\n\n{FOOTER}",
            ids[5], ids[4], ids[3], ids[2], ids[1]
        )
    );
    assert_eq!(injections(&report)[0].foreign.as_deref(), Some("memory"), "it is framed as data");
    let silent =
        fixture.run_with(&fixture.started("s3", "startup"), json!({ "inject_light_context": false }));
    assert_eq!(effects(&silent), []);
}

#[test]
fn nothing_is_given_twice_in_a_context_whichever_hook_gives_it() {
    let fixture = Fixture::new();
    let mut ids = Vec::new();
    for goal in [
        "Translate the manual into Dutch",
        "Rotate the signing certificate",
        "Draw the map of Bavaria",
        "Parse dates of the Mayan calendar",
        "Send invoices by post",
        "Make the linker quicker",
        "Print labels for parcels",
        "Fix the flaky cache test",
    ] {
        ids.push(fixture.falsify("s1", goal));
        fixture.later(HOUR);
    }
    let important = NewMemory {
        content: "Ann wants small commits".to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.9),
        tags: vec![],
        project: Some(fixture.project()),
    };
    ids.push(fixture.memory().store_memory(&important).unwrap().id);
    let play = |source: &str| {
        let prompt = || fixture.prompt("s2", "The flaky cache test fails again, fix it");
        let events = [fixture.started("s2", source), prompt(), fixture.failed("s2"), prompt()];
        events.map(|event| injected_text(&fixture.run(&event)))
    };
    for source in ["startup", "compact"] {
        let texts = play(source);
        let pointer =
            "### Shown at the start of this session, and relevant here\n- Fix the flaky cache test\n";
        assert!(texts[0].contains("Lesson: Fix the flaky") && texts[1].contains(pointer), "{texts:#?}");
        for id in &ids {
            let all = texts.join("\n");
            assert!(all.matches(id.as_str()).count() <= 1, "{source}: {id} in {texts:#?}");
        }
        for part in ["Lesson: ", "Surprised: ", "Reason: "] {
            let lines = texts.iter().flat_map(|text| text.lines());
            let notices: Vec<&str> = lines.filter_map(|line| Some(line.split_once(part)?.1)).collect();
            let notices: Vec<&str> = notices.iter().filter_map(|line| line.split(" [").next()).collect();
            let once: std::collections::HashSet<&str> = notices.iter().copied().collect();
            assert_eq!(once.len(), notices.len(), "{source}: {part} in {texts:#?}");
        }
        assert_eq!(texts[2].contains("Premortem"), source == "startup", "once in a cycle");
        assert_eq!(texts[3], "");
        // What the runtime does at a compaction.
        fixture
            .session_store()
            .count(Some(&SessionId::parse("s2").unwrap()), &SessionCounter::Contexts, CountOp::Increment)
            .unwrap();
    }
}

#[test]
fn an_orphan_is_offered_once_and_to_another_session_alone() {
    let fixture = Fixture::new();
    let who = Who::new(SessionId::parse("s1").unwrap());
    let entry = fixture
        .memory()
        .start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie\nis missing"))
        .unwrap();
    assert_eq!(injected_text(&fixture.run(&fixture.started("s1", "resume"))), "", "it is its own");
    fixture.run(&fixture.ended("s1", "clear"));
    let report = fixture.run(&fixture.started("s2", "clear"));
    let [data, options] = injections(&report)[..] else { panic!("{:?}", injected_text(&report)) };
    assert_eq!(
        data.content,
        "Orphaned GHAP entry (a tracked hypothesis) from a previous session:\nGoal: Fix the login\nHypothesis: a cookie is missing"
    );
    let expected = format!(
        "Options:\n\
         - Adopt and continue this work\n\
         - Abandon with reason\n\n\
         (`adopt_orphan` takes {} up, `abandon_orphan` gives it up; it is no part of what the user asks for now)",
        entry.id
    );
    assert_eq!(options.content, expected);
    assert_eq!((data.foreign.as_deref(), options.foreign.as_deref()), (Some("memory"), None));
    for source in ["resume", "compact", "startup"] {
        assert_eq!(
            injected_text(&fixture.run(&fixture.started("s2", source))),
            "",
            "a second offer at {source}"
        );
    }
    assert_eq!(injected_text(&fixture.run(&fixture.started("s3", "compact"))), "", "s3 is at work");
    fixture
        .memory()
        .adopt_orphan(&Who::new(SessionId::parse("s2").unwrap()), Some(&fixture.project()), None)
        .unwrap();
    assert_eq!(
        injected_text(&fixture.run(&fixture.started("s4", "startup"))),
        "",
        "another process works on it"
    );
}

#[test]
fn orphan_offer_counts_the_others() {
    for (others, notices) in [
        (0, "for now)"),
        (1, "(1 more was left behind; `tenter ghap show` shows it)"),
        (2, "(2 more were left behind; `tenter ghap show` shows them)"),
    ] {
        let fixture = Fixture::new();
        for number in 0..=others {
            let session = format!("s{number}");
            let who = Who::new(SessionId::parse(&session).unwrap());
            let start = start(&format!("Goal {number}"), "a cookie is missing");
            fixture.memory().start_ghap(&who, Some(&fixture.project()), &start).unwrap();
            fixture.run(&fixture.ended(&session, "clear"));
        }
        let report = fixture.run(&fixture.started("new", "startup"));
        let [_, options] = injections(&report)[..] else { panic!("{:?}", injected_text(&report)) };
        assert!(options.content.ends_with(notices), "{}", options.content);
    }
}

#[test]
fn a_compaction_does_not_make_an_agent_forget_what_it_predicted() {
    let fixture = Fixture::new();
    let who = Who::new(SessionId::parse("s1").unwrap());
    fixture
        .memory()
        .start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie is missing"))
        .unwrap();
    assert_eq!(
        injected_text(&fixture.run(&fixture.started("s1", "compact"))),
        "You are tracking this hypothesis (GHAP: goal, hypothesis, action, prediction):\nGoal: Fix the login\nHypothesis: a cookie is missing\n\
         Prediction: alone it passes\n\nUpdate or resolve it when you know more."
    );
}

#[test]
fn among_few_lessons_other_words_are_enough_and_other_subjects_are_not() {
    let fixture = Fixture::new();
    let lesson = "Flaky tests are isolation issues: give each its own directory";
    let id = fixture.learn("s1", "Fix the flaky cache test", "tests share a cache directory", lesson);
    fixture.learn("s1", "Speed up the build", "the linker is slow", "Measure before you optimise");
    for (prompt, recalled) in [
        ("Our suite is unreliable: results depend on leftovers of other tests on disk", true),
        ("Tests sometimes fail when they run together, alone they pass", true),
        ("Write a poem about spring", false),
        ("Add dark mode to the settings page", false),
        ("Rename the login form to sign-in", false),
        ("continue", false),
    ] {
        let text = injected_text(&fixture.run(&fixture.prompt(prompt, prompt)));
        assert_eq!(text.contains(&id), recalled, "{prompt}: {text}");
    }
}

#[test]
fn a_prompt_recalls_what_is_relevant_once_in_a_context() {
    let fixture = Fixture::new();
    let id = fixture.learn(
        "s1",
        "Fix the flaky cache test",
        "the timeout is too short",
        "Flaky tests are isolation issues",
    );
    fixture.learn("s1", "Speed up the build", "the linker is slow", "Measure before you optimise");
    fixture.later(26 * HOUR);
    let prompt = || fixture.prompt("s2", "The flaky cache test fails again, fix it");
    let report = fixture.run(&prompt());
    assert_eq!(
        injected_text(&report),
        format!(
            "## Relevant Context\n\n\
             ### Similar Past Experience\n\
             Goal: Fix the flaky cache test\n\
             Lesson: Flaky tests are isolation issues\n\
             [{id}; confirmed, silver, yesterday]\n\n{FOOTER}"
        )
    );
    assert_eq!(injections(&report)[0].foreign.as_deref(), Some("memory"));
    assert_eq!(effects(&fixture.run(&prompt())), [], "it is in the context");
    let sub_agent =
        Event { agent_id: Some("a1".to_owned()), agent_type: Some("explorer".to_owned()), ..prompt() };
    assert!(injected_text(&fixture.run(&sub_agent)).contains(&id), "a sub-agent has a context of its own");
    assert_eq!(effects(&fixture.run(&sub_agent)), []);
    fixture
        .session_store()
        .count(Some(&SessionId::parse("s2").unwrap()), &SessionCounter::Contexts, CountOp::Increment)
        .unwrap();
    assert!(injected_text(&fixture.run(&prompt())).contains(&id), "a compaction has begun another context");
    let other = fixture.prompt("s3", "The flaky cache test fails again, fix it");
    assert!(injected_text(&fixture.run(&other)).contains(&id), "another session has another context");
}

#[test]
fn a_prompt_about_something_else_recalls_nothing() {
    let fixture = Fixture::new();
    fixture.learn(
        "s1",
        "Fix the flaky cache test",
        "the timeout is too short",
        "Flaky tests are isolation issues",
    );
    for prompt in ["", "   ", "hello there", "write a poem about autumn leaves"] {
        assert_eq!(effects(&fixture.run(&fixture.prompt("s2", prompt))), [], "{prompt}");
    }
}

#[test]
fn recalled_text_stays_within_its_budget_with_its_frame() {
    let fixture = Fixture::new();
    for number in 0..12 {
        let goal = format!("Fix the flaky cache test number {number} of suite {number}{number}");
        let lesson = format!("isolation {number} ").repeat(60);
        fixture.learn("s1", &goal, &format!("hypothesis {number}"), &lesson);
    }
    for budget in [100, 300, 2000] {
        let session = format!("s{budget}");
        let event = fixture.prompt(&session, "fix the flaky cache test");
        let report = fixture.run_with(&event, json!({ "token_budget": budget }));
        for injection in injections(&report) {
            let (before, after) = injection.frame();
            let all = before.len() + injection.content.chars().count() + after.len();
            assert!(all.div_ceil(4) <= budget, "{all} characters in {budget} tokens");
        }
    }
}

#[test]
fn an_end_gives_up_what_is_open_and_a_clear_leaves_it_to_the_next() {
    let fixture = Fixture::new();
    let open = |session: &str| {
        let who = Who::new(SessionId::parse(session).unwrap());
        fixture
            .memory()
            .start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie"))
            .unwrap();
        who
    };
    for (session, reason, is_open) in [
        ("s1", "clear", true),
        ("s2", "resume", true),
        ("s3", "prompt_input_exit", false),
        ("s4", "other", false),
    ] {
        let who = open(session);
        let report = fixture.run(&fixture.ended(session, reason));
        assert_eq!(fixture.memory().active_ghap(&who).unwrap().is_some(), is_open, "{reason}");
        let summary = "entries of this session: 0 confirmed, 0 falsified, 1 abandoned";
        assert_eq!(report.transcript.notices.iter().any(|notice| notice == summary), !is_open, "{reason}");
    }
    let filter = crate::EntryFilter::new(Scope::Project(fixture.project()));
    let stored = fixture.memory().list_entries(&filter).unwrap();
    assert_eq!(stored.len(), 2);
    assert!(stored.iter().all(|entry| entry.outcome.as_ref().unwrap().result == "session ended"));
}
