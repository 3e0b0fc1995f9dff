//! Sub-agents have the same hooks and their own conversation.

use std::sync::Arc;

use serde_json::json;
use tenter_agent::{Agent, AgentParts, Journal, Permission, SharedConversation};
use tenter_contract::{Event, EventKind, HookReply, Pattern, SessionId};
use tenter_coordinator::in_process;

use crate::kit::{ModelReply, World, briefly, prompt};

fn task() -> ModelReply {
    ModelReply::Calls(vec![("Task", json!({"description": "count files", "prompt": "Count the files."}))])
}

#[test]
fn subagent_has_the_hooks_and_returns_text() {
    let write = ModelReply::Calls(vec![("Write", json!({"file_path": ".env", "content": "x"}))]);
    let world = World::new([task(), write, ModelReply::Text("Three."), ModelReply::Text("There are three.")])
        .hook(EventKind::ToolPre, "guard", |event| {
            let path = event.tool.as_ref().and_then(|tool| tool.path()).unwrap_or_default().to_owned();
            if path == ".env" { HookReply::deny("no") } else { HookReply::default() }
        });
    prompt(&mut world.agent(), "How many?").unwrap();
    assert_eq!(briefly(&world.asked(1)), ["prompt: Count the files."]);
    assert_eq!(briefly(&world.asked(2))[2], "failure: Operation denied by guard: no");
    assert_eq!(briefly(&world.asked(3)), ["prompt: How many?", "reply: Task", "result: Three."]);
    let events = world.events.lock().unwrap();
    let start = events.iter().find(|event| event.kind == EventKind::SubagentStart).unwrap();
    assert_eq!(start.parent.as_ref().map(ToString::to_string).as_deref(), Some("s1"));
    assert!(start.agent_id.is_some());
    assert!(events.iter().any(|event| event.kind == EventKind::SubagentComplete));
}

#[test]
fn events_of_a_subagent_name_it() {
    let write = ModelReply::Calls(vec![("Write", json!({"file_path": "a", "content": "x"}))]);
    let broken = ModelReply::Calls(vec![("Nothing", json!({}))]);
    let world = World { permission: Permission::Look, ..World::new([task(), write, broken]) };
    prompt(&mut world.agent(), "How many?").unwrap();
    let events = world.events.lock().unwrap();
    let is_named = |event: &&Event| event.agent_id.is_some();
    let kinds = |events: Vec<&Event>| events.iter().map(|event| event.kind.to_string()).collect::<Vec<_>>();
    let (named, others): (Vec<&Event>, Vec<&Event>) = events.iter().partition(is_named);
    for event in &named {
        assert_eq!(event.agent_id.as_deref(), Some("s1-task-1"), "{}", event.kind);
        assert_eq!(event.agent_type.as_deref(), Some("task"), "{}", event.kind);
        assert_eq!(event.parent.as_ref().map(SessionId::as_str), Some("s1"), "{}", event.kind);
    }
    let own = kinds(named);
    for kind in ["subagent:start", "tool:pre", "permission:request", "tool:error", "provider:request"] {
        assert!(own.contains(&kind.to_owned()), "{kind}: {own:?}");
    }
    assert_eq!(own.last().map(String::as_str), Some("subagent:complete"));
    // The call of `Task` belongs to the parent.
    assert!(others.iter().all(|event| event.session_text() == "s1" && event.agent_type.is_none()));
}

#[test]
fn subagent_hook_checks_only_their_calls() {
    let look = || ModelReply::Calls(vec![("Look", json!({}))]);
    let world = World::new([look(), task(), look()]);
    let parts = world.parts();
    let sessions = Arc::clone(&parts.sessions);
    let guarded = move |id: &str, talk: Arc<SharedConversation>| {
        let session = sessions(id, talk);
        let mut hook = in_process(EventKind::ToolPre, "for-tasks");
        hook.agents = vec![Pattern::parse("task").unwrap()];
        let judge = |event: &Event| match event.tool.as_ref().map(|tool| tool.name.as_str()) {
            Some("Look") => HookReply::deny("not in a task"),
            _ => HookReply::default(),
        };
        session.register_hook(hook, judge).unwrap();
        session
    };
    let parts = AgentParts { sessions: Arc::new(guarded), ..parts };
    prompt(&mut Agent::new(parts, "s1", Journal::none()), "How many?").unwrap();
    assert_eq!(briefly(&world.asked(1))[2], "result: {}");
    assert_eq!(briefly(&world.asked(3))[2], "failure: Operation denied by for-tasks: not in a task");
}

