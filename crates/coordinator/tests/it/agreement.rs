//! Conversation, budget and trail agree to the byte, whatever hooks
//! inject, also concurrently.

use std::collections::BTreeSet;
use std::thread;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use tenter_contract::limits::quarter_of_bytes;
use tenter_contract::{Event, EventKind, Repeat};
use tenter_coordinator::{
    Effect, HookReply, Injection, Limits, OverBudget, OverLimit, RecordBody, Role, Strategy,
};

use crate::kit::{TestSession, test_session, test_session_with};

/// The text of one hook at one event.
fn injections() -> impl proptest::strategy::Strategy<Value = Vec<Injection>> {
    let size = prop_oneof![8 => 0usize..60, 1 => Just(10_240usize), 1 => Just(10_241usize)];
    let letter = prop_oneof![Just('x'), Just('é'), Just('\n'), Just('\u{200b}')];
    let one = (letter, size, 0..3usize, 0..3usize, any::<bool>(), 0..4usize).prop_map(
        |(letter, size, role, strategy, ephemeral, repeat)| Injection {
            role: Role::ALL[role],
            strategy: Strategy::ALL[strategy],
            ephemeral,
            repeat: Repeat::ALL[repeat],
            ..Injection::text(letter.to_string().repeat(size / letter.len_utf8()))
        },
    );
    proptest::collection::vec(one, 0..3)
}

fn limits() -> impl proptest::strategy::Strategy<Value = Limits> {
    (prop_oneof![Just(10_240usize), Just(200)], 0..3usize, 0..2usize, prop_oneof![Just(1000u64), Just(20)])
        .prop_map(|(injection_bytes, over_limit, over_budget, turn_tokens)| Limits {
            injection_bytes,
            turn_tokens,
            over_limit: OverLimit::ALL[over_limit],
            over_budget: OverBudget::ALL[over_budget],
            ..Limits::default()
        })
}

/// The size of each hook's text in the conversation, from its messages.
fn in_the_conversation(test: &TestSession) -> Vec<(String, usize)> {
    let messages = test.session.messages();
    let parts = messages.iter().filter_map(|message| message.hook.as_ref()).flat_map(|hook| &hook.parts);
    parts.map(|part| (part.hook_name.clone(), part.bytes)).collect()
}

/// The same from the trail, and the tokens.
fn in_the_trail(test: &TestSession) -> (Vec<(String, usize)>, u64) {
    let records = test.trail.records();
    let entries = records.iter().filter_map(|record| match record {
        RecordBody::Injection { entry, .. } => Some(entry),
        _ => None,
    });
    let cost = entries.clone().map(|entry| entry.tokens).sum();
    (entries.map(|entry| (entry.by.to_string(), entry.bytes)).collect(), cost)
}

fn sorted(mut all: Vec<(String, usize)>) -> Vec<(String, usize)> {
    all.sort();
    all
}

proptest! {
    #[test]
    fn conversation_trail_and_budget_agree_to_the_byte(
        events in proptest::collection::vec(proptest::collection::vec(injections(), 1..4), 1..5),
        limits in limits(),
    ) {
        let test = test_session_with(|builder| builder.limits(limits));
        for number in 0..4 {
            let texts = events.clone();
            let inject = move |event: &Event| {
                let at = usize::try_from(event.turn_count.unwrap()).unwrap();
                let mine = texts[at].get(number).cloned().unwrap_or_default();
                HookReply { effects: mine.into_iter().map(Effect::Inject).collect(), ..HookReply::default() }
            };
            test.session.register(EventKind::ToolPost, &format!("hook-{number}"), 0, inject).unwrap();
        }
        for at in 0..events.len() {
            let mut event = test.session.event(EventKind::ToolPost);
            event.turn_count = Some(at as u64);
            let emitted = test.session.emit(event).unwrap();
            for message in &emitted.placed {
                // A single text has no header; several have headers with their sizes. After
                // a truncated one, tenter adds a note.
                let parts = &message.hook.as_ref().unwrap().parts;
                match &parts[..] {
                    [only] => {
                        let behind = &message.content[only.bytes..];
                        let ours = behind == " ... truncated" || behind.starts_with("\n\n… [");
                        prop_assert!(behind.is_empty() || ours, "{}", behind);
                    }
                    several => for part in several {
                        let header = format!("From {} ({} ", part.hook_name, part.bytes);
                        let line = format!("From {}: unchanged since the last report", part.hook_name);
                        prop_assert!(message.content.contains(&header) || part.bytes == line.len());
                    },
                }
            }
        }
        let (trail, cost) = in_the_trail(&test);
        prop_assert_eq!(sorted(in_the_conversation(&test)), sorted(trail));
        prop_assert_eq!(test.session.spent().unwrap().session, cost);
    }
}

#[test]
fn concurrent_injections_stay_complete() {
    let test = test_session();
    let inject = |event: &Event| HookReply::default().inject(event.message.clone().unwrap());
    test.session.register(EventKind::ToolPost, "echo", 0, inject).unwrap();
    let text = |thread: usize, round: usize| format!("{thread} says {round}");
    thread::scope(|scope| {
        for thread in 0..20 {
            let session = &test.session;
            scope.spawn(move || {
                for round in 0..50 {
                    let mut event = session.event(EventKind::ToolPost);
                    event.message = Some(text(thread, round));
                    let emitted = session.emit(event).unwrap();
                    assert_eq!(emitted.placed[0].content, text(thread, round));
                }
            });
        }
    });
    let contents: BTreeSet<String> = test.session.messages().into_iter().map(|one| one.content).collect();
    assert_eq!(contents.len(), 1000);
    let (trail, cost) = in_the_trail(&test);
    assert_eq!(sorted(in_the_conversation(&test)), sorted(trail));
    assert_eq!(cost, contents.iter().map(|text| quarter_of_bytes(text)).sum::<u64>());
    assert_eq!(test.session.spent().unwrap().session, cost);
}
