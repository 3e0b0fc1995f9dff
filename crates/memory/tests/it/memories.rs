//! Memories.

use crate::support::{World, shop};
use tenter_ghap::ErrorKind;
use tenter_memory::{MemoryCategory, MemoryFilter, MemoryItem, MemoryQuery, NewMemory, Scope};

fn fact(content: &str) -> NewMemory {
    NewMemory {
        content: content.to_owned(),
        category: Some(MemoryCategory::Fact),
        importance: Some(0.5),
        tags: Vec::new(),
        project: Some(shop()),
    }
}

fn contents(memories: &[MemoryItem]) -> Vec<&str> {
    memories.iter().map(|memory| memory.content.as_str()).collect()
}

#[test]
fn a_memory_is_found_by_its_words_and_tags() {
    let world = World::new();
    world
        .memory
        .store_memory(&NewMemory { tags: vec!["brewing".to_owned()], ..fact("Ann likes green tea") })
        .unwrap();
    world.memory.store_memory(&fact("The build needs Java")).unwrap();
    for text in ["tea", "brewing", "greens"] {
        let found = world.again().retrieve_memories(&MemoryQuery::new(text, Scope::Everywhere)).unwrap();
        assert_eq!(found[0].memory.content, "Ann likes green tea", "{text}");
    }
}

#[test]
fn memories_are_filtered_by_category_and_importance() {
    let world = World::new();
    world.memory.store_memory(&fact("Tea is green")).unwrap();
    let important = NewMemory {
        importance: Some(0.9),
        category: Some(MemoryCategory::Preference),
        ..fact("Tea is loved")
    };
    world.memory.store_memory(&important).unwrap();
    let query = MemoryQuery::new("tea", Scope::Project(shop()));
    for query in [
        MemoryQuery { min_importance: 0.8, ..query.clone() },
        MemoryQuery { category: Some(MemoryCategory::Preference), ..query.clone() },
    ] {
        let found = world.memory.retrieve_memories(&query).unwrap();
        assert_eq!(found.iter().map(|hit| hit.memory.content.as_str()).collect::<Vec<_>>(), ["Tea is loved"]);
    }
    assert_eq!(
        world.memory.retrieve_memories(&query).unwrap()[0].memory.content,
        "Tea is loved",
        "it matters more"
    );
}

#[test]
fn the_same_words_about_the_same_project_are_one_memory() {
    let world = World::new();
    let first = world.memory.store_memory(&fact("Tea is green")).unwrap();
    assert_eq!(world.memory.store_memory(&fact(" Tea is green\n")).unwrap(), first);
    world.memory.store_memory(&NewMemory { project: None, ..fact("Tea is green") }).unwrap();
    assert_eq!(world.memory.stats().unwrap().memories, 2);
}

#[test]
fn a_memory_that_is_said_again_is_what_was_said_last() {
    let unsaid = NewMemory { category: None, importance: None, ..fact("Tea is green") };
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<String>>();
    let world = World::new();
    let first = world.memory.store_memory(&NewMemory { tags: tags(&["leaf"]), ..unsaid.clone() }).unwrap();
    assert_eq!((first.category, first.importance), (MemoryCategory::Fact, 0.5));
    let category = MemoryCategory::Preference;
    // What is stated again, and what the memory is then; what is not stated stays.
    for (again, category, importance, all) in [
        (unsaid.clone(), MemoryCategory::Fact, 0.5, &["leaf"][..]),
        (NewMemory { importance: Some(0.8), ..unsaid.clone() }, MemoryCategory::Fact, 0.8, &["leaf"]),
        (NewMemory { category: Some(category), ..unsaid.clone() }, category, 0.8, &["leaf"]),
        (NewMemory { tags: tags(&["sencha", "leaf"]), ..unsaid.clone() }, category, 0.8, &["leaf", "sencha"]),
        (NewMemory { importance: Some(0.2), ..unsaid.clone() }, category, 0.2, &["leaf", "sencha"]),
    ] {
        let stored = world.memory.store_memory(&again).unwrap();
        let wanted = MemoryItem { category, importance, tags: tags(all), ..first.clone() };
        assert_eq!(stored, wanted, "{again:?}");
        assert_eq!(world.again().memory(&first.id).unwrap(), wanted, "{again:?}");
    }
    assert_eq!(world.memory.stats().unwrap().memories, 1);
    let query = MemoryQuery::new("sencha", Scope::Everywhere);
    let found = |query: &MemoryQuery| world.again().retrieve_memories(query).unwrap().len();
    assert_eq!(found(&query), 1, "it is found by its new tag");
    assert_eq!(found(&MemoryQuery { category: Some(category), ..query.clone() }), 1);
    assert_eq!(found(&MemoryQuery { min_importance: 0.3, ..query }), 0, "and counts as was said last");
}

