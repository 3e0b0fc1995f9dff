//! Being killed anywhere between resolving and storing.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{World, ann, open, start};
use tenter_ghap::{Resolution, Status};
use tenter_memory::{EntryFilter, Scope};

/// Where a process that was started by a test finds its state folder.
const HOME: &str = "TENTER_TEST_HOME";

#[test]
fn whoever_is_killed_has_stored_everything_that_was_said_to_be_resolved() {
    for told in 1..12 {
        let world = World::new();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stopped::resolves_until_it_is_killed", "--nocapture", "--include-ignored"])
            .env(HOME, world.home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let heard = lines.filter_map(|line| line.strip_prefix("done ").map(str::to_owned)).take(told);
        let heard: Vec<String> = heard.collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let filter = EntryFilter { limit: 1000, ..EntryFilter::new(Scope::Everywhere) };
        let mut stored: BTreeMap<String, usize> = BTreeMap::new();
        for entry in world.memory.list_entries(&filter).unwrap() {
            *stored.entry(entry.id).or_default() += 1;
        }
        assert!(stored.values().all(|count| *count == 1), "{stored:?}");
        assert!(heard.iter().all(|id| stored.contains_key(id)), "{heard:?} {stored:?}");
        // One may have been resolved without a word about it, and one may be active.
        assert!(stored.len() <= heard.len() + 1, "{heard:?} {stored:?}");
        assert_eq!(world.memory.stats().unwrap().waiting, 0);
        assert_eq!(world.memory.take_notices(), Vec::<String>::new());
        assert_eq!(world.found("killed").len(), 1, "all say the same");
    }
}

/// Not a test: what the process does that is killed.
#[test]
#[ignore = "run by whoever_is_killed_has_stored_everything_that_was_said_to_be_resolved"]
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
