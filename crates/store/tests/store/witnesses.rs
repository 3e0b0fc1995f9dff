//! Witnesses: a trail that vanishes together with its head is missed.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenter_store::StateFolder;
use tenter_store::audit::verify::{Condition, verify};
use tenter_store::audit::witness::Gone;

use crate::common::{Store, TestTrail, body, sha256, texts};

fn gone(store: &Store) -> Vec<Gone> {
    store.verify().gone
}

fn missing(from: u64, to: u64, hash: &str) -> Gone {
    Gone { from, to, hash: hash.to_owned(), restarted: false }
}

#[test]
fn removed_trail_is_found_before_and_after_appends() {
    type Removal = fn(&Store);
    let removals: [(&str, Removal); 5] = [
        ("the folder", |store| fs::remove_dir_all(store.path("")).unwrap()),
        ("trail and head", |store| {
            fs::remove_file(store.path("trail.jsonl")).unwrap();
            fs::remove_file(store.path("head")).unwrap();
        }),
        ("trail and head emptied", |store| {
            store.write("trail.jsonl", b"");
            store.write("head", b"");
        }),
        ("trail, head and key", |store| {
            for name in ["trail.jsonl", "head", "key"] {
                fs::remove_file(store.path(name)).unwrap();
            }
        }),
        ("the folder moved", |store| fs::rename(store.path(""), store.path("../away")).unwrap()),
    ];
    for (name, remove) in removals {
        let store = Store::with_records(7);
        let hash = sha256(&store.read("trail.jsonl"), 7);
        remove(&store);
        let found = store.verify();
        assert_eq!(
            (found.trail.clone(), found.gone.clone()),
            (Condition::Empty, vec![missing(1, 7, &hash)]),
            "{name}"
        );
        assert!(!found.is_sound(), "{name}");

        store.append("one event");
        let notices = store.trail.take_notices();
        assert!(notices.len() == 1 && notices[0].contains("records 1 to 7 are gone"), "{name}: {notices:?}");
        assert!(texts(&store.read("trail.jsonl"))[0].starts_with("records 1 to 7 are gone"), "{name}");
        let found = store.verify();
        assert!(matches!(found.trail, Condition::Intact { records: 2, .. }), "{name}: {found:?}");
        assert_eq!(
            (found.gone.clone(), found.losses.clone()),
            (vec![missing(1, 7, &hash)], vec![1]),
            "{name}"
        );
        assert!(!found.is_sound(), "{name}");
        store.append("another");
        assert_eq!(store.trail.take_notices(), Vec::<String>::new(), "{name}: notified once");

        fs::remove_file(&store.verify().witnesses[0]).unwrap();
        assert!(store.verify().is_sound(), "{name}: a person has looked at it");
        store.append("more");
        assert_eq!(gone(&store), [], "{name}");
    }
}

#[test]
fn second_removal_does_not_hide_the_first() {
    let store = Store::with_records(3);
    fs::remove_dir_all(store.path("")).unwrap();
    store.append("a");
    fs::remove_dir_all(store.path("")).unwrap();
    store.append("b");
    let found: Vec<(u64, u64)> = gone(&store).iter().map(|gone| (gone.from, gone.to)).collect();
    assert_eq!(found, [(1, 3), (1, 2)]);
}

#[test]
fn rollback_of_trail_and_head_is_missed() {
    let store = Store::with_records(3);
    let earlier = ["trail.jsonl", "head"].map(|name| (name, store.read(name)));
    store.append("to be forgotten");
    let hash = sha256(&store.read("trail.jsonl"), 4);
    for (name, content) in &earlier {
        store.write(name, content);
    }
    assert_eq!(gone(&store), [missing(4, 4, &hash)]);
    store.append("another one");
    assert_eq!(gone(&store), [missing(4, 4, &hash)]);
    assert!(store.trail.take_notices()[0].contains("record 4 is gone"));
}

