//! Replies of hooks take effect in OpenCode.

use serde_json::{Value, json};

use super::{Plugin, arguments, from_server, recorded_event, step};
use crate::world::World;

fn world(hooks: &str) -> World {
    World::with_hooks(&format!("version: 1\nhooks:\n{hooks}"))
}

#[test]
fn deny_throws_and_silence_changes_nothing() {
    let world =
        world("  tool:pre:\n    - { name: guard, when: { command: \"*scripted*\" }, deny: \"no\" }\n");
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let mut denied = step("tool.execute.before", "tool.execute.before.bash");
    denied["output"]["args"]["command"] = json!("echo scripted");
    let edit = step("tool.execute.before", "tool.execute.before.edit");
    let taken = plugin.play(&[], &json!({}), &[denied, edit.clone()]);
    assert_eq!(taken[0]["threw"], "Operation denied by guard: no");
    assert_eq!((&taken[1]["threw"], &taken[1]["output"]), (&Value::Null, &edit["output"]));
}

#[test]
fn new_input_changes_the_agents_object() {
    let reply = r#"{\"modify\": {\"tool_input\": {\"command\": \"echo safe\", \"description\": null}}}"#;
    let world = world(&format!("  tool:pre:\n    - {{ name: rewrites, command: \"echo '{reply}'\" }}\n"));
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let mut call = step("tool.execute.before", "tool.execute.before.bash");
    call["output"]["args"]["__proto__"] = json!({"workdir": "/etc"});
    let taken = plugin.play(&[], &json!({}), &[call]);
    let expected = json!({"command": "echo safe", "__proto__": {"workdir": "/etc"}});
    assert_eq!(taken[0]["output"]["args"], expected, "a key of that name stays a key");
    assert_eq!(taken[0]["same"], true, "OpenCode does not look at another object");
}

#[test]
fn result_is_replaced_withheld_or_extended() {
    let world = world(concat!(
        "  tool:post:\n",
        "    - { name: adds, matcher: Write, inject: \"Line 1 is too long\" }\n",
        "    - { name: cleans, matcher: Read, command: \"echo '{\\\"modify\\\": {\\\"tool_output\\\": \\\"clean\\\"}}'\" }\n",
        "    - { name: keeps, matcher: Bash, deny: \"secret\" }\n",
        "    - { name: server, matcher: mcp__my_notes__add, deny: \"secret\" }\n",
        "    - { name: hints, matcher: mcp, inject: \"Ask first\" }\n",
    ));
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let mut image = step("tool.execute.after", "tool.execute.after.read");
    image["output"]["attachments"] = json!([{"type": "file", "url": "data:image/png;base64,SECRET"}]);
    let steps = [
        step("tool.execute.after", "tool.execute.after"),
        image,
        step("tool.execute.after", "tool.execute.after.bash-failed"),
        from_server(),
    ];
    let taken = plugin.play(&[], &json!({"servers": {"my notes": {}, "my": {}}}), &steps);
    let output = |index: usize| &taken[index]["output"];
    assert_eq!(output(0)["output"], "Wrote file successfully.\n\nLine 1 is too long");
    assert_eq!((&output(1)["output"], &output(1)["attachments"]), (&json!("clean"), &json!([])));
    assert_eq!(output(2)["output"], "Operation denied by keeps: secret");
    assert_eq!(output(2)["metadata"]["output"], "Operation denied by keeps: secret");
    let server = output(3).to_string();
    assert!(!server.contains("SECRET") && server.contains("denied by server: secret"), "{server}");
    // The first deny ends the chain. Added text comes first, because the end of a long result would be cut off.
    assert_eq!(output(3)["structuredContent"], Value::Null);
}

