//! `tenter audit verify` finds every change of the trail and names the first bad record.

use std::fs;

use crate::world::{World, bash};

const RECORDS: usize = 6;

fn recorded() -> World {
    let world = World::new();
    for number in 1..=RECORDS {
        assert_eq!(world.claude(&bash(&format!("echo {number}"))).run().code, Some(0));
    }
    world
}

/// A manipulation, and the finding that `tenter audit verify` prints.
type Deed = (&'static str, fn(&World), &'static str);

fn lines(world: &World) -> Vec<String> {
    fs::read_to_string(world.trail()).unwrap().lines().map(str::to_owned).collect()
}

fn write(world: &World, lines: &[String]) {
    fs::write(world.trail(), lines.join("\n") + "\n").unwrap();
}

fn edit(world: &World, deed: impl FnOnce(&mut Vec<String>)) {
    let mut all = lines(world);
    deed(&mut all);
    write(world, &all);
}

const DEEDS: &[Deed] = &[
    ("delete the last line", |world| edit(world, |all| drop(all.pop())), "record 6"),
    ("delete one in the middle", |world| edit(world, |all| drop(all.remove(2))), "record 3"),
    ("delete the first", |world| edit(world, |all| drop(all.remove(0))), "record 1"),
    ("reorder", |world| edit(world, |all| all.swap(2, 3)), "record 3"),
    (
        "put the trail of another machine there",
        |world| {
            fs::copy(recorded().trail(), world.trail()).map(drop).unwrap();
        },
        "record 1",
    ),
    ("empty it", |world| fs::write(world.trail(), "").unwrap(), "record 1"),
    ("remove it", |world| fs::remove_file(world.trail()).unwrap(), "record 1"),
    ("add a line by hand", |world| edit(world, |all| all.push(all[0].clone())), "record 7"),
    (
        "write half a line",
        |world| {
            let mut bytes = fs::read(world.trail()).unwrap();
            bytes.truncate(bytes.len() - 20);
            fs::write(world.trail(), bytes).unwrap();
        },
        "record 6",
    ),
];

/// Security case C8: each manipulation is checked before and after another record is written, which must hide nothing.
#[test]
fn verify_finds_every_trail_change() {
    for (deed, act, named) in DEEDS {
        let world = recorded();
        assert_eq!(world.tenter(&["audit", "verify"]).run().code, Some(0));
        act(&world);
        let found = world.tenter(&["audit", "verify"]).run();
        assert_eq!(found.code, Some(1), "{deed}: {found:?}");
        assert!(found.stdout.contains(named), "{deed}: {found:?}");
        assert_eq!(world.claude(&bash("later")).run().code, Some(0));
        let found = world.tenter(&["audit", "verify"]).run();
        assert_eq!(found.code, Some(1), "{deed}, and something was recorded since: {found:?}");
    }
}

/// Security case C8: a trail and a head that are rolled back together match. An anchor kept elsewhere reveals it.
#[test]
fn anchor_finds_folder_rollback() {
    let world = recorded();
    let folder = world.trail().parent().unwrap().to_owned();
    let kept = world.home().join("kept");
    let copied = world.sh(&format!("cp -a '{}' '{}'", folder.display(), kept.display()));
    assert_eq!(copied.code, Some(0), "{copied:?}");
    world.claude(&bash("to be forgotten")).run();
    let anchor = world.home().join("anchor.json");
    fs::write(&anchor, world.tenter(&["audit", "anchor"]).run().stdout).unwrap();
    for name in ["trail.jsonl", "head"] {
        fs::copy(kept.join(name), folder.join(name)).unwrap();
    }
    let anchor = anchor.to_str().unwrap();
    assert_eq!(world.tenter(&["audit", "verify"]).run().code, Some(1), "the witness shows it");
    assert_eq!(world.tenter(&["audit", "verify", "--anchor", anchor]).run().code, Some(1));
}

/// Security case C8: the last line is deleted while the agent works on, so the trail is quarantined before
/// `tenter audit verify` runs.
#[test]
fn quarantined_trail_names_first_bad_record() {
    let world = World::new();
    for number in 1..=3 {
        world.claude(&bash(&format!("ls {number}"))).run();
    }
    let text = fs::read_to_string(world.trail()).unwrap();
    let kept: String = text.split_inclusive('\n').take(2).collect();
    fs::write(world.trail(), kept).unwrap();
    world.claude(&bash("ls 4")).run();
    let found = world.tenter(&["audit", "verify"]).run();
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.contains("broken: record 3 (trail.jsonl, line 3): the end is missing"), "{found:?}");
}
