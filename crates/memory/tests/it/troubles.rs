//! A store that cannot be used: the session goes on, the notice is clear, nothing is lost.

use crate::support::{World, ann, contains, start};
use rusqlite::Connection;
use tenter_ghap::{ErrorKind, Resolution, Status};
use tenter_memory::{
    Condition, EntryFilter, ExperienceQuery, JournalFilter, MemoryCategory, MemoryFilter, MemoryQuery,
    NewJournalEntry, NewMemory, Scope, StoreStatus,
};

fn confirmed() -> Resolution {
    Resolution::new(Status::Confirmed, "It came true")
}

/// An entry is resolved while the store is in trouble; the answer says why it waits.
fn resolved_in_trouble(world: &World) -> String {
    world.memory.start_ghap(&ann(), None, &start("Resolved in trouble")).unwrap();
    let memory = world.again();
    let resolved = memory.resolve_ghap(&ann(), &confirmed()).unwrap();
    assert_eq!(memory.active_ghap(&ann()).unwrap(), None);
    match resolved.store_status {
        StoreStatus::Stored => panic!("it cannot be stored"),
        StoreStatus::Waiting { why } => why,
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

fn fact(content: &str) -> NewMemory {
    NewMemory {
        content: content.to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.5),
        tags: Vec::new(),
        project: None,
    }
}

#[test]
fn memories_corrections_and_pages_wait_for_a_locked_store_like_entries_do() {
    let world = World::new();
    let old = world.memory.store_memory(&fact("Tea is black")).unwrap();
    let tried = world.learn("Drink tea", "Tea is healthy");
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let memory = world.again();
    let new = memory.correct(&old.id, &fact("Tea is green")).unwrap();
    let better = memory.correct(&tried.id, &fact("Tea is wet")).unwrap();
    let page = NewJournalEntry { summary: "Drank tea".to_owned(), ..NewJournalEntry::default() };
    let page = memory.store_journal_entry(&page).unwrap();
    let notices = memory.take_notices();
    for id in [&new.id, &better.id, &page.id] {
        let about = |notice: &&String| notice.contains(id) && notice.contains("waits and is not lost");
        assert_eq!(notices.iter().filter(about).count(), 1, "{notices:?}");
    }
    assert_eq!(memory.stats().unwrap().waiting, 3);
    // Forgetting does not wait: the one that wants something gone should know whether it is.
    let refused = memory.forget(&old.id).unwrap_err();
    assert!(refused.to_string().contains("locked by another process"), "{refused}");
    other.execute_batch("COMMIT").unwrap();
    let memory = world.again();
    let (memories, _) = memory.list_memories(&MemoryFilter::new(Scope::Everywhere)).unwrap();
    let mut said: Vec<&str> = memories.iter().map(|memory| memory.content.as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, ["Tea is green", "Tea is wet"]);
    assert_eq!(memory.memory(&old.id).unwrap().superseded_by, Some(new.id));
    assert_eq!(memory.entry(&tried.id).unwrap().superseded_by, Some(better.id));
    let pages = memory.list_journal_entries(&JournalFilter::new(Scope::Everywhere)).unwrap();
    assert_eq!(pages.iter().map(|page| &page.id).collect::<Vec<_>>(), [&page.id]);
    assert_eq!(memory.stats().unwrap().waiting, 0);
}

#[test]
fn what_waits_is_exported_too() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    resolved_in_trouble(&world);
    world.again().store_memory(&fact("Stored in trouble")).unwrap();
    let mut lines = Vec::new();
    assert_eq!(world.again().export(&Scope::Everywhere, &mut lines).unwrap(), 3);
    assert!(contains(&lines, "Resolved in trouble") && contains(&lines, "Stored in trouble"));
}

#[test]
fn resolved_entry_of_a_stopped_process_is_exported() {
    let world = World::new();
    world.memory.start_ghap(&ann(), None, &start("Resolved in trouble")).unwrap();
    // It is resolved in its own file, and gets no further.
    let waiting = world.home.path().join("memory/waiting.jsonl");
    std::fs::create_dir_all(&waiting).unwrap();
    world.again().resolve_ghap(&ann(), &confirmed()).unwrap();
    std::fs::remove_dir(&waiting).unwrap();
    let mut lines = Vec::new();
    assert_eq!(world.again().export(&Scope::Everywhere, &mut lines).unwrap(), 1);
    assert!(contains(&lines, "Resolved in trouble"));
}

#[test]
fn what_was_stored_in_the_first_form_is_there_in_the_second() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let first = "DROP TABLE identities; DROP TABLE forgotten; PRAGMA user_version = 1";
    Connection::open(world.database()).unwrap().execute_batch(first).unwrap();
    let memory = world.again();
    assert_eq!(goals(&world), ["Before"]);
    assert_eq!(memory.take_notices(), Vec::<String>::new());
    memory.store_memory(&fact("Afterwards")).unwrap();
    assert_eq!(memory.take_notices(), Vec::<String>::new());
}

#[test]
fn what_cannot_be_stored_and_cannot_wait_is_an_error() {
    let world = World::new();
    // A folder where a file should be keeps even root from writing.
    std::fs::create_dir_all(world.home.path().join("memory/waiting.jsonl")).unwrap();
    std::fs::create_dir_all(world.database()).unwrap();
    let refused = world.memory.store_memory(&fact("Lost?")).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Internal);
    assert!(refused.to_string().contains("it is not stored"), "{refused}");
}

