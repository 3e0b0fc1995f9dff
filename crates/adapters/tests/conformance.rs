//! Every adapter keeps the promises of `AgentAdapter`, whatever the agent.

#[cfg(test)]
mod support;
#[cfg(test)]
mod senders;
#[cfg(test)]
mod documented;
#[cfg(test)]
mod measured;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::{REASON, STOP, agent, combinations, event, recorded, words};
use tenter_adapters::all;
use tenter_contract::event_names::EVENTS;
use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{
    AgentOutcome, AgentOutcomeParts, AgentVerdict, AskUser, Capabilities, ContextChannel, Event, EventKind,
    RewriteInput, RewriteOutput, Timestamp, ToolKind,
};

/// Decodes, then encodes every possible answer: nothing may panic.
fn survives(adapter: &dyn AgentAdapter, payload: &[u8]) {
    if let Ok(Decoded::Event(event)) = adapter.decode(payload, &Surroundings::default()) {
        let event = Arc::new(*event);
        let capabilities = adapter.capabilities(&event);
        for parts in combinations(&event).into_iter().step_by(7) {
            if let Ok(adapted) = AgentOutcome::new(Arc::clone(&event), parts, &capabilities) {
                adapter.encode(&adapted);
            }
        }
    }
}

#[test]
fn recorded_payloads_are_events() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let event = event(*adapter, &file.name, &file.payload);
            assert_eq!(event.agent, adapter.name(), "{}", file.name);
            assert_eq!(event.raw, Value::Object(file.object()), "{}: the payload is kept", file.name);
        }
    }
}

#[test]
fn unknown_fields_change_nothing_and_are_kept() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let mut payload = file.object();
            payload.insert("new_in_the_next_version".to_owned(), json!({"deep": [1, null]}));
            let payload = Value::Object(payload);
            let mut changed = event(*adapter, &file.name, payload.to_string().as_bytes());
            assert_eq!(changed.raw, payload, "{}", file.name);
            let known = event(*adapter, &file.name, &file.payload);
            changed.raw = known.raw.clone();
            assert_eq!(changed, known, "{}", file.name);
        }
    }
}

#[test]
fn unknown_events_are_observed_under_the_agents_name() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let mut payload = file.object();
            payload.insert(agent(*adapter).event_key.to_owned(), json!("NewInTheNextVersion"));
            let event = event(*adapter, &file.name, Value::Object(payload).to_string().as_bytes());
            let expected = EventKind::Other(format!("{}:NewInTheNextVersion", adapter.name()));
            assert_eq!(event.kind, expected, "{}", file.name);
        }
    }
}

/// Also under Claude Code's key, which many agents use: no agent refuses an event that others observe.
#[test]
fn unknown_events_under_claudes_key_are_observed() {
    for adapter in all() {
        let payload = json!({"hook_event_name": "NewInTheNextVersion", "session_id": "s1", "cwd": "/"});
        let event = event(*adapter, "by hand", payload.to_string().as_bytes());
        assert_eq!(event.kind, EventKind::Other(format!("{}:NewInTheNextVersion", adapter.name())));
        for named in
            [json!({"session_id": "s1"}), json!({"hook_event_name": ""}), json!({"hook_event_name": 7})]
        {
            let decoded = adapter.decode(named.to_string().as_bytes(), &Surroundings::default());
            assert!(decoded.is_err(), "{}: {named}", adapter.name());
        }
    }
}

/// A guard would find no command and allow the call.
#[test]
fn command_of_another_type_is_refused() {
    for adapter in all() {
        let mut seen = 0;
        for file in recorded(*adapter) {
            let call = event(*adapter, &file.name, &file.payload);
            let about_to_run = matches!(call.kind, EventKind::ToolPre | EventKind::PermissionRequest);
            let Some(command) = call.tool.filter(|tool| about_to_run && tool.kind == ToolKind::Shell) else {
                continue;
            };
            let Some(command) = command.command else { continue };
            let written = json!(command).to_string();
            let text = Value::Object(file.object()).to_string();
            let put = |value: &Value| text.replacen(&format!(":{written}"), &format!(":{value}"), 1);
            // In a list, or in a text that is JSON, it is not replaced.
            if put(&json!(7)) == text {
                continue;
            }
            seen += 1;
            let decoded = |value: &Value| adapter.decode(put(value).as_bytes(), &Surroundings::default());
            for odd in [json!(7), json!(true), json!({"line": "ls"}), json!(["ls", 7]), json!([])] {
                assert!(decoded(&odd).is_err(), "{} {}: {odd}", adapter.name(), file.name);
            }
            for (words, line) in
                [(json!(["bash", "-lc", "DENY ME"]), "DENY ME"), (json!(["ls", "a b"]), "ls 'a b'")]
            {
                let Ok(Decoded::Event(event)) = decoded(&words) else { panic!("{}", file.name) };
                assert_eq!(event.tool.unwrap().command.as_deref(), Some(line), "{}", file.name);
            }
        }
        assert!(seen > 0 || NO_SHELL.contains(&adapter.name().as_str()), "{}", adapter.name());
    }
}

