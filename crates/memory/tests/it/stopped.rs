//! Being killed anywhere between resolving and storing.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{World, ann, open, start};
use rusqlite::Connection;
use tenter_ghap::{Resolution, Status};
use tenter_memory::{EntryFilter, Scope};

/// Where a process that was started by a test finds its state folder.
const HOME: &str = "TENTER_TEST_HOME";

#[test]
fn killed_process_keeps_every_acknowledged_entry() {
    for count in 1..12 {
        let world = World::new();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stopped::resolves_until_it_is_killed", "--nocapture", "--include-ignored"])
            .env(HOME, world.home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let progress = lines.filter_map(|line| line.strip_prefix("done ").map(str::to_owned)).take(count);
        let progress: Vec<String> = progress.collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let filter = EntryFilter { limit: 1000, ..EntryFilter::new(Scope::Everywhere) };
        let mut stored: BTreeMap<String, usize> = BTreeMap::new();
        for entry in world.memory.list_entries(&filter).unwrap() {
            *stored.entry(entry.id).or_default() += 1;
        }
        assert!(stored.values().all(|count| *count == 1), "{stored:?}");
        assert!(progress.iter().all(|id| stored.contains_key(id)), "{progress:?} {stored:?}");
        // One may have been resolved without a word about it, and one may be active.
        assert!(stored.len() <= progress.len() + 1, "{progress:?} {stored:?}");
        assert_eq!(world.memory.stats().unwrap().waiting, 0);
        assert_eq!(world.memory.take_notices(), Vec::<String>::new());
        assert_eq!(world.found("killed").len(), 1, "all say the same");
    }
}

/// A process that opens the database while no one else has it open reads the whole log, and hooks do so at every prompt.
#[test]
fn change_log_stays_short_without_closing() {
    let world = World::new();
    let log = || world.home.path().join("memory/memory.db-wal").metadata().map_or(0, |log| log.len());
    let mut longest = 0;
    for number in 0..40 {
        let memory = world.again();
        memory.start_ghap(&ann(), None, &start(&format!("Change something {number}"))).unwrap();
        memory.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, "It came true")).unwrap();
        std::mem::forget(memory);
        longest = longest.max(log());
    }
    assert!((1..=64 * 1024).contains(&longest), "{longest}");
    // One that was left long, by the one that was stopped before, is cut off by the next.
    let long = Connection::open(world.database()).unwrap();
    long.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    long.execute_batch(
        "CREATE TABLE much (bytes); INSERT INTO much VALUES (zeroblob(300000)); DROP TABLE much",
    )
    .unwrap();
    assert!(log() > 300_000);
    assert_eq!(world.again().stats().unwrap().experiences, [40, 0, 0]);
    assert_eq!(log(), 0);
    drop(long);
}

#[test]
fn a_reader_of_an_older_state_neither_stops_changes_nor_is_waited_for() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let reader = Connection::open(world.database()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM experiences;").unwrap();
    let seen =
        || reader.query_row("SELECT count(*) FROM experiences", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(seen(), 1);
    for number in 0..20 {
        world.learn(&format!("Meanwhile {number}"), "Something is written");
    }
    assert_eq!((seen(), world.memory.stats().unwrap().experiences), (1, [21, 0, 0]));
    reader.execute_batch("COMMIT").unwrap();
    assert_eq!(seen(), 21);
}

/// Not a test: what the process does that is killed.
#[test]
#[ignore = "run by killed_process_keeps_every_acknowledged_entry"]
fn resolves_until_it_is_killed() {
    let Some(home) = std::env::var_os(HOME) else { return };
    loop {
        let memory = open(std::path::Path::new(&home), "words-64");
        memory.start_ghap(&ann(), None, &start("Be killed")).unwrap();
        let resolution = Resolution::new(Status::Confirmed, "It was not lost");
        let resolved = memory.resolve_ghap(&ann(), &resolution).unwrap();
        writeln!(std::io::stdout(), "\ndone {}", resolved.entry.id).unwrap();
    }
}
