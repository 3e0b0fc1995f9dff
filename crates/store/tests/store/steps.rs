//! A writer is killed after every single step; whatever it had promised is there, and nothing is there twice.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::common::{Store, TestTrail, body, texts};
use tenter_store::audit::Step;
use tenter_store::{StateFolder, TrailFile};

/// What is prepared, at which step the writer is killed, and the text in the trail after the next append.
/// The killed writer appends `killed 1` and `killed 2`; the next one `next`.
type Row = (&'static str, fn() -> Store, Step, &'static [&'static str]);

const ROWS: [Row; 14] = [
    ("no trail yet", Store::new, Step::Locked, &["next"]),
    ("no trail yet", Store::new, Step::Begun, &["next"]),
    ("no trail yet", Store::new, Step::Written, &["killed 1", "killed 2", "next"]),
    ("no trail yet", Store::new, Step::HeadWritten, &["killed 1", "killed 2", "next"]),
    ("a trail", one, Step::Locked, &["record 1", "next"]),
    ("a trail", one, Step::Written, &["record 1", "killed 1", "killed 2", "next"]),
    ("a trail", one, Step::HeadWritten, &["record 1", "killed 1", "killed 2", "next"]),
    ("a spill", with_spill, Step::Written, &["record 1", "aside", "next"]),
    ("a spill", with_spill, Step::HeadWritten, &["record 1", "aside", "next"]),
    ("a spill", with_spill, Step::Merged, &["record 1", "aside", "next"]),
    ("a spill", with_spill, Step::SpillRemoved, &["record 1", "aside", "next"]),
    ("no way to write", unwritable, Step::SpillWritten, &["record 1", "next"]),
    ("no way to write", unwritable, Step::Spilled, &["record 1", "killed 1", "killed 2", "next"]),
    ("a damaged trail", damaged, Step::MovedAway, &["next"]),
];

#[test]
fn killed_writer_loses_and_duplicates_nothing() {
    for (name, prepare, step, expected) in ROWS {
        let store = prepare();
        kill_at(&store, step, u64::MAX);
        make_writable(&store);
        store.append("next");
        assert_eq!(texts(&store.read("trail.jsonl")), expected, "{name}, {step:?}");
        if step != Step::MovedAway {
            assert_eq!(store.intact_records(), expected.len() as u64, "{name}, {step:?}");
        }
    }
}

#[test]
fn writer_killed_during_rotation_loses_nothing() {
    for (step, expected) in [
        (Step::Renamed, &["next"][..]),
        (Step::Rotated, &["next"]),
        (Step::Written, &["killed 1", "killed 2", "next"]),
    ] {
        let store = one();
        kill_at(&store, step, 1);
        assert!(store.verify().is_sound(), "{step:?}: {:?}", store.verify());
        store.append("next");
        assert_eq!(texts(&store.read("trail-1.jsonl")), ["record 1"], "{step:?}");
        assert_eq!(texts(&store.read("trail.jsonl")), expected, "{step:?}");
        assert_eq!(store.intact_records(), 1 + expected.len() as u64, "{step:?}");
    }
}

fn one() -> Store {
    Store::with_records(1)
}

fn unwritable() -> Store {
    let store = one();
    std::fs::rename(store.path("trail.jsonl"), store.path("kept")).unwrap();
    std::fs::create_dir(store.path("trail.jsonl")).unwrap();
    store
}

fn make_writable(store: &Store) {
    if store.path("kept").exists() {
        std::fs::remove_dir(store.path("trail.jsonl")).unwrap();
        std::fs::rename(store.path("kept"), store.path("trail.jsonl")).unwrap();
    }
}

fn with_spill() -> Store {
    let store = unwritable();
    assert_eq!(store.append("aside"), 0);
    make_writable(&store);
    store
}

fn damaged() -> Store {
    let store = one();
    store.write("trail.jsonl", b"");
    store
}

/// Appends two records in a process that is killed right after this step.
pub(crate) fn kill_at(store: &Store, step: Step, full_at: u64) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "steps::child_that_is_killed"])
        .env("STORE_TEST_STEP", format!("{step:?}"))
        .env("STORE_TEST_FULL_AT", full_at.to_string())
        .env("STORE_TEST_STATE", store.state.path())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(child.signal(), Some(9), "{step:?} is never taken");
}

/// The work of a child: does nothing unless the environment names a step.
#[test]
fn child_that_is_killed() {
    let (Ok(_), Ok(state)) = (std::env::var("STORE_TEST_STEP"), std::env::var("STORE_TEST_STATE")) else {
        return;
    };
    let full_at = std::env::var("STORE_TEST_FULL_AT").unwrap().parse().unwrap();
    let trail = TrailFile::new(&StateFolder::new(state.into())).full_at(full_at).watched(|step| {
        if std::env::var("STORE_TEST_STEP").unwrap() == format!("{step:?}") {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        }
    });
    let trail = TestTrail::from(trail);
    trail.append(&[body("killed 1"), body("killed 2")]).unwrap();
}
