//! The journal.

use crate::support::{World, shop};
use tenter_ghap::ErrorKind;
use tenter_memory::{JournalFilter, NewJournalEntry, Scope};

fn page(summary: &str) -> NewJournalEntry {
    NewJournalEntry {
        summary: summary.to_owned(),
        working_directory: Some("/home/ann/shop".to_owned()),
        friction_points: vec!["The proxy".to_owned()],
        next_steps: vec!["Write the test".to_owned()],
        session_log: Some("user: hello".to_owned()),
        session: Some("ann".to_owned()),
        project: Some(shop()),
    }
}

#[test]
fn a_page_is_read_back_with_what_was_said_if_that_is_wanted() {
    let world = World::new();
    let written = world.memory.store_journal_entry(&page("Fixed the cache")).unwrap();
    assert_eq!((written.project_name.as_deref(), written.session_log.as_deref()), (Some("shop"), None));
    assert_eq!(world.again().journal_entry(&written.id, false).unwrap(), written);
    let whole = world.memory.journal_entry(&written.id, true).unwrap();
    assert_eq!(whole.session_log.as_deref(), Some("user: hello"));
}

#[test]
fn no_field_of_a_page_keeps_a_secret() {
    let world = World::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let written = world
        .memory
        .store_journal_entry(&NewJournalEntry {
            summary: format!("used {token}"),
            working_directory: Some(format!("/home/ann/{token}")),
            friction_points: vec![token.clone()],
            next_steps: vec![token.clone()],
            session_log: Some(token.clone()),
            ..page("x")
        })
        .unwrap();
    let whole = world.memory.journal_entry(&written.id, true).unwrap();
    assert!(!format!("{whole:?}").contains(&token), "{whole:?}");
    assert_eq!(whole.project_name.as_deref(), Some("[redacted:github]"));
}

#[test]
fn pages_are_listed_until_lessons_were_drawn_from_them() {
    let world = World::new();
    let first = world.memory.store_journal_entry(&page("Fixed the cache")).unwrap();
    world.memory.store_journal_entry(&page("Fixed the proxy")).unwrap();
    let open = JournalFilter { unreflected_only: true, ..JournalFilter::new(Scope::Project(shop())) };
    assert_eq!(world.memory.list_journal_entries(&open).unwrap().len(), 2);
    let ids = [first.id.clone()];
    assert_eq!(world.memory.mark_entries_reflected(&ids, Some(3), true).unwrap(), 1);
    assert_eq!(world.memory.mark_entries_reflected(&ids, None, true).unwrap(), 0);
    assert_eq!(world.memory.list_journal_entries(&open).unwrap().len(), 1);
    let marked = world.memory.journal_entry(&first.id, true).unwrap();
    assert_eq!((marked.memories_created, marked.session_log), (3, None));
    assert!(marked.reflected_at.is_some());
    let elsewhere =
        JournalFilter { project_name: Some("other".to_owned()), ..JournalFilter::new(Scope::Everywhere) };
    assert_eq!(world.memory.list_journal_entries(&elsewhere).unwrap(), []);
}

#[test]
fn if_one_page_is_not_there_none_is_marked() {
    let world = World::new();
    let first = world.memory.store_journal_entry(&page("Fixed the cache")).unwrap();
    let refusal =
        world.memory.mark_entries_reflected(&[first.id.clone(), "x".to_owned()], None, true).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::NotFound);
    let page = world.memory.journal_entry(&first.id, true).unwrap();
    assert_eq!((page.reflected_at, page.session_log.as_deref()), (None, Some("user: hello")));
}
