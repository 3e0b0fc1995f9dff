//! Whatever goes wrong, the session is whole afterwards.

use serde_json::json;
use tenter_agent::{Agent, AgentParts, Journal, TurnEnd, TurnError};
use tenter_contract::EventKind;
use tenter_models::client::{Block, Item, ModelError, ModelSpec, Reply, StopFlag, ToolUse};
use tenter_models::{Script, ScriptServer, ServerOptions};

use crate::kit::{Line, World, briefly, prompt};

#[test]
fn a_model_that_breaks_off_leaves_its_words_and_the_next_prompt_goes_on() {
    let call = Block::Call(ToolUse { id: "c".to_owned(), name: "Look".to_owned(), ..ToolUse::default() });
    let heard = Reply { blocks: vec![Block::Text("I will".to_owned()), call], ..Reply::default() };
    let cut =
        ModelError::Cut { place: "x".to_owned(), why: "it ended".to_owned(), received: Box::new(heard) };
    let world = World::new([Line::Fails(cut)]);
    let mut agent = world.agent();
    let error = prompt(&mut agent, "Go").unwrap_err();
    assert!(matches!(error, TurnError::Model(ModelError::Cut { .. })));
    assert_eq!(prompt(&mut agent, "Again").unwrap(), TurnEnd::Done("Done.".to_owned()));
    assert_eq!(briefly(&world.asked(1)), ["prompt: Go", "reply: I will", "prompt: Again"]);
    let kinds = world.kinds();
    assert!(kinds.contains(&"provider:error".to_owned()) && kinds.contains(&"error:orchestrator".to_owned()));
}

#[test]
fn a_wish_to_stop_ends_the_turn_and_keeps_what_was_said() {
    let world = World::new([Line::Stops("I was about to")]);
    let mut agent = world.agent();
    assert_eq!(prompt(&mut agent, "Go").unwrap(), TurnEnd::Stopped);
    assert_eq!(briefly(&agent.talk().now().items), ["prompt: Go", "reply: I was about to"]);
    assert!(!world.kinds().contains(&"provider:error".to_owned()));
}

#[test]
fn calls_that_did_not_get_to_run_have_a_result_that_says_so() {
    let world = World::new([Line::Calls(vec![("Look", json!({})), ("Write", json!({}))])]);
    let mut agent = world.agent();
    let stop = StopFlag::new();
    stop.set();
    assert_eq!(agent.prompt("Go", &stop).unwrap(), TurnEnd::Stopped);
    let items = agent.talk().now();
    let results = items.items.iter().filter(|item| matches!(item, Item::Result(it) if it.failed)).count();
    assert_eq!(results, 2);
}

#[test]
fn a_tool_that_panics_fails_and_takes_nothing_with_it() {
    let world = World::new([Line::Calls(vec![("Break", json!({}))])]);
    assert_eq!(prompt(&mut world.agent(), "Go").unwrap(), TurnEnd::Done("Done.".to_owned()));
    assert!(briefly(&world.asked(1))[2].starts_with("failure: `Break` broke"));
}

#[test]
fn a_conversation_that_grows_too_long_becomes_fewer_words() {
    let lines = [Line::Says("One."), Line::Says("They greeted."), Line::Says("Two.")];
    let world = World { window: 12, ..World::new(lines) };
    let mut agent = world.agent();
    prompt(&mut agent, "Hello").unwrap();
    prompt(&mut agent, "And now?").unwrap();
    let last = briefly(&world.asked(2));
    assert_eq!(
        last,
        ["prompt: What happened so far:\nThey greeted.\n\nThe user's last words were:\nAnd now?"]
    );
    let kinds = world.kinds();
    assert!(
        kinds.contains(&"context:pre_compact".to_owned())
            && kinds.contains(&"context:post_compact".to_owned())
    );
}

fn too_long() -> Line {
    Line::Fails(ModelError::TooLong { message: "9 tokens > 8 maximum".to_owned() })
}

