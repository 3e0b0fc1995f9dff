//! The session stays valid after every failure.

use serde_json::json;
use tenter_agent::{Agent, AgentParts, Journal, TurnEnd, TurnError};
use tenter_contract::EventKind;
use tenter_models::client::{Block, FailureCause, Item, ModelError, ModelSpec, Reply, StopFlag, ToolUse};
use tenter_models::{Script, ScriptServer, ServerOptions};

use crate::kit::{ModelReply, World, briefly, prompt};

#[test]
fn broken_reply_keeps_its_text() {
    let call = Block::Call(ToolUse { id: "c".to_owned(), name: "Look".to_owned(), ..ToolUse::default() });
    let received = Reply { blocks: vec![Block::Text("I will".to_owned()), call], ..Reply::default() };
    let cut =
        ModelError { received: Box::new(received), ..ModelError::new(FailureCause::Cut, "x", "it ended") };
    let world = World::new([ModelReply::Failure(cut)]);
    let mut agent = world.agent();
    let error = prompt(&mut agent, "Go").unwrap_err();
    assert!(matches!(error, TurnError::Model(error) if error.cause == FailureCause::Cut));
    assert_eq!(prompt(&mut agent, "Again").unwrap(), TurnEnd::Done("Done.".to_owned()));
    assert_eq!(briefly(&world.asked(1)), ["prompt: Go", "reply: I will", "prompt: Again"]);
    let kinds = world.kinds();
    assert!(kinds.contains(&"provider:error".to_owned()) && kinds.contains(&"error:orchestrator".to_owned()));
}

#[test]
fn stop_ends_the_turn_and_keeps_the_text() {
    let world = World::new([ModelReply::Stopped("I was about to")]);
    let mut agent = world.agent();
    assert_eq!(prompt(&mut agent, "Go").unwrap(), TurnEnd::Stopped);
    assert_eq!(briefly(&agent.talk().now().items), ["prompt: Go", "reply: I was about to"]);
    assert!(!world.kinds().contains(&"provider:error".to_owned()));
}

#[test]
fn calls_that_did_not_run_have_results() {
    let world = World::new([ModelReply::Calls(vec![("Look", json!({})), ("Write", json!({}))])]);
    let mut agent = world.agent();
    let stop = StopFlag::new();
    stop.set();
    assert_eq!(agent.prompt("Go", &stop).unwrap(), TurnEnd::Stopped);
    let items = agent.talk().now();
    let results = items.items.iter().filter(|item| matches!(item, Item::Result(it) if it.failed)).count();
    assert_eq!(results, 2);
}

#[test]
fn panic_of_a_tool_is_a_failed_result() {
    let world = World::new([ModelReply::Calls(vec![("Break", json!({}))])]);
    assert_eq!(prompt(&mut world.agent(), "Go").unwrap(), TurnEnd::Done("Done.".to_owned()));
    assert!(briefly(&world.asked(1))[2].starts_with("failure: `Break` crashed"));
}

#[test]
fn long_conversation_is_compacted() {
    let lines = [ModelReply::Text("One."), ModelReply::Text("They greeted."), ModelReply::Text("Two.")];
    let world = World { window: 12, ..World::new(lines) };
    let mut agent = world.agent();
    prompt(&mut agent, "Hello").unwrap();
    prompt(&mut agent, "And now?").unwrap();
    let last = briefly(&world.asked(2));
    assert_eq!(
        last,
        ["prompt: What happened so far:\nThey greeted.\n\nThe last prompt of the user:\nAnd now?"]
    );
    let kinds = world.kinds();
    assert!(
        kinds.contains(&"context:pre_compact".to_owned())
            && kinds.contains(&"context:post_compact".to_owned())
    );
}

fn too_long() -> ModelReply {
    ModelReply::Failure(ModelError::new(FailureCause::TooLong, "", "9 tokens > 8 maximum"))
}

#[test]
fn refused_conversation_is_compacted_and_sent_again() {
    let lines = [
        ModelReply::Text("One."),
        too_long(),
        // The request for a summary is too long as well.
        too_long(),
        ModelReply::Text("They greeted."),
        ModelReply::Text("Two."),
    ];
    let world = World::new(lines);
    let mut agent = world.agent();
    prompt(&mut agent, &format!("Hello {}", "o".repeat(4_000))).unwrap();
    assert_eq!(prompt(&mut agent, "And now?").unwrap(), TurnEnd::Done("Two.".to_owned()));
    let lengths: Vec<usize> = (2..4).map(|number| briefly(&world.asked(number)).concat().len()).collect();
    assert!(lengths[1] < lengths[0] / 2, "{lengths:?}");
    assert_eq!(
        briefly(&world.asked(4)),
        ["prompt: What happened so far:\nThey greeted.\n\nThe last prompt of the user:\nAnd now?"]
    );
}

#[test]
fn too_long_after_compaction_is_an_error() {
    let world =
        World::new([too_long(), ModelReply::Text("They want a lot."), too_long(), ModelReply::Text("Yes.")]);
    let mut agent = world.agent();
    let error = prompt(&mut agent, "A lot").unwrap_err();
    assert_eq!(error.kind(), "too_long");
    let text = error.to_string();
    assert!(text.contains("even after compaction (9 tokens > 8 maximum); shorten the prompt"), "{text}");
    assert_eq!(prompt(&mut agent, "Less").unwrap(), TurnEnd::Done("Yes.".to_owned()));
}

#[test]
fn denied_compaction_leaves_it_too_long() {
    let world = World::new([too_long()])
        .hook(EventKind::ContextPreCompact, "keep", |_| tenter_contract::HookReply::deny("Not now."));
    assert!(matches!(prompt(&mut world.agent(), "A lot"), Err(TurnError::TooLong(_))));
    assert_eq!(world.requests(), 1);
}

#[test]
fn stop_during_compaction_ends_the_turn() {
    let world = World::new([too_long(), ModelReply::Stopped("They")]);
    let mut agent = world.agent();
    assert_eq!(prompt(&mut agent, "Go").unwrap(), TurnEnd::Stopped);
    assert_eq!(briefly(&agent.talk().now().items), ["prompt: Go"]);
}

#[test]
fn hook_denies_compaction() {
    let world = World { window: 12, ..World::new([]) }
        .hook(EventKind::ContextPreCompact, "keep", |_| tenter_contract::HookReply::deny("Not now."));
    let mut agent = world.agent();
    prompt(&mut agent, "Hello").unwrap();
    prompt(&mut agent, "And now?").unwrap();
    assert_eq!(briefly(&world.asked(1)), ["prompt: Hello", "reply: Done.", "prompt: And now?"]);
}

#[test]
fn temporary_provider_error_is_an_event() {
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
