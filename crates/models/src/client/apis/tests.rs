use proptest::prelude::*;
use serde_json::{Map, json};
use tenter_contract::{Role, Strategy as Place};
use tenter_net::SseReader;

use super::*;
use crate::client::{
    Block, Conversation, Item, Note, Reply, StopReason, ToolDefinition, ToolResult, ToolUse, Usage,
};

mod growth;
mod streams;
mod whole;

fn note(role: Role, strategy: Place, text: &str) -> Item {
    Item::Note(Note::new(role, strategy, text))
}

fn about(call_id: &str, strategy: Place, text: &str) -> Item {
    Item::Note(Note { call_id: Some(call_id.to_owned()), ..Note::new(Role::System, strategy, text) })
}

fn reply(text: &str, calls: &[(&str, &str)]) -> Item {
    let text = (!text.is_empty()).then(|| Block::Text(text.to_owned()));
    let call = |(id, name): &(&str, &str)| {
        let input = Map::from_iter([("path".to_owned(), json!("a.py"))]);
        Block::Call(ToolUse::new(*id, *name, input))
    };
    let blocks = text.into_iter().chain(calls.iter().map(call)).collect();
    Item::Reply(Reply { blocks, ..Reply::default() })
}

fn result(call_id: &str, name: &str, output: &str, failed: bool) -> Item {
    let [call_id, name, output] = [call_id, name, output].map(str::to_owned);
    Item::Result(ToolResult { call_id, name, output, failed })
}

fn tools() -> Vec<ToolDefinition> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tool = |name: &str, description: &str| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: schema.clone(),
    };
    vec![tool("Read", "Reads a file."), tool("Lint", "Looks for mistakes.")]
}

fn written(api: Api, conversation: &Conversation) -> Value {
    let tools = tools();
    body(api, &Request { conversation, tools: &tools, max_tokens: None }, "some-model")
}

fn messages_key(api: Api) -> &'static str {
    match api {
        Api::Anthropic | Api::OpenAiChat => "messages",
        Api::Gemini => "contents",
        Api::OpenAiResponses => "input",
    }
}

/// Notes with every role and strategy, at every place.
fn conversation() -> Conversation {
    use Place::{Auto, ToolResult, UserMessage};
    use Role::{Assistant, System, User};
    let ephemeral = |role, text: &str| Item::Note(Note { ephemeral: true, ..Note::new(role, Auto, text) });
    Conversation {
        system: "You are a careful programmer.".to_owned(),
        instructions: "Write short functions.".to_owned(),
        items: vec![
            note(System, Auto, "start: system, auto"),
            note(User, Auto, "start: user, auto"),
            ephemeral(System, "start: ephemeral, answered long ago"),
            Item::Prompt("Fix a.py".to_owned()),
            reply("I will read it.", &[("call_1", "Read")]),
            result("call_1", "Read", "import os", false),
            note(System, Auto, "one result: system, auto"),
            note(System, ToolResult, "one result: system, tool_result"),
            note(System, UserMessage, "one result: system, user_message"),
            note(User, Auto, "one result: user, auto"),
            note(Assistant, Auto, "one result: assistant, auto"),
            reply("", &[("call_2", "Lint"), ("call_3", "Read")]),
            result("call_2", "Lint", "F401 `os` imported but unused", true),
            note(System, ToolResult, "first of two: system, tool_result"),
            note(System, Auto, "first of two: system, auto"),
            result("call_3", "Read", "import os", false),
            note(System, ToolResult, "second of two: system, tool_result\nin two lines"),
            note(User, ToolResult, "second of two: user, tool_result"),
            note(User, UserMessage, "second of two: user, user_message"),
            about("call_2", Auto, "behind both, about the first: system, auto"),
            about("call_3", ToolResult, "behind both, about the second: system, tool_result"),
            reply("Done.", &[]),
            note(System, Auto, "before the prompt: system, auto"),
            note(System, ToolResult, "before the prompt: system, tool_result"),
            note(System, UserMessage, "before the prompt: system, user_message"),
            note(Assistant, Auto, "before the prompt: assistant, auto"),
            note(User, Auto, "before the prompt: user, auto"),
            Item::Prompt("Thank you. Now b.py".to_owned()),
            ephemeral(System, "last: system, ephemeral"),
            ephemeral(Assistant, "last: assistant, ephemeral"),
        ],
    }
}

