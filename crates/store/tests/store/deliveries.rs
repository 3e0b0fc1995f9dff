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

/// The folder of the only session.
fn folder(store: &Store) -> PathBuf {
    let sessions = store.state.path().join("sessions");
    sessions.read_dir().unwrap().next().unwrap().unwrap().path()
}

/// Changes what stands in the file for the only call.
fn damage(store: &Store, change: impl Fn(&str) -> String) {
    let path = folder(store).join("delivered");
    let bytes = fs::read(&path).unwrap();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap();
    let line = str::from_utf8(&bytes[start..]).unwrap().trim_end_matches('\0');
    let mut changed = bytes[..start].to_vec();
    changed.extend(change(line).as_bytes());
    fs::write(&path, changed).unwrap();
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
    let whole = Store::new();
    docket(deliver(&whole, "call")).publish(&deny()).unwrap();
    damage(&whole, str::to_owned);
    assert_eq!(again(deliver(&whole, "call")), deny());

    let store = Store::new();
    for length in 1..250 {
        docket(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| line[..length.min(line.len() - 1)].to_owned());
        drop(docket(deliver(&store, "call")));
    }
    for nonsense in ["{}\n", "{\"first\":1,\"decision\":\"later\",\"rewrites\":[]}\n", "\n", " \n", "long\n"]
    {
        docket(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| [&line[..line.find('{').unwrap()], nonsense].concat());
        drop(docket(deliver(&store, "call")));
    }
    damage(&store, |_| "x".repeat(5000));
    docket(deliver(&store, "call")).publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn a_ruling_of_another_time_is_none() {
    let store = Store::new();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    for moment in [now - 120_000, now + 120_000, 0] {
        docket(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| {
            let (name, rest) = line.split_once(' ').unwrap();
            format!("{name} {moment:013} {}", rest.split_once(' ').unwrap().1)
        });
        drop(docket(deliver(&store, "call")));
    }
}

#[test]
fn calls_at_once_each_keep_their_ruling() {
    let store = Store::new();
    at_once(32, |number| docket(deliver(&store, &format!("call {number}"))).publish(&deny()).unwrap());
    for number in 0..32 {
        assert_eq!(again(deliver(&store, &format!("call {number}"))), deny());
    }
}

/// One that takes long, or asks a person, holds its call only.
#[test]
fn a_call_waits_for_no_other() {
    let store = Store::new();
    let held: Vec<_> = (0..100).map(|number| docket(deliver(&store, &format!("slow {number}")))).collect();
    let shelf = SessionFolders::new(&store.state);
    for number in 0..100 {
        let delivery = shelf.deliver(&session("s"), &format!("call {number}"), Instant::now()).unwrap();
        docket(delivery).publish(&deny()).unwrap();
    }
    drop(held);
}

#[test]
fn the_last_hundred_rulings_are_kept_and_the_file_stays_small() {
    let store = Store::new();
    for number in 0..2000 {
        docket(deliver(&store, &format!("call {number}"))).publish(&deny()).unwrap();
    }
    for number in 1900..2000 {
        assert_eq!(again(deliver(&store, &format!("call {number}"))), deny());
    }
    assert!(folder(&store).join("delivered").metadata().unwrap().len() <= 256 * 1024);
    assert!(!folder(&store).join("rulings").exists());
}

#[test]
fn a_long_ruling_is_kept_for_as_long_as_it_is_read() {
    let long = |text: &str| {
        let decision = Decision::Deny { by: Source::Hook(hook()), reason: text.repeat(10_000) };
        Ruling { decision, ..deny() }
    };
    let store = Store::new();
    docket(deliver(&store, "old")).publish(&long("x")).unwrap();
    assert_eq!(again(deliver(&store, "old")), long("x"));
    let rulings = || folder(&store).join("rulings").read_dir().unwrap().map(|entry| entry.unwrap().path());
    for path in rulings() {
        let past = SystemTime::now() - Duration::from_hours(1);
        fs::File::options().write(true).open(path).unwrap().set_modified(past).unwrap();
    }
    docket(deliver(&store, "call")).publish(&long("y")).unwrap();
    assert_eq!(again(deliver(&store, "call")), long("y"));
    assert_eq!(rulings().count(), 1);
    drop(docket(deliver(&store, "old")));

    fs::write(rulings().next().unwrap(), "{\"first\":1").unwrap();
    drop(docket(deliver(&store, "call")));
}
