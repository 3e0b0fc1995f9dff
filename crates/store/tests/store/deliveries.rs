//! Calls that are delivered more than once: one delivery rules, the others have its ruling.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, json};
use tenter_contract::ports::{Delivery, Docket, Ruling, SessionShelf};
use tenter_contract::{
    Asker, Choice, Decision, HookId, Layer, OutputPatch, Patch, Policy, Query, Question, Rewrite, Source,
    Timestamp,
};
use tenter_store::SessionFolders;

use crate::common::Store;
use crate::sessions::{at_once, session};

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn deliver(store: &Store, call: &str) -> Delivery {
    SessionFolders::new(&store.state).deliver(&session("s"), call, soon()).unwrap()
}

fn docket(delivery: Delivery) -> Box<dyn Docket> {
    match delivery {
        Delivery::First(docket) => docket,
        Delivery::Again(ruling) => panic!("there is a ruling: {ruling:?}"),
        Delivery::Unsettled => panic!("somebody is at it"),
    }
}

fn again(delivery: Delivery) -> Ruling {
    match delivery {
        Delivery::Again(ruling) => ruling,
        Delivery::First(_) => panic!("there is no ruling"),
        Delivery::Unsettled => panic!("somebody is at it"),
    }
}

fn hook() -> HookId {
    HookId::new(Layer::Project, "no-\"push\"")
}

fn deny() -> Ruling {
    let decision = Decision::Deny { by: Source::Hook(hook()), reason: "no\nway".to_owned() };
    Ruling { first: Timestamp::from_unix_ms(1_770_000_000_123), decision, rewrites: Vec::new() }
}

/// The file of the only call.
fn file(store: &Store) -> PathBuf {
    let sessions = store.state.path().join("sessions");
    let calls = sessions.read_dir().unwrap().next().unwrap().unwrap().path().join("calls");
    let mut files = calls.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| !path.ends_with("swept")).unwrap()
}

#[test]
fn a_ruling_is_read_as_it_was_written() {
    let object = |value: serde_json::Value| value.as_object().cloned().unwrap();
    let question = |default| {
        let query = Query {
            prompt: "really?".to_owned(),
            options: vec![Choice::named("Allow always"), Choice::named("Deny")],
            timeout: Some(Duration::from_millis(1500)),
            default,
        };
        let asker = Asker { hook: hook(), definition: "00".to_owned(), query };
        Question::of(vec![asker]).unwrap()
    };
    let decisions = [
        Decision::Abstain,
        Decision::Allow { by: hook(), reason: None },
        Decision::Allow { by: hook(), reason: Some("fine".to_owned()) },
        Decision::Ask(question(Policy::Allow)),
        Decision::Ask(question(Policy::Deny)),
        Decision::Deny { by: Source::Desk, reason: String::new() },
        Decision::Deny { by: Source::Tenter, reason: "ünfit \u{0}".to_owned() },
    ];
    let rewrites = [
        Rewrite::ToolInput(Patch::Replace(object(json!({"command": "ls", "n": [1, null, 1.5]})))),
        Rewrite::ToolOutput(OutputPatch::Replace(json!("text"))),
        Rewrite::Prompt("p".to_owned()),
        Rewrite::Data(Patch::Replace(Map::new())),
    ];
    for (number, decision) in decisions.into_iter().enumerate() {
        let by = Source::Hook(hook());
        let rewrites = rewrites.iter().take(number).map(|rewrite| (by.clone(), rewrite.clone())).collect();
        let ruling = Ruling { decision, rewrites, ..deny() };
        let store = Store::new();
        docket(deliver(&store, "call")).publish(&ruling).unwrap();
        assert_eq!(again(deliver(&store, "call")), ruling);
    }
}

#[test]
fn of_sixteen_deliveries_at_once_one_is_the_first_and_the_others_wait_for_its_ruling() {
    let store = Store::new();
    let firsts = at_once(16, |_| match deliver(&store, "call") {
        Delivery::First(docket) => {
            std::thread::sleep(Duration::from_millis(20));
            docket.publish(&deny()).unwrap();
            true
        }
        delivery => again(delivery) != deny(),
    });
    assert_eq!(firsts.into_iter().filter(|first| *first).count(), 1);
}

#[test]
fn calls_and_sessions_are_kept_apart() {
    let store = Store::new();
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    docket(deliver(&store, "another"));
    let shelf = SessionFolders::new(&store.state);
    docket(shelf.deliver(&session("t"), "call", soon()).unwrap());
}

#[test]
fn a_delivery_that_ends_without_a_ruling_leaves_the_call_to_the_next() {
    let store = Store::new();
    drop(docket(deliver(&store, "call")));
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn nobody_waits_longer_than_he_may() {
    let store = Store::new();
    let held = docket(deliver(&store, "call"));
    let shelf = SessionFolders::new(&store.state);
    for until in [Instant::now(), Instant::now() + Duration::from_millis(30)] {
        let delivery = shelf.deliver(&session("s"), "call", until).unwrap();
        assert!(matches!(delivery, Delivery::Unsettled));
        assert!(Instant::now() >= until);
    }
    drop(held);
}

/// What a crash, a full disk or a power cut leaves of a ruling.
#[test]
fn a_ruling_that_is_not_whole_is_none() {
    let store = Store::new();
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    let whole = fs::read(file(&store)).unwrap();
    for length in 0..whole.len() {
        fs::write(file(&store), &whole[..length]).unwrap();
        drop(docket(deliver(&store, "call")));
    }
    for damage in [
        vec![0; whole.len()],
        b"{}\n".to_vec(),
        b"{\"first\":1,\"decision\":\"later\",\"rewrites\":[]}\n".to_vec(),
    ] {
        fs::write(file(&store), damage).unwrap();
        drop(docket(deliver(&store, "call")));
    }
    fs::write(file(&store), &whole).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn a_shorter_ruling_takes_the_place_of_a_damaged_longer_one() {
    let store = Store::new();
    drop(docket(deliver(&store, "call")));
    fs::write(file(&store), "x".repeat(5000)).unwrap();
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn a_ruling_of_another_time_is_none() {
    let store = Store::new();
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    for moment in [SystemTime::now() - Duration::from_mins(2), SystemTime::now() + Duration::from_mins(2)] {
        fs::File::options().write(true).open(file(&store)).unwrap().set_modified(moment).unwrap();
        drop(docket(deliver(&store, "call")));
    }
}

#[test]
fn a_call_that_is_still_being_judged_is_not_forgotten() {
    let store = Store::new();
    let held = docket(deliver(&store, "slow"));
    let old = SystemTime::now() - Duration::from_hours(1);
    for path in [file(&store), file(&store).with_file_name("swept")] {
        fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }
    drop(docket(deliver(&store, "another")));
    held.publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "slow")), deny());
}
