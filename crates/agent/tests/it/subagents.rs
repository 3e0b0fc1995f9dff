//! Agents that an agent starts have the same hooks, and a conversation of their own.

use std::sync::Arc;

use serde_json::json;
use tenter_agent::{Agent, AgentParts, Journal, Permission, SharedConversation};
use tenter_contract::{Event, EventKind, HookReply, Pattern, SessionId};
use tenter_coordinator::in_process;

use crate::kit::{Line, World, briefly, prompt};

fn task() -> Line {
    Line::Calls(vec![("Task", json!({"description": "count files", "prompt": "Count the files."}))])
}

#[test]
fn a_sub_agent_inherits_hooks_and_returns_its_last_words() {
    let write = Line::Calls(vec![("Write", json!({"file_path": ".env", "content": "x"}))]);
    let world = World::new([task(), write, Line::Says("Three."), Line::Says("There are three.")]).hook(
        EventKind::ToolPre,
        "guard",
        |event| {
            let path = event.tool.as_ref().and_then(|tool| tool.path()).unwrap_or_default().to_owned();
            if path == ".env" { HookReply::deny("no") } else { HookReply::default() }
        },
    );
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
fn every_event_of_a_sub_agent_names_it() {
    let write = Line::Calls(vec![("Write", json!({"file_path": "a", "content": "x"}))]);
    let broken = Line::Calls(vec![("Nothing", json!({}))]);
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
    // The call of `Task` itself is the main agent's.
    assert!(others.iter().all(|event| event.session_text() == "s1" && event.agent_type.is_none()));
}

#[test]
fn hook_for_sub_agents_judges_their_calls_and_no_others() {
    let look = || Line::Calls(vec![("Look", json!({}))]);
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
fn a_hook_may_send_a_sub_agent_on() {
    let world = World::new([task(), Line::Says("Two?"), Line::Says("Three.")]).hook(
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
fn a_sub_agent_cannot_start_others() {
    let world = World::new([task(), task()]);
    prompt(&mut world.agent(), "How many?").unwrap();
    assert!(briefly(&world.asked(2))[2].starts_with("failure: There is no tool `Task`."));
}

#[test]
fn what_hooks_add_when_it_is_done_is_for_the_agent_that_waits() {
    let world = World::new([task(), Line::Says("Three.")])
        .hook(EventKind::SubagentStart, "brief", |_| HookReply::default().inject("Count twice."))
        .hook(EventKind::SubagentComplete, "note", |_| HookReply::default().inject("Counted once."));
    prompt(&mut world.agent(), "How many?").unwrap();
    assert_eq!(briefly(&world.asked(1)), ["system: Count twice.", "prompt: Count the files."]);
    assert_eq!(briefly(&world.asked(2))[2..], ["result: Three.", "system: Counted once."]);
}

#[test]
fn a_sub_agent_has_no_user_and_whoever_watches_sees_what_it_does() {
    let look = Line::Calls(vec![("Look", json!({}))]);
    let world = World::new([task(), look, Line::Says("Three."), Line::Says("There are three.")]).hook(
        EventKind::ToolPre,
        "guard",
        |event| match event.tool.as_ref().map(|tool| tool.name.as_str()) {
            Some("Look") => HookReply::deny("Not even look."),
            _ => HookReply::default(),
        },
    );
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
    // Every request was paid for, and only the agent's words are its words.
    assert_eq!(received.iter().filter(|word| *word == "answered").count(), 4);
    assert!(!received.contains(&"text Three.".to_owned()));
}

#[test]
fn one_that_is_never_good_enough_ends_and_the_record_says_who_wanted_more() {
    let world =
        World::new([task()]).hook(EventKind::SubagentComplete, "never", |_| HookReply::deny("Count again."));
    prompt(&mut world.agent(), "How many?").unwrap();
    let result = briefly(&world.asked(5))[2].clone();
    assert_eq!(
        result,
        "failure: It was sent on 3 times and is not done; never still wants: Count again.\nIts last words:\nDone."
    );
    let decisions: Vec<_> = world
        .recorded(&EventKind::SubagentComplete)
        .iter()
        .map(|outcome| (outcome.decision.as_str(), outcome.degraded.len()))
        .collect();
    assert_eq!(decisions, [("deny", 0), ("deny", 0), ("deny", 0), ("abstain", 1)]);
}
