//! Entries that no session works on.

use crate::support::{
    PROJECT, World, confirmed, goal_of, minutes_from_now, now, run_of, seeking, seeking_where, who,
};
use tenter_ghap::{ErrorKind, Liveness, OrphanSearch, Status, Tier, Who};

#[test]
fn an_entry_is_an_orphan_when_its_session_is_silent_or_has_left_it() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    let orphans = |who: &Who, when| world.folder.orphans(&seeking(who, when)).unwrap().len();
    assert_eq!(orphans(&bob, now()), 0, "its session was just there");
    assert_eq!(orphans(&bob, minutes_from_now(11)), 1, "silent");
    assert_eq!(orphans(&ann, minutes_from_now(11)), 0, "its own");
    let sub = Who::sub_agent(ann.session.clone(), "agent-7");
    assert_eq!(orphans(&sub, minutes_from_now(11)), 0, "of its own session");
    let elsewhere = OrphanSearch { project: Some("other"), ..seeking(&bob, minutes_from_now(11)) };
    assert_eq!(world.folder.orphans(&elsewhere).unwrap(), []);
    world.folder.leave_session(&ann.session, now()).unwrap();
    assert_eq!(orphans(&bob, now()), 1, "left");
    world.folder.return_to_session(&ann.session).unwrap();
    assert_eq!(orphans(&bob, now()), 0, "back again");
    assert_eq!(world.folder.active(&ann).unwrap(), Some(entry));
}

/// Silence says nothing where the process does.
#[test]
fn an_entry_is_an_orphan_when_the_process_of_its_session_is_gone() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    world.start(&ann, "Fix the flaky cache test").unwrap();
    world.start(&Who::sub_agent(ann.session.clone(), "agent-7"), "Look into the cache").unwrap();
    for (life, silent_minutes, orphans) in [
        (Liveness::Gone, 0, 2),
        (Liveness::GoesOn, 0, 0),
        (Liveness::GoesOn, 60 * 24 * 7, 0),
        (Liveness::Unknown, 9, 0),
        (Liveness::Unknown, 11, 2),
    ] {
        let life_of = |session: &str| {
            assert_eq!(session, "ann");
            life
        };
        let when = minutes_from_now(silent_minutes);
        let found = world.folder.orphans(&seeking_where(&bob, when, &life_of)).unwrap();
        assert_eq!(found.len(), orphans, "{life:?} after {silent_minutes} minutes");
    }
}

#[test]
fn what_a_person_began_is_theirs_for_a_day_and_after_a_restart() {
    let world = World::new();
    let person = Who::new(Who::by_hand("github.com/ann/shop").unwrap());
    world.start(&person, "Fix the flaky cache test").unwrap();
    let path = world.file(".json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"boot\": \"", "\"boot\": \"another ")).unwrap();
    for (minutes, orphans) in [(0, 0), (11, 0), (23 * 60, 0), (24 * 60 + 1, 1)] {
        let bob = who("bob");
        let seeking = seeking_where(&bob, minutes_from_now(minutes), &|_| Liveness::Gone);
        assert_eq!(world.folder.orphans(&seeking).unwrap().len(), orphans, "after {minutes} minutes");
    }
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
    assert_eq!(world.folder.orphans(&seeking(&who("bob"), now())).unwrap().len(), 1);
}

#[test]
fn an_adopted_orphan_belongs_to_its_new_session_alone() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    let adopted = world.folder.adopt(&seeking(&bob, minutes_from_now(11)), Some(&entry.id)).unwrap();
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
    let adopted = world.folder.adopt(&seeking(&bob, minutes_from_now(11)), None).unwrap();
    world.folder.note_run(&bob, &run_of(&adopted)).unwrap();
    let resolved = world.folder.resolve(&bob, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!(resolved.confidence_tier, Some(Tier::Gold));
}

#[test]
fn active_entry_prevents_adoption() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    world.start(&who("bob"), "Something else").unwrap();
    let refusal = world.folder.adopt(&seeking(&who("bob"), minutes_from_now(11)), None).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::ActiveExists);
}

#[test]
fn what_is_no_orphan_cannot_be_adopted_or_abandoned() {
    let world = World::new();
    let entry = world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    for id in [Some(entry.id.as_str()), Some("ghap_20000229_000000_000000"), None] {
        let adopted = world.folder.adopt(&seeking(&who("bob"), now()), id).unwrap_err();
        let abandoned = world.folder.abandon_orphan(&seeking(&who("bob"), now()), id, "old").unwrap_err();
        assert_eq!((adopted.kind, abandoned.kind), (ErrorKind::NotFound, ErrorKind::NotFound));
    }
}

#[test]
fn refused_adoption_names_reason_and_next_step() {
    let world = World::new();
    let (ann, bob) = (who("ann"), who("bob"));
    let person = Who::new(Who::by_hand("github.com/ann/shop").unwrap());
    let sub = Who::sub_agent(bob.session.clone(), "agent-7");
    let [anns, persons, bobs] = [&ann, &person, &sub].map(|who| world.start(who, "Fix it").unwrap().id);
    for (id, life, why, next) in [
        (&anns, Liveness::GoesOn, "its session `ann` is active", "`start_ghap`"),
        (&anns, Liveness::Unknown, "still belongs to session `ann`", "try again in 10 min"),
        (&persons, Liveness::Gone, "a person began it at a terminal", "`tenter ghap abandon` ends it"),
        (&bobs, Liveness::Gone, "your own session, to the agent `agent-7`", "`resolve_ghap`"),
        (&"ghap_0".to_owned(), Liveness::Gone, "orphaned entry `ghap_0` not found", "`get_orphan`"),
    ] {
        let life = |_: &str| life;
        let refusal = world.folder.adopt(&seeking_where(&bob, now(), &life), Some(id)).unwrap_err();
        let text = refusal.to_string();
        assert!(refusal.message.contains(why) && text.contains(next), "{text}");
        let given_up =
            world.folder.abandon_orphan(&seeking_where(&bob, now(), &life), Some(id), "old").unwrap_err();
        assert_eq!(given_up.kind, ErrorKind::NotFound);
        assert_eq!(given_up, refusal);
    }
    let elsewhere = OrphanSearch { project: Some("other"), ..seeking(&bob, now()) };
    let refusal = world.folder.adopt(&elsewhere, Some(&anns)).unwrap_err().to_string();
    assert!(refusal.contains("another project, github.com/ann/shop; adopt it from there"), "{refusal}");
}

#[test]
fn abandoned_orphan_keeps_its_session() {
    let world = World::new();
    world.start(&who("ann"), "Fix the flaky cache test").unwrap();
    world.folder.abandon_orphan(&seeking(&who("bob"), minutes_from_now(11)), None, "too old").unwrap();
    let waiting = world.waiting();
    assert_eq!((waiting.len(), waiting[0].session_id.as_str()), (1, "ann"));
    assert_eq!(waiting[0].status(), Some(Status::Abandoned));
    assert_eq!(world.files(), Vec::<String>::new());
}

#[test]
fn session_end_abandons_its_entries() {
    let world = World::new();
    let ann = who("ann");
    let sub = Who::sub_agent(ann.session.clone(), "agent-7");
    for who in [&ann, &sub, &who("bob")] {
        world.folder.start(who, PROJECT, &goal_of("Fix the flaky cache test"), now()).unwrap();
    }
    let ended = world.folder.abandon_session(&ann.session, "session ended", now()).unwrap();
    assert_eq!((ended.len(), world.waiting().len(), world.folder.all().unwrap().len()), (2, 2, 1));
}