#[test]
fn pages_of_memories_follow_each_other() {
    let world = World::new();
    for number in 0..5 {
        let tags = if number % 2 == 0 { vec!["even".to_owned()] } else { Vec::new() };
        world.memory.store_memory(&NewMemory { tags, ..fact(&format!("Number {number}")) }).unwrap();
    }
    let filter = MemoryFilter { limit: 2, ..MemoryFilter::new(Scope::Everywhere) };
    let (first, count) = world.memory.list_memories(&filter).unwrap();
    assert_eq!((contents(&first), count), (vec!["Number 4", "Number 3"], 5));
    let (last, _) = world.memory.list_memories(&MemoryFilter { offset: 4, ..filter.clone() }).unwrap();
    assert_eq!(contents(&last), ["Number 0"]);
    let (even, count) =
        world.memory.list_memories(&MemoryFilter { tags: vec!["even".to_owned()], ..filter }).unwrap();
    assert_eq!((contents(&even), count), (vec!["Number 4", "Number 2"], 3));
}

#[test]
fn what_cannot_be_a_memory_is_refused() {
    let world = World::new();
    for memory in [
        fact(" "),
        fact("<private>all of it</private>"),
        fact(&"x".repeat(10_001)),
        NewMemory { importance: Some(1.5), ..fact("Tea") },
        NewMemory { importance: Some(f64::NAN), ..fact("Tea") },
    ] {
        assert_eq!(world.memory.store_memory(&memory).unwrap_err().kind, ErrorKind::Validation, "{memory:?}");
    }
}

#[test]
fn secrets_and_what_is_private_or_was_recalled_are_not_kept() {
    let world = World::new();
    let text = "Password hunter2hunter2 <private>salary</private> \
                <tenter-data source=\"tenter memory\" trust=\"foreign\">an old lesson</tenter-data> is set";
    let memory = world.memory.store_memory(&fact(text)).unwrap();
    assert_eq!(memory.content, "Password [redacted:environment]   is set");
    let bytes = world.all_bytes();
    for secret in ["hunter2", "salary", "old lesson"] {
        assert!(!crate::support::contains(&bytes, secret), "{secret}");
    }
}

#[test]
fn a_superseded_memory_is_kept_and_not_found() {
    let world = World::new();
    let old = world.memory.store_memory(&fact("Tea is at four")).unwrap();
    let new = world.memory.store_memory(&fact("Tea is at five")).unwrap();
    world.memory.supersede(&old.id, &new.id).unwrap();
    let found = world.memory.retrieve_memories(&MemoryQuery::new("tea", Scope::Everywhere)).unwrap();
    assert_eq!(found.iter().map(|hit| hit.memory.id.as_str()).collect::<Vec<_>>(), [new.id.as_str()]);
    assert_eq!(world.memory.memory(&old.id).unwrap().superseded_by, Some(new.id.clone()));
    let (listed, _) = world.memory.list_memories(&MemoryFilter::new(Scope::Everywhere)).unwrap();
    assert_eq!(contents(&listed), ["Tea is at five"]);
    for (old, new, kind) in [
        (new.id.as_str(), new.id.as_str(), ErrorKind::Validation),
        (new.id.as_str(), "mem_x", ErrorKind::NotFound),
        ("mem_x", new.id.as_str(), ErrorKind::NotFound),
    ] {
        assert_eq!(world.memory.supersede(old, new).unwrap_err().kind, kind);
    }
}
