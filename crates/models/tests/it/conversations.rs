//! A conversation in every API: text, calls, results and notes of hooks.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_contract::{Role, Strategy};
use tenter_models::Api;
use tenter_models::client::{Item, Note, StopReason};

use crate::chat::Chat;

const SCRIPT: &str = r#"version: 1
turns:
  - expect: { contains: ["Be brief.", "Fix a.py"], lacks: "remember" }
    say: "I will look around first, and say so in more than one piece, as models do: ä🙂."
    call: { tool: Bash, input: { command: "ls -l" } }
  - expect: { tool_result_contains: "ls -l", contains: "remember the tests" }
    call:
      - { tool: Bash, input: { command: "cat a.py", note: "a text that is longer than one piece of the stream" } }
      - { tool: Bash, input: {} }
  - expect: { tool_result_contains: ["cat a.py", "done: {}"], contains: ["first of two", "only now"] }
    say: "Done."
  - expect: { contains: "Thanks", lacks: "only now" }
    say: "You are welcome."
"#;

fn note(text: &str, strategy: Strategy, ephemeral: bool) -> Item {
    Item::Note(Note { ephemeral, ..Note::new(Role::System, strategy, text) })
}

#[test]
fn calls_and_notes_in_every_api() {
    for api in Api::ALL {
        for strategy in Strategy::ALL {
            let mut chat = Chat::script(api, SCRIPT);
            let first = chat.ask().unwrap();
            let text = "I will look around first, and say so in more than one piece, as models do: ä🙂.";
            assert_eq!((first.text().as_str(), &first.stop), (text, &StopReason::Calls), "{}", api.name());
            let calls: Vec<_> = first.calls().map(|call| (call.name.as_str(), json!(call.input))).collect();
            assert_eq!(calls, [("Bash", json!({"command": "ls -l"}))]);
            assert!(first.usage.input > 0 && first.usage.output > 0, "{:?}", first.usage);
            assert!(chat.received.len() > 2, "it comes in pieces: {:?}", chat.received);
            assert_eq!(chat.received.concat(), format!("{text}[Bash]"));

            chat.add_results(&first, "done");
            chat.conversation.add(note("remember the tests", strategy, false));
            let second = chat.ask().unwrap();
            let ids: Vec<_> = second.calls().map(|call| call.id.clone()).collect();
            assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");

            chat.add_results(&second, "done");
            chat.conversation
                .items
                .insert(chat.conversation.items.len() - 1, note("first of two", strategy, false));
            chat.conversation.add(note("only now", strategy, true));
            let third = chat.ask().unwrap();
            assert_eq!((third.text().as_str(), &third.stop), ("Done.", &StopReason::End));

            chat.conversation.add(Item::Prompt("Thanks".to_owned()));
            assert_eq!(chat.ask().unwrap().text(), "You are welcome.", "{}", api.name());
            let report = chat.model.finish();
            assert!(report.is_complete(), "{} {strategy:?}: {report}", api.name());
        }
    }
}

#[test]
fn each_request_starts_with_the_one_before() {
    for (api, key) in Api::ALL.into_iter().zip(["messages", "contents", "input", "messages"]) {
        let folder = TempDir::new().unwrap();
        let mut chat = Chat::recorded(api, SCRIPT, folder.path());
        for _ in 0..2 {
            let reply = chat.ask().unwrap();
            chat.add_results(&reply, "done");
            chat.conversation.add(note("remember the tests, first of two", Strategy::ToolResult, false));
        }
        let _ = chat.ask().unwrap();
        let messages = |number: usize| -> String {
            let text = fs::read_to_string(folder.path().join(format!("{number:03}.json"))).unwrap();
            let record: Value = serde_json::from_str(&text).unwrap();
            let list =
                record["request"][key].to_string().replace(r#","cache_control":{"type":"ephemeral"}"#, "");
            list.trim_end_matches(']').to_owned()
        };
        for number in 1..3 {
            let (before, after) = (messages(number), messages(number + 1));
            // Without the closing brackets of its last block and of the list.
            assert!(
                after.starts_with(before.trim_end_matches(['}', ']'])),
                "{}:\n{before}\n{after}",
                api.name()
            );
        }
    }
}

#[test]
fn connections_are_reused_and_concurrent() {
    let turns: Vec<Value> = (0..12).map(|turn| json!({"say": format!("number {turn}")})).collect();
    let script = json!({"version": 1, "turns": turns}).to_string();
    let chat = Chat::script(Api::Anthropic, &script);
    let mut received: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut own = Chat::new(&chat.model);
                    (0..3).map(|_| own.ask().unwrap().text()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    received.sort_unstable();
    received.dedup();
    assert_eq!(received.len(), 12);
}
