//! Order of hooks, and the effects of their verdicts and rewrites.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tenter_contract::{Event, EventKind, HookOutput, ToolKind};
use tenter_coordinator::{
    Denial, HookReply, HookSpec, Matcher, NotRegistered, Once, Patch, Pattern, Rewrite, Selector,
    SessionCoordinator, constants, in_process,
};

use crate::kit::test_session;

#[test]
fn hooks_run_by_priority_then_registration() {
    let test = test_session();
    let order = Arc::new(Mutex::new(Vec::new()));
    for (name, priority) in
        [("late", 20), ("first-zero", 0), ("middle", 10), ("second-zero", 0), ("early", -5)]
    {
        let order = Arc::clone(&order);
        let watch = move |_: &Event| {
            order.lock().unwrap().push(name);
            HookReply::default()
        };
        test.session.register(EventKind::ToolPre, name, priority, watch).unwrap();
    }
    test.register_reply(EventKind::ToolPost, "elsewhere", HookReply::deny("not asked"));
    test.session.emit(test.write(EventKind::ToolPre, "a")).unwrap();
    assert_eq!(*order.lock().unwrap(), ["early", "first-zero", "second-zero", "middle", "late"]);
}

#[test]
fn first_deny_names_its_hook() {
    let test = test_session();
    test.register_reply(EventKind::ToolPre, "before", HookReply::default().inject("kept"));
    test.register_reply(EventKind::ToolPre, "hook_1", HookReply::deny("[reason]"));
    test.register_reply(EventKind::ToolPre, "after", HookReply::default().inject("never injected"));
    let denied = test.session.emit(test.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(denied.to_string(), "Operation denied by hook_1: [reason]");
    assert!(
        matches!(&denied.denial, Denial::Hook { hook, reason } if hook.name == "hook_1" && reason == "[reason]")
    );
    assert_eq!(denied.emitted.outcome.runs.len(), 2);
    assert_eq!(test.conversation(), [("system", "kept".to_owned())]);
}

#[test]
fn collecting_returns_every_reply() {
    let test = test_session();
    test.register_reply(EventKind::ToolPre, "no", HookReply::deny("no"));
    test.register_reply(EventKind::ToolPre, "context", HookReply::default().inject("text"));
    test.register_reply(EventKind::ToolPost, "elsewhere", HookReply::default());
    test.session.register(EventKind::ToolPre, "broken", 5, |_| panic!("boom")).unwrap();
    let outputs = test.session.emit_and_collect(test.write(EventKind::ToolPre, "a"));
    let names: Vec<&str> = outputs.iter().map(|(hook, _)| hook.name.as_str()).collect();
    assert_eq!(names, ["no", "context", "broken"]);
    assert_eq!(outputs[0].1, HookOutput::Reply(HookReply::deny("no")));
    assert!(matches!(outputs[2].1, HookOutput::Failure(_)));
    assert!(test.conversation().is_empty(), "nothing is applied");
}

#[test]
fn denied_stop_is_the_next_task() {
    let test = test_session();
    test.register_reply(EventKind::OrchestratorComplete, "tests", HookReply::deny("Run the tests first."));
    let denied = test.session.emit(test.session.event(EventKind::OrchestratorComplete)).unwrap_err();
    assert_eq!(denied.to_string(), "Run the tests first.");
}

#[test]
fn modifications_chain_to_the_final_data() {
    let test = test_session();
    let change = |by: fn(i64) -> i64| {
        move |event: &Event| {
            let value = by(event.data["value"].as_i64().unwrap());
            let data = json!({ "value": value }).as_object().cloned().unwrap();
            HookReply::default().rewrite(Rewrite::Data(Patch::Merge(data)))
        }
    };
    let kind = EventKind::parse("demo:value").unwrap();
    test.session.register(kind.clone(), "hook_1", 0, change(|value| value * 2)).unwrap();
    test.session.register(kind.clone(), "hook_2", 10, change(|value| value + 5)).unwrap();
    test.register_reply(kind.clone(), "hook_3", HookReply::default());
    let mut event = test.session.event(kind);
    event.data = json!({ "value": 10, "other": true }).as_object().cloned().unwrap();
    let emitted = test.session.emit(event).unwrap();
    assert_eq!(json!(emitted.event().data), json!({ "value": 25, "other": true }));
}

#[test]
fn rewritten_input_keeps_the_original() {
    let test = test_session();
    let safer = json!({ "command": "git push --force-with-lease" }).as_object().cloned().unwrap();
    let reply = HookReply::default().rewrite(Rewrite::ToolInput(Patch::Merge(safer)));
    test.register_reply(EventKind::ToolPre, "lease", reply);
    let push =
        test.tool(EventKind::ToolPre, "Bash", ToolKind::Shell, &json!({ "command": "git push --force" }));
    let emitted = test.session.emit(push).unwrap();
    let call = emitted.event().tool.as_ref().unwrap();
    assert_eq!(call.command.as_deref(), Some("git push --force-with-lease"));
    assert_eq!(call.asked_input()["command"], "git push --force");
}

#[test]
fn observing_hook_changes_nothing() {
    let test = test_session();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let watch = move |event: &Event| {
        keep.lock().unwrap().push(event.clone());
        HookReply::default()
    };
    test.session.register(EventKind::ToolPre, "metrics", 0, watch).unwrap();
    let event = test.write(EventKind::ToolPre, "config.py");
    let emitted = test.session.emit(event.clone()).unwrap();
    assert_eq!(seen.lock().unwrap()[..], [event.clone()][..]);
    assert_eq!(*emitted.event(), event);
    assert!(emitted.placed.is_empty() && emitted.shown.is_empty());
}

#[test]
fn unregistered_name_is_free() {
    let test = test_session();
    let register = || test.session.register(EventKind::ToolPre, "guard", 0, |_| HookReply::deny("no"));
    let registration = register().unwrap();
    let taken = register().unwrap_err();
    assert!(matches!(&taken, NotRegistered::NameTaken { hook, .. } if hook.name == "guard"));
    assert_eq!(
        taken.to_string(),
        "there is a hook `guard` at tool:pre already; unregister it first, or take another name"
    );
    test.register_reply(EventKind::ToolPost, "guard", HookReply::default());
    assert!(test.session.emit(test.write(EventKind::ToolPre, "a")).is_err());
    assert_eq!(test.session.unregister(&registration).unwrap().id.name, "guard");
    assert!(test.session.unregister(&registration).is_none());
    assert!(test.session.emit(test.write(EventKind::ToolPre, "a")).is_ok());
    assert!(register().is_ok());
}

#[test]
fn misleading_hook_name_is_refused() {
    let test = test_session();
    for name in ["bad\nname (10 bytes):", "", " guard", "a`b", "a/b", "\u{202e}guard", &"a".repeat(81)] {
        let refused = test.session.register(EventKind::ToolPost, name, 0, |_| HookReply::default());
        assert_eq!(refused, Err(NotRegistered::BadName { name: name.to_owned() }));
        let timed = in_process(EventKind::ToolPost, name);
        assert!(test.session.register_timed(timed, |_| HookReply::default()).is_err(), "{name:?}");
    }
    let refused = test.session.register(EventKind::ToolPost, "bad\nname", 0, |_| HookReply::default());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "\"bad\\nname\" cannot be the name of a hook: begin with a letter or digit; then letters, digits, \
         spaces, `_`, `.` and `-`; at most 80 characters"
    );
}