#[test]
fn notes_in_every_api() {
    for api in Api::ALL {
        let mut body = written(api, &conversation());
        let messages = body[messages_key(api)].take();
        let lines: Vec<_> = messages.as_array().unwrap().iter().map(Value::to_string).collect();
        let text = format!("{body:#}\n\n{}", lines.join("\n"));
        insta::assert_snapshot!(format!("injections_{}", api.name()), text);
    }
}

#[test]
fn model_text_is_never_the_last_message() {
    let note = note(Role::Assistant, Place::Auto, "I should test it.");
    let ends = [
        vec![note.clone()],
        vec![Item::Prompt("go".to_owned()), reply("Done.", &[]), note.clone()],
        vec![reply("", &[("c1", "Read")]), result("c1", "Read", "x", false), note],
    ];
    for api in [Api::Anthropic, Api::Gemini, Api::OpenAiChat] {
        for items in &ends {
            let body = written(api, &Conversation { items: items.clone(), ..Conversation::default() });
            let messages = body[messages_key(api)].as_array().unwrap();
            assert_eq!(messages.last().unwrap()["role"], "user", "{}: {messages:#?}", api.name());
        }
    }
}

#[test]
fn thoughts_go_back_to_their_api() {
    let kept = [
        json!({"type": "thinking", "thinking": "hm", "signature": "s1"}),
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s2"}),
        json!({"thoughtSignature": "s3"}),
        json!({"reasoning_content": "s4"}),
    ];
    let call = ToolUse::new("c1", "Read", Map::new());
    let blocks = kept.into_iter().map(Block::Kept).chain([Block::Call(call)]).collect();
    let items = vec![Item::Prompt("go".to_owned()), Item::Reply(Reply { blocks, ..Reply::default() })];
    let conversation = Conversation { items, ..Conversation::default() };
    for (api, own) in Api::ALL.into_iter().zip(["s1", "s3", "s2", "s4"]) {
        let body = written(api, &conversation).to_string();
        for sign in ["s1", "s2", "s3", "s4"] {
            assert_eq!(body.contains(&format!("\"{sign}\"")), sign == own, "{}: {body}", api.name());
        }
    }
}

#[test]
fn gemini_3_accepts_unsigned_calls() {
    let items = vec![Item::Prompt("go".to_owned()), reply("Yes.", &[("c1", "Read"), ("c2", "Read")])];
    let conversation = Conversation { items, ..Conversation::default() };
    let request = Request { conversation: &conversation, tools: &[], max_tokens: None };
    let signed = |model: &str| {
        let body = body(Api::Gemini, &request, model);
        let parts = body["contents"][1]["parts"].as_array().unwrap().clone();
        parts.into_iter().map(|part| part.get("thoughtSignature").is_some()).collect::<Vec<_>>()
    };
    assert_eq!(signed("gemini-2.5-pro"), [false, false, false]);
    assert_eq!(signed("gemini-3-pro"), [false, true, false]);
}

#[test]
fn plain_model_gets_no_reasoning_option() {
    let conversation = Conversation::new("");
    let request = Request { conversation: &conversation, tools: &[], max_tokens: Some(100) };
    assert!(body(Api::OpenAiResponses, &request, "gpt-4.1").get("include").is_none());
    let body = body(Api::OpenAiResponses, &request, "gpt-5");
    assert_eq!(
        (&body["include"][0], &body["max_output_tokens"]),
        (&json!("reasoning.encrypted_content"), &json!(100))
    );
}

#[test]
fn cache_marks_follow_lasting_messages() {
    let body = written(Api::Anthropic, &conversation());
    let messages = body["messages"].as_array().unwrap();
    let marked: Vec<String> = messages
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap())
        .filter(|block| block.get("cache_control").is_some())
        .map(|block| block["text"].as_str().unwrap_or("(result)").to_owned())
        .collect();
    assert_eq!(
        marked,
        ["before the prompt: system, user_message", "Thank you. Now b.py"].map(|text| {
            if text.starts_with("before") {
                format!("<system-reminder>\n{text}\n</system-reminder>")
            } else {
                text.to_owned()
            }
        })
    );
    assert!(body["system"][0].get("cache_control").is_some());
    assert!(body.to_string().matches("cache_control").count() <= 4);
    let no_system = Conversation { system: String::new(), ..conversation() };
    let body = written(Api::Anthropic, &no_system);
    assert!(body.get("system").is_none() && body["tools"][1].get("cache_control").is_some());
}