#[test]
fn a_conversation_that_a_model_calls_too_long_becomes_fewer_words_and_is_asked_again() {
    let lines = [
        Line::Says("One."),
        too_long(),
        // Nor does it fit when it is to be put into fewer words.
        too_long(),
        Line::Says("They greeted."),
        Line::Says("Two."),
    ];
    let world = World::new(lines);
    let mut agent = world.agent();
    prompt(&mut agent, &format!("Hello {}", "o".repeat(4_000))).unwrap();
    assert_eq!(prompt(&mut agent, "And now?").unwrap(), TurnEnd::Done("Two.".to_owned()));
    let lengths: Vec<usize> = (2..4).map(|number| briefly(&world.asked(number)).concat().len()).collect();
    assert!(lengths[1] < lengths[0] / 2, "{lengths:?}");
    assert_eq!(
        briefly(&world.asked(4)),
        ["prompt: What happened so far:\nThey greeted.\n\nThe user's last words were:\nAnd now?"]
    );
}

#[test]
fn what_is_too_long_in_fewer_words_as_well_is_said_and_the_session_goes_on() {
    let world = World::new([too_long(), Line::Says("They want a lot."), too_long(), Line::Says("Yes.")]);
    let mut agent = world.agent();
    let error = prompt(&mut agent, "A lot").unwrap_err();
    assert_eq!(error.kind(), "too_long");
    let said = error.to_string();
    assert!(said.contains("also in fewer words (9 tokens > 8 maximum); say less at once"), "{said}");
    assert_eq!(prompt(&mut agent, "Less").unwrap(), TurnEnd::Done("Yes.".to_owned()));
}

#[test]
fn a_hook_that_keeps_a_conversation_as_it_is_leaves_it_too_long() {
    let world = World::new([too_long()])
        .hook(EventKind::ContextPreCompact, "keep", |_| tenter_contract::HookReply::deny("Not now."));
    assert!(matches!(prompt(&mut world.agent(), "A lot"), Err(TurnError::TooLong { .. })));
    assert_eq!(world.requests(), 1);
}

#[test]
fn whoever_stops_it_while_it_finds_fewer_words_has_stopped_the_turn() {
    let world = World::new([too_long(), Line::Stops("They")]);
    let mut agent = world.agent();
    assert_eq!(prompt(&mut agent, "Go").unwrap(), TurnEnd::Stopped);
    assert_eq!(briefly(&agent.talk().now().items), ["prompt: Go"]);
}

#[test]
fn a_hook_may_keep_a_conversation_as_it_is() {
    let world = World { window: 12, ..World::new([]) }
        .hook(EventKind::ContextPreCompact, "keep", |_| tenter_contract::HookReply::deny("Not now."));
    let mut agent = world.agent();
    prompt(&mut agent, "Hello").unwrap();
    prompt(&mut agent, "And now?").unwrap();
    assert_eq!(briefly(&world.asked(1)), ["prompt: Hello", "reply: Done.", "prompt: And now?"]);
}

#[test]
fn error_of_the_provider_is_told_although_it_passes() {
    let script = "version: 1\nturns:\n\
        - fails: { status: 529, headers: { retry-after-ms: 1 }, message: Overloaded }\n\
        - say: Done.\n";
    let server = ScriptServer::start(Script::read(script, "").unwrap(), ServerOptions::default()).unwrap();
    let spec = ModelSpec::parse(&format!("{}/v1#m", server.url())).unwrap();
    let world = World::new([]);
    let parts = AgentParts { model: spec.connect(&[]).unwrap().into(), ..world.parts() };
    let mut agent = Agent::new(parts, "s1", Journal::none());
    assert_eq!(prompt(&mut agent, "Go").unwrap(), TurnEnd::Done("Done.".to_owned()));
    let events = world.events.lock().unwrap();
    let errors: Vec<_> = events.iter().filter(|event| event.kind == EventKind::ProviderError).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].status.as_deref(), Some("retrying"));
    assert_eq!(errors[0].error.as_ref().unwrap().message, "529: Overloaded");
    assert_eq!(errors[0].data["attempt"], 1);
}
