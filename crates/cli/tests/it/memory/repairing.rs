//! A repair that is killed at any moment loses nothing, and the next one succeeds.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::troubles::{damage_page_of, folder, write_at};
use crate::world::{World, skipped};

/// How often it is killed, at moments that are spread over the time that it takes.
const KILLS: u32 = 16;
/// What is known before.
const KNOWN: usize = 12;
/// A way in which the file is damaged.
type Damage = (&'static str, fn(&World));

#[test]
fn killed_repair_loses_nothing() {
    if !Path::new("/usr/bin/python3").is_file() {
        return skipped("this wants /usr/bin/python3");
    }
    let damages: [Damage; 2] = [
        ("no database", |world| write_at(world, 0, &[0; 100])),
        ("a damaged index", |world| damage_page_of(world, "memories_by_content")),
    ];
    for (name, damage) in damages {
        let damaged = filled();
        let known = listed(&damaged);
        assert_eq!(known.len(), KNOWN);
        damage(&damaged);
        let undisturbed = copied(&damaged);
        let begun = Instant::now();
        assert_eq!(repaired(&undisturbed)["saved"]["memories"], KNOWN, "{name}");
        let takes = begun.elapsed();
        let mut killed = 0;
        for number in 1..=KILLS {
            let world = copied(&damaged);
            let begun = Instant::now();
            let mut child = world.tenter(&["memory", "repair"]).start();
            while begun.elapsed() < takes * number / KILLS {
                std::thread::yield_now();
            }
            killed += u32::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
            let said = repaired(&world);
            assert_eq!(said["lost"], json!([]), "{name}, killed at {number} of {KILLS}: {said}");
            assert_eq!(listed(&world), known, "{name}, killed at {number} of {KILLS}");
            let again = world.tenter(&["memory", "repair"]).run();
            assert!(again.stdout.contains("there is nothing to repair"), "{name}: {again:?}");
        }
        assert!(killed > 0, "{name}: none was still at it");
    }
}

/// A machine whose memory has something in it.
fn filled() -> World {
    let world = World::new();
    let calls = (0..KNOWN).map(|number| {
        let arguments = json!({"content": format!("What is known, number {number}"), "category": "fact"});
        let params = json!({"name": "store_memory", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).to_string() + "\n"
    });
    let ran = world.tenter(&["mcp"]).stdin(calls.collect::<String>()).run();
    assert_eq!(ran.stdout.lines().count(), KNOWN, "{ran:?}");
    world
}

/// Another machine with the same memory.
fn copied(from: &World) -> World {
    let to = World::new();
    std::fs::create_dir_all(folder(&to)).unwrap();
    for file in std::fs::read_dir(folder(from)).unwrap().map(Result::unwrap) {
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), folder(&to).join(file.file_name())).unwrap();
        }
    }
    to
}

fn repaired(world: &World) -> Value {
    let ran = world.tenter(&["memory", "repair", "--json"]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

fn listed(world: &World) -> Vec<String> {
    let ran = world.tenter(&["memory", "list", "--all-projects", "--limit", "100", "--json"]).run();
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let mut all: Vec<String> = said["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["content"].as_str().unwrap().to_owned())
        .collect();
    all.sort();
    all
}
