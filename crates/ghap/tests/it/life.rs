//! The life of an entry.

use crate::support::{World, confirmed, falsified, goal_of, hypothesis, now, run_of, who};
use tenter_ghap::{Cleaner, Entry, ErrorKind, Lesson, Resolution, Revision, RunSeen, Status, Strategy, Tier};

#[test]
fn an_entry_is_active_from_its_start_to_its_resolution() {
    let world = World::new();
    let ann = who("ann");
    let begun = world.start(&ann, "Fix the flaky cache test").unwrap();
    assert_eq!(world.folder.active(&ann).unwrap(), Some(begun.clone()));
    let resolved = world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!(world.folder.active(&ann).unwrap(), None);
    assert_eq!((&resolved.id, resolved.status()), (&begun.id, Some(Status::Confirmed)));
    assert_eq!(world.files(), Vec::<String>::new());
    assert_eq!(world.waiting().len(), 1);
}

#[test]
fn a_second_entry_of_the_same_agent_is_refused_with_the_first_one_named() {
    let world = World::new();
    let first = world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    let refusal = world.start(&who("ann"), "Something else").unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::ActiveExists);
    assert!(
        refusal.to_string().contains(&first.id) && refusal.to_string().contains("flaky cache"),
        "{refusal}"
    );
}

#[test]
fn another_session_and_a_sub_agent_have_entries_of_their_own() {
    let world = World::new();
    let sub = tenter_ghap::Who::sub_agent(who("ann").session, "agent-7");
    for who in [&who("ann"), &who("bob"), &sub] {
        world.start(who, "Fix the flaky cache test").unwrap();
    }
    assert_eq!(world.folder.all().unwrap().len(), 3);
    assert_eq!(world.folder.active(&sub).unwrap().unwrap().agent_id.as_deref(), Some("agent-7"));
}

#[test]
fn what_was_believed_before_is_kept_in_order() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    for text in ["The clock is mocked twice", "Two tests share a folder"] {
        world.folder.update(&ann, &hypothesis(text), now()).unwrap();
    }
    let entry = world.folder.active(&ann).unwrap().unwrap();
    let before: Vec<&str> = entry.history.iter().map(|before| before.hypothesis.as_str()).collect();
    assert_eq!(before, ["The cache keeps a stale key", "The clock is mocked twice"]);
    assert_eq!((entry.hypothesis.as_str(), entry.iteration_count), ("Two tests share a folder", 3));
}

#[test]
fn a_note_another_strategy_or_the_same_words_are_no_new_iteration() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    for revision in [
        Revision { note: Some("It fails on Mondays".to_owned()), ..Revision::default() },
        Revision { strategy: Some(Strategy::AskUser), ..Revision::default() },
        hypothesis("The cache keeps a stale key"),
    ] {
        world.folder.update(&ann, &revision, now()).unwrap();
    }
    let entry = world.folder.active(&ann).unwrap().unwrap();
    assert_eq!((entry.iteration_count, entry.history.len()), (1, 0));
    assert_eq!(
        (entry.notes.as_slice(), entry.strategy),
        (["It fails on Mondays".to_owned()].as_slice(), Strategy::AskUser)
    );
}

#[test]
fn without_an_entry_there_is_nothing_to_update_resolve_or_abandon() {
    let world = World::new();
    let ann = who("ann");
    let refusals = [
        world.folder.update(&ann, &hypothesis("x"), now()).unwrap_err(),
        world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap_err(),
        world.folder.abandon(&ann, "no time", now()).unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.kind, ErrorKind::NotFound);
        assert!(refusal.to_string().contains("start_ghap"), "{refusal}");
    }
}

#[test]
fn a_falsified_entry_needs_a_surprise_and_a_root_cause() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let whole = falsified("It failed again");
    for lacking in [
        Resolution { surprise: None, ..whole.clone() },
        Resolution { root_cause: None, ..whole.clone() },
        Resolution { surprise: Some("  ".to_owned()), ..whole.clone() },
    ] {
        let refusal = world.folder.resolve(&ann, &lacking, now()).unwrap_err();
        assert_eq!(refusal.kind, ErrorKind::Validation);
    }
    assert!(world.folder.active(&ann).unwrap().is_some());
    assert_eq!(world.folder.resolve(&ann, &whole, now()).unwrap().status(), Some(Status::Falsified));
}