/// Agents that send the command of a shell call elsewhere than under a key of its own.
const NO_SHELL: [&str; 1] = ["cline"];

/// Security case P11.
#[test]
fn sub_agent_calls_are_marked_events() {
    for adapter in all() {
        let mut seen = 0;
        for file in recorded(*adapter) {
            let payload = file.object();
            // Cline's main agent has an id too, and no parent.
            if payload.get("parent_agent_id") == Some(&Value::Null) {
                continue;
            }
            let id = payload.get("agent_id").or_else(|| payload.get("agentId"));
            let Some(agent_id) = id.and_then(Value::as_str) else { continue };
            let event = event(*adapter, &file.name, &file.payload);
            assert_eq!(event.agent_id.as_deref(), Some(agent_id), "{}", file.name);
            seen += usize::from(event.kind == EventKind::ToolPre && event.tool.is_some());
        }
        let expected = agent(*adapter).tells_sub_agents;
        assert_eq!(seen > 0, expected, "{}: recorded tool calls of a sub-agent", adapter.name());
    }
}

#[test]
fn garbage_is_an_error_and_never_a_panic() {
    for adapter in all() {
        for payload in [&b"garbage"[..], b"\0", b"\xFF", b"{", b"{}", b"{\"a\":1}x", b"[]", b"\"text\"", b"7"]
        {
            let decoded = adapter.decode(payload, &Surroundings::default());
            assert!(decoded.is_err(), "{}: {}", adapter.name(), String::from_utf8_lossy(payload));
        }
        for payload in [&b""[..], b" \r\n", b"\xEF\xBB\xBF"] {
            let decoded = adapter.decode(payload, &Surroundings::default());
            assert_eq!(decoded, Err(DecodeError::Empty), "{}", adapter.name());
        }
        assert_eq!(adapter.silence().exit_code, 0, "{}", adapter.name());
        assert_ne!(adapter.refusal("why"), adapter.silence(), "{}", adapter.name());
    }
}

#[test]
fn bom_and_line_ends_change_nothing() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let known = event(*adapter, &file.name, &file.payload);
            let with_mark = [b"\xEF\xBB\xBF", file.payload.as_slice()].concat();
            assert_eq!(event(*adapter, &file.name, &with_mark), known, "{} with a BOM", file.name);
            let with_cr = String::from_utf8(file.payload).unwrap().replace('\n', "\r\n");
            assert_eq!(event(*adapter, &file.name, with_cr.as_bytes()), known, "{} with CR", file.name);
        }
    }
}

/// Security case G4: an invalid byte must not hide the call from guards.
#[test]
fn invalid_byte_is_replaced_before_matching() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let mut payload = file.object();
            payload.insert("zz_marker".to_owned(), json!("MARKER"));
            let text = Value::Object(payload).to_string();
            let (before, after) = text.split_once("MARKER").unwrap();
            for (bad, name) in
                [(&b"a\xFFb"[..], "0xFF"), (br"a\u0000b", "NUL"), (br"a\ud83db", "half an emoji")]
            {
                let payload = [before.as_bytes(), bad, after.as_bytes()].concat();
                let judged = event(*adapter, &file.name, &payload);
                let known = event(*adapter, &file.name, &file.payload);
                assert_eq!((judged.kind, judged.tool), (known.kind, known.tool), "{} with {name}", file.name);
            }
        }
    }
}

/// Security case G5: the dangerous part may be at the very end.
#[test]
fn large_payloads_are_read_to_their_end() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let known = event(*adapter, &file.name, &file.payload);
            if known.kind != EventKind::ToolPre {
                continue;
            }
            let mut payload = file.object();
            let filler = Value::from("x".repeat(5 << 20));
            payload.shift_insert(0, "filler".to_owned(), filler);
            let large = event(*adapter, &file.name, Value::Object(payload).to_string().as_bytes());
            assert_eq!(large.tool, known.tool, "{}", file.name);
        }
    }
}