#[test]
fn prompt_contains_injected_context() {
    let world = world(concat!(
        "  session:start:\n    - { name: opens, inject: \"Be kind\" }\n",
        "  prompt:submit:\n",
        "    - { name: refuses, command: \"grep -q secret && echo '{\\\"deny\\\": \\\"no secrets\\\"}' || true\" }\n",
        "    - { name: adds, inject: \"Be brief\", repeat: always }\n",
        "    - { name: rewrites, command: \"grep -q rewrite && echo '{\\\"modify\\\": {\\\"prompt\\\": \\\"new\\\"}}' || true\" }\n",
    ));
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let prompt = |texts: &[&str]| {
        let mut step = step("chat.message", "chat.message");
        let part = step["output"]["parts"][0].clone();
        let parts = texts.iter().enumerate().map(|(at, text)| {
            let mut part = part.clone();
            part["text"] = json!(text);
            part["id"] = json!(format!("prt_1e3bc7e16001aaaaaaaaaaaaa{at}"));
            part
        });
        step["output"]["parts"] = parts.collect();
        step
    };
    let steps = [prompt(&["a secret"]), prompt(&["plain"]), prompt(&["please rewrite", "and this"])];
    let taken = plugin.play(&[], &json!({}), &steps);
    let texts = |index: usize| {
        let parts = taken[index]["output"]["parts"].as_array().unwrap();
        parts.iter().map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(taken[0]["threw"], "Operation denied by refuses: no secrets");
    assert_eq!(taken[0]["seen"][0]["toast"]["message"], "tenter: Operation denied by refuses: no secrets");
    assert_eq!(
        texts(1),
        ["plain", "Be kind\n\nBe brief"],
        "what a session begins with is not lost with a prompt"
    );
    assert_eq!(texts(2), ["new", "Be brief"]);
    let added = &taken[1]["output"]["parts"][1];
    assert_eq!((&added["synthetic"], &added["messageID"]), (&json!(true), &json!("msg_0001")));
    let id = added["id"].as_str().unwrap();
    assert!(id.len() == 30 && id > "prt_1e3bc7e16001aaaaaaaaaaaaa0", "{id}: OpenCode sorts by it");
}

#[test]
fn agent_continues_and_own_prompts_are_skipped() {
    let world =
        world("  orchestrator:complete:\n    - { name: goes-on, once: session, deny: \"run the tests\" }\n");
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let mut ours = step("chat.message", "chat.message");
    ours["output"]["parts"][0]["metadata"] = json!({"tenter": true});
    let mut its_own = step("chat.message", "chat.message");
    its_own["output"]["parts"][0]["synthetic"] = json!(true);
    let idle = recorded_event("event.session.idle");
    let prompt = step("chat.message", "chat.message");
    let steps = [prompt, idle.clone(), ours, idle, its_own, json!({"dispose": true})];
    let taken = plugin.play(&[], &json!({}), &steps);
    let sent: Vec<&Value> = prompts(&taken);
    assert_eq!(sent.len(), 1, "{taken:?}");
    assert_eq!(sent[0]["parts"][0]["text"], "run the tests");
    assert_eq!(
        (&sent[0]["agent"], &sent[0]["model"]["modelID"]),
        (&json!("build"), &json!("scripted-model"))
    );
    let prompts_asked = world_records(&world, "prompt:submit");
    assert_eq!(prompts_asked, 1);
}

#[test]
fn interrupted_agent_does_not_continue() {
    let world = world("  orchestrator:complete:\n    - { name: goes-on, deny: \"run the tests\" }\n");
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let prompt = step("chat.message", "chat.message");
    let idle = recorded_event("event.session.idle");
    let error = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
    let aborted =
        json!({"event": {"type": "session.error", "properties": {"sessionID": "ses_0001", "error": error}}});
    let end = json!({"dispose": true});
    let interrupted = plugin.play(&[], &json!({}), &[prompt.clone(), aborted, idle.clone(), end.clone()]);
    assert_eq!(prompts(&interrupted).len(), 0, "{interrupted:?}");
    assert_eq!(world_records(&world, "orchestrator:complete"), 0);
    let one_shot = plugin.play(&["run", "hello"], &json!({}), &[prompt, idle, end]);
    assert_eq!(prompts(&one_shot).len(), 0, "{one_shot:?}");
    assert_eq!(world_records(&world, "orchestrator:complete"), 1, "it is recorded before the agent ends");
    let stderr = one_shot.last().unwrap().as_str().unwrap();
    assert!(stderr.contains("goes-on denied, but this event cannot be stopped here"), "{stderr}");
}

#[test]
fn hook_with_may_allow_answers_permissions() {
    let world = world(concat!(
        "  permission:request:\n",
        "    - { name: allows, matcher: Bash, may_allow: true, command: \"echo '{\\\"allow\\\": true}'\" }\n",
    ));
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let asked = |id: &str, call: &str| {
        json!({"event": {"type": "permission.asked", "properties": {"id": id, "sessionID": "ses_0001",
            "permission": "edit", "patterns": ["*"], "tool": {"messageID": "msg_0001", "callID": call}}}})
    };
    let call = arguments("tool.execute.before.bash")["input"]["callID"].clone();
    let steps = [
        step("tool.execute.before", "tool.execute.before.bash"),
        asked("per_1", call.as_str().unwrap()),
        asked("per_2", "another"),
    ];
    let taken = plugin.play(&[], &json!({}), &steps);
    let given: Vec<&Value> = taken.iter().flat_map(seen).filter_map(|it| it.get("permission")).collect();
    assert_eq!(given, [&json!({"response": "once"})], "{taken:?}");
}

fn seen(taken: &Value) -> impl Iterator<Item = &Value> {
    taken["seen"].as_array().into_iter().flatten()
}

fn prompts(taken: &[Value]) -> Vec<&Value> {
    taken.iter().flat_map(seen).filter_map(|it| it.get("prompt")).collect()
}

fn world_records(world: &World, event: &str) -> usize {
    let trail = std::fs::read_to_string(world.trail()).unwrap();
    let records = trail.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["event"] == event).count()
}
