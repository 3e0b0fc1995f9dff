use super::*;
use proptest::prelude::prop;
use proptest::proptest;
use serde_json::json;

const PRE: ReplyContext<'static> = ReplyContext {
    event: &EventKind::ToolPre,
    role: Role::System,
    strategy: Strategy::Auto,
    ephemeral: false,
    repeat: Repeat::Auto,
};

fn reply(value: &Value) -> HookReply {
    match read(&value.to_string(), &PRE) {
        Ok(Read::Reply(reply)) => reply,
        other => panic!("{value} is read as {other:?}"),
    }
}

fn garbled(text: &str) -> String {
    match read(text, &PRE) {
        Err(detail) => detail,
        other => panic!("{text} is read as {other:?}"),
    }
}

fn deny(reason: &str) -> HookReply {
    HookReply { verdict: Verdict::Deny { reason: reason.to_owned() }, effects: Vec::new() }
}

fn merge(value: &Value) -> Patch {
    Patch::Merge(value.as_object().cloned().unwrap())
}

#[test]
fn our_keys_combine_freely() {
    let read = reply(&json!({
        "deny": "no",
        "inject": ["a", {"content": "b", "role": "user", "strategy": "tool_result", "ephemeral": true,
            "key": "status", "repeat": "line"}],
        "modify": {"tool_input": {"command": "ls", "timeout": null}},
        "message": {"text": "m", "level": "warning"},
        "suppress_output": true,
    }));
    let expected = HookReply {
        verdict: Verdict::Deny { reason: "no".to_owned() },
        effects: vec![
            Effect::Rewrite(Rewrite::ToolInput(merge(&json!({"command": "ls", "timeout": null})))),
            Effect::Inject(Injection::text("a")),
            Effect::Inject(Injection {
                role: Role::User,
                strategy: Strategy::ToolResult,
                ephemeral: true,
                key: Some("status".to_owned()),
                repeat: Repeat::Line,
                ..Injection::text("b")
            }),
            Effect::Notify(Message { text: "m".to_owned(), level: Level::Warning }),
            Effect::SuppressOutput,
        ],
    };
    assert_eq!(read, expected);
}

#[test]
fn claude_codes_forms_are_read_as_it_reads_them() {
    for value in [
        json!({"decision": "block", "reason": "no"}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
        json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}, "decision": "block"}),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no"}}}),
        json!({"continue": false, "stopReason": "no", "whatever": 1}),
    ] {
        let read = reply(&value);
        let reason = match read.verdict {
            Verdict::Deny { reason } => reason,
            other => panic!("{value} is read as {other:?}"),
        };
        assert!(["no", "no reason given"].contains(&reason.as_str()), "{value}");
    }
    let rewrite = reply(&json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "updatedInput": {"command": "ls"}, "additionalContext": "c"}, "systemMessage": "s", "suppressOutput": true}));
    assert_eq!(rewrite.verdict, Verdict::Abstain);
    assert_eq!(rewrite.effects.len(), 4);
    assert_eq!(
        rewrite.effects[0],
        Effect::Rewrite(Rewrite::ToolInput(Patch::Replace(
            json!({"command": "ls"}).as_object().cloned().unwrap()
        )))
    );
}

#[test]
fn reply_that_stops_the_agent_denies_as_well() {
    let denying = json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"},
        "continue": false, "stopReason": "enough"});
    let interrupting = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "no", "interrupt": true}}});
    for (value, denies, stops) in [
        (json!({"continue": false, "stopReason": "enough"}), "enough", "enough"),
        (json!({"continue": false, "reason": "no"}), "no", "no"),
        (json!({"continue": false}), "the hook stops the agent", "the hook stops the agent"),
        (json!({"continue": false, "decision": "approve", "stopReason": "enough"}), "enough", "enough"),
        (denying, "no", "enough"),
        (interrupting, "no", "no"),
    ] {
        let read = reply(&value);
        let (denied, stop) = (Verdict::Deny { reason: denies.to_owned() }, stops.to_owned());
        assert_eq!(read.verdict, denied, "{value}");
        assert_eq!(read.effects, [Effect::StopAgent { reason: stop }], "{value}");
    }
    for value in [json!({"continue": true}), json!({"continue": null, "systemMessage": "s"})] {
        assert!(reply(&value).effects.iter().all(|effect| !matches!(effect, Effect::StopAgent { .. })));
    }
}

