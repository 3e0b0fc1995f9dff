//! What one writer may expect.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Store, TestTrail, body, lines};
use tenter_contract::ports::TrailError;
use tenter_contract::{RecordBody, Timestamp};
use tenter_store::StateFolder;
use tenter_store::audit::verify::{Condition, KeyFile, Macs, Verification};

#[test]
fn trail_matches_sha256sum_and_jq() {
    let store = Store::with_records(2);
    let trail = store.read("trail.jsonl");
    let [first, second] = lines(&trail).try_into().unwrap();
    let text = String::from_utf8(first).unwrap();
    assert!(
        text.starts_with(
            r#"{"v":1,"seq":1,"prev":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","#
        ),
        "{text}"
    );
    assert!(text.trim_end().split(',').next_back().unwrap().starts_with("\"mac\":\""), "{text}");
    let second: serde_json::Value = serde_json::from_slice(&second).unwrap();
    assert_eq!((&second["seq"], &second["problem"]), (&2.into(), &"record 2 (8 bytes)".into()));
    let head: serde_json::Value = serde_json::from_slice(&store.read("head")).unwrap();
    assert_eq!((&head["seq"], &head["offset"]), (&2.into(), &trail.len().into()));
}

#[test]
fn records_of_one_call_are_adjacent() {
    let store = Store::with_records(1);
    let first = store.trail.append(&[body("a"), body("b"), body("c")]).unwrap();
    assert_eq!((first, store.append("d"), store.intact_records()), (2, 5, 5));
}

#[test]
fn to_append_nothing_touches_nothing() {
    let store = Store::new();
    assert_eq!(store.trail.append(&[]).unwrap(), 0);
    assert!(!store.state.path().exists());
}

#[test]
fn empty_store_creates_no_files() {
    let store = Store::new();
    let nothing = Verification {
        trail: Condition::Empty,
        macs: Macs::default(),
        key: KeyFile::Missing,
        losses: vec![],
        quarantined: vec![],
        lost: vec![],
        torn: vec![],
        spilled: vec![],
        gone: vec![],
        witnesses: vec![],
        unusable_witnesses: vec![],
    };
    assert_eq!(store.verify(), nothing);
    assert!(nothing.is_sound());
    assert!(!store.state.path().exists());
}

#[test]
fn only_the_owner_may_read_the_trail() {
    let store = Store::with_records(1);
    for (path, mode) in [
        (store.state.path().to_owned(), 0o700),
        (store.state.path().join("audit"), 0o700),
        (store.path("trail.jsonl"), 0o600),
        (store.path("head"), 0o600),
        (store.path("key"), 0o600),
    ] {
        let found = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{}", path.display());
    }
}

#[test]
fn uncreatable_folder_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let state = StateFolder::new(file.path().join("state"));
    let refusal = TestTrail::new(&state).append(&[body("x")]).unwrap_err();
    assert!(matches!(refusal, TrailError::Unusable { .. }), "{refusal:?}");
    let head = state.path().join("audit/head").display().to_string();
    assert!(refusal.to_string().contains(&head), "{refusal}");
}

#[test]
fn two_trails_live_in_one_process() {
    let (one, other) = (Store::with_records(3), Store::with_records(1));
    one.append("four");
    other.append("two");
    assert_eq!((one.intact_records(), other.intact_records()), (4, 2));
}

/// Security case C8: a clock that jumps.
#[test]
fn jumping_clock_is_no_finding() {
    let store = Store::new();
    for unix_ms in [1_795_000_000_000, 0, 4_000_000_000_000, 1_795_000_000_001] {
        let RecordBody::Undecodable { agent, problem, bytes, decision, .. } = body("x") else {
            unreachable!()
        };
        let at = Timestamp::from_unix_ms(unix_ms);
        store.trail.append(&[RecordBody::Undecodable { agent, at, problem, bytes, decision }]).unwrap();
    }
    assert_eq!(store.intact_records(), 4);
}
