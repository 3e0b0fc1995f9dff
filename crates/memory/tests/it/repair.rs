//! Damage anywhere in the database: what can be read is saved, what is gone is known, and everything goes on.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{World, ann, shop, start};
use rusqlite::Connection;
use tenter_ghap::{Resolution, Start, Status};
use tenter_memory::{Condition, ExperienceQuery, MemoryCategory, NewJournalEntry, NewMemory, Scope};

const PAGE: usize = 4096;

/// A word for each row that is nowhere else, so that one can see on which pages a row lies.
fn word(kind: &str, number: usize) -> String {
    format!("{kind}{number}quux")
}

/// A store with rows of each kind, short and long, and one of each that was forgotten; closed, in one file.
fn full_world() -> World {
    let world = World::new();
    for number in 0..24 {
        let hypothesis = format!("Because of {}", word("entry", number));
        let start = Start { hypothesis, ..start(&format!("Goal {}", word("entry", number))) };
        world.memory.start_ghap(&ann(), Some(&shop()), &start).unwrap();
        let result = format!("It came true {}", word("entry", number));
        world.memory.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, result.as_str())).unwrap();
        // A long one flows over onto further pages.
        let often = if number % 8 == 7 { 700 } else { number % 5 + 1 };
        let content = vec![word("fact", number); often].join(" ");
        let memory = NewMemory {
            content,
            category: Some(MemoryCategory::Fact),
            importance: Some(if number % 3 == 0 { 1.0 } else { 0.5 }),
            tags: vec!["tag".to_owned()],
            project: Some(shop()),
        };
        world.memory.store_memory(&memory).unwrap();
        let page = NewJournalEntry { summary: word("page", number), ..NewJournalEntry::default() };
        world.memory.store_journal_entry(&page).unwrap();
    }
    let forgotten = NewMemory {
        content: "forgottenquux".to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.5),
        tags: Vec::new(),
        project: None,
    };
    let forgotten = world.memory.store_memory(&forgotten).unwrap();
    world.memory.forget(&forgotten.id).unwrap();
    Connection::open(world.database()).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    world
}

/// The words of all rows that are there.
fn words(lines: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(lines);
    let is_word = |word: &&str| word.ends_with("quux") && word.matches("quux").count() == 1;
    text.split(|letter: char| !letter.is_alphanumeric()).filter(is_word).map(str::to_owned).collect()
}

fn exported(world: &World) -> BTreeSet<String> {
    let mut lines = Vec::new();
    world.memory.export(&Scope::Everywhere, &mut lines).unwrap();
    words(&lines)
}

/// On which pages the word of each row is, wherever that is: rows, indexed texts, words.
fn pages_of(database: &[u8], all: &BTreeSet<String>) -> BTreeMap<String, BTreeSet<usize>> {
    let stands = |word: &str| {
        let windows = database.windows(word.len()).enumerate();
        let places = windows.filter(|(_, window)| *window == word.as_bytes());
        // A word may be on both indexed texts of an edge.
        places.flat_map(|(at, _)| [at / PAGE, (at + word.len() - 1) / PAGE]).collect()
    };
    all.iter().map(|word| (word.clone(), stands(word))).collect()
}

/// Puts a database in the place of the one that is there.
fn put(world: &World, bytes: &[u8]) {
    let folder = world.database();
    for file in std::fs::read_dir(folder.parent().unwrap()).unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        if name.starts_with("memory.db") {
            std::fs::remove_file(file.path()).unwrap();
        }
    }
    std::fs::write(world.database(), bytes).unwrap();
}

#[test]
fn whatever_is_damaged_every_row_of_which_nothing_was_changed_is_there_afterwards() {
    let world = full_world();
    let whole = std::fs::read(world.database()).unwrap();
    let all = exported(&world);
    assert_eq!(all.len(), 72);
    let pages = pages_of(&whole, &all);
    let count = whole.len() / PAGE;
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap()
    };
    // Every page, as a whole or where it begins, and bytes here and there.
    let mut damages: Vec<(usize, usize)> =
        (0..count).map(|page| (page * PAGE, if page % 3 == 2 { 8 } else { PAGE })).collect();
    damages.extend((0..20).map(|_| (random() % whole.len(), 1 + random() % 64)));
    for (round, (from, length)) in damages.into_iter().enumerate() {
        let to = (from + length).min(whole.len());
        let mut damaged = whole.clone();
        for byte in &mut damaged[from..to] {
            *byte = if round % 2 == 0 { 0xff } else { u8::try_from(random() % 256).unwrap() };
        }
        put(&world, &damaged);
        let memory = world.again();
        let repaired = memory.repair();
        let what = format!("{from}..{to}");
        let repaired = repaired.unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut lines = Vec::new();
        memory.export(&Scope::Everywhere, &mut lines).unwrap_or_else(|error| panic!("{what}: {error}"));
        let there = words(&lines);
        let touched: BTreeSet<usize> = [from / PAGE, (to - 1) / PAGE].into();
        for (word, on) in &pages {
            assert!(
                there.contains(word) || !on.is_disjoint(&touched),
                "{what}: {word} is gone; {repaired:?}"
            );
        }
        assert!(!there.contains("forgottenquux"), "{what}");
        // Search works, and what comes next is stored.
        let query = ExperienceQuery::new(word("entry", 3), Scope::Everywhere);
        assert!(memory.search_experiences(&query).is_ok(), "{what}");
        memory.start_ghap(&ann(), None, &start("Afterwards")).unwrap();
        memory.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, "It goes on")).unwrap();
        assert_eq!(memory.stats().unwrap().waiting, 0, "{what}");
        assert_eq!(
            memory.repair().unwrap().damaged_files,
            Vec::<std::path::PathBuf>::new(),
            "{what}: once is enough"
        );
    }
}

