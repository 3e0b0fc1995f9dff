//! Hooks take effect in the same turn.

use serde_json::{Value, json};
use tenter_agent::{Agent, Journal, TurnEnd};
use tenter_contract::{Decision, Effect, EventKind, HookReply, Injection, OutputPatch, Patch, Rewrite, Role};
use tenter_coordinator::ContextMessage;
use tenter_models::client::Item;

use crate::kit::{ModelReply, World, briefly, prompt};

fn write(path: &str) -> ModelReply {
    ModelReply::Calls(vec![("Write", json!({"file_path": path, "content": "x"}))])
}

#[test]
fn context_after_a_tool_follows_its_result() {
    let world =
        World::new([write("a.py"), ModelReply::Text("Mended.")])
            .hook(EventKind::ToolPost, "linter", |_| HookReply::default().inject("a.py: line 1 is too long"));
    assert_eq!(prompt(&mut world.agent(), "Write a.py").unwrap(), TurnEnd::Done("Mended.".to_owned()));
    assert_eq!(
        briefly(&world.asked(1)),
        ["prompt: Write a.py", "reply: Write", "result: written", "system: a.py: line 1 is too long"]
    );
}

#[test]
fn results_of_one_reply_are_together() {
    let looks = ModelReply::Calls(vec![
        ("Look", json!({"at": 1})),
        ("Look", json!({"at": 2})),
        ("Look", json!({"at": 3})),
    ]);
    let inject = |when: &'static str| {
        move |event: &tenter_contract::Event| {
            let at = event.tool.as_ref().and_then(|tool| tool.input.get("at")).cloned().unwrap_or_default();
            HookReply::default().inject(format!("{when} {at}"))
        }
    };
    let world = World::new([looks]).hook(EventKind::ToolPre, "before", inject("before")).hook(
        EventKind::ToolPost,
        "after",
        inject("after"),
    );
    prompt(&mut world.agent(), "Look").unwrap();
    assert_eq!(
        briefly(&world.asked(1))[2..],
        [
            r#"result: {"at":1}"#,
            r#"result: {"at":2}"#,
            r#"result: {"at":3}"#,
            "system: before 1",
            "system: before 2",
            "system: before 3",
            "system: after 1",
            "system: after 2",
            "system: after 3",
        ]
    );
}

#[test]
fn denied_call_has_the_reason_as_result() {
    let world = World::new([write(".env")])
        .hook(EventKind::ToolPre, "guard", |_| HookReply::deny("Secrets are not written."));
    prompt(&mut world.agent(), "Write").unwrap();
    assert_eq!(briefly(&world.asked(1))[2], "failure: Operation denied by guard: Secrets are not written.");
    assert!(!world.path().join(".env").exists());
    assert!(!world.kinds().contains(&"tool:post".to_owned()));
}

#[test]
fn hook_that_stops_the_agent_ends_the_turn() {
    let stop = |_: &tenter_contract::Event| {
        HookReply::deny("no").and(Effect::StopAgent { reason: "enough".to_owned() })
    };
    let both = || {
        let call = |path: &str| ("Write", json!({"file_path": path, "content": "x"}));
        ModelReply::Calls(vec![call("a.txt"), call("b.txt")])
    };
    let ended = TurnEnd::Denied("guard stopped the agent: enough".to_owned());
    for (event, first_runs) in [(EventKind::ToolPre, false), (EventKind::ToolPost, true)] {
        let world = World::new([both(), ModelReply::Text("On and on.")]).hook(event, "guard", stop);
        let mut agent = world.agent();
        assert_eq!(prompt(&mut agent, "Write").unwrap(), ended);
        assert_eq!(world.path().join("a.txt").exists(), first_runs);
        assert!(!world.path().join("b.txt").exists(), "the second call is not run");
    }
}

#[test]
fn rewritten_input_runs_and_rewritten_output_is_read() {
    let elsewhere = |_: &tenter_contract::Event| {
        let input = json!({"file_path": "safe.txt", "content": "y"}).as_object().cloned().unwrap();
        HookReply::default().rewrite(Rewrite::ToolInput(Patch::Replace(input)))
    };
    let other = |_: &tenter_contract::Event| {
        HookReply::default().rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!("hidden"))))
    };
    let world = World::new([write("a.txt")]).hook(EventKind::ToolPre, "elsewhere", elsewhere).hook(
        EventKind::ToolPost,
        "redact",
        other,
    );
    prompt(&mut world.agent(), "Write").unwrap();
    assert_eq!(std::fs::read_to_string(world.path().join("safe.txt")).unwrap(), "y");
    assert!(!world.path().join("a.txt").exists());
    assert_eq!(briefly(&world.asked(1))[2], "result: hidden");
}