#[test]
fn hook_continues_a_subagent() {
    let world = World::new([task(), ModelReply::Text("Two?"), ModelReply::Text("Three.")]).hook(
        EventKind::SubagentComplete,
        "sure",
        |event| match event.message.as_deref() {
            Some("Three.") => HookReply::default(),
            _ => HookReply::deny("Are you sure?"),
        },
    );
    prompt(&mut world.agent(), "How many?").unwrap();
    assert_eq!(
        briefly(&world.asked(2)),
        ["prompt: Count the files.", "reply: Two?", "prompt: Are you sure?"]
    );
    assert_eq!(briefly(&world.asked(3))[2], "result: Three.");
}

#[test]
fn subagent_cannot_start_others() {
    let world = World::new([task(), task()]);
    prompt(&mut world.agent(), "How many?").unwrap();
    assert!(briefly(&world.asked(2))[2].starts_with("failure: There is no tool `Task`."));
}

#[test]
fn context_at_its_end_goes_to_the_parent() {
    let world = World::new([task(), ModelReply::Text("Three.")])
        .hook(EventKind::SubagentStart, "brief", |_| HookReply::default().inject("Count twice."))
        .hook(EventKind::SubagentComplete, "note", |_| HookReply::default().inject("Counted once."));
    prompt(&mut world.agent(), "How many?").unwrap();
    assert_eq!(briefly(&world.asked(1)), ["system: Count twice.", "prompt: Count the files."]);
    assert_eq!(briefly(&world.asked(2))[2..], ["result: Three.", "system: Counted once."]);
}

#[test]
fn observer_sees_the_tools_of_a_subagent() {
    let look = ModelReply::Calls(vec![("Look", json!({}))]);
    let world = World::new([task(), look, ModelReply::Text("Three."), ModelReply::Text("There are three.")])
        .hook(EventKind::ToolPre, "guard", |event| {
            match event.tool.as_ref().map(|tool| tool.name.as_str()) {
                Some("Look") => HookReply::deny("Not even look."),
                _ => HookReply::default(),
            }
        });
    prompt(&mut world.agent(), "How many?").unwrap();
    let kinds = world.kinds();
    for once in ["prompt:submit", "orchestrator:complete", "subagent:start", "subagent:complete"] {
        assert_eq!(kinds.iter().filter(|kind| *kind == once).count(), 1, "{once}");
    }
    let received = world.received.0.lock().unwrap();
    assert!(
        received.contains(&"denied Operation denied by guard: Not even look.".to_owned()),
        "{received:?}"
    );
    // Every request is reported, but only the text of the parent.
    assert_eq!(received.iter().filter(|word| *word == "answered").count(), 4);
    assert!(!received.contains(&"text Three.".to_owned()));
}

#[test]
fn continued_subagent_ends_and_names_the_hook() {
    let world =
        World::new([task()]).hook(EventKind::SubagentComplete, "never", |_| HookReply::deny("Count again."));
    prompt(&mut world.agent(), "How many?").unwrap();
    let result = briefly(&world.asked(5))[2].clone();
    assert_eq!(
        result,
        "failure: Hooks continued it 3 times and it is not done; never asks: Count again.\nIts last text:\nDone."
    );
    let decisions: Vec<_> = world
        .recorded(&EventKind::SubagentComplete)
        .iter()
        .map(|outcome| (outcome.decision.as_str(), outcome.degraded.len()))
        .collect();
    assert_eq!(decisions, [("deny", 0), ("deny", 0), ("deny", 0), ("abstain", 1)]);
}