#[test]
fn trail_with_the_same_key_and_number_of_records_is_missed() {
    let store = Store::with_records(3);
    let other = Store::with_the_key_of(&store);
    other.append("x");
    other.append("y");
    for name in ["trail.jsonl", "head"] {
        store.write(name, &other.read(name));
    }
    let found = store.verify();
    assert!(matches!(found.gone[..], [Gone { from: 3, to: 3, .. }]), "{found:?}");
}

#[test]
fn intact_trail_has_nothing_missing() {
    let store = Store::with_records(20).written_by(|trail| trail.full_at(1000));
    for number in 21..=40 {
        store.append(&format!("record {number}"));
    }
    assert_eq!((store.intact_records(), gone(&store)), (40, vec![]));
}

#[test]
fn late_or_missing_witness_is_no_finding() {
    let store = Store::with_records(3);
    let late = store.read("../witness");
    store.append("record 4");
    store.write("../witness", &late);
    assert_eq!(store.intact_records(), 4);
    store.append("record 5");
    assert_eq!(store.read("../witness"), store.read("head"), "brought up to date");
    fs::remove_file(store.path("../witness")).unwrap();
    assert_eq!(store.intact_records(), 5);
    store.append("record 6");
    assert_eq!(store.read("../witness"), store.read("head"));
}

#[test]
fn unusable_witness_is_a_finding() {
    let store = Store::with_records(1);
    let witness = store.path("../witness");
    fs::remove_file(&witness).unwrap();
    fs::create_dir(&witness).unwrap();
    assert_eq!(store.append("record 2"), 2);
    let found = store.verify();
    assert_eq!(found.unusable_witnesses.len(), 1, "{found:?}");
    assert!(!found.is_sound());
    fs::remove_dir(&witness).unwrap();
    store.append("record 3");
    assert_eq!(store.intact_records(), 3);
}

/// A state folder with a witness elsewhere.
struct Far {
    _home: TempDir,
    config: PathBuf,
    state: StateFolder,
}

impl Far {
    fn with_records(count: usize) -> Self {
        let home = tempfile::tempdir().unwrap();
        let config = home.path().join("config");
        fs::create_dir(&config).unwrap();
        let state = StateFolder::new(home.path().join("state")).witnessed_in(Some(&config));
        let far = Self { _home: home, config, state };
        far.append(count);
        far
    }

    fn append(&self, count: usize) {
        let trail = TestTrail::new(&self.state);
        (0..count).for_each(|_| assert!(trail.append(&[body("x")]).unwrap() > 0));
    }

    fn witnesses(&self) -> usize {
        fs::read_dir(&self.config).unwrap().count()
    }
}

#[test]
fn removed_state_folder_is_missed_by_the_configuration() {
    let far = Far::with_records(300);
    assert_eq!(far.witnesses(), 1);
    fs::remove_dir_all(far.state.path()).unwrap();
    let found = verify(&far.state).unwrap();
    assert!(matches!(found.gone[..], [Gone { from: 1, to: 256, .. }]), "{found:?}");
    far.append(1);
    let found = verify(&far.state).unwrap();
    assert!(matches!(found.gone[..], [Gone { from: 1, to: 256, .. }]), "{found:?}");
    fs::remove_dir_all(far.state.path()).unwrap();
    assert_eq!(verify(&far.state).unwrap().gone.len(), 2, "both removals are known");
}

#[test]
fn witnesses_of_two_state_folders_are_kept_apart() {
    let one = Far::with_records(5);
    let other = StateFolder::new(one.state.path().with_file_name("other")).witnessed_in(Some(&one.config));
    assert_eq!(verify(&other).unwrap().gone, []);
    TestTrail::new(&other).append(&[body("x")]).unwrap();
    assert_eq!((verify(&other).unwrap().gone, verify(&one.state).unwrap().gone), (vec![], vec![]));
    assert_eq!(one.witnesses(), 2);
}

#[test]
fn missing_configuration_folder_is_not_made() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config");
    let state = StateFolder::new(home.path().join("state")).witnessed_in(Some(&config));
    TestTrail::new(&state).append(&[body("x")]).unwrap();
    assert!(!Path::exists(&config));
}
