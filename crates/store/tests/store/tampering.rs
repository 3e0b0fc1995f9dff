//! Whatever is done to a trail by someone who does not make the whole chain anew is found.

use proptest::prelude::*;

use crate::common::{Store, lines};
use tenter_store::audit::verify::Condition;

/// What is done to the lines of a trail, and the record that is named for it.
type Row = (&'static str, fn(&mut Vec<Vec<u8>>), u64);

/// What is done to the files of a store, with another store at hand.
type Exchange = (&'static str, fn(&Store, &Store));

const ROWS: [Row; 16] = [
    ("the first is deleted", |lines| drop(lines.remove(0)), 1),
    ("one in the middle is deleted", |lines| drop(lines.remove(4)), 5),
    ("the last is deleted", |lines| drop(lines.pop()), 10),
    ("the last three are deleted", |lines| lines.truncate(7), 8),
    ("all are deleted", Vec::clear, 1),
    ("two are swapped", |lines| lines.swap(3, 4), 4),
    ("one is there twice", |lines| lines.insert(2, lines[2].clone()), 4),
    ("the first is edited", |lines| edit(&mut lines[0]), 1),
    ("one in the middle is edited", |lines| edit(&mut lines[5]), 6),
    ("the last but one is edited", |lines| edit(&mut lines[8]), 9),
    ("the last is edited", |lines| edit(&mut lines[9]), 10),
    ("a link is edited", |lines| replace(&mut lines[5], "\"prev\":\"", "\"prev\":\"0"), 6),
    ("a mac is edited", |lines| replace(&mut lines[5], "\"mac\":\"", "\"mac\":\"0"), 6),
    ("a mac is removed", |lines| cut_mac(&mut lines[5]), 6),
    ("a line is put between", |lines| lines.insert(6, b"{}\n".to_vec()), 7),
    ("the last newline is cut off", |lines| lines[9].retain(|byte| *byte != b'\n'), 10),
];

/// Security case C8: lines deleted, reordered, edited.
#[test]
fn tampering_names_the_first_bad_record() {
    let store = Store::with_records(10);
    let good = store.read("trail.jsonl");
    for (name, tamper, first_bad) in ROWS {
        let mut lines = lines(&good);
        tamper(&mut lines);
        store.write("trail.jsonl", &lines.concat());
        let found = store.verify();
        assert!(
            matches!(&found.trail, Condition::Broken { seq, file, line, .. }
                if (*seq, *line, file.as_str()) == (first_bad, first_bad, "trail.jsonl")),
            "{name}: {found:?}"
        );
        assert!(!found.is_sound());
    }
    store.write("trail.jsonl", &good);
    assert_eq!(store.intact_records(), 10);
}

/// Security case C8: files swapped.
#[test]
fn missing_and_exchanged_files_are_found() {
    let (store, other) = (Store::with_records(5), Store::with_records(5));
    let shorter = Store::with_records(3);
    other.append("another sixth");
    let rows: [Exchange; 7] = [
        ("no head", |store, _| std::fs::remove_file(store.path("head")).unwrap()),
        ("no trail", |store, _| std::fs::remove_file(store.path("trail.jsonl")).unwrap()),
        ("an empty head", |store, _| store.write("head", b"")),
        ("half a head", |store, _| store.write("head", &store.read("head")[..40])),
        ("the trail of another store", |store, other| store.write("trail.jsonl", &other.read("trail.jsonl"))),
        ("the head of another store", |store, other| store.write("head", &other.read("head"))),
        ("a line without the head", |store, _| {
            let mut trail = store.read("trail.jsonl");
            trail.extend_from_slice(b"{}\n");
            store.write("trail.jsonl", &trail);
        }),
    ];
    let (trail, head) = (store.read("trail.jsonl"), store.read("head"));
    for (name, tamper) in rows {
        for other in [&other, &shorter] {
            store.write("trail.jsonl", &trail);
            store.write("head", &head);
            tamper(&store, other);
            let found = store.verify();
            assert!(matches!(found.trail, Condition::Broken { .. }), "{name}: {found:?}");
        }
    }
}

/// Security case C8: rolled back.
#[test]
fn rollback_is_found_after_more_records() {
    let store = Store::with_records(5);
    let earlier = store.read("trail.jsonl");
    store.append("to be forgotten");
    store.write("trail.jsonl", &earlier);
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 6, line: 6, .. }));
    store.append("recording goes on");
    assert_eq!(store.verify().quarantined.len(), 1);
    assert!(!store.verify().is_sound());
}

#[test]
fn edited_last_record_is_found_after_more_records() {
    let store = Store::with_records(5);
    let mut lines = lines(&store.read("trail.jsonl"));
    replace(&mut lines[4], "record 5", "RECORD 5");
    store.write("trail.jsonl", &lines.concat());
    store.append("the next one");
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 5, line: 5, .. }));
}

/// Security case C8: more than 10,000 entries.
#[test]
fn large_trail_is_checked_in_one_walk() {
    let store = Store::new();
    let records: Vec<_> = (0..1000).map(|number| crate::common::body(&number.to_string())).collect();
    for _ in 0..101 {
        store.trail.append(&records).unwrap();
    }
    assert_eq!(store.intact_records(), 101_000);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_other_byte_anywhere_is_found(at in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let store = Store::with_records(4);
        for name in ["trail.jsonl", "head"] {
            let good = store.read(name);
            let mut bad = good.clone();
            bad[at.index(good.len())] ^= change;
            store.write(name, &bad);
            let found = store.verify();
            prop_assert!(matches!(found.trail, Condition::Broken { .. }), "{}: {:?}", name, found);
            store.write(name, &good);
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let store = Store::with_records(2);
    for name in ["trail.jsonl", "head"] {
        let good = store.read(name);
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                store.write(name, &bad);
                assert!(!store.verify().is_sound(), "{name}: byte {at}, bit {bit}");
            }
        }
        store.write(name, &good);
    }
}

fn cut_mac(line: &mut Vec<u8>) {
    let text = String::from_utf8(std::mem::take(line)).unwrap();
    *line = format!("{}}}\n", &text[..text.rfind(",\"mac\"").unwrap()]).into_bytes();
}

fn edit(line: &mut Vec<u8>) {
    replace(line, "claude", "CLAUDE");
}

fn replace(line: &mut Vec<u8>, from: &str, to: &str) {
    let text = String::from_utf8(std::mem::take(line)).unwrap();
    assert!(text.contains(from), "{text}");
    *line = text.replacen(from, to, 1).into_bytes();
}
