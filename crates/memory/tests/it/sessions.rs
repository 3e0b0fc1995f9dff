//! Sessions, and what they leave behind.

use crate::support::{World, ann, shop, start};
use tenter_contract::SessionId;
use tenter_ghap::{Status, Tier, Who};
use tenter_memory::{Ending, NewSession, Project};

fn session(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

fn begin(world: &World, id: &str, project: Project) {
    let new = NewSession { session: session(id), project: Some(project), agent: Some("claude".to_owned()) };
    world.memory.start_session(&new).unwrap();
}

#[test]
fn a_session_that_is_over_abandons_its_entry_and_says_what_it_did() {
    let world = World::new();
    begin(&world, "ann", shop());
    world.learn("Repair the car", "The engine is cold");
    world.memory.start_ghap(&ann(), Some(&shop()), &start("Water the garden")).unwrap();
    let ended = world.memory.end_session(&session("ann"), &Ending::Over("session ended".to_owned())).unwrap();
    assert_eq!(ended.resolved, [1, 0, 1]);
    let entry = &ended.abandoned[0].entry;
    assert_eq!((entry.status(), entry.confidence_tier), (Some(Status::Abandoned), Some(Tier::Abandoned)));
    assert_eq!(world.memory.stats().unwrap().experiences, [1, 0, 1]);
}

#[test]
fn a_session_that_goes_on_leaves_its_entry_to_the_next() {
    let world = World::new();
    begin(&world, "ann", shop());
    let entry = world.memory.start_ghap(&ann(), Some(&shop()), &start("Water the garden")).unwrap();
    let ended = world.memory.end_session(&session("ann"), &Ending::GoesOn).unwrap();
    assert_eq!(ended.abandoned, []);
    let bob = Who::new(session("bob"));
    let orphan = world.memory.orphans(&bob, Some(&shop())).unwrap().remove(0);
    assert_eq!(orphan.entry.id, entry.id);
    let adopted = world.memory.adopt_orphan(&bob, Some(&shop()), Some(&entry.id)).unwrap();
    assert_eq!(adopted.adopted_from.as_deref(), Some("ann"));
    assert_eq!(world.memory.orphans(&bob, Some(&shop())).unwrap(), []);
}

#[test]
fn a_session_that_comes_back_has_its_entry_again() {
    let world = World::new();
    begin(&world, "ann", shop());
    let entry = world.memory.start_ghap(&ann(), Some(&shop()), &start("Water the garden")).unwrap();
    world.memory.end_session(&session("ann"), &Ending::GoesOn).unwrap();
    begin(&world, "ann", shop());
    let bob = Who::new(session("bob"));
    assert_eq!(world.memory.orphans(&bob, Some(&shop())).unwrap(), []);
    assert_eq!(world.memory.active_ghap(&ann()).unwrap(), Some(entry));
}

#[test]
fn an_abandoned_orphan_is_stored() {
    let world = World::new();
    world.memory.start_ghap(&ann(), Some(&shop()), &start("Water the garden")).unwrap();
    world.memory.end_session(&session("ann"), &Ending::GoesOn).unwrap();
    let bob = Who::new(session("bob"));
    let resolved = world.memory.abandon_orphan(&bob, Some(&shop()), None, "too old").unwrap();
    assert_eq!(world.memory.entry(&resolved.entry.id).unwrap().entry, resolved.entry);
}
