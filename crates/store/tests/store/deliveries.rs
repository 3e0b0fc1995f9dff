//! Calls that are delivered more than once: one delivery rules, the others have its shared decision.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, json};
use tenter_contract::ports::{CallIdentity, DedupLock, DuplicateCheck, SessionStore, SharedDecision};
use tenter_contract::{
    ApprovalPrompt, ApprovalQuestion, Choice, Decision, HookId, HookQuestion, Layer, OutputPatch, Patch,
    Policy, Rewrite, Source, Timestamp,
};
use tenter_store::SessionFolders;

use crate::common::Store;
use crate::sessions::{at_once, session};

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn deliver(store: &Store, call: &str) -> DuplicateCheck {
    SessionFolders::new(&store.state)
        .check_duplicate(&session("s"), &CallIdentity(String::from(call)), soon())
        .unwrap()
}

fn dedup_lock(delivery: DuplicateCheck) -> Box<dyn DedupLock> {
    match delivery {
        DuplicateCheck::First(dedup_lock) => dedup_lock,
        DuplicateCheck::Again(shared_decision) => panic!("there is a shared decision: {shared_decision:?}"),
        DuplicateCheck::Unsettled => panic!("another process handles it"),
    }
}

fn again(delivery: DuplicateCheck) -> SharedDecision {
    match delivery {
        DuplicateCheck::Again(shared_decision) => shared_decision,
        DuplicateCheck::First(_) => panic!("there is no shared decision"),
        DuplicateCheck::Unsettled => panic!("another process handles it"),
    }
}

fn hook() -> HookId {
    HookId::new(Layer::Project, "no-\"push\"")
}

fn deny() -> SharedDecision {
    let decision = Decision::Deny { by: Source::Hook(hook()), reason: "no\nway".to_owned() };
    SharedDecision { first: Timestamp::from_unix_ms(1_770_000_000_123), decision, rewrites: Vec::new() }
}

/// The folder of the only session.
fn folder(store: &Store) -> PathBuf {
    let sessions = store.state.path().join("sessions");
    sessions.read_dir().unwrap().next().unwrap().unwrap().path()
}

/// Changes the text in the file for the only call.
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
fn shared_decision_survives_encoding() {
    let object = |value: serde_json::Value| value.as_object().cloned().unwrap();
    let question = |default| {
        let query = ApprovalPrompt {
            prompt: "really?".to_owned(),
            options: vec![Choice::named("Allow always"), Choice::named("Deny")],
            timeout: Some(Duration::from_millis(1500)),
            default,
        };
        let hook_question = HookQuestion { hook: hook(), definition: "00".to_owned(), query };
        ApprovalQuestion::new(vec![hook_question]).unwrap()
    };
    let decisions = [
        Decision::Abstain,
        Decision::Allow { by: hook(), reason: None },
        Decision::Allow { by: hook(), reason: Some("fine".to_owned()) },
        Decision::Ask(question(Policy::Allow)),
        Decision::Ask(question(Policy::Deny)),
        Decision::Deny { by: Source::Approver, reason: String::new() },
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
        let shared_decision = SharedDecision { decision, rewrites, ..deny() };
        let store = Store::new();
        dedup_lock(deliver(&store, "call")).publish(&shared_decision).unwrap();
        assert_eq!(again(deliver(&store, "call")), shared_decision);
    }
}

#[test]
fn one_delivery_is_first_and_others_wait() {
    let store = Store::new();
    let firsts = at_once(16, |_| match deliver(&store, "call") {
        DuplicateCheck::First(dedup_lock) => {
            std::thread::sleep(Duration::from_millis(20));
            dedup_lock.publish(&deny()).unwrap();
            true
        }
        delivery => again(delivery) != deny(),
    });
    assert_eq!(firsts.into_iter().filter(|first| *first).count(), 1);
}

#[test]
fn calls_and_sessions_are_kept_apart() {
    let store = Store::new();
    dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
    dedup_lock(deliver(&store, "another"));
    let session_store = SessionFolders::new(&store.state);
    dedup_lock(
        session_store.check_duplicate(&session("t"), &CallIdentity(String::from("call")), soon()).unwrap(),
    );
}