#[test]
fn hook_can_register_another() {
    let test = test_session();
    let session: Arc<SessionCoordinator> = Arc::new(test.session);
    let inner = Arc::downgrade(&session);
    let add = move |_: &Event| {
        let session = inner.upgrade().unwrap();
        let _ = session.register(EventKind::ToolPre, "new", 10, |_| HookReply::deny("from now on"));
        HookReply::default()
    };
    session.register(EventKind::ToolPre, "adds", 0, add).unwrap();
    assert!(session.emit(session.event(EventKind::ToolPre)).is_ok());
    let denied = session.emit(session.event(EventKind::ToolPre)).unwrap_err();
    assert_eq!(denied.to_string(), "Operation denied by new: from now on");
}

#[test]
fn conditions_and_once_match_hook_files() {
    let test = test_session();
    let hook = HookSpec {
        matcher: Matcher { selectors: vec![Selector::Name(Pattern::parse("Write").unwrap())] },
        once: Once::Session,
        ..in_process(EventKind::ToolPost, "house_rules")
    };
    test.session.register_hook(hook, |_| HookReply::default().inject("Files end with a newline.")).unwrap();
    let ls = test.tool(EventKind::ToolPost, "Bash", ToolKind::Shell, &json!({ "command": "ls" }));
    assert!(test.session.emit(ls).unwrap().placed.is_empty());
    for expected in [1, 0] {
        let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
        assert_eq!(emitted.placed.len(), expected);
    }
}

#[test]
fn every_event_constant_can_be_emitted() {
    for name in [
        constants::SESSION_START,
        constants::PROMPT_SUBMIT,
        constants::DECISION_TOOL_RESOLUTION,
        constants::TOOL_PRE,
        constants::TOOL_POST,
        constants::ORCHESTRATOR_COMPLETE,
        constants::USER_NOTIFICATION,
        constants::TOOL_ERROR,
        constants::PROVIDER_ERROR,
        constants::ERROR_ORCHESTRATOR,
    ] {
        let test = test_session();
        let kind = EventKind::parse(name).unwrap();
        test.register_reply(kind.clone(), "observer", HookReply::default().inject(format!("at {name}")));
        let emitted = test.session.emit(test.session.event(kind)).unwrap();
        assert_eq!(emitted.outcome.runs.len(), 1, "{name}");
        assert_eq!(test.conversation(), [("system", format!("at {name}"))]);
    }
}

#[test]
fn events_have_session_and_time() {
    let test = test_session();
    let event = test.session.event(EventKind::ToolPost);
    assert_eq!(event.session_text(), "abc-123");
    assert_eq!(event.at.to_string(), "2025-11-07T12:34:56.000Z");
    let unnamed = SessionCoordinator::builder("a").build();
    let another = SessionCoordinator::builder("a").build();
    assert_ne!(unnamed.id(), another.id());
}
