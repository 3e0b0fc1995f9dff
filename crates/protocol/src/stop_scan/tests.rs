use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Option<FoundStop> {
    scan(text, &EventKind::ToolPre).unwrap()
}

fn verdict(text: &str) -> String {
    match found(text).map(|found| found.verdict) {
        Some(Verdict::Deny { reason }) => format!("deny {reason}"),
        Some(Verdict::Ask(query)) => format!("ask {}", query.prompt),
        other => format!("{other:?}"),
    }
}

#[test]
fn all_stop_forms_are_found() {
    for (text, expected) in [
        (r#"{"deny":"x"}"#, "deny x"),
        (r#"{"deny":true}"#, "deny no reason given"),
        (r#"{"deny":{"reason":"x"}}"#, "deny x"),
        (r#"{"deny":["x"]}"#, "deny no reason given"),
        (r#"{"allow":false,"reason":"x"}"#, "deny x"),
        (r#"{"decision":"block","reason":"x"}"#, "deny x"),
        (r#"{"reason":"x","decision":" DENY "}"#, "deny x"),
        (r#"{"hookSpecificOutput":{"permissionDecisionReason":"x","permissionDecision":"deny"}}"#, "deny x"),
        (r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"x"}}}"#, "deny x"),
        (r#"{"permissionDecision":"deny","permissionDecisionReason":"x"}"#, "deny x"),
        (r#"{"permission":"deny","reason":"x"}"#, "deny x"),
        (r#"{"allowed":false,"reason":"x"}"#, "deny x"),
        (r#"{"action":"deny","reason":"x"}"#, "deny x"),
        (r#"{"cancel":true}"#, "deny no reason given"),
        (r#"{"continue":false,"stopReason":"x"}"#, "deny x"),
        (r#"{"ask":"x?"}"#, "ask x?"),
        (r#"{"ask":{"prompt":"x?","timeout":0}}"#, "ask x?"),
        (r#"{"action":"ask_user","approval_prompt":"x?"}"#, "ask x?"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"x?"}}"#, "ask x?"),
        (r#"{"ask":"x?","deny":"x"}"#, "deny x"),
    ] {
        assert_eq!(verdict(text), expected, "{text}");
    }
}

#[test]
fn lenient_json_is_read() {
    let deep = format!(r#"{{"a":{}{},"deny":"x"}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let long = format!(r#"{{"a":"{}","deny":"x"}}"#, "y".repeat(3_000_000));
    for text in [
        r#"{"deny":"x","deny":null}"#,
        r#"{"deny":null,"deny":"x"}"#,
        r#"{"deny":"x","a":1e999,"b":-0,"c":NaN,"d":-Infinity}"#,
        r#"{"a":"\ud83d","deny":"x"}"#,
        r#"{"\u0064eny":"x"}"#,
        "\n\t{ \"deny\" :\r\n \"x\" }\n",
        "[{\"a\":1},{\"deny\":\"x\"}]",
        "[[{\"deny\":\"x\"}]]",
        "{\"a\":1}\n{\"deny\":\"x\"}\n",
        "```json\n{\"deny\":\"x\"}\n```\n",
        "```\n{\"deny\":\"x\"}```",
        "{\"deny\":\"x\",}",
        "{\"a\":\"\u{1}\n\",\"deny\":\"x\"}",
        "{\"a\":\"\\\\\",\"b\":\"\\\"}\",\"deny\":\"x\"}",
        &deep,
        &long,
    ] {
        let found = found(text).unwrap_or_else(|| panic!("{text:.80}"));
        assert_eq!(found.verdict, Verdict::Deny { reason: "x".to_owned() }, "{text:.80}");
        assert!(found.leads && found.ends, "{text:.80}");
    }
}

#[test]
fn nothing_else_is_a_stop() {
    for text in [
        "",
        "{",
        "deny",
        r#"{"deny":"x""#,
        r#"{"deny":null}"#,
        r#"{"deny":false}"#,
        r#"{"allow":true}"#,
        r#"{"decision":"approve"}"#,
        r#"{"decision":"defer"}"#,
        r#"{"continue":true}"#,
        r#"{"results":[{"decision":"deny"}]}"#,
        r#"{"tool_input":{"deny":"x"}}"#,
        r#"{"inject":"{\"deny\":\"x\"}"}"#,
        r#"{"ask":null}"#,
        "{'deny':'x'}",
        r#"{"a":[}],"deny":"x"}"#,
    ] {
        assert_eq!(found(text), None, "{text}");
    }
    assert_eq!(scan(r#"{"continue":false}"#, &EventKind::OrchestratorComplete), Ok(None));
}

#[test]
fn stop_position_is_known() {
    let place = |text: &str| {
        let found = found(text).unwrap();
        (found.leads, found.ends, found.own_line)
    };
    assert_eq!(place("log\n{\"deny\":\"x\"}\n"), (false, true, true));
    assert_eq!(place("log\n  {\"deny\":\"x\"}\nbye"), (false, false, true));
    assert_eq!(place("log {\"deny\":\"x\"}"), (false, true, false));
    assert_eq!(place("{\"deny\":\"x\"} bye"), (true, false, true));
    assert_eq!(place("{\"ask\":\"y\"}\nlog\n{\"deny\":\"x\"}"), (true, false, true));
}

#[test]
fn half_an_emoji_in_a_reason_is_replaced() {
    assert_eq!(verdict(r#"{"deny":"a \ud83d\ude00\ud83d","deny":1}"#), "deny a 😀\u{fffd}");
}

#[test]
fn tangled_output_is_refused_and_not_read_for_ever() {
    assert_eq!(scan(&r#"{"a":"#.repeat(1_000_000), &EventKind::ToolPre), Err(TooTangled));
}

proptest! {
    #[test]
    fn scanning_never_panics(text in r#"[{}\[\],:"\\udeny 1\n`é😀-]{0,60}"#) {
        let _ = scan(&text, &EventKind::ToolPre);
    }

    /// Whatever is around a deny in well-formed JSON, the deny is found.
    #[test]
    fn neighbours_do_not_hide_a_deny(before in "\\PC{0,12}", after in "\\PC{0,12}", depth in 1usize..300) {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let (before, after) = (serde_json::json!(before), serde_json::json!(after));
        let text = format!(r#"{{"x":{before},"y":{nested},"deny":{after},"z":{before}}}"#);
        let found = scan(&text, &EventKind::ToolPre).unwrap().map(|found| found.verdict);
        let is_deny = matches!(found, Some(Verdict::Deny { .. }));
        prop_assert!(is_deny, "{}", text);
    }
}