#[test]
fn a_root_cause_that_is_no_category_is_refused_whatever_the_outcome() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let root_cause = Some(("nonsense".to_owned(), "Two tests share a folder".to_owned()));
    for resolution in [confirmed("It passed ten times"), falsified("It failed again")] {
        let refusal = world
            .folder
            .resolve(&ann, &Resolution { root_cause: root_cause.clone(), ..resolution }, now())
            .unwrap_err();
        assert_eq!(refusal.kind, ErrorKind::Validation);
        assert!(refusal.to_string().contains("test-isolation"), "{refusal}");
    }
}

#[test]
fn text_up_to_the_limit_is_taken_and_longer_text_is_refused_with_the_limit() {
    let world = World::new();
    let mut start = goal_of(&"ä".repeat(1001));
    let refusal = world.folder.start(&who("ann"), None, &start, now()).unwrap_err();
    assert!(refusal.to_string().contains("1001") && refusal.to_string().contains("1000"), "{refusal}");
    start.goal = "ä".repeat(1000);
    world.folder.start(&who("ann"), None, &start, now()).unwrap();
    let refusal = world.folder.resolve(&who("ann"), &confirmed(&"x".repeat(2001)), now()).unwrap_err();
    assert!(refusal.to_string().contains("2000"), "{refusal}");
    world.folder.resolve(&who("ann"), &confirmed(&"x".repeat(2000)), now()).unwrap();
}

#[test]
fn empty_text_is_refused_by_name() {
    let world = World::new();
    for name in ["goal", "hypothesis", "action", "prediction"] {
        let mut start = goal_of("Fix the flaky cache test");
        let field = match name {
            "goal" => &mut start.goal,
            "hypothesis" => &mut start.hypothesis,
            "action" => &mut start.action,
            _ => &mut start.prediction,
        };
        *field = " \n".to_owned();
        let refusal = world.folder.start(&who("ann"), None, &start, now()).unwrap_err();
        assert!(refusal.to_string().contains(name), "{refusal}");
    }
}

#[test]
fn only_what_tenter_saw_makes_an_entry_gold() {
    let cases: [(&str, bool, Option<bool>, &str, Tier); 6] = [
        ("seen", true, None, "It passed ten times", Tier::Gold),
        ("seen and claimed", true, Some(true), "It passed ten times", Tier::Gold),
        ("seen and disclaimed", true, Some(false), "It passed ten times", Tier::Silver),
        ("claimed and not seen", false, Some(true), "It passed ten times", Tier::Silver),
        ("by hand", false, None, "It passed ten times", Tier::Silver),
        ("by hand and thin", false, None, "ok", Tier::Bronze),
    ];
    for (case, seen, auto_captured, result, tier) in cases {
        let world = World::new();
        let ann = who("ann");
        let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
        if seen {
            world.folder.note_run(&ann, &run_of(&entry)).unwrap();
        }
        let resolution = Resolution { auto_captured, ..confirmed(result) };
        let resolved = world.folder.resolve(&ann, &resolution, now()).unwrap();
        assert_eq!(resolved.confidence_tier, Some(tier), "{case}");
        assert_eq!(resolved.outcome.unwrap().auto_captured, tier == Tier::Gold, "{case}");
    }
}

