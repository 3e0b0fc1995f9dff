//! What is stated where something is wrong, and that the session goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Map;
use tenter_contract::builtin_names::MEMORY_RECALL;
use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookFailure, HookOutput, Injection, SessionId};
use tenter_ghap::Who;

use super::super::MemoryExecutor;
use super::{Fixture, effects, hook, injected_text, injections, notices, start};
use crate::Scope;

/// Every way in which a store can be unusable, and what the user reads of it.
fn broken(fixture: &Fixture, how: &str) -> Option<rusqlite::Connection> {
    fixture.learn(
        "s0",
        "Fix the flaky cache test",
        "the timeout is too short",
        "Flaky tests are isolation issues",
    );
    let database = fixture.database();
    match how {
        "newer" => {
            let connection = rusqlite::Connection::open(database).unwrap();
            connection.pragma_update(None, "user_version", 99).unwrap();
            None
        }
        "locked" => {
            let connection = rusqlite::Connection::open(database).unwrap();
            connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
            Some(connection)
        }
        "corrupt" => {
            for end in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{end}", database.display()));
            }
            std::fs::write(
                database,
                "this is no database, and it is long enough to be looked at. ".repeat(100),
            )
            .unwrap();
            None
        }
        other => panic!("{other}"),
    }
}

#[test]
fn unusable_store_notifies_once_and_breaks_nothing() {
    for (how, expected) in [("newer", "newer tenter"), ("locked", "locked"), ("corrupt", "damaged")] {
        let fixture = Fixture::new();
        let _held = broken(&fixture, how);
        let who = Who::new(SessionId::parse("s1").unwrap());
        let mut all = Vec::new();
        let first = fixture.run(&fixture.started("s1", "startup"));
        all.extend(notices(&first).iter().map(|text| (*text).to_owned()));
        fixture
            .memory()
            .start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie"))
            .unwrap();
        for event in [
            fixture.prompt("s1", "fix the login"),
            fixture.prompt("s1", "fix it"),
            fixture.ended("s1", "other"),
        ] {
            let report = fixture.run(&event);
            all.extend(notices(&report).iter().map(|text| (*text).to_owned()));
            assert_eq!(injections(&report), Vec::<&Injection>::new(), "{how}");
        }
        let about: Vec<&String> = all.iter().filter(|text| text.contains(expected)).collect();
        assert!(!about.is_empty() && about.len() <= 2, "{how}: {all:?}");
        let mut once = all.clone();
        once.dedup();
        assert_eq!(once, all, "{how}: nothing is reported twice");
    }
}

/// Nothing of a session can be noted: where folders should be, files are, which stops root as well.
fn unwritable(fixture: &Fixture) {
    let state = fixture.state();
    std::fs::create_dir_all(state.path().join("memory/active")).unwrap();
    for folder in ["sessions", "memory/given", "memory/sessions"] {
        let _ = std::fs::remove_dir_all(state.path().join(folder));
        std::fs::write(state.path().join(folder), "").unwrap();
    }
    let lock = state.path().join("memory/active/lock");
    let _ = std::fs::remove_file(&lock);
    std::fs::create_dir_all(lock).unwrap();
}

#[test]
fn read_only_state_notifies_once_and_recall_continues() {
    for fallback in [true, false] {
        let fixture = Fixture::new();
        let lesson = "Flaky tests are isolation issues";
        fixture.learn("s0", "Fix the flaky cache test", "the timeout is too short", lesson);
        let who = Who::new(SessionId::parse("s1").unwrap());
        fixture
            .memory()
            .start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie"))
            .unwrap();
        unwritable(&fixture);
        if !fallback {
            std::fs::write(fixture.dir.path().join("beside"), "").unwrap();
        }
        let (mut all, mut recalled) = (Vec::new(), 0);
        for event in [
            fixture.started("s1", "startup"),
            fixture.prompt("s1", "fix the flaky cache test"),
            fixture.prompt("s1", "fix the flaky cache test now"),
            fixture.failed("s1"),
            fixture.prompt("s1", "the flaky cache test fails"),
        ] {
            let report = fixture.run(&event);
            all.extend(notices(&report).iter().map(|text| (*text).to_owned()));
            recalled += usize::from(injected_text(&report).contains(lesson));
        }
        assert_eq!(all.len(), 1, "{fallback}: {all:#?}");
        assert!(all[0].contains("cannot be used"), "{all:?}");
        // Without any place to note it it is unknown that it received.
        assert_eq!(recalled, if fallback { 1 } else { 4 }, "{fallback}");
    }
}

