//! What is forgotten is gone from every file.

use crate::support::{World, ann, contains, shop, start};
use tenter_ghap::{ErrorKind, Resolution, Status};
use tenter_memory::{ImportAs, MemoryCategory, NewJournalEntry, NewMemory, Scope};

#[test]
fn nothing_of_what_is_forgotten_is_left_on_disk() {
    let world = World::new();
    world.learn("Keep the umbrella", "It rains");
    world.memory.start_ghap(&ann(), Some(&shop()), &start("Visit xylophonist")).unwrap();
    let resolution = Resolution {
        surprise: Some("The zymurgist came along".to_owned()),
        root_cause: Some(("oversight".to_owned(), "No one asked the quizmaster".to_owned())),
        ..Resolution::new(Status::Falsified, "It was a kazooist")
    };
    let entry = world.memory.resolve_ghap(&ann(), &resolution).unwrap().entry;
    let memory = world
        .memory
        .store_memory(&NewMemory {
            content: "The vuvuzelist is loud".to_owned(),
            category: Some(MemoryCategory::Fact),
            importance: Some(0.5),
            tags: vec!["wobblegong".to_owned()],
            project: None,
        })
        .unwrap();
    let page = NewJournalEntry { summary: "Met a bassoonist".to_owned(), ..NewJournalEntry::default() };
    let page = world.memory.store_journal_entry(&page).unwrap();
    // Stems, as they are among the words.
    let secrets = ["xylophon", "zymurg", "quizmast", "kazoo", "vuvuzel", "wobblegong", "bassoon"];
    let bytes = world.all_bytes();
    for secret in secrets {
        assert!(contains(&bytes, secret), "{secret} was there");
    }
    world.memory.forget(&entry.id).unwrap();
    world.memory.delete_memory(&memory.id).unwrap();
    world.memory.forget(&page.id).unwrap();
    let bytes = world.all_bytes();
    for secret in secrets {
        assert!(!contains(&bytes, secret), "{secret} is still there");
    }
    assert!(contains(&bytes, "umbrella"));
    assert_eq!(world.found("umbrella"), ["Keep the umbrella"]);
    assert_eq!(world.memory.forget(&entry.id).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn an_old_export_does_not_bring_back_what_was_forgotten_unless_that_is_wanted() {
    let world = World::new();
    let entry = world.learn("Keep the umbrella", "It rains");
    world.learn("Keep the hat", "The sun shines");
    let mut lines = Vec::new();
    world.memory.export(&Scope::Everywhere, &mut lines).unwrap();
    world.memory.forget(&entry.id).unwrap();
    let imported = world.memory.import(&mut lines.as_slice(), None).unwrap();
    assert_eq!((imported.taken, imported.known, imported.forgotten), (0, 1, 1));
    assert_eq!(world.found("umbrella"), [""; 0]);
    let how = ImportAs { with_forgotten: true, ..ImportAs::default() };
    let imported = world.memory.import_as(&mut lines.as_slice(), &how).unwrap();
    assert_eq!((imported.taken, imported.known, imported.forgotten), (1, 1, 0));
    assert_eq!(world.found("umbrella"), ["Keep the umbrella"]);
}

#[test]
fn a_memory_takes_the_place_of_an_experience() {
    let world = World::new();
    let old = world.learn("Repair the car with tape", "Tape holds");
    let memory = NewMemory {
        content: "Tape does not hold a car together".to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.5),
        tags: Vec::new(),
        project: Some(shop()),
    };
    let new = world.memory.correct(&old.id, &memory).unwrap();
    assert_eq!(world.found("repair car"), [""; 0]);
    assert_eq!(world.memory.entry(&old.id).unwrap().superseded_by, Some(new.id));
    assert_eq!(world.memory.correct("ghap_nothing", &memory).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_superseded_experience_is_not_found() {
    let world = World::new();
    let old = world.learn("Repair the car with tape", "Tape holds");
    let new = world.learn("Repair the car with screws", "Screws hold");
    world.memory.supersede(&old.id, &new.id).unwrap();
    assert_eq!(world.found("repair car"), ["Repair the car with screws"]);
    assert_eq!(world.found(""), ["Repair the car with screws"]);
    assert_eq!(world.memory.entry(&old.id).unwrap().superseded_by, Some(new.id));
}
