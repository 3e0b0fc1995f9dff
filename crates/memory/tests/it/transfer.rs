//! Moving to another machine.

use crate::support::{World, shop};
use tenter_ghap::Tier;
use tenter_memory::{EntryFilter, Imported, MemoryCategory, NewJournalEntry, NewMemory, Project, Scope};

#[test]
fn what_is_exported_here_is_the_same_there_and_counts_once() {
    let here = World::new();
    let old = here.learn("Repair the car", "The engine is cold");
    let new = here.learn("Repair the bicycle", "The chain is frozen");
    here.memory.supersede(&old.id, &new.id).unwrap();
    let memory = NewMemory {
        content: "Tea is green".to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.7),
        tags: vec!["tea".to_owned()],
        project: None,
    };
    here.memory.store_memory(&memory).unwrap();
    let page = NewJournalEntry {
        summary: "Fixed it".to_owned(),
        session_log: Some("user: hello".to_owned()),
        ..NewJournalEntry::default()
    };
    here.memory.store_journal_entry(&page).unwrap();
    let export = |world: &World| {
        let mut lines = Vec::new();
        assert_eq!(world.memory.export(&Scope::Everywhere, &mut lines).unwrap(), 4);
        String::from_utf8(lines).unwrap()
    };
    let lines = export(&here);
    let there = World::new();
    let first = there.memory.import(&mut lines.as_bytes(), None).unwrap();
    let projects = [(shop().as_str().to_owned(), 2)].into();
    assert_eq!(first, Imported { taken: 4, projects, ..Imported::default() });
    let second = there.memory.import(&mut lines.as_bytes(), None).unwrap();
    assert_eq!((second.taken, second.known, second.refused), (0, 4, Vec::new()));
    assert_eq!(export(&there), lines);
    assert_eq!(there.found("repair"), ["Repair the bicycle"]);
}

#[test]
fn an_export_of_a_project_leaves_out_the_others() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    world.learn_in(Some(&Project::named("other")), "Water the garden", "The soil is dry");
    let mut lines = Vec::new();
    assert_eq!(world.memory.export(&Scope::Project(shop()), &mut lines).unwrap(), 1);
}

#[test]
fn a_journal_of_the_system_that_introduced_entries_is_taken_over() {
    let line = |id: &str, rest: &str| {
        format!(
            r#"{{"id": "{id}", "session_id": "session_20251203_135900_abc123", "created_at": "2025-12-03T14:00:00.687882Z",
            "domain": "testing", "strategy": "ask-user", "goal": "Repair the car for hunter2hunter2", "hypothesis": "h",
            "action": "a", "prediction": "p", "history": [], "iteration_count": 1, "notes": []{rest}}}"#
        )
        .replace('\n', " ")
    };
    let outcome = |status: &str| {
        format!(
            r#", "outcome": {{"status": "{status}", "result": "r", "captured_at": "2025-12-03T14:05:00Z", "auto_captured": true}}"#
        )
    };
    let file = [
        line("ghap_1", &(outcome("confirmed") + r#", "confidence_tier": "gold""#)),
        line("ghap_2", &outcome("abandoned")),
        line("ghap_3", ""),
        "not json".to_owned(),
        String::new(),
        r#"{"id": "ghap_4"}"#.to_owned(),
    ]
    .join("\n");
    let world = World::new();
    let imported = world.memory.import(&mut file.as_bytes(), Some(&shop())).unwrap();
    let lines: Vec<usize> = imported.refused.iter().map(|(line, _)| *line).collect();
    assert_eq!((imported.taken, lines), (2, vec![3, 4, 6]));
    let mut entries = world.memory.list_entries(&EntryFilter::new(Scope::Project(shop()))).unwrap();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(entries[0].goal, "Repair the car for [redacted:environment]");
    let tiers: Vec<_> = entries.iter().map(|entry| entry.confidence_tier).collect();
    assert_eq!(tiers, [Some(Tier::Silver), Some(Tier::Abandoned)], "gold is what tenter saw itself");
    assert_eq!(imported.lowered, 1);
    assert!(entries.iter().all(|entry| entry.project.as_deref() == Some(shop().as_str())));
}