#[test]
fn truncated_payloads_never_panic() {
    for adapter in all() {
        for file in recorded(*adapter) {
            for end in (0..file.payload.len()).step_by(50) {
                survives(*adapter, &file.payload[..end]);
            }
        }
    }
}

fn capabilities_at(adapter: &dyn AgentAdapter, kind: EventKind) -> Capabilities {
    adapter.capabilities(&Event::new(kind, adapter.name(), None, Timestamp::default()))
}

/// An agent may support less than the event table lists, not more.
#[test]
fn capabilities_stay_within_the_event_table() {
    for adapter in all() {
        for row in EVENTS {
            let capabilities = capabilities_at(*adapter, row.kind.clone());
            let rewrites = capabilities.rewrite_input != RewriteInput::Never
                || capabilities.rewrite_output != RewriteOutput::Never
                || capabilities.rewrite_prompt.possible()
                || capabilities.rewrite_data.possible();
            for (what, carried, power) in [
                ("block", capabilities.block.possible(), row.powers.block),
                ("ask", capabilities.ask != AskUser::Never, row.powers.ask),
                ("modify", rewrites, row.powers.modify),
                ("inject", capabilities.context != ContextChannel::None, row.powers.inject),
            ] {
                assert!(!carried || power.possible(), "{}: {what} at {}", adapter.name(), row.canonical);
            }
        }
    }
}

#[test]
fn session_end_defers_nothing() {
    for adapter in all() {
        let last = capabilities_at(*adapter, EventKind::SessionEnd);
        assert!(!last.later.possible(), "{}", adapter.name());
    }
}

#[test]
fn own_events_are_observed_only() {
    for adapter in all() {
        let own = EventKind::Other(format!("{}:WorktreeCreate", adapter.name()));
        assert_eq!(capabilities_at(*adapter, own), Capabilities::NOTHING, "{}", adapter.name());
    }
}

