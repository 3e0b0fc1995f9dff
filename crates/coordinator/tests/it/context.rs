//! Injected text as messages of the conversation.

use std::sync::Arc;

use serde_json::json;
use tenter_contract::EventKind;
use tenter_coordinator::{
    ContextMessage, ContextStore, Degradation, Effect, HookReply, Injection, MemoryContext, Role, StoreError,
    Strategy,
};

use crate::kit::{test_session, test_session_with};

#[test]
fn injection_is_in_the_next_request() {
    let test = test_session();
    test.session.say(Role::User, "Update config.py").unwrap();
    test.register_reply(EventKind::ToolPost, "linter_feedback", HookReply::default().inject("Line 42: E501"));
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "config.py")).unwrap();
    assert_eq!(
        test.conversation(),
        [("user", "Update config.py".to_owned()), ("system", "Line 42: E501".to_owned())]
    );
    assert_eq!(emitted.placed, test.session.messages()[1..]);
}

#[test]
fn hook_message_names_its_hook() {
    let test = test_session();
    test.register_reply(
        EventKind::ToolPost,
        "linter_feedback",
        HookReply::default().inject("Linter found issues..."),
    );
    test.session.emit(test.write(EventKind::ToolPost, "config.py")).unwrap();
    assert_eq!(
        test.session.messages()[0].to_json(),
        json!({
            "role": "system",
            "content": "Linter found issues...",
            "metadata": {
                "source": "hook",
                "hook_name": "linter_feedback",
                "event": "tool:post",
                "timestamp": "2025-11-07T12:34:56.000Z",
                "requested_role": "system",
            },
            "timestamp": "2025-11-07T12:34:56.000Z",
        })
    );
}

#[test]
fn messages_of_hooks_can_be_left_out() {
    let test = test_session();
    test.session.say(Role::User, "hello").unwrap();
    test.register_reply(EventKind::PromptSubmit, "date", HookReply::default().inject("It is Monday."));
    test.session.emit(test.session.event(EventKind::PromptSubmit)).unwrap();
    test.session.say(Role::Assistant, "hi").unwrap();
    let contents = |messages: Vec<ContextMessage>| -> Vec<String> {
        messages.into_iter().map(|message| message.content).collect()
    };
    assert_eq!(contents(test.session.messages()), ["hello", "It is Monday.", "hi"]);
    assert_eq!(contents(test.session.messages_without_hooks()), ["hello", "hi"]);
    assert_eq!(test.session.messages()[0].to_json()["metadata"], json!({}));
}

fn in_role(role: Role, content: &str) -> Effect {
    Effect::Inject(Injection { role, ..Injection::text(content) })
}

#[test]
fn one_message_has_sections_with_sizes() {
    let test = test_session();
    for (name, content) in [
        ("linter_feedback", "Linter found issues in config.py:\n  Line 42: E501 line too long"),
        ("type_checker", "Type errors in models.py:\n  Line 15: Missing return type annotation"),
        ("test_runner", "Tests failed: 2 failures, 0 errors"),
    ] {
        test.register_reply(EventKind::ToolPost, name, HookReply::default().inject(content));
    }
    test.session.emit(test.write(EventKind::ToolPost, "config.py")).unwrap();
    let messages = test.session.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(
        messages[0].content,
        "Hook feedback:\n\n\
         From linter_feedback (63 bytes):\nLinter found issues in config.py:\n  Line 42: E501 line too long\n\n\
         From type_checker (67 bytes):\nType errors in models.py:\n  Line 15: Missing return type annotation\n\n\
         From test_runner (34 bytes):\nTests failed: 2 failures, 0 errors"
    );
    let metadata = messages[0].metadata();
    assert_eq!(metadata["hook_name"], "linter_feedback, type_checker, test_runner");
    let part = |name: &str, bytes: u64| json!({ "hook_name": name, "bytes": bytes, "timestamp": "2025-11-07T12:34:56.000Z" });
    let parts = [part("linter_feedback", 63), part("type_checker", 67), part("test_runner", 34)];
    assert_eq!(metadata["parts"], json!(parts));
}

