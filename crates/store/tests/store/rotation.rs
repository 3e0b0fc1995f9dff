//! A full file gets another name, and the chain goes on in a new one.

use crate::common::{Store, lines};
use tenter_store::audit::read::{Filter, read, read_one};
use tenter_store::audit::verify::Condition;

/// What is done to the files; the record, the file and the line that are named for it.
type Row = (&'static str, fn(&Store), u64, &'static str, u64);

/// Ten records, with a file for every two of them.
fn ten_in_five_files() -> Store {
    let store = Store::with_records(2);
    let two = store.path("trail.jsonl").metadata().unwrap().len();
    let store = store.written_by(|trail| trail.full_at(two));
    for number in 3..=10 {
        assert_eq!(store.append(&format!("record {number}")), number);
    }
    store
}

#[test]
fn chain_continues_in_a_new_file() {
    let store = ten_in_five_files();
    assert_eq!(
        store.beside_the_trail(),
        ["trail-1.jsonl", "trail-3.jsonl", "trail-5.jsonl", "trail-7.jsonl"]
    );
    assert_eq!(store.intact_records(), 10);
    let first = String::from_utf8(lines(&store.read("trail-3.jsonl"))[0].clone()).unwrap();
    let link = crate::common::sha256(&store.read("trail-1.jsonl"), 2);
    assert!(first.starts_with(&format!(r#"{{"v":1,"seq":3,"prev":"{link}""#)), "{first}");
    let lines: Vec<u64> =
        read(&store.state, Filter::default()).unwrap().map(|entry| entry.unwrap().line).collect();
    assert_eq!(lines, (1..=10).collect::<Vec<u64>>());
    assert_eq!(read_one(&store.state, 4).unwrap().unwrap().seq, 4);
    assert_eq!(store.trail.take_notices(), Vec::<String>::new());
}

#[test]
fn missing_file_is_found_at_any_position() {
    for (file, first_bad) in
        [("trail-1.jsonl", 1), ("trail-5.jsonl", 5), ("trail-7.jsonl", 7), ("trail.jsonl", 9)]
    {
        let store = ten_in_five_files();
        std::fs::remove_file(store.path(file)).unwrap();
        let found = store.verify();
        assert!(
            matches!(found.trail, Condition::Broken { seq, .. } if seq == first_bad),
            "{file}: {found:?}"
        );
    }
}

#[test]
fn exchanged_and_renamed_files_are_found() {
    let rows: [Row; 5] = [
        ("an edit", |store| edit(store, "trail-5.jsonl", 1), 6, "trail-5.jsonl", 2),
        (
            "a line is missing",
            |store| store.write("trail-3.jsonl", &lines(&store.read("trail-3.jsonl"))[0]),
            4,
            "trail-5.jsonl",
            1,
        ),
        ("another name", |store| rename(store, "trail-3.jsonl", "trail-4.jsonl"), 3, "trail-4.jsonl", 1),
        ("a copy", |store| store.write("trail-8.jsonl", &store.read("trail-7.jsonl")), 9, "trail-8.jsonl", 1),
        (
            "a file of another place",
            |store| store.write("trail-7.jsonl", &store.read("trail-5.jsonl")),
            7,
            "trail-7.jsonl",
            1,
        ),
    ];
    for (name, tamper, first_bad, in_file, at_line) in rows {
        let store = ten_in_five_files();
        tamper(&store);
        let found = store.verify().trail;
        assert!(
            matches!(&found, Condition::Broken { seq, file, line, .. }
                if (*seq, file.as_str(), *line) == (first_bad, in_file, at_line)),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn damaged_trail_is_quarantined_with_all_files() {
    let store = ten_in_five_files();
    std::fs::remove_file(store.path("head")).unwrap();
    assert_eq!(store.append("the first of a new trail"), 1);
    let [folder] = store.verify().quarantined.try_into().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 5 + 2, "the files, the head and why");
    assert!(matches!(store.verify().trail, Condition::Intact { records: 1, .. }));
}

#[test]
fn existing_file_is_not_overwritten() {
    let store = Store::with_records(2).written_by(|trail| trail.full_at(1));
    store.write("trail-1.jsonl", b"evidence");
    assert_eq!(store.append("the first of a new trail"), 1);
    let [folder] = store.verify().quarantined.try_into().unwrap();
    assert_eq!(std::fs::read(folder.join("trail-1.jsonl")).unwrap(), b"evidence");
}

fn edit(store: &Store, file: &str, line: usize) {
    let mut lines = lines(&store.read(file));
    let at = lines[line].iter().position(|byte| *byte == b'c').unwrap();
    lines[line][at] = b'C';
    store.write(file, &lines.concat());
}

fn rename(store: &Store, from: &str, to: &str) {
    std::fs::rename(store.path(from), store.path(to)).unwrap();
}