/// Events at which a deny ends the run, and the field for it. Elsewhere it is unsupported.
#[test]
fn stopping_deny_has_the_agents_field() {
    let fields = r#""continue":false,"stopReason":"STOP-7""#;
    let expected = [
        ("claude", "tool:post", fields),
        ("claude", "permission:request", r#""interrupt":true"#),
        ("cline", "tool:pre", r#""cancel":true"#),
        ("cline", "tool:post", r#""cancel":true"#),
        ("crush", "tool:pre", r#""halt":true"#),
        ("factory", "tool:pre", fields),
        ("gemini", "tool:pre", fields),
        ("gemini", "tool:post", fields),
        ("vscode", "tool:pre", fields),
        ("vscode", "tool:post", fields),
    ];
    for adapter in all() {
        for file in recorded(*adapter) {
            let event = Arc::new(event(*adapter, &file.name, &file.payload));
            let parts = AgentOutcomeParts {
                verdict: AgentVerdict::Deny { reason: REASON.to_owned() },
                stop: Some(STOP.to_owned()),
                ..AgentOutcomeParts::default()
            };
            let capabilities = adapter.capabilities(&event);
            let (agent, kind) = (adapter.name(), event.kind.to_string());
            let row = expected.iter().find(|row| row.0 == agent.as_str() && row.1 == kind);
            assert_eq!(capabilities.stop.possible(), row.is_some(), "{}", file.name);
            let Some((_, _, words)) = row else { continue };
            let answer = adapter.encode(&AgentOutcome::new(event, parts, &capabilities).unwrap());
            let written = String::from_utf8(answer.stdout).unwrap();
            let denied = written.contains(REASON) || String::from_utf8_lossy(&answer.stderr).contains(REASON);
            assert!(written.contains(words) && denied, "{}: {written}", file.name);
        }
    }
}

/// The answer contains each supported part once, and nothing else.
///
/// Security case P1: the name of the event is checked too.
#[test]
fn answer_contains_every_part_once() {
    for adapter in all() {
        for file in recorded(*adapter) {
            let event = Arc::new(event(*adapter, &file.name, &file.payload));
            let capabilities = adapter.capabilities(&event);
            for parts in combinations(&event) {
                let Ok(adapted) = AgentOutcome::new(Arc::clone(&event), parts.clone(), &capabilities) else {
                    continue;
                };
                let answer = adapter.encode(&adapted);
                let text = String::from_utf8(answer.stdout.clone()).unwrap();
                let stderr = String::from_utf8(answer.stderr.clone()).unwrap();
                let case = format!("{}: {parts:?} became {text}{stderr}", file.name);
                let denied = matches!(parts.verdict, AgentVerdict::Deny { .. });
                for (word, present) in words(&parts) {
                    let times = if word == REASON && denied { agent(*adapter).reasons(&text) } else { 1 };
                    let found = text.matches(word).count() + stderr.matches(word).count();
                    assert_eq!(found, usize::from(present) * times, "{word}, {case}");
                }
                // Text on standard error is the reason of a deny by exit code.
                assert_eq!(answer.exit_code != 0, !stderr.is_empty(), "{case}");
                assert!(answer.exit_code == 0 || (answer.exit_code == 2 && denied), "{case}");
                let speaks = words(&parts).iter().any(|(_, present)| *present);
                if !speaks && parts.verdict == AgentVerdict::Silent {
                    assert!(agent(*adapter).leaves_alone(*adapter, &answer), "{case}");
                }
                let plain = capabilities.context == ContextChannel::WholeAnswer && parts.context.is_some();
                if !plain {
                    check_json(&event, agent(*adapter).event_key, &text, &case);
                }
            }
        }
    }
}

/// An agent ignores a deny whose `hookEventName` is missing or wrong.
fn check_json(event: &Event, event_key: &str, stdout: &str, case: &str) {
    if stdout.is_empty() {
        return;
    }
    assert!(stdout.ends_with("}\n"), "{case}");
    let json: Value = serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {case}"));
    if let Some(specific) = json.get("hookSpecificOutput") {
        assert_eq!(specific.get("hookEventName"), event.raw.get(event_key), "{case}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_an_adapter_panic(payload in prop::collection::vec(any::<u8>(), 0..400)) {
        for adapter in all() {
            survives(*adapter, &payload);
        }
    }

    #[test]
    fn damaged_payloads_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..8),
    ) {
        for adapter in all() {
            let files = recorded(*adapter);
            let mut payload = which.get(&files).payload.clone();
            for (at, byte, how) in &changes {
                let at = at.index(payload.len().max(1));
                match how {
                    0 => payload.insert(at.min(payload.len()), *byte),
                    1 => payload.truncate(at),
                    2 if at < payload.len() => drop(payload.remove(at)),
                    _ if at < payload.len() => payload[at] = *byte,
                    _ => {}
                }
            }
            survives(*adapter, &payload);
        }
    }

    #[test]
    fn any_field_value_is_survived(
        which in any::<prop::sample::Index>(),
        field in any::<prop::sample::Index>(),
        value in 0..8_usize,
    ) {
        let values = [json!(null), json!(true), json!(-1), json!(1e300), json!(""), json!("x\u{0}\u{202e}"),
            json!([[]]), json!({"stdout": 1, "value": null})];
        for adapter in all() {
            let files = recorded(*adapter);
            let mut payload = which.get(&files).object();
            let keys: Vec<String> = payload.keys().cloned().collect();
            payload.insert(field.get(&keys).clone(), values[value].clone());
            survives(*adapter, Value::Object(payload).to_string().as_bytes());
        }
    }
}

/// Otherwise, hooks for sub-agents would miss these calls.
#[test]
fn sub_agent_payloads_become_sub_agent_events() {
    let mut tools = 0;
    for adapter in all() {
        for file in recorded(*adapter) {
            let payload = file.object();
            let word = |keys: &[&str]| {
                keys.iter().find_map(|key| payload.get(*key)?.as_str()).filter(|word| !word.is_empty())
            };
            // Cline names the main agent too; only an agent with a parent is a sub-agent.
            let is_main = payload.contains_key("parent_agent_id") && word(&["parent_agent_id"]).is_none();
            let Some(id) = word(&["agent_id", "agentId", "subagent_id"]).filter(|_| !is_main) else {
                continue;
            };
            let event = event(*adapter, &file.name, &file.payload);
            assert_eq!(event.agent_id.as_deref(), Some(id), "{}", file.name);
            if let Some(kind) = word(&["agent_type", "agentType", "subagent_type"]) {
                assert_eq!(event.agent_type.as_deref(), Some(kind), "{}", file.name);
            }
            tools += usize::from(event.tool.is_some());
        }
    }
    assert!(tools >= 4, "tool calls of sub-agents: {tools}");
}
