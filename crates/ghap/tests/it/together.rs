//! Several agents at once.

use std::collections::BTreeSet;

use crate::support::{
    PROJECT, World, confirmed, folder, goal_of, hypothesis, minutes_from_now, now, seeking, who,
};

#[test]
fn agents_that_work_at_the_same_time_lose_nothing_of_each_other() {
    let world = World::new();
    let ids: Vec<String> = std::thread::scope(|scope| {
        let home = world.home.path();
        let agents: Vec<_> = (0..6)
            .map(|agent| {
                scope.spawn(move || {
                    // Each with a folder of its own in memory, as processes have.
                    let folder = folder(home);
                    let me = who(&format!("agent {agent}"));
                    let mut ids = Vec::new();
                    for round in 0..6 {
                        let entry =
                            folder.start(&me, PROJECT, &goal_of(&format!("round {round}")), now()).unwrap();
                        folder.update(&me, &hypothesis(&format!("{agent} in {round}")), now()).unwrap();
                        folder.count_tool(&me, 1).unwrap();
                        let resolved = folder.resolve(&me, &confirmed("It passed ten times"), now()).unwrap();
                        assert_eq!((&resolved.id, resolved.iteration_count), (&entry.id, 2));
                        ids.push(entry.id);
                    }
                    ids
                })
            })
            .collect();
        agents.into_iter().flat_map(|agent| agent.join().unwrap()).collect()
    });
    let waiting: Vec<String> = world.waiting().into_iter().map(|entry| entry.id).collect();
    assert_eq!(waiting.len(), 36);
    assert_eq!(waiting.into_iter().collect::<BTreeSet<_>>(), ids.into_iter().collect());
    assert_eq!(world.files(), Vec::<String>::new());
}

#[test]
fn of_those_who_start_at_the_same_time_as_one_agent_one_does() {
    let world = World::new();
    let started: usize = std::thread::scope(|scope| {
        let home = world.home.path();
        let all: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    folder(home)
                        .start(&who("ann"), PROJECT, &goal_of(&format!("goal {number}")), now())
                        .is_ok()
                })
            })
            .collect();
        all.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
    });
    assert_eq!((started, world.folder.all().unwrap().len()), (1, 1));
}

#[test]
fn of_those_who_adopt_the_same_orphan_one_does() {
    let world = World::new();
    world.start(&who("gone"), "Fix the flaky cache test").unwrap();
    let adopted: usize = std::thread::scope(|scope| {
        let home = world.home.path();
        let all: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    let me = who(&format!("agent {number}"));
                    usize::from(folder(home).adopt(&seeking(&me, minutes_from_now(11)), None).is_ok())
                })
            })
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    // All check from eleven minutes ahead, so one that was just adopted resembles an orphan to the next; still there
    // is one entry, and one agent has it.
    assert!(adopted >= 1);
    let all = world.folder.all().unwrap();
    assert_eq!(all.len(), 1);
    let owner = who(&all[0].0.entry.session_id);
    assert!(world.folder.active(&owner).unwrap().is_some());
}

#[test]
fn what_came_since_stays_when_two_take_up_what_waits() {
    let world = World::new();
    let resolve = |session: &str, goal: &str| {
        world.start(&who(session), goal).unwrap();
        world.folder.resolve(&who(session), &confirmed("It passed ten times"), now()).unwrap().id
    };
    resolve("ann", "Stored by both");
    let (waiting, other) = (world.folder.waiting(), folder(world.home.path()));
    let taken = [waiting.read().unwrap(), other.waiting().read().unwrap()];
    waiting.remove(&taken[0]).unwrap();
    other.waiting().remove(&taken[1]).unwrap();
    // The second of them is slower than a user who resolves another.
    resolve("bob", "Stored by both too");
    let taken = [waiting.read().unwrap(), other.waiting().read().unwrap()];
    waiting.remove(&taken[0]).unwrap();
    let later = resolve("eve", "Stored by no process yet");
    other.waiting().remove(&taken[1]).unwrap();
    let waits: Vec<String> = world.waiting().into_iter().map(|entry| entry.id).collect();
    assert_eq!(waits, [later]);
}