#[test]
fn prompt_context_precedes_the_rewritten_prompt() {
    let world = World::new([]).hook(EventKind::PromptSubmit, "date", |_| {
        HookReply::default().inject("It is Monday.").rewrite(Rewrite::Prompt("What day is it?".to_owned()))
    });
    prompt(&mut world.agent(), "day?").unwrap();
    assert_eq!(briefly(&world.asked(0)), ["system: It is Monday.", "prompt: What day is it?"]);
}

#[test]
fn denied_prompt_is_not_sent() {
    let world = World::new([]).hook(EventKind::PromptSubmit, "policy", |_| HookReply::deny("No."));
    let mut agent = world.agent();
    assert_eq!(
        prompt(&mut agent, "x").unwrap(),
        TurnEnd::Denied("Operation denied by policy: No.".to_owned())
    );
    assert_eq!((world.requests(), agent.talk().now().items.len()), (0, 0));
}

#[test]
fn hook_continues_the_agent() {
    let world = World::new([ModelReply::Text("Done?"), ModelReply::Text("Tested.")]).hook(
        EventKind::OrchestratorComplete,
        "tests",
        |event| match event.message.as_deref() {
            Some("Tested.") => HookReply::default(),
            _ => HookReply::deny("Run the tests first."),
        },
    );
    assert_eq!(prompt(&mut world.agent(), "Go").unwrap(), TurnEnd::Done("Tested.".to_owned()));
    assert_eq!(briefly(&world.asked(1)), ["prompt: Go", "reply: Done?", "user: Run the tests first."]);
}

#[test]
fn continuations_are_limited() {
    let world = World::new([])
        .hook(EventKind::OrchestratorComplete, "never", |_| HookReply::deny("Not good enough."));
    assert_eq!(prompt(&mut world.agent(), "Go").unwrap(), TurnEnd::Done("Done.".to_owned()));
    assert_eq!(world.requests(), 9);
    let stops = world.recorded(&EventKind::OrchestratorComplete);
    let (denied, last) = stops.split_at(8);
    assert!(denied.iter().all(|it| matches!(it.decision, Decision::Deny { .. }) && it.degraded.is_empty()));
    assert_eq!((last.len(), &last[0].decision), (1, &Decision::Abstain));
    let text = last[0].degraded[0].to_string();
    assert_eq!(text, "never denied the stop too often in a row, so the agent may stop: Not good enough.");
    assert_eq!(world.received.0.lock().unwrap().last().map(String::as_str), Some("stopallowed"));
}

#[test]
fn ephemeral_context_is_in_one_request() {
    let note = |role, ephemeral, content: &str| {
        Effect::Inject(Injection { role, ephemeral, ..Injection::text(content) })
    };
    let world = World::new([ModelReply::Calls(vec![("Look", json!({}))])]).hook(
        EventKind::PromptSubmit,
        "notes",
        move |_| {
            HookReply::default()
                .and(note(Role::System, true, "only now"))
                .and(note(Role::User, false, "from now on"))
                .and(note(Role::Assistant, false, "I think"))
        },
    );
    prompt(&mut world.agent(), "Go").unwrap();
    let notes = |at| {
        let mut notes = briefly(&world.asked(at));
        notes.retain(|item| ["system:", "user:", "assistant:"].iter().any(|role| item.starts_with(role)));
        notes
    };
    assert_eq!(notes(0), ["system: only now", "user: from now on", "assistant: I think"]);
    assert_eq!(notes(1), ["user: from now on", "assistant: I think"]);
}

