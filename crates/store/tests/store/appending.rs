//! What one writer may expect.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Store, body, lines};
use tenter_contract::ports::{AuditTrail, TrailError};
use tenter_store::audit::verify::{Condition, Verification, verify};
use tenter_store::{StateFolder, TrailFile};

#[test]
fn the_trail_is_what_sha256sum_and_jq_say_it_is() {
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
    let second: serde_json::Value = serde_json::from_slice(&second).unwrap();
    assert_eq!((&second["seq"], &second["problem"]), (&2.into(), &"record 2 (8 bytes)".into()));
    let head: serde_json::Value = serde_json::from_slice(&store.read("head")).unwrap();
    assert_eq!((&head["seq"], &head["offset"]), (&2.into(), &trail.len().into()));
}

#[test]
fn records_of_one_call_stand_next_to_each_other() {
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
fn a_store_without_records_is_empty_and_stays_unmade() {
    let store = Store::new();
    let nothing = Verification { trail: Condition::Empty, set_aside: vec![], torn: vec![] };
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
    ] {
        let found = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{}", path.display());
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let state = StateFolder::new(file.path().join("state"));
    let refusal = TrailFile::new(&state).append(&[body("x")]).unwrap_err();
    assert!(matches!(refusal, TrailError::Unusable { .. }), "{refusal:?}");
    let head = state.path().join("audit/head").display().to_string();
    assert!(refusal.to_string().contains(&head), "{refusal}");
}

#[test]
fn a_trail_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give a file away; `place` tests the refusal itself for everybody.
    }
    let store = Store::with_records(1);
    std::os::unix::fs::chown(store.path("trail.jsonl"), Some(12_345), None).unwrap();
    let refusal = store.trail.append(&[body("x")]).unwrap_err();
    assert!(refusal.to_string().contains("belongs to user 12345"), "{refusal}");
}

#[test]
fn two_trails_live_in_one_process() {
    let (one, other) = (Store::with_records(3), Store::with_records(1));
    one.append("four");
    other.append("two");
    assert_eq!((one.intact_records(), other.intact_records()), (4, 2));
}

#[test]
fn a_newer_trail_is_left_alone() {
    let store = Store::with_records(1);
    let head = br#"{"v":2,"seq":1,"mac":"x"}"#;
    store.write("head", head);
    let refusal = store.trail.append(&[body("x")]).unwrap_err();
    assert!(refusal.to_string().contains("this program is too old for it"), "{refusal}");
    assert_eq!((store.read("head"), store.beside_the_trail()), (head.to_vec(), vec![]));
}

#[test]
fn who_holds_the_lock_is_not_waited_for_endlessly() {
    let store = Store::with_records(1);
    let held = std::fs::File::open(store.path("head")).unwrap();
    held.lock().unwrap();
    std::thread::scope(|scope| {
        let append = scope.spawn(|| store.trail.append(&[body("x")]));
        let look = scope.spawn(|| verify(&store.state));
        assert!(matches!(append.join().unwrap(), Err(TrailError::Busy { .. })));
        assert!(matches!(look.join().unwrap(), Err(TrailError::Busy { .. })));
    });
    drop(held);
    assert_eq!((store.append("two"), store.intact_records()), (2, 2));
}