/// Gold needs a run that could be compared and agrees; against what was seen a word counts little.
#[test]
fn an_entry_is_gold_if_the_last_run_that_says_something_agrees() {
    use Status::{Abandoned, Confirmed, Falsified};
    for (runs, ended, tier, contradicted) in [
        (vec![Some(Confirmed)], Confirmed, Tier::Gold, false),
        (vec![Some(Falsified)], Falsified, Tier::Gold, false),
        (vec![Some(Falsified)], Confirmed, Tier::Bronze, true),
        (vec![Some(Confirmed)], Falsified, Tier::Bronze, true),
        (vec![None], Confirmed, Tier::Silver, false),
        (vec![None, None], Falsified, Tier::Silver, false),
        (vec![Some(Falsified), Some(Confirmed)], Confirmed, Tier::Gold, false),
        (vec![Some(Confirmed), Some(Falsified)], Confirmed, Tier::Bronze, true),
        (vec![Some(Confirmed), None, None, None, None, None, None], Confirmed, Tier::Gold, false),
        (vec![Some(Falsified), None, None, None, None, None, None], Confirmed, Tier::Bronze, true),
        (vec![Some(Confirmed)], Abandoned, Tier::Abandoned, false),
    ] {
        let world = World::new();
        let ann = who("ann");
        let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
        for says in &runs {
            world.folder.note_run(&ann, &RunSeen { says: *says, ..run_of(&entry) }).unwrap();
        }
        let resolution = Resolution { status: ended, ..falsified("It came out like this") };
        let resolved = world.folder.resolve(&ann, &resolution, now()).unwrap();
        assert_eq!(resolved.confidence_tier, Some(tier), "{runs:?} and {ended}");
        assert_eq!(resolved.contradicted().is_some(), contradicted, "{runs:?} and {ended}");
        assert!(resolved.runs.len() <= 5);
    }
}

#[test]
fn a_run_of_an_earlier_prediction_or_another_entry_proves_nothing() {
    let world = World::new();
    let ann = who("ann");
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    world.folder.note_run(&ann, &run_of(&entry)).unwrap();
    world.folder.update(&ann, &hypothesis("Two tests share a folder"), now()).unwrap();
    let mut other = run_of(&world.folder.active(&ann).unwrap().unwrap());
    other.entry = "ghap_20261116_160431_ffffff".to_owned();
    world.folder.note_run(&ann, &other).unwrap();
    let resolved = world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!((resolved.confidence_tier, resolved.runs.len()), (Some(Tier::Silver), 1));
}

#[test]
fn an_abandoned_entry_says_why() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    let entry = world.folder.abandon(&who("ann"), "session ended", now()).unwrap();
    assert_eq!((entry.status(), entry.confidence_tier), (Some(Status::Abandoned), Some(Tier::Abandoned)));
    assert_eq!(entry.outcome.unwrap().result, "session ended");
}

#[test]
fn an_entry_of_the_system_that_introduced_them_is_read() {
    let line = r#"{"id": "ghap_20251203_140000_abc123", "session_id": "session_20251203_135900_abc123",
        "created_at": "2025-12-03T14:00:00.687882+00:00", "domain": "testing", "strategy": "systematic-elimination",
        "goal": "g", "hypothesis": "h", "action": "a", "prediction": "p", "iteration_count": 2,
        "history": [{"timestamp": "2025-12-03T14:00:01Z", "hypothesis": "x", "action": "y", "prediction": "z"}],
        "notes": ["n"], "outcome": {"status": "confirmed", "result": "r", "captured_at": "2025-12-03T14:05:00.1Z",
        "auto_captured": false}, "lesson": {"what_worked": "w"}, "confidence_tier": "silver", "later": {"a": 1}}"#;
    let entry: Entry = serde_json::from_str(line).unwrap();
    assert_eq!(entry.created_at.to_string(), "2025-12-03T14:00:00.687Z");
    assert_eq!(entry.lesson, Some(Lesson { what_worked: "w".to_owned(), takeaway: None }));
    let again: Entry = serde_json::from_str(&serde_json::to_string(&entry).unwrap()).unwrap();
    assert_eq!(again, entry);
    assert_eq!(again.further["later"]["a"], 1);
}

#[test]
fn ids_say_what_and_when_and_differ() {
    let ids: std::collections::HashSet<String> = (0..100)
        .map(|_| tenter_ghap::id::new("ghap", tenter_contract::Timestamp::from_unix_ms(951_782_400_000)))
        .collect();
    assert!(ids.len() > 95, "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("ghap_20000229_000000_") && id.len() == 27), "{ids:?}");
}

#[test]
fn wrong_words_list_the_valid_ones() {
    for strategy in Strategy::ALL {
        assert_eq!(Strategy::read(strategy.as_str()), Ok(*strategy));
    }
    let refusal = Strategy::read("guessing").unwrap_err();
    assert!(
        refusal.to_string().contains("`guessing`") && refusal.to_string().contains("trial-and-error"),
        "{refusal}"
    );
    let _ = Cleaner::default();
}