#[test]
fn each_role_has_its_own_message() {
    let test = test_session();
    for (name, role, content) in [
        ("linter_feedback", Role::System, "Linter found issues..."),
        ("policy_reminder", Role::User, "Please ensure all files pass linting"),
        ("self_reminder", Role::Assistant, "I should check for security issues next"),
        ("type_checker", Role::System, "Type errors..."),
    ] {
        test.register_reply(EventKind::ToolPost, name, HookReply::default().and(in_role(role, content)));
    }
    test.session.emit(test.write(EventKind::ToolPost, "config.py")).unwrap();
    assert_eq!(
        test.conversation(),
        [
            (
                "system",
                "Hook feedback:\n\nFrom linter_feedback (22 bytes):\nLinter found issues...\n\n\
                 From type_checker (14 bytes):\nType errors..."
                    .to_owned()
            ),
            ("user", "Please ensure all files pass linting".to_owned()),
            ("assistant", "I should check for security issues next".to_owned()),
        ]
    );
}

#[test]
fn injections_keep_order_and_place() {
    let test = test_session();
    let at_tool_result = |content: &str| {
        Effect::Inject(Injection { strategy: Strategy::ToolResult, ..Injection::text(content) })
    };
    let once = Effect::Inject(Injection { ephemeral: true, ..Injection::text("for now") });
    let reply = HookReply::default().and(at_tool_result("one")).and(once).and(at_tool_result("two"));
    test.register_reply(EventKind::ToolPost, "linter", reply);
    test.session.emit(test.write(EventKind::ToolPost, "config.py")).unwrap();
    let request = test.context.next_request();
    let kinds: Vec<_> = request
        .iter()
        .map(|message| (message.strategy, message.ephemeral, message.content.as_str()))
        .collect();
    let both = "Hook feedback:\n\nFrom linter (3 bytes):\none\n\nFrom linter (3 bytes):\ntwo";
    assert_eq!(kinds, [(Strategy::ToolResult, false, both), (Strategy::Auto, true, "for now")]);
    assert_eq!(request[0].metadata()["hook_name"], "linter");
    assert_eq!(test.context.next_request(), request[..1]);
}

#[test]
fn too_large_injection_is_a_typed_error() {
    let test = test_session();
    let size = |event: &tenter_contract::Event| event.data["size"].as_u64().unwrap();
    let inject = move |event: &tenter_contract::Event| {
        let text = "x".repeat(usize::try_from(size(event)).unwrap());
        HookReply::default().inject(text).notify(tenter_coordinator::Level::Info, "Found linting issues")
    };
    test.session.register(EventKind::ToolPost, "verbose", 0, inject).unwrap();
    let of_size = |size: u64| {
        let mut event = test.session.event(EventKind::ToolPost);
        event.data.insert("size".to_owned(), size.into());
        event
    };
    let emitted = test.session.emit(of_size(10_240)).unwrap();
    assert_eq!((emitted.placed.len(), emitted.rejected.len()), (1, 0));
    let refused = test.session.emit(of_size(10_241)).unwrap();
    assert_eq!((refused.placed.len(), refused.rejected.len()), (0, 1));
    assert_eq!(refused.rejected[0].to_string(), "Context injection exceeds 10240 bytes: 10241 bytes");
    assert_eq!(test.session.messages().len(), 1);
    let shown: Vec<&str> = refused.shown.iter().map(|shown| shown.text.as_str()).collect();
    assert_eq!(
        shown,
        [
            "Found linting issues (injection failed)",
            "Context injection exceeds 10240 bytes: 10241 bytes (from verbose); nothing of it was injected",
        ]
    );
    assert_eq!(refused.shown[0].level, tenter_coordinator::Level::Error);
}

/// A model that knows no other role than these two.
struct SystemAndUser(Arc<MemoryContext>);

impl ContextStore for SystemAndUser {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        self.0.add(message)
    }

    fn messages(&self) -> Vec<ContextMessage> {
        self.0.messages()
    }

    fn takes(&self, role: Role) -> bool {
        role != Role::Assistant
    }
}

#[test]
fn unknown_role_becomes_system() {
    let context = Arc::new(MemoryContext::default());
    let test = test_session_with(|builder| builder.context(SystemAndUser(Arc::clone(&context))));
    test.register_reply(
        EventKind::ToolPost,
        "self_reminder",
        HookReply::default().and(in_role(Role::Assistant, "Next:")),
    );
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(emitted.placed[0].role, Role::System);
    assert_eq!(emitted.placed[0].metadata()["requested_role"], "assistant");
    assert!(
        matches!(&emitted.outcome.degraded[..], [Degradation::OneChannel { wanted, .. }] if wanted == "role assistant")
    );
}