#[test]
fn undecided_delivery_passes_the_call_on() {
    let store = Store::new();
    drop(dedup_lock(deliver(&store, "call")));
    dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn wait_for_a_decision_ends_at_its_deadline() {
    let store = Store::new();
    let held = dedup_lock(deliver(&store, "call"));
    let session_store = SessionFolders::new(&store.state);
    for until in [Instant::now(), Instant::now() + Duration::from_millis(30)] {
        let delivery =
            session_store.check_duplicate(&session("s"), &CallIdentity(String::from("call")), until).unwrap();
        assert!(matches!(delivery, DuplicateCheck::Unsettled));
        assert!(Instant::now() >= until);
    }
    drop(held);
}

/// What a crash, a full disk or a power cut leaves of a shared decision.
#[test]
fn incomplete_decision_is_ignored() {
    let whole = Store::new();
    dedup_lock(deliver(&whole, "call")).publish(&deny()).unwrap();
    damage(&whole, str::to_owned);
    assert_eq!(again(deliver(&whole, "call")), deny());

    let store = Store::new();
    for length in 1..250 {
        dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| line[..length.min(line.len() - 1)].to_owned());
        drop(dedup_lock(deliver(&store, "call")));
    }
    for nonsense in ["{}\n", "{\"first\":1,\"decision\":\"later\",\"rewrites\":[]}\n", "\n", " \n", "long\n"]
    {
        dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| [&line[..line.find('{').unwrap()], nonsense].concat());
        drop(dedup_lock(deliver(&store, "call")));
    }
    damage(&store, |_| "x".repeat(5000));
    dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
    assert_eq!(again(deliver(&store, "call")), deny());
}

#[test]
fn outdated_decision_is_ignored() {
    let store = Store::new();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    for moment in [now - 120_000, now + 120_000, 0] {
        dedup_lock(deliver(&store, "call")).publish(&deny()).unwrap();
        damage(&store, |line| {
            let (name, rest) = line.split_once(' ').unwrap();
            format!("{name} {moment:013} {}", rest.split_once(' ').unwrap().1)
        });
        drop(dedup_lock(deliver(&store, "call")));
    }
}

#[test]
fn parallel_calls_keep_their_decisions() {
    let store = Store::new();
    at_once(32, |number| dedup_lock(deliver(&store, &format!("call {number}"))).publish(&deny()).unwrap());
    for number in 0..32 {
        assert_eq!(again(deliver(&store, &format!("call {number}"))), deny());
    }
}

/// One that takes long, or asks a person, holds its call only.
#[test]
fn call_waits_for_no_other_call() {
    let store = Store::new();
    let held: Vec<_> =
        (0..100).map(|number| dedup_lock(deliver(&store, &format!("slow {number}")))).collect();
    let session_store = SessionFolders::new(&store.state);
    for number in 0..100 {
        let delivery = session_store
            .check_duplicate(&session("s"), &CallIdentity(format!("call {number}")), Instant::now())
            .unwrap();
        dedup_lock(delivery).publish(&deny()).unwrap();
    }
    drop(held);
}

#[test]
fn last_hundred_decisions_are_kept() {
    let store = Store::new();
    for number in 0..2000 {
        dedup_lock(deliver(&store, &format!("call {number}"))).publish(&deny()).unwrap();
    }
    for number in 1900..2000 {
        assert_eq!(again(deliver(&store, &format!("call {number}"))), deny());
    }
    assert!(folder(&store).join("delivered").metadata().unwrap().len() <= 256 * 1024);
    assert!(!folder(&store).join("shared_decisions").exists());
}

#[test]
fn long_decision_is_kept_while_it_is_read() {
    let long = |text: &str| {
        let decision = Decision::Deny { by: Source::Hook(hook()), reason: text.repeat(10_000) };
        SharedDecision { decision, ..deny() }
    };
    let store = Store::new();
    dedup_lock(deliver(&store, "old")).publish(&long("x")).unwrap();
    assert_eq!(again(deliver(&store, "old")), long("x"));
    let shared_decisions =
        || folder(&store).join("shared_decisions").read_dir().unwrap().map(|entry| entry.unwrap().path());
    for path in shared_decisions() {
        let past = SystemTime::now() - Duration::from_hours(1);
        fs::File::options().write(true).open(path).unwrap().set_modified(past).unwrap();
    }
    dedup_lock(deliver(&store, "call")).publish(&long("y")).unwrap();
    assert_eq!(again(deliver(&store, "call")), long("y"));
    assert_eq!(shared_decisions().count(), 1);
    drop(dedup_lock(deliver(&store, "old")));

    fs::write(shared_decisions().next().unwrap(), "{\"first\":1").unwrap();
    drop(dedup_lock(deliver(&store, "call")));
}