#[test]
fn every_step_is_an_event_with_its_facts() {
    let world = World::new([
        write("a.txt"),
        ModelReply::Calls(vec![("Nothing", json!({}))]),
        ModelReply::Text("Bye."),
    ]);
    let mut agent = world.agent();
    agent.start("startup");
    prompt(&mut agent, "Go").unwrap();
    agent.end("quit");
    assert_eq!(
        world.kinds(),
        [
            "session:start",
            "prompt:submit",
            "provider:request",
            "provider:response",
            "decision:tool_resolution",
            "tool:pre",
            "tool:post",
            "provider:request",
            "provider:response",
            "decision:tool_resolution",
            "tool:error",
            "provider:request",
            "provider:response",
            "orchestrator:complete",
            "session:end",
        ]
    );
    let events = world.events.lock().unwrap();
    let root = world.path().to_string_lossy().into_owned();
    assert!(
        events
            .iter()
            .all(|event| event.project_root.as_deref() == Some(root.as_str()) && event.cwd.is_some())
    );
    let post = events.iter().find(|event| event.kind == EventKind::ToolPost).unwrap();
    let tool = post.tool.as_ref().unwrap();
    assert_eq!((tool.call_id.as_deref(), tool.path()), (Some("call-1-0"), Some("a.txt")));
    assert!(post.duration_ms.is_some() && post.turn.as_deref() == Some("1"));
    let response = events.iter().find(|event| event.kind == EventKind::ProviderResponse).unwrap();
    assert_eq!(response.data["usage"]["input_tokens"], 10);
    let unknown = events.iter().find(|event| event.kind == EventKind::ToolError).unwrap();
    assert!(
        unknown.error.as_ref().unwrap().message.starts_with("There is no tool `Nothing`. There are: Look, ")
    );
}

#[test]
fn thousand_turns_are_possible() {
    let world = World::new([]);
    let mut agent = world.agent();
    for number in 0..1000 {
        prompt(&mut agent, &format!("Say {number}")).unwrap();
        // The kit records the requests, not the agent.
        world.model.asked.lock().unwrap().clear();
        world.events.lock().unwrap().clear();
    }
    assert_eq!(agent.talk().now().items.len(), 2000);
}

#[test]
fn notes_of_parallel_calls_name_their_call() {
    let calls = vec![("Look", json!({"n": 1})), ("Look", json!({"n": 2}))];
    let world = World::new([ModelReply::Calls(calls)]).hook(EventKind::ToolPost, "note", |event| {
        let number = event.tool.as_ref().map(|tool| tool.input["n"].to_string()).unwrap_or_default();
        HookReply::default().inject(format!("about {number}"))
    });
    prompt(&mut world.agent(), "Look").unwrap();
    let notes: Vec<_> = world
        .asked(1)
        .into_iter()
        .filter_map(|item| match item {
            Item::Note(note) => Some((note.text, note.call_id.unwrap_or_default())),
            _ => None,
        })
        .collect();
    let expected = [("about 1", "call-1-0"), ("about 2", "call-1-1")];
    assert_eq!(notes, expected.map(|(text, id)| (text.to_owned(), id.to_owned())));
}

#[test]
fn completion_has_orchestrator_duration_and_status() {
    let world = World::new([]);
    prompt(&mut world.agent(), "Go").unwrap();
    let events = world.events.lock().unwrap();
    let complete = events.iter().find(|event| event.kind == EventKind::OrchestratorComplete).unwrap();
    assert_eq!(complete.orchestrator.as_deref(), Some("tenter-chat"));
    assert_eq!(complete.data["orchestrator"], "tenter-chat");
    assert_eq!((complete.status.as_deref(), complete.turn_count), (Some("success"), Some(1)));
    assert!(complete.duration_ms.is_some());
}

#[test]
fn notes_keep_their_provenance_when_resumed() {
    let world =
        World::new([ModelReply::Calls(vec![("Look", json!({}))])])
            .hook(EventKind::ToolPost, "lint", |_| HookReply::default().inject("Line 4 is too long."));
    let folder = world.path().join("chats");
    let journal = Journal::begin(&folder, "s1", "p", "m", 0).unwrap();
    let mut agent = world.agent_with(journal);
    prompt(&mut agent, "Look").unwrap();
    let found = |agent: &Agent| {
        let messages = agent.session().messages();
        let own = agent.session().messages_without_hooks();
        assert!(own.iter().all(|message| message.content != "Line 4 is too long."));
        assert_eq!(own.len() + 1, messages.len());
        let note = messages.into_iter().find(ContextMessage::is_from_hook).unwrap();
        Value::Object(note.metadata())
    };
    let before = found(&agent);
    for (key, value) in [
        ("source", "hook"),
        ("hook_name", "lint"),
        ("event", "tool:post"),
        ("requested_role", "system"),
        ("call_id", "call-1-0"),
    ] {
        assert_eq!(before[key], value, "{before}");
    }
    drop(agent);
    let (journal, _) = Journal::resume(&folder.join("s1.jsonl")).unwrap();
    assert_eq!(found(&world.agent_with(journal)), before);
}
