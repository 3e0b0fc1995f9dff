//! Being stopped at any point: nothing is lost, nothing is there twice.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{
    PROJECT, World, confirmed, folder, goal_of, hypothesis, minutes_from_now, now, seeking, who,
};
use tenter_ghap::ErrorKind;

/// Where a process that was started by a test finds its state folder.
const HOME: &str = "TENTER_TEST_HOME";

#[test]
fn killed_process_leaves_each_entry_once() {
    for reported in 1..24 {
        let world = World::new();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stopped::works_until_it_is_killed", "--nocapture", "--include-ignored"])
            .env(HOME, world.home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BTreeMap::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The kill falls somewhere into what it does after the last line that was received.
        let lines =
            lines.by_ref().map_while(Result::ok).filter(|line| line.starts_with("done ")).take(reported);
        for line in lines.collect::<Vec<_>>() {
            let mut words = line.split(' ').skip(1);
            said.insert(words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let active: Vec<String> =
            world.folder.all().unwrap().into_iter().map(|(active, _)| active.entry.id).collect();
        let waiting: Vec<_> = world.waiting();
        let waits: BTreeSet<&str> = waiting.iter().map(|entry| entry.id.as_str()).collect();
        assert!(active.len() <= 1, "{active:?}");
        for (id, state) in &said {
            let here = (active.contains(id), waits.contains(id.as_str()));
            match state.as_str() {
                "resolved" => assert_eq!(here, (false, true), "{id} after {reported}"),
                _ => assert_ne!(here.0, here.1, "{id} {state} after {reported}: {here:?}"),
            }
        }
        assert_eq!(world.folder.take_notices(), Vec::<String>::new());
        // And the next one can go on.
        if let [_] = active.as_slice() {
            world.folder.adopt(&seeking(&who("next"), minutes_from_now(11)), None).unwrap();
            world.folder.resolve(&who("next"), &confirmed("It was not lost"), now()).unwrap();
        }
        world.start(&who("worker"), "Once more").unwrap();
    }
}

/// Not a test: what the process does that is killed.
#[test]
#[ignore = "run by killed_process_leaves_each_entry_once"]
fn works_until_it_is_killed() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let folder = folder(std::path::Path::new(&home));
    let worker = who("worker");
    let say = |id: &str, state: &str| writeln!(std::io::stdout(), "\ndone {id} {state}").unwrap();
    for round in 0.. {
        let entry = folder.start(&worker, PROJECT, &goal_of("Be killed"), now()).unwrap();
        say(&entry.id, "started");
        folder.update(&worker, &hypothesis(&format!("round {round}")), now()).unwrap();
        say(&entry.id, "updated");
        folder.resolve(&worker, &confirmed("It was not lost"), now()).unwrap();
        say(&entry.id, "resolved");
    }
}

#[test]
fn an_entry_that_was_resolved_and_not_put_away_is_put_away_by_the_next() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let path = world.file(".json");
    let before = std::fs::read(&path).unwrap();
    let resolved = world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    // As it is after the end was written, and before anything else was done: with and without the line that waits.
    let text: serde_json::Value = serde_json::from_slice(&before).unwrap();
    let mut done = text;
    done["entry"] = serde_json::to_value(&resolved).unwrap();
    for waiting in [true, false] {
        std::fs::write(&path, done.to_string()).unwrap();
        if !waiting {
            std::fs::remove_file(world.home.path().join("memory/waiting.jsonl")).unwrap();
        }
        assert_eq!(world.folder.active(&ann).unwrap(), None, "it is done with");
        assert_eq!(world.folder.update(&ann, &hypothesis("x"), now()).unwrap_err().kind, ErrorKind::NotFound);
        let next = world.start(&ann, "Something else").unwrap();
        let waits: BTreeSet<String> = world.waiting().into_iter().map(|entry| entry.id).collect();
        assert_eq!(waits, BTreeSet::from([resolved.id.clone()]));
        assert_eq!(world.folder.active(&ann).unwrap().unwrap().id, next.id);
        world.folder.abandon(&ann, "test", now()).unwrap();
        let taken = world.folder.waiting().read().unwrap();
        world.folder.waiting().remove(&taken).unwrap();
        std::fs::write(world.home.path().join("memory/waiting.jsonl"), "").unwrap();
    }
}

#[test]
fn an_adoption_that_was_stopped_in_the_middle_is_still_one_entry() {
    let world = World::new();
    let entry = world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    let from = world.file(".json");
    world.start(&who("bob"), "Something else").unwrap();
    let to = world.files().into_iter().find(|file| is(file, "json") && !from.ends_with(file)).unwrap();
    world.folder.abandon(&who("bob"), "test", now()).unwrap();
    std::fs::rename(&from, from.with_file_name(to)).unwrap();
    assert_eq!(world.folder.active(&who("bob")).unwrap().unwrap().id, entry.id);
    assert_eq!(world.folder.active(&who("ann")).unwrap(), None);
    let found = world.folder.orphans(&seeking(&who("cleo"), minutes_from_now(11))).unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn a_count_without_an_entry_and_half_a_draft_are_no_entry() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let json = world.file(".json");
    std::fs::rename(&json, json.with_extension("new")).unwrap();
    assert_eq!(world.folder.active(&ann).unwrap(), None);
    assert_eq!(world.folder.count_tool(&ann, 1).unwrap(), None);
    assert!(!world.files().iter().any(|file| is(file, "tools")));
    world.start(&ann, "Something else").unwrap();
    assert_eq!(world.folder.all().unwrap().len(), 1);
}

#[test]
fn invalid_entry_is_quarantined_and_reported() {
    for bytes in
        [&b""[..], b"{", b"\xff\xfe", b"{\"version\": 1}", b"{\"version\": 1, \"entry\": {\"id\": 1}}"]
    {
        let world = World::new();
        let ann = who("ann");
        world.start(&ann, "Fix the flaky cache test").unwrap();
        std::fs::write(world.file(".json"), bytes).unwrap();
        assert_eq!(world.folder.active(&ann).unwrap(), None);
        assert_eq!(std::fs::read(world.file(".corrupt-0")).unwrap(), bytes);
        let notices = world.folder.take_notices();
        assert!(notices.len() == 1 && notices[0].contains(".corrupt-0"), "{notices:?}");
        world.start(&ann, "Something else").unwrap();
    }
}

#[test]
fn an_entry_of_a_newer_tenter_is_left_alone() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let newer = r#"{"version": 2, "shape": "unknown"}"#;
    std::fs::write(world.file(".json"), newer).unwrap();
    for refusal in [
        world.folder.active(&ann).unwrap_err(),
        world.start(&ann, "Something else").unwrap_err(),
        world.folder.abandon(&ann, "x", now()).unwrap_err(),
    ] {
        assert_eq!(refusal.kind, ErrorKind::Internal);
        assert!(refusal.to_string().contains("newer tenter"), "{refusal}");
    }
    assert_eq!(std::fs::read_to_string(world.file(".json")).unwrap(), newer);
}