#[test]
fn continue_false_allows_a_stop() {
    let context = ReplyContext { event: &EventKind::OrchestratorComplete, ..PRE };
    let text = r#"{"continue": false, "decision": "block", "reason": "go on"}"#;
    assert_eq!(read(text, &context), Ok(Read::Reply(HookReply::default())));
}

#[test]
fn nothing_and_null_say_nothing() {
    for value in
        [json!({}), json!({"deny": null, "allow": null}), json!({"suppress_output": false, "inject": ""})]
    {
        assert_eq!(reply(&value), HookReply::default(), "{value}");
    }
    assert_eq!(reply(&json!({"deny": "x", "reason": null})), deny("x"));
}

#[test]
fn unclear_reply_is_garbled_with_a_reason() {
    for (text, part) in [
        (r#"{"denny": "x", "message": "m"}"#, "did you mean `deny`?"),
        (r#"{"deny": "x", "allow": true}"#, "both allow and deny"),
        (r#"{"deny": "x", "decision": "approve"}"#, "both deny and allow"),
        (r#"{"deny": "x", "deny": null}"#, "occurs twice"),
        (r#"{"deny": true}"#, "`deny` must be a text"),
        (r#"{"allow": false}"#, "`allow` must be true or a text"),
        (r#"{"action": "deny", "reason": "x"}"#, "write `deny`"),
        (r#"{"allowed": false}"#, "write `deny`"),
        (r#"{"decision": "defer"}"#, "unknown decision `defer`"),
        (r#"{"inject": {"text": "x"}}"#, "no `content`"),
        (r#"{"inject": 3}"#, "must be a text"),
        (r#"{"modify": {"input": {}}}"#, "modify.input"),
        (r#"{"message": {"text": "x", "level": "loud"}}"#, "info, warning or error"),
        (r#"{"ask": {"timeout": -1}}"#, "ask.timeout"),
        (r#"{"deny": "x""#, "EOF"),
        (r#"{"deny": "x"} and more"#, "trailing"),
    ] {
        assert!(garbled(text).contains(part), "{text}: {}", garbled(text));
    }
}

#[test]
fn object_without_reply_keys_is_recognised() {
    let read = read(r#"{"results": []}"#, &PRE).unwrap();
    assert!(matches!(read, Read::NoReply { .. }));
}

#[test]
fn questions_may_be_short_or_long() {
    let short = reply(&json!({"ask": "Deploy?"}));
    let long = reply(
        &json!({"ask": {"prompt": "Deploy?", "options": ["Allow once", "Deny"], "timeout": 60, "default": "allow"}}),
    );
    let blank = ApprovalPrompt {
        prompt: "Deploy?".to_owned(),
        options: Vec::new(),
        timeout: None,
        default: Policy::Deny,
    };
    assert_eq!(short.verdict, Verdict::Ask(blank.clone()));
    assert_eq!(
        long.verdict,
        Verdict::Ask(ApprovalPrompt {
            options: vec![Choice::named("Allow once"), Choice::named("Deny")],
            timeout: Some(Duration::from_mins(1)),
            default: Policy::Allow,
            ..blank
        })
    );
}

#[test]
fn verdict_at_the_end_is_noticed() {
    assert!(speaks_verdict(r#"{"deny": "x"}"#));
    assert!(speaks_verdict(r#" {"hookSpecificOutput": {}} "#));
    assert!(!speaks_verdict(r#"{"deny": null}"#));
    assert!(!speaks_verdict(r#"{"results": []}"#));
    assert!(!speaks_verdict("deny"));
}

#[test]
fn our_schema_and_our_reader_agree_on_our_keys() {
    let schema: Value = serde_json::from_str(&crate::schemas::generate("reply").unwrap()).unwrap();
    let keys: std::collections::BTreeSet<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, OURS.into_iter().collect());
}

proptest! {
    #[test]
    fn reading_text_never_panics(text in "\\PC{0,80}") {
        let _ = read(&text, &PRE);
        let _ = speaks_verdict(&text);
    }

    #[test]
    fn reading_objects_never_panics(
        key in prop::sample::select(OURS.iter().chain(claude_reply::KEYS.iter()).copied().collect::<Vec<_>>()),
        value in prop::sample::select(vec!["null", "true", "1", "\"x\"", "[]", "[1]", "{}", "{\"content\":1}", "{\"permissionDecision\":1}", "{\"decision\":{}}"]),
    ) {
        let _ = read(&format!("{{\"{key}\": {value}}}"), &PRE);
    }
}