#[test]
fn a_store_of_a_newer_tenter_is_not_touched() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    let connection = Connection::open(world.database()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    let before = std::fs::read(world.database()).unwrap();
    let why = resolved_in_trouble(&world);
    assert!(why.contains("newer tenter") && why.contains("update"), "{why}");
    let refusal =
        world.again().search_experiences(&ExperienceQuery::new("x", Scope::Everywhere)).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::Internal);
    assert_eq!(std::fs::read(world.database()).unwrap(), before);
    Connection::open(world.database()).unwrap().pragma_update(None, "user_version", 2).unwrap();
    assert_eq!(goals(&world), ["Before", "Resolved in trouble"]);
}

#[test]
fn damaged_store_is_quarantined_and_recreated() {
    for bytes in [
        &b"this is no database, and has never been one; it is long enough to be taken for one"[..],
        &[0xff; 8192],
    ] {
        let world = World::new();
        std::fs::create_dir_all(world.database().parent().unwrap()).unwrap();
        std::fs::write(world.database(), bytes).unwrap();
        world.memory.start_ghap(&ann(), None, &start("Resolved in trouble")).unwrap();
        assert_eq!(
            world.memory.resolve_ghap(&ann(), &confirmed()).unwrap().store_status,
            StoreStatus::Stored
        );
        let notices = world.memory.take_notices();
        assert!(notices.len() == 1 && notices[0].contains("`tenter memory repair`"), "{notices:?}");
        let aside = notices[0].split('`').find(|text| text.contains("memory.db.damaged-")).unwrap();
        assert_eq!(world.memory.take_notices(), Vec::<String>::new());
        assert_eq!(std::fs::read(aside).unwrap(), bytes);
        assert_eq!(goals(&world), ["Resolved in trouble"]);
    }
}

#[test]
fn a_store_that_is_gone_is_begun_anew() {
    let world = World::new();
    world.learn("Before", "Everything was well");
    std::fs::remove_dir_all(world.home.path().join("memory")).unwrap();
    assert_eq!(goals(&world), Vec::<String>::new());
    // Also by the one that has had it open all the time.
    std::fs::remove_dir_all(world.home.path().join("memory")).unwrap();
    world.learn("After", "Everything is well again");
    assert_eq!(goals(&world), ["After"]);
}

#[test]
fn missing_or_empty_store_is_reported_once() {
    for empty in [false, true] {
        let world = World::new();
        world.learn("Before", "Everything was well");
        assert_eq!(world.memory.take_notices(), Vec::<String>::new());
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", world.database().display()));
        }
        if empty {
            std::fs::write(world.database(), "").unwrap();
        }
        let memory = world.again();
        assert_eq!(memory.health(None, std::time::Duration::from_secs(1)).condition, Condition::Missing);
        memory.stats().unwrap();
        let notices = memory.take_notices();
        assert!(notices.len() == 1 && notices[0].contains("gone or empty"), "{notices:?}");
        let memory = world.again();
        memory.stats().unwrap();
        assert_eq!(memory.take_notices(), Vec::<String>::new());
    }
}

#[test]
fn what_was_made_of_a_store_that_is_gone_is_not_taken_for_the_new_one() {
    let world = World::new();
    // So many that their vectors lie in a file of their own.
    let line = |number: usize| {
        format!(
            r#"{{"memory": {{"id": "mem_{number}", "content": "Number {number} is a number", "category": "fact", "importance": 0.5, "created_at": "2026-01-02T03:04:05Z"}}}}"#
        )
    };
    let lines: Vec<String> = (0..600).map(line).collect();
    assert_eq!(world.memory.import(&mut lines.join("\n").as_bytes(), None).unwrap().taken, 600);
    assert!(world.home.path().join("memory/words_memory.cards").exists());
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", world.database().display()));
    }
    let memory = world.again();
    let query = MemoryQuery::new("number", Scope::Everywhere);
    assert_eq!(memory.retrieve_memories(&query).unwrap(), []);
    memory.store_memory(&fact("Another number")).unwrap();
    assert_eq!(memory.retrieve_memories(&query).unwrap().len(), 1);
}

#[test]
fn what_state_the_store_is_in_can_be_looked_up_without_touching_it() {
    let time = std::time::Duration::from_secs(5);
    let world = World::new();
    let look = || world.again().health(None, time).condition;
    assert_eq!(look(), Condition::Missing);
    assert!(!world.database().exists());
    world.learn("Before", "Everything was well");
    assert_eq!(look(), Condition::Whole { is_fully_checked: true });
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(look(), Condition::Locked);
    resolved_in_trouble(&world);
    assert_eq!(world.again().health(None, time).waiting, Some(1));
    other.execute_batch("COMMIT").unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(look(), Condition::Newer(99));
    let damaged = World::new();
    std::fs::create_dir_all(damaged.database().parent().unwrap()).unwrap();
    std::fs::write(damaged.database(), [7; 8192]).unwrap();
    assert!(matches!(damaged.memory.health(None, time).condition, Condition::Damaged(_)));
    assert_eq!(std::fs::read(damaged.database()).unwrap(), [7; 8192]);
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

/// A process that is root may write everywhere, so this says nothing there.
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
        assert!(refusal.to_string().contains("writable"), "{refusal}");
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
