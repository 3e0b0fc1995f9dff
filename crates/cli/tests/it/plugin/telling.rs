//! The payloads of the plugin match the recordings of the adapter.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Plugin, from_server, recorded_event, step};
use crate::world::World;

/// Plays the steps and returns the payloads in order.
fn payloads(world: &World, agent: &Value, words: &[&str], steps: &[Value]) -> Option<Vec<Value>> {
    let folder = world.home().join("payloads");
    fs::create_dir_all(&folder).unwrap();
    let plugin = Plugin::installed(world, &[])?;
    let at = folder.display();
    let script = format!("f='{at}'/$$; cat > \"$f\"; echo \"$f\" >> '{at}/order'");
    plugin.calling(&script).play(words, agent, steps);
    let order = fs::read_to_string(folder.join("order")).unwrap_or_default();
    Some(order.lines().map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap()).collect())
}

fn fixture(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src/opencode/fixtures");
    serde_json::from_slice(&fs::read(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

/// The keys of a payload: their values depend on the scripted model.
fn keys(payload: &Value) -> Vec<&String> {
    payload.as_object().unwrap().keys().collect()
}

#[test]
fn payloads_match_the_recordings() {
    let world = World::new();
    let steps = [
        recorded_event("event.session.created"),
        step("chat.message", "chat.message"),
        step("tool.execute.before", "tool.execute.before"),
        step("tool.execute.after", "tool.execute.after"),
        recorded_event("event.session.idle"),
        json!({"dispose": true}),
    ];
    let Some(payloads) = payloads(&world, &json!({}), &["run", "hello"], &steps) else { return };
    let recorded = [
        "session-created",
        "chat-message",
        "tool-execute-before.write",
        "tool-execute-after.write",
        "session-idle.one-shot",
        "session-deleted",
    ];
    assert_eq!(payloads.len(), recorded.len(), "{payloads:?}");
    for (payload, name) in payloads.iter().zip(recorded) {
        let expected = fixture(name);
        assert_eq!(keys(payload), keys(&expected), "{name}");
        for key in
            ["plugin", "hook_event_name", "session_id", "cwd", "project_root", "attended", "tool", "source"]
        {
            assert_eq!(payload.get(key), expected.get(key), "{name}: {key}");
        }
    }
}

#[test]
fn nested_subagent_has_its_root_session() {
    let world = World::new();
    let agent = json!({"sessions": {"ses_0001": {"id": "ses_0001", "parentID": "ses_up"},
        "ses_up": {"id": "ses_up", "parentID": "ses_top"}, "ses_top": {"id": "ses_top"}}});
    let steps =
        [step("chat.message", "chat.message"), step("tool.execute.before", "tool.execute.before.bash")];
    let Some(payloads) = payloads(&world, &agent, &[], &steps) else { return };
    assert_eq!(payloads[0]["hook_event_name"], "subagent.created");
    for payload in &payloads {
        let ids = (&payload["session_id"], &payload["agent_id"], &payload["agent_type"]);
        assert_eq!(ids, (&json!("ses_top"), &json!("ses_0001"), &json!("build")));
    }
}

#[test]
fn unknown_session_is_resumed() {
    for (messages, source) in [(json!([]), "startup"), (json!([{}]), "resume")] {
        let world = World::new();
        let agent = json!({"messages": {"ses_0001": messages}});
        let Some(payloads) = payloads(&world, &agent, &[], &[step("chat.message", "chat.message")]) else {
            return;
        };
        assert_eq!(payloads[0]["source"], source);
    }
}

#[test]
fn server_tool_names_its_server() {
    let world = World::new();
    let agent = json!({"servers": {"my": {}, "my notes": {}, "other": {}}});
    let Some(payloads) = payloads(&world, &agent, &[], &[from_server()]) else { return };
    assert_eq!(payloads[0]["mcp_server"], "my notes");
    assert_eq!(payloads[0]["output"]["content"][0]["text"], "SECRET");
}

#[test]
fn failed_call_is_reported_once() {
    let world = World::new();
    let failed = |call: &str| {
        json!({"event": {"type": "message.part.updated", "properties": {"part": {"type": "tool", "tool": "bash",
            "callID": call, "sessionID": "ses_0001", "state": {"status": "error", "error": "not there"}}}}})
    };
    let before = step("tool.execute.before", "tool.execute.before.bash");
    let call = before["input"]["callID"].as_str().unwrap().to_owned();
    let steps = [before, failed(&call), failed(&call), failed("never let go"), json!({"dispose": true})];
    let Some(payloads) = payloads(&world, &json!({}), &[], &steps) else { return };
    let names: Vec<&str> =
        payloads.iter().filter_map(|payload| payload["hook_event_name"].as_str()).collect();
    assert_eq!(names, ["tool.execute.before", "tool.execute.failed"]);
    assert_eq!(payloads[1]["error"], "not there");
}

/// The user's folder and the project's may both have it.
#[test]
fn second_copy_of_the_plugin_is_idle() {
    let world = World::new();
    let call = |id: &str| {
        let mut step = step("tool.execute.before", "tool.execute.before.bash");
        step["input"]["callID"] = json!(id);
        step
    };
    let steps = [json!({"twin": true}), call("one"), json!({"dispose": true}), call("two")];
    let Some(payloads) = payloads(&world, &json!({}), &[], &steps) else { return };
    let calls: Vec<&Value> = payloads.iter().map(|payload| &payload["call_id"]).collect();
    assert_eq!(calls, [&json!("one"), &json!("two")]);
}