#[test]
fn a_run_is_compared_where_it_cannot_be_kept() {
    let fixture = Fixture::new();
    let who = Who::new(SessionId::parse("s1").unwrap());
    fixture.memory().start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie")).unwrap();
    unwritable(&fixture);
    let active = fixture.state().path().join("memory/active");
    let entry = std::fs::read_dir(&active).unwrap().flatten().map(|file| file.path());
    let entry = entry.into_iter().find(|path| path.extension().is_some_and(|it| it == "json")).unwrap();
    std::fs::create_dir(entry.with_extension("runs")).unwrap();
    let report = fixture.run(&fixture.failed("s1"));
    let text = injected_text(&report);
    assert!(text.contains("Your prediction: 'alone it passes'"), "{text}");
    assert!(text.contains("(This run could not be kept with your entry: `"), "{text}");
}

#[test]
fn what_could_not_be_stored_is_stored_by_the_next_who_can() {
    let fixture = Fixture::new();
    let held = broken(&fixture, "locked");
    let who = Who::new(SessionId::parse("s1").unwrap());
    fixture.memory().start_ghap(&who, Some(&fixture.project()), &start("Fix the login", "a cookie")).unwrap();
    let report = fixture.run(&fixture.ended("s1", "other"));
    assert!(!notices(&report).is_empty());
    drop(held);
    fixture.run(&fixture.started("s2", "startup"));
    let filter = crate::EntryFilter::new(Scope::Project(fixture.project()));
    let goals: Vec<String> =
        fixture.memory().list_entries(&filter).unwrap().into_iter().map(|it| it.goal).collect();
    assert!(goals.contains(&"Fix the login".to_owned()), "{goals:?}");
}

#[test]
fn locked_store_wait_ends_with_the_hook_timeout() {
    let fixture = Fixture::new();
    let _held = broken(&fixture, "locked");
    let mut hook = hook(MEMORY_RECALL, Map::new());
    hook.timeout = Duration::from_millis(50);
    let executor =
        MemoryExecutor::new(fixture.memory(), fixture.state(), Arc::new(fixture.session_store()), None);
    let began = Instant::now();
    let report = executor.run(&hook, &fixture.prompt("s1", "fix the flaky cache test"));
    assert_eq!(report.output, HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_event_without_a_session_or_a_folder_is_answered_and_leaves_no_trace() {
    let fixture = Fixture::new();
    fixture.learn(
        "s1",
        "Fix the flaky cache test",
        "the timeout is too short",
        "Flaky tests are isolation issues",
    );
    for mut event in [
        fixture.started("s", "startup"),
        fixture.prompt("s", "the flaky cache test"),
        fixture.ended("s", "other"),
    ] {
        event.session = None;
        let report = fixture.run(&event);
        assert!(notices(&report).is_empty(), "{:?}", notices(&report));
        event.cwd = None;
        assert_eq!(effects(&fixture.run(&event)), [], "nothing is known of no project");
    }
    let twice = Event { session: None, ..fixture.prompt("s", "the flaky cache test") };
    assert_eq!(
        injected_text(&fixture.run(&twice)),
        injected_text(&fixture.run(&twice)),
        "the context is unknown"
    );
}
