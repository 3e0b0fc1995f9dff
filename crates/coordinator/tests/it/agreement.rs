//! What the conversation got, what the session reports and what the trail keeps agree to the byte, whatever hooks
//! inject and however many ask at once.

use std::collections::BTreeSet;
use std::thread;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use tenter_contract::{Event, EventKind};
use tenter_coordinator::{Effect, HookReply, Injection, RecordBody, Role, Strategy};

use crate::kit::{Stage, stage};

/// What one hook says at one event.
fn injections() -> impl proptest::strategy::Strategy<Value = Vec<Injection>> {
    let size = prop_oneof![8 => 0usize..60, 1 => Just(10_240usize), 1 => Just(10_241usize)];
    let letter = prop_oneof![Just('x'), Just('é'), Just('\n')];
    let one = (letter, size, 0..3usize, 0..3usize, any::<bool>()).prop_map(
        |(letter, size, role, strategy, ephemeral)| Injection {
            role: Role::ALL[role],
            strategy: Strategy::ALL[strategy],
            ephemeral,
            ..Injection::text(letter.to_string().repeat(size / letter.len_utf8()))
        },
    );
    proptest::collection::vec(one, 0..3)
}

/// The bytes of every hook's text in the conversation, as its messages say.
fn in_the_conversation(stage: &Stage) -> Vec<(String, usize)> {
    let messages = stage.session.messages();
    let parts = messages.iter().filter_map(|message| message.hook.as_ref()).flat_map(|hook| &hook.parts);
    parts.map(|part| (part.hook_name.clone(), part.bytes)).collect()
}

/// The same as the trail has it.
fn in_the_trail(stage: &Stage) -> Vec<(String, usize)> {
    let records = stage.trail.records();
    let injected = records.iter().filter_map(|record| match record {
        RecordBody::Injection { by, injection, .. } => Some((by.to_string(), injection.content.len())),
        _ => None,
    });
    injected.collect()
}

fn sorted(mut all: Vec<(String, usize)>) -> Vec<(String, usize)> {
    all.sort();
    all
}

proptest! {
    #[test]
    fn what_the_conversation_got_and_what_the_trail_keeps_agree_to_the_byte(
        events in proptest::collection::vec(proptest::collection::vec(injections(), 1..4), 1..5),
    ) {
        let stage = stage();
        let said = events.clone();
        for number in 0..4 {
            let said = said.clone();
            let say = move |event: &Event| {
                let at = usize::try_from(event.turn_count.unwrap()).unwrap();
                let mine = said[at].get(number).cloned().unwrap_or_default();
                HookReply { effects: mine.into_iter().map(Effect::Inject).collect(), ..HookReply::default() }
            };
            stage.session.register(EventKind::ToolPost, &format!("hook-{number}"), 0, say).unwrap();
        }
        for (at, hooks) in events.iter().enumerate() {
            let mut event = stage.session.event(EventKind::ToolPost);
            event.turn_count = Some(at as u64);
            let emitted = stage.session.emit(event).unwrap();
            let too_large = hooks.iter().flatten().filter(|one| one.content.len() > 10_240).count();
            prop_assert_eq!(emitted.rejected.len(), too_large);
            for message in &emitted.placed {
                // A single text goes as it is; of several, each stands there whole under its header.
                let parts = &message.hook.as_ref().unwrap().parts;
                if let [only] = &parts[..] {
                    prop_assert_eq!(message.content.len(), only.bytes);
                } else {
                    for part in parts {
                        let header = format!("From {} ({} bytes):\n", part.hook_name, part.bytes);
                        prop_assert!(message.content.contains(&header));
                    }
                }
            }
        }
        prop_assert_eq!(sorted(in_the_conversation(&stage)), sorted(in_the_trail(&stage)));
    }
}

#[test]
fn of_twenty_threads_that_inject_at_once_nothing_is_lost_and_nothing_mixed() {
    let stage = stage();
    let say = |event: &Event| HookReply::default().inject(event.message.clone().unwrap());
    stage.session.register(EventKind::ToolPost, "echo", 0, say).unwrap();
    thread::scope(|scope| {
        for thread in 0..20 {
            let session = &stage.session;
            scope.spawn(move || {
                for round in 0..50 {
                    let mut event = session.event(EventKind::ToolPost);
                    let text = format!("{thread} says {round}");
                    event.message = Some(text.clone());
                    let emitted = session.emit(event).unwrap();
                    assert_eq!(emitted.placed[0].content, text);
                }
            });
        }
    });
    let contents: BTreeSet<String> = stage.session.messages().into_iter().map(|one| one.content).collect();
    assert_eq!(contents.len(), 1000);
    assert_eq!(sorted(in_the_conversation(&stage)), sorted(in_the_trail(&stage)));
}