#[test]
fn torn_line_does_not_block_waiting_entries() {
    let world = World::new();
    let ann = who("ann");
    let waiting = world.home.path().join("memory/waiting.jsonl");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    std::fs::write(&waiting, "{\"id\": \"ghap_2").unwrap();
    world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    let taken = world.folder.waiting().read().unwrap();
    assert_eq!(taken.entries.len(), 1);
    world.folder.waiting().remove(&taken).unwrap();
    assert!(!waiting.exists());
    assert!(world.home.path().join("memory/waiting.corrupt.jsonl").exists());
    assert_eq!(world.folder.take_notices().len(), 1);
}

#[test]
fn what_came_while_others_were_taken_stays() {
    let world = World::new();
    for session in ["ann", "bob"] {
        world.start(&who(session), "Fix the flaky cache test").unwrap();
    }
    world.folder.resolve(&who("ann"), &confirmed("It passed ten times"), now()).unwrap();
    let taken = world.folder.waiting().read().unwrap();
    world.folder.resolve(&who("bob"), &confirmed("It passed ten times"), now()).unwrap();
    world.folder.waiting().remove(&taken).unwrap();
    let left: Vec<String> = world.waiting().into_iter().map(|entry| entry.session_id).collect();
    assert_eq!(left, ["bob"]);
}

fn is(file: &str, what: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|extension| extension == what)
}
