//! Sent text never changes in later requests.

use super::*;

/// The parts that the API caches: everything but the messages, and the messages.
fn parts(api: Api, conversation: &Conversation) -> (Value, Vec<Value>) {
    let mut body = written(api, conversation);
    let messages = body[messages_key(api)].take();
    let mut messages = messages.as_array().unwrap().clone();
    // Cache marks move and are not cached.
    for message in &mut messages {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    (body, messages)
}

fn bytes(messages: &[Value]) -> String {
    messages.iter().map(Value::to_string).collect()
}

fn any_note() -> impl Strategy<Value = Item> {
    let roles = prop::sample::select(Role::ALL.to_vec());
    let places = prop::sample::select(Place::ALL.to_vec());
    (roles, places, "[a-z\n]{0,12}").prop_map(|(role, place, text)| note(role, place, &text))
}

/// A step between two requests: a prompt with notes before it, or a reply with the results of its calls in any order
/// and notes among them.
fn any_step() -> impl Strategy<Value = Vec<Item>> {
    let prompt = (prop::collection::vec(any_note(), 0..3), "[a-z ]{1,12}").prop_map(|(mut items, words)| {
        items.push(Item::Prompt(words));
        items
    });
    let outcome = ("[a-z\"{}]{0,12}", any::<bool>(), prop::collection::vec(any_note(), 0..3));
    let kept = prop::option::of(prop::sample::select(vec![
        json!({"type": "thinking", "thinking": "t", "signature": "s"}),
        json!({"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e"}),
        json!({"thoughtSignature": "g"}),
        json!({"reasoning_content": "c"}),
    ]));
    let replied = ("[a-z ]{0,8}", kept, prop::collection::vec(outcome, 0..4), any::<bool>(), any::<u32>());
    let reply = replied.prop_map(|(words, kept, outcomes, backwards, salt)| {
        let ids: Vec<String> = (0..outcomes.len()).map(|index| format!("c{salt}_{index}")).collect();
        let calls: Vec<_> = ids.iter().map(|id| (id.as_str(), "Read")).collect();
        let mut first = reply(&words, &calls);
        if let (Item::Reply(reply), Some(kept)) = (&mut first, kept) {
            reply.blocks.insert(0, Block::Kept(kept));
        }
        let mut rest: Vec<Vec<Item>> = ids
            .iter()
            .zip(outcomes)
            .map(|(id, (output, failed, mut notes))| {
                notes.insert(0, result(id, "Read", &output, failed));
                notes
            })
            .collect();
        if backwards {
            rest.reverse();
        }
        std::iter::once(first).chain(rest.into_iter().flatten()).collect()
    });
    prop_oneof![prompt, reply]
}

fn ends_with_results(step: &[Item]) -> bool {
    step.iter().any(|item| matches!(item, Item::Result(_)))
}

fn is_prompt(step: &[Item]) -> bool {
    matches!(step.last(), Some(Item::Prompt(_)))
}

proptest! {
    #[test]
    fn sent_messages_never_change(steps in prop::collection::vec(any_step(), 1..12)) {
        for api in Api::ALL {
            let mut conversation = Conversation::new("Be brief.");
            let mut before: Option<(Value, Vec<Value>)> = None;
            for (index, step) in steps.iter().enumerate() {
                conversation.items.extend(step.iter().cloned());
                // Results go to the model at once. If a prompt follows them, the user stopped the model.
                let stopped = ends_with_results(step) && steps.get(index + 1).is_some_and(|next| is_prompt(next));
                if stopped {
                    continue;
                }
                let now = parts(api, &conversation);
                if let Some((rest, messages)) = &before {
                    prop_assert_eq!(&now.0, rest, "{}", api.name());
                    prop_assert!(now.1.starts_with(messages), "{}\n{:#?}\n{:#?}", api.name(), messages, now.1);
                    prop_assert!(bytes(&now.1).starts_with(&bytes(messages)), "{}", api.name());
                }
                before = Some(now);
            }
        }
    }

    /// Notes after a request without a reply join the results in a message that was already sent. Its blocks are the
    /// same, and the cache compares blocks.
    #[test]
    fn blocks_stay_after_a_request_without_reply(steps in prop::collection::vec(any_step(), 1..12)) {
        for api in [Api::Anthropic, Api::Gemini] {
            let key = if api == Api::Gemini { "parts" } else { "content" };
            let mut conversation = Conversation::new("Be brief.");
            let mut before: Vec<Value> = Vec::new();
            for step in &steps {
                // Notes within a result must come before it is sent.
                let inside = |item: &Item| matches!(item, Item::Note(note) if note.strategy == Place::ToolResult);
                let late = is_prompt(step) && api == Api::Gemini;
                conversation.items.extend(step.iter().filter(|item| !late || !inside(item)).cloned());
                let (_, messages) = parts(api, &conversation);
                let blocks: Vec<Value> = messages
                    .iter()
                    .flat_map(|message| {
                        message[key].as_array().unwrap().iter().map(|block| json!([message["role"], block]))
                    })
                    .collect();
                prop_assert!(blocks.starts_with(&before), "{}\n{:#?}\n{:#?}", api.name(), before, blocks);
                before = blocks;
            }
        }
    }

    #[test]
    fn ephemeral_notes_come_last(steps in prop::collection::vec(any_step(), 1..6)) {
        for api in Api::ALL {
            let items: Vec<Item> = steps.iter().flatten().cloned().collect();
            let one_line = Conversation { items, ..Conversation::default() };
            let mut with = one_line.clone();
            for role in Role::ALL {
                let text = "only now".to_owned();
                with.add(Item::Note(Note { ephemeral: true, ..Note::new(role, Place::ToolResult, text) }));
            }
            let (one_line, with) = (parts(api, &one_line).1, parts(api, &with).1);
            prop_assert!(with.starts_with(&one_line), "{}", api.name());
            let more = bytes(&with[one_line.len()..]);
            prop_assert_eq!(more.matches("only now").count(), 3, "{}", more);
        }
    }

    #[test]
    fn every_call_has_a_result_behind_it(steps in prop::collection::vec(any_step(), 1..8)) {
        let conversation = Conversation { items: steps.into_iter().flatten().collect(), ..Conversation::default() };
        let (_, messages) = parts(Api::Anthropic, &conversation);
        let ids = |message: &Value, kind: &str, key: &str| {
            let blocks = message["content"].as_array().unwrap().iter().filter(|block| block["type"] == kind);
            let mut ids: Vec<_> = blocks.map(|block| block[key].to_string()).collect();
            ids.sort();
            ids
        };
        for pair in messages.windows(2) {
            let called = ids(&pair[0], "tool_use", "id");
            prop_assert_eq!(called, ids(&pair[1], "tool_result", "tool_use_id"));
            let kinds: Vec<_> = pair[1]["content"].as_array().unwrap().iter().map(|block| block["type"] == "tool_result").collect();
            prop_assert!(kinds.is_sorted_by(|a, b| a >= b), "results come first: {:?}", kinds);
        }
        let (_, messages) = parts(Api::OpenAiChat, &conversation);
        for (index, message) in messages.iter().enumerate() {
            let called = message["tool_calls"].as_array().map_or(0, Vec::len);
            let rest = messages[index + 1..].iter().take_while(|message| message["role"] == "tool");
            if message["role"] == "assistant" {
                prop_assert_eq!(rest.count(), called);
            }
        }
    }
}
