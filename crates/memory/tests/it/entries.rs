//! Entries through the memory: resolved, stored, listed.

use crate::support::{World, ann, shop, start};
use tenter_ghap::{Domain, ErrorKind, Resolution, Start, Status};
use tenter_memory::{EntryFilter, Scope, StoreStatus};

#[test]
fn nothing_is_written_before_there_is_something_to_keep() {
    let world = World::new();
    assert_eq!(world.memory.active_ghap(&ann()).unwrap(), None);
    assert!(!world.memory.should_check_in(&ann(), 10).unwrap());
    assert!(std::fs::read_dir(world.home.path()).unwrap().next().is_none());
}

#[test]
fn a_resolved_entry_is_stored_and_waits_no_more() {
    let world = World::new();
    world.memory.start_ghap(&ann(), Some(&shop()), &start("Fix the flaky cache test")).unwrap();
    let resolution = Resolution::new(Status::Confirmed, "It passed ten times");
    let resolved = world.memory.resolve_ghap(&ann(), &resolution).unwrap();
    assert_eq!(resolved.store_status, StoreStatus::Stored);
    assert!(!world.home.path().join("memory/waiting.jsonl").exists());
    let listed = world.again().list_entries(&EntryFilter::new(Scope::Everywhere)).unwrap();
    assert_eq!(listed, [resolved.entry]);
}

#[test]
fn the_first_resolution_on_an_empty_machine_makes_its_store() {
    let world = World::new();
    let entry = world.learn("Fix the flaky cache test", "Two tests share a folder");
    assert_eq!(world.again().entry(&entry.id).unwrap().entry, entry);
}

#[test]
fn entries_are_listed_by_what_they_are() {
    let world = World::new();
    for (domain, status) in [
        (Domain::Debugging, Status::Confirmed),
        (Domain::Testing, Status::Confirmed),
        (Domain::Testing, Status::Abandoned),
    ] {
        world.memory.start_ghap(&ann(), Some(&shop()), &Start { domain, ..start("Goal") }).unwrap();
        world.memory.resolve_ghap(&ann(), &Resolution::new(status, "It came out so")).unwrap();
    }
    let count = |filter: &EntryFilter| world.memory.list_entries(filter).unwrap().len();
    let all = EntryFilter::new(Scope::Everywhere);
    assert_eq!(count(&all), 3);
    assert_eq!(count(&EntryFilter { limit: 2, ..all.clone() }), 2);
    let total = |filter: &EntryFilter| world.memory.count_entries(filter).unwrap();
    assert_eq!(total(&EntryFilter { limit: 2, ..all.clone() }), 3);
    assert_eq!(total(&EntryFilter { limit: 1, domain: Some(Domain::Testing), ..all.clone() }), 2);
    assert_eq!(total(&EntryFilter { limit: 1, ..EntryFilter::new(Scope::Project(shop())) }), 3);
    assert_eq!(count(&EntryFilter { domain: Some(Domain::Testing), ..all.clone() }), 2);
    assert_eq!(count(&EntryFilter { outcome: Some(Status::Abandoned), ..all.clone() }), 1);
    assert_eq!(count(&EntryFilter { session: Some("bob".to_owned()), ..all.clone() }), 0);
    let later = tenter_contract::Timestamp::from_unix_ms(4_102_444_800_000);
    assert_eq!(count(&EntryFilter { since: Some(later), ..all }), 0);
    assert_eq!(count(&EntryFilter::new(Scope::Project(tenter_memory::Project::named("other")))), 0);
}

#[test]
fn an_entry_is_found_by_its_id_while_it_is_active_and_afterwards() {
    let world = World::new();
    let begun = world.memory.start_ghap(&ann(), None, &start("Fix the flaky cache test")).unwrap();
    assert_eq!(world.memory.entry(&begun.id).unwrap().entry, begun);
    let done = world.memory.abandon_ghap(&ann(), "no time").unwrap().entry;
    assert_eq!(world.memory.entry(&begun.id).unwrap().entry, done);
    let missing = world.memory.entry("ghap_20000229_000000_000000").unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert!(missing.to_string().contains("tenter ghap list"), "{missing}");
}

#[test]
fn waiting_entries_are_stored_once() {
    let world = World::new();
    let entry = world.learn("Fix the flaky cache test", "Two tests share a folder");
    let mut line = serde_json::to_string(&entry).unwrap();
    line = format!("{line}\n{line}\n");
    std::fs::write(world.home.path().join("memory/waiting.jsonl"), line).unwrap();
    let listed = world.again().list_entries(&EntryFilter::new(Scope::Everywhere)).unwrap();
    assert_eq!(listed, [entry]);
    assert!(!world.home.path().join("memory/waiting.jsonl").exists());
}

#[test]
fn agents_at_the_same_time_store_everything() {
    let world = World::new();
    std::thread::scope(|scope| {
        for agent in 0..4 {
            let memory = world.again();
            scope.spawn(move || {
                let me = tenter_ghap::Who::new(
                    tenter_contract::SessionId::parse(&format!("agent {agent}")).unwrap(),
                );
                for round in 0..5 {
                    memory.start_ghap(&me, None, &start(&format!("{agent} tries {round}"))).unwrap();
                    memory.resolve_ghap(&me, &Resolution::new(Status::Confirmed, "It came true")).unwrap();
                }
            });
        }
    });
    let filter = EntryFilter { limit: 100, ..EntryFilter::new(Scope::Everywhere) };
    assert_eq!(world.memory.list_entries(&filter).unwrap().len(), 20);
    assert_eq!(world.memory.stats().unwrap().waiting, 0);
}