#[test]
fn damage_to_words_or_vectors_alone_loses_nothing() {
    let world = full_world();
    let all = exported(&world);
    let connection = Connection::open(world.database()).unwrap();
    let page = |table: &str| -> usize {
        connection
            .query_row("SELECT rootpage FROM sqlite_master WHERE name = ?", [table], |row| row.get(0))
            .unwrap()
    };
    let roots = ["words_full_data", "words_memory_data", "words_full_idx", "sides"].map(page);
    drop(connection);
    let whole = std::fs::read(world.database()).unwrap();
    for root in roots {
        let mut damaged = whole.clone();
        damaged[(root - 1) * PAGE..root * PAGE].fill(0x5a);
        put(&world, &damaged);
        let memory = world.again();
        let repaired = memory.repair().unwrap();
        assert_eq!((repaired.lost.len(), repaired.damaged_files.len()), (0, 1), "page {root}");
        let mut lines = Vec::new();
        memory.export(&Scope::Everywhere, &mut lines).unwrap();
        assert_eq!(words(&lines), all, "page {root}");
        let query = ExperienceQuery::new(word("entry", 5), Scope::Everywhere);
        assert!(memory.search_experiences(&query).unwrap()[0].entry.goal.contains(&word("entry", 5)));
    }
}

#[test]
fn a_database_that_cannot_even_be_opened_gives_back_its_rows_and_those_of_its_log() {
    let world = full_world();
    // A process holds it open, so that what comes now stays in the log of changes.
    let other = Connection::open(world.database()).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM meta").unwrap();
    world.learn("The last latequux goal", "It stands in the log alone");
    let folder = world.database().parent().unwrap().to_owned();
    let copy = |end: &str| std::fs::read(folder.join(format!("memory.db{end}"))).unwrap();
    let (mut database, log) = (copy(""), copy("-wal"));
    drop(other);
    database[..100].fill(0);
    put(&world, &database);
    std::fs::write(folder.join("memory.db-wal"), log).unwrap();
    let _ = std::fs::remove_file(folder.join("memory.db-shm"));
    // A session comes first: it is reported, and goes on with a new one.
    let memory = world.again();
    memory.search_experiences(&ExperienceQuery::new("x", Scope::Everywhere)).unwrap();
    let notices = memory.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("`tenter memory repair`"), "{notices:?}");
    let health = memory.health(None, std::time::Duration::from_secs(5));
    assert_eq!(
        (health.condition, health.damaged_files.len()),
        (Condition::Whole { is_fully_checked: true }, 1)
    );
    let repaired = memory.repair().unwrap();
    assert_eq!((repaired.saved.experiences, repaired.saved.memories, repaired.saved.journal), (25, 24, 24));
    assert_eq!(repaired.lost, Vec::<String>::new());
    let query = ExperienceQuery::new("latequux", Scope::Everywhere);
    assert_eq!(memory.search_experiences(&query).unwrap()[0].entry.goal, "The last latequux goal");
    assert_eq!(memory.health(None, std::time::Duration::from_secs(5)).damaged_files.len(), 0);
}

#[test]
fn what_is_lost_is_named_and_the_damaged_file_is_kept() {
    let world = full_world();
    let whole = std::fs::read(world.database()).unwrap();
    let goal = format!("\"goal\":\"Goal {}\"", word("entry", 2));
    let at = whole.windows(goal.len()).position(|window| window == goal.as_bytes()).unwrap();
    let mut damaged = whole.clone();
    let page = at / PAGE * PAGE;
    damaged[page..page + PAGE].fill(0xff);
    put(&world, &damaged);
    let memory = world.again();
    let refused = memory.export(&Scope::Everywhere, &mut Vec::new()).unwrap_err();
    assert!(refused.to_string().contains("`tenter memory repair`"), "{refused}");
    let repaired = memory.repair().unwrap();
    assert!(
        !repaired.lost.is_empty() && repaired.lost.iter().all(|id| id.starts_with("ghap_")),
        "{repaired:?}"
    );
    assert_eq!(repaired.lost.len() + repaired.saved.experiences, 24);
    assert_eq!(std::fs::read(&repaired.damaged_files[0]).unwrap(), damaged);
}

#[test]
fn a_store_that_is_whole_is_left_alone() {
    let world = full_world();
    let before = std::fs::read(world.database()).unwrap();
    assert_eq!(world.again().repair().unwrap().damaged_files, Vec::<std::path::PathBuf>::new());
    assert_eq!(std::fs::read(world.database()).unwrap(), before);
    let missing = World::new();
    assert_eq!(missing.memory.repair().unwrap().saved, tenter_memory::Counts::default());
}
