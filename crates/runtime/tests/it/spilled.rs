//! More context than an agent takes at once: a fair beginning of each text, and where all of it is.

use std::sync::Arc;

use tenter_contract::{Abilities, HookSpec, RecordBody, Unfit};
use tenter_runtime::Runtime;

use crate::kit::{Parrot, Trail, answer, hook, inject, runtime, said};
use crate::once::NoShelf;

fn narrow() -> Parrot {
    let abilities = Abilities { context_limit: Some(210), ..Abilities::EVERYTHING };
    Parrot { abilities: Some(abilities), ..Parrot::default() }
}

fn chatty(trail: &Arc<Trail>) -> Runtime {
    runtime(vec![hook("short"), hook("long"), hook("longer")], trail, |hook: &HookSpec, _| {
        match hook.id.name.as_str() {
            "short" => inject("hello"),
            "long" => inject(&"a".repeat(100)),
            _ => inject(&"b".repeat(200)),
        }
    })
}

fn unfit(trail: &Trail) -> Vec<Unfit> {
    let RecordBody::Event(event) = trail.records().remove(0) else { panic!("no event") };
    event.outcome.unfit
}

#[test]
fn all_of_it_is_kept_in_a_file_that_is_named() {
    let trail = Arc::new(Trail::default());
    let (_, stdout, _) = answer(&chatty(&trail), &narrow(), "ls");
    let expected = "context: Hook feedback:\n\nFrom short (5 bytes):\nhello\n\nFrom long (11 of 100 bytes):\naaaaaaaaaaa\n\nFrom longer (12 of 200 bytes):\nbbbbbbbbbbbb\n\n… [28 of 305 characters; the whole text is in memory/context-1.txt]\n";
    assert_eq!(stdout, expected);
    let bytes =
        "Hook feedback:".len() + 3 * "\n\nFrom  ( bytes):\n".len() + "short5long100longer200".len() + 305;
    assert_eq!(unfit(&trail), [Unfit::Spilled { bytes, path: "memory/context-1.txt".to_owned() }]);
}

#[test]
fn without_a_file_the_user_is_told() {
    let trail = Arc::new(Trail::default());
    let runtime = Runtime { sessions: Box::new(NoShelf), ..chatty(&trail) };
    let (_, stdout, _) = answer(&runtime, &narrow(), "ls");
    assert!(stdout.contains("of 305 characters]\nmessage: tenter: error: the session state"), "{stdout}");
    assert!(stdout.contains("are more than this agent takes at once; it got the beginnings\n"), "{stdout}");
}

#[test]
fn what_fits_goes_as_it_is() {
    let trail = Arc::new(Trail::default());
    let text = "ä".repeat(210);
    let expected = format!("context: {text}\n");
    let runtime = runtime(vec![hook("one")], &trail, move |_, _| inject(&text));
    assert_eq!(answer(&runtime, &narrow(), "ls"), said(&expected));
    assert_eq!(unfit(&trail), []);
}
