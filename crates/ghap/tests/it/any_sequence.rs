//! Whatever several agents do in whatever order: at most one active entry each, nothing lost, the history complete.

use std::collections::BTreeMap;

use crate::support::{PROJECT, World, confirmed, goal_of, hypothesis, minutes_from_now, now, seeking, who};
use proptest::prelude::*;
use tenter_ghap::{ErrorKind, Status};

#[derive(Clone, Debug)]
enum Deed {
    Start,
    Update(u8),
    Resolve,
    Abandon,
    Adopt,
    End,
    Leave,
    Tool,
    TakeUp,
}

fn deed() -> impl Strategy<Value = (u8, Deed)> {
    let deed = prop_oneof![
        3 => Just(Deed::Start),
        3 => any::<u8>().prop_map(Deed::Update),
        2 => Just(Deed::Resolve),
        1 => Just(Deed::Abandon),
        1 => Just(Deed::Adopt),
        1 => Just(Deed::End),
        1 => Just(Deed::Leave),
        2 => Just(Deed::Tool),
        1 => Just(Deed::TakeUp),
    ];
    (0..3_u8, deed)
}

/// What should be the case.
#[derive(Default)]
struct Model {
    /// By agent: id and everything that was believed.
    active: BTreeMap<u8, (String, Vec<String>)>,
    left: Vec<u8>,
    done: BTreeMap<String, (Status, Vec<String>)>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn every_sequence_keeps_every_entry(deeds in proptest::collection::vec(deed(), 1..30)) {
        let world = World::new();
        let folder = &world.folder;
        let mut model = Model::default();
        let mut stored = BTreeMap::new();
        for (agent, deed) in deeds {
            let me = who(&format!("session {agent}"));
            let mine = model.active.get(&agent).cloned();
            match deed {
                Deed::Start => match folder.start(&me, PROJECT, &goal_of("g"), now()) {
                    Ok(entry) => {
                        prop_assert!(mine.is_none());
                        model.left.retain(|left| *left != agent);
                        model.active.insert(agent, (entry.id, vec![entry.hypothesis]));
                    }
                    Err(refusal) => {
                        prop_assert!(mine.is_some());
                        prop_assert_eq!(refusal.kind, ErrorKind::ActiveExists);
                    }
                },
                Deed::Update(number) => {
                    let text = format!("belief {}", number % 4);
                    let updated = folder.update(&me, &hypothesis(&text), now());
                    prop_assert_eq!(updated.is_ok(), mine.is_some());
                    if let Some((_, beliefs)) = model.active.get_mut(&agent)
                        && beliefs.last() != Some(&text)
                    {
                        beliefs.push(text);
                    }
                }
                Deed::Resolve | Deed::Abandon => {
                    let (done, status) = match deed {
                        Deed::Resolve => (folder.resolve(&me, &confirmed("It came true"), now()), Status::Confirmed),
                        _ => (folder.abandon(&me, "no time", now()), Status::Abandoned),
                    };
                    prop_assert_eq!(done.is_ok(), mine.is_some());
                    if let Some((id, beliefs)) = model.active.remove(&agent) {
                        model.done.insert(id, (status, beliefs));
                    }
                }
                Deed::Adopt => {
                    let from = model.left.iter().copied().filter(|left| *left != agent).collect::<Vec<_>>();
                    let adopted = folder.adopt(&seeking(&me, now()), None);
                    prop_assert_eq!(adopted.is_ok(), mine.is_none() && !from.is_empty());
                    if let Ok(entry) = adopted {
                        let old = *from.iter().find(|old| model.active[old].0 == entry.id).unwrap();
                        let moved = model.active.remove(&old).unwrap();
                        model.active.insert(agent, moved);
                        model.left.retain(|left| *left != old);
                    }
                }
                Deed::End => {
                    let ended = folder.abandon_session(&me.session, "session ended", now()).unwrap();
                    prop_assert_eq!(ended.len(), usize::from(mine.is_some()));
                    model.left.retain(|left| *left != agent);
                    if let Some((id, beliefs)) = model.active.remove(&agent) {
                        model.done.insert(id, (Status::Abandoned, beliefs));
                    }
                }
                Deed::Leave => {
                    folder.leave_session(&me.session, now()).unwrap();
                    if mine.is_some() && !model.left.contains(&agent) {
                        model.left.push(agent);
                    }
                }
                Deed::Tool => {
                    let due = folder.count_tool(&me, 1).unwrap();
                    prop_assert_eq!(due.map(|due| due.entry.id), mine.map(|(id, _)| id));
                }
                Deed::TakeUp => {
                    let taken = folder.waiting().read().unwrap();
                    folder.waiting().remove(&taken).unwrap();
                    stored.extend(taken.entries.into_iter().map(|entry| (entry.id.clone(), entry)));
                }
            }
            // An entry that was left and is resolved by its own session is no orphan any more.
            model.left.retain(|left| model.active.contains_key(left));
            let active: BTreeMap<String, Vec<String>> = folder
                .all()
                .unwrap()
                .into_iter()
                .map(|(active, _)| {
                    let entry = active.entry;
                    let mut beliefs: Vec<String> = entry.history.into_iter().map(|before| before.hypothesis).collect();
                    beliefs.push(entry.hypothesis);
                    (entry.id, beliefs)
                })
                .collect();
            prop_assert_eq!(&active, &model.active.values().cloned().collect::<BTreeMap<_, _>>());
        }
        stored.extend(world.waiting().into_iter().map(|entry| (entry.id.clone(), entry)));
        let done: BTreeMap<_, _> = stored
            .into_iter()
            .map(|(id, entry)| {
                let status = entry.status().unwrap();
                let mut beliefs: Vec<String> = entry.history.into_iter().map(|before| before.hypothesis).collect();
                beliefs.push(entry.hypothesis);
                (id, (status, beliefs))
            })
            .collect();
        prop_assert_eq!(done, model.done);
        prop_assert!(folder.take_notices().is_empty());
        let _ = minutes_from_now(0);
    }
}
