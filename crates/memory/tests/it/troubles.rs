//! A store that cannot be used: the session goes on, the notice is clear, nothing is lost.

use crate::support::{World, ann, contains, start};
use rusqlite::Connection;
use tenter_ghap::{ErrorKind, Resolution, Status};
use tenter_memory::{EntryFilter, ExperienceQuery, Kept, Scope};

fn confirmed() -> Resolution {
    Resolution::new(Status::Confirmed, "It came true")
}

/// An entry is resolved while the store is in trouble; the answer says why it waits.
fn resolved_in_trouble(world: &World) -> String {
    world.memory.start_ghap(&ann(), None, &start("Resolved in trouble")).unwrap();
    let memory = world.again();
    let resolved = memory.resolve_ghap(&ann(), &confirmed()).unwrap();
    assert_eq!(memory.active_ghap(&ann()).unwrap(), None);
    match resolved.kept {
        Kept::Stored => panic!("it cannot be stored"),
        Kept::Waiting { why } => why,
    }
}

fn goals(world: &World) -> Vec<String> {
    let entries = world.again().list_entries(&EntryFilter::new(Scope::Everywhere)).unwrap();
    let mut goals: Vec<String> = entries.into_iter().map(|entry| entry.goal).collect();
    goals.sort();
    goals
}

#[test]
fn a_locked_store_makes_entries_wait_and_is_read_all_the_same() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let why = resolved_in_trouble(&world);
    assert!(why.contains("locked by another process") && why.contains("not lost"), "{why}");
    assert_eq!(world.found("everything"), ["Before"]);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(goals(&world), ["Before", "Resolved in trouble"]);
}

#[test]
fn a_store_of_a_newer_tenter_is_not_touched() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let connection = Connection::open(world.database()).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    let before = std::fs::read(world.database()).unwrap();
    let why = resolved_in_trouble(&world);
    assert!(why.contains("newer tenter") && why.contains("update"), "{why}");
    let refusal =
        world.again().search_experiences(&ExperienceQuery::new("x", Scope::Everywhere)).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::Internal);
    assert_eq!(std::fs::read(world.database()).unwrap(), before);
    Connection::open(world.database()).unwrap().pragma_update(None, "user_version", 1).unwrap();
    assert_eq!(goals(&world), ["Before", "Resolved in trouble"]);
}

#[test]
fn a_damaged_store_is_moved_aside_told_and_begun_anew() {
    for bytes in [
        &b"this is no database, and has never been one; it is long enough to be taken for one"[..],
        &[0xff; 8192],
    ] {
        let world = World::new();
        std::fs::create_dir_all(world.database().parent().unwrap()).unwrap();
        std::fs::write(world.database(), bytes).unwrap();
        world.memory.start_ghap(&ann(), None, &start("Resolved in trouble")).unwrap();
        assert_eq!(world.memory.resolve_ghap(&ann(), &confirmed()).unwrap().kept, Kept::Stored);
        let notices = world.memory.take_notices();
        assert!(notices.len() == 1 && notices[0].contains("memory.db.corrupt-0"), "{notices:?}");
        assert_eq!(world.memory.take_notices(), Vec::<String>::new());
        assert_eq!(std::fs::read(world.home.path().join("memory/memory.db.corrupt-0")).unwrap(), bytes);
        assert_eq!(goals(&world), ["Resolved in trouble"]);
    }
}

#[test]
fn a_store_that_is_gone_is_begun_anew() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    std::fs::remove_dir_all(world.home.path().join("memory")).unwrap();
    assert_eq!(goals(&world), Vec::<String>::new());
    // Also by whoever has had it open all the time.
    std::fs::remove_dir_all(world.home.path().join("memory")).unwrap();
    world.learn("After", "Everything is well again");
    assert_eq!(goals(&world), ["After"]);
}

#[test]
fn what_stands_in_the_way_of_the_store_is_named() {
    let world = World::new();
    std::fs::create_dir_all(world.database()).unwrap();
    let why = resolved_in_trouble(&world);
    assert!(why.contains("memory.db") && why.contains("cannot be"), "{why}");
    std::fs::remove_dir(world.database()).unwrap();
    assert_eq!(goals(&world), ["Resolved in trouble"]);
}

/// Whoever is root may write everywhere, so this says nothing there.
#[test]
fn a_store_that_can_only_be_read_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.learn("Before", "Everything was well");
    let folder = world.home.path().join("memory");
    let set = |mode: u32| {
        std::fs::set_permissions(world.database(), PermissionsExt::from_mode(mode & 0o666)).unwrap();
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
    };
    set(0o500);
    let writable = std::fs::write(folder.join("probe"), "").is_ok();
    if !writable {
        let memory = world.again();
        let query = ExperienceQuery::new("everything", Scope::Everywhere);
        assert_eq!(memory.search_experiences(&query).unwrap().len(), 1);
        let refusal = memory.forget("x").unwrap_err();
        assert!(refusal.message.contains("writable"), "{refusal}");
    }
    set(0o700);
}

#[test]
fn the_database_and_its_folder_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.learn("Before", "Everything was well");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.database().parent().unwrap()), 0o700);
    for file in std::fs::read_dir(world.database().parent().unwrap()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    assert!(contains(&std::fs::read(world.database()).unwrap()[..16], "SQLite format 3"));
}
