//! Many writers at once: no record is lost, and the chain holds.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Store, TestTrail, body, lines, texts};
use tenter_store::StateFolder;

const WRITERS: usize = 8;
const RECORDS: usize = 200;

#[test]
fn eight_threads_lose_nothing() {
    let store = Store::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let state = &store.state;
            scope.spawn(move || write_records(state, writer));
        }
    });
    check_all_there(&store);
}

/// Security case C8: two writers.
#[test]
fn eight_processes_lose_nothing() {
    let store = Store::new();
    let children: Vec<_> =
        (0..WRITERS).map(|writer| this_test_again(store.state.path(), writer).spawn().unwrap()).collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    }
    check_all_there(&store);
}

#[test]
fn damaged_trail_is_quarantined_once_by_many_threads() {
    let store = Store::with_records(3);
    std::fs::remove_file(store.path("head")).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let state = &store.state;
            scope.spawn(move || TestTrail::new(state).append(&[body(&writer.to_string())]).unwrap());
        }
    });
    assert_eq!(store.verify().quarantined.len(), 1);
    assert_eq!(lines(&store.read("trail.jsonl")).len(), WRITERS);
}

/// The work of a child: does nothing unless the environment names a folder.
#[test]
fn child_of_eight_processes() {
    if let (Ok(state), Ok(writer)) = (std::env::var("STORE_TEST_STATE"), std::env::var("STORE_TEST_WRITER")) {
        write_records(&StateFolder::new(state.into()), writer.parse().unwrap());
    }
}

fn this_test_again(state: &Path, writer: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "many_writers::child_of_eight_processes"])
        .env("STORE_TEST_STATE", state)
        .env("STORE_TEST_WRITER", writer.to_string())
        .stdout(Stdio::piped());
    command
}

fn write_records(state: &StateFolder, writer: usize) {
    let trail = TestTrail::new(state);
    for number in 0..RECORDS {
        trail.append(&[body(&format!("writer {writer} record {number}"))]).unwrap();
    }
    assert_eq!(trail.take_notices(), Vec::<String>::new());
}

fn check_all_there(store: &Store) {
    let found: BTreeSet<String> = texts(&store.read("trail.jsonl")).into_iter().collect();
    let expected: BTreeSet<String> = (0..WRITERS)
        .flat_map(|writer| (0..RECORDS).map(move |number| format!("writer {writer} record {number}")))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(store.intact_records(), (WRITERS * RECORDS) as u64);
}
