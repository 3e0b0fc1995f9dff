//! Entries that nobody works on any more.

use crate::support::{PROJECT, World, confirmed, goal_of, minutes_from_now, now, run_of, who};
use tenter_ghap::{ErrorKind, Status, Tier, Who};

#[test]
fn an_entry_is_an_orphan_when_its_session_is_silent_or_has_left_it() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    let orphans = |who: &Who, when| world.folder.orphans(who, PROJECT, when).unwrap().len();
    assert_eq!(orphans(&bob, now()), 0, "its session was just there");
    assert_eq!(orphans(&bob, minutes_from_now(11)), 1, "silent");
    assert_eq!(orphans(&ann, minutes_from_now(11)), 0, "its own");
    let sub = Who::sub_agent(ann.session.clone(), "agent-7");
    assert_eq!(orphans(&sub, minutes_from_now(11)), 0, "of its own session");
    assert_eq!(world.folder.orphans(&bob, Some("other"), minutes_from_now(11)).unwrap(), []);
    world.folder.leave_session(&ann.session, now()).unwrap();
    assert_eq!(orphans(&bob, now()), 1, "left");
    world.folder.return_to_session(&ann.session).unwrap();
    assert_eq!(orphans(&bob, now()), 0, "back again");
    assert_eq!(world.folder.active(&ann).unwrap(), Some(entry));
}

#[test]
fn a_machine_that_was_started_anew_leaves_orphans() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    let path = world.file(".json");
    let text = std::fs::read_to_string(&path).unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    if boot.trim().is_empty() {
        return;
    }
    std::fs::write(&path, text.replace(boot.trim(), "11111111-2222-3333-4444-555555555555")).unwrap();
    assert_eq!(world.folder.orphans(&who("bob"), PROJECT, now()).unwrap().len(), 1);
}

#[test]
fn an_adopted_orphan_belongs_to_its_new_session_alone() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    let adopted = world.folder.adopt(&bob, PROJECT, Some(&entry.id), minutes_from_now(11)).unwrap();
    assert_eq!((adopted.session_id.as_str(), adopted.adopted_from.as_deref()), ("bob", Some("ann")));
    assert_eq!(world.folder.active(&ann).unwrap(), None);
    assert_eq!(world.folder.active(&bob).unwrap().unwrap().id, entry.id);
    assert_eq!(world.folder.all().unwrap().len(), 1);
    let resolved = world.folder.resolve(&bob, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!(resolved.confidence_tier, Some(Tier::Bronze), "by another's word");
}

#[test]
fn an_adopted_orphan_becomes_gold_by_a_run_that_was_seen() {
    let world = World::new();
    let bob = who("bob");
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    let adopted = world.folder.adopt(&bob, PROJECT, None, minutes_from_now(11)).unwrap();
    world.folder.note_run(&bob, &run_of(&adopted)).unwrap();
    let resolved = world.folder.resolve(&bob, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!(resolved.confidence_tier, Some(Tier::Gold));
}

#[test]
fn whoever_has_an_entry_adopts_none() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    world.start(&who("bob"), "Something else").unwrap();
    let refusal = world.folder.adopt(&who("bob"), PROJECT, None, minutes_from_now(11)).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::ActiveExists);
}

#[test]
fn what_is_no_orphan_cannot_be_adopted_or_abandoned() {
    let world = World::new();
    let entry = world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    for id in [Some(entry.id.as_str()), Some("ghap_20000229_000000_000000"), None] {
        let adopted = world.folder.adopt(&who("bob"), PROJECT, id, now()).unwrap_err();
        let abandoned = world.folder.abandon_orphan(&who("bob"), PROJECT, id, "old", now()).unwrap_err();
        assert_eq!((adopted.kind, abandoned.kind), (ErrorKind::NotFound, ErrorKind::NotFound));
    }
}

#[test]
fn an_abandoned_orphan_waits_for_the_store_under_its_own_session() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    world.folder.abandon_orphan(&who("bob"), PROJECT, None, "too old", minutes_from_now(11)).unwrap();
    let waiting = world.waiting();
    assert_eq!((waiting.len(), waiting[0].session_id.as_str()), (1, "ann"));
    assert_eq!(waiting[0].status(), Some(Status::Abandoned));
    assert_eq!(world.files(), Vec::<String>::new());
}

#[test]
fn the_end_of_a_session_abandons_what_it_and_its_sub_agents_were_at() {
    let world = World::new();
    let ann = who("ann");
    let sub = Who::sub_agent(ann.session.clone(), "agent-7");
    for who in [&ann, &sub, &who("bob")] {
        world.folder.start(who, PROJECT, &goal_of("Fix the flaky cache test"), now()).unwrap();
    }
    let ended = world.folder.abandon_session(&ann.session, "session ended", now()).unwrap();
    assert_eq!((ended.len(), world.waiting().len(), world.folder.all().unwrap().len()), (2, 2, 1));
}
