//! The loop over real HTTP, in each API: context after a tool is in the next request, and sent text never changes.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tenter_agent::{Agent, AgentParts, Journal, TurnEnd};
use tenter_contract::{EventKind, HookReply};
use tenter_models::client::{Model, ModelSpec};
use tenter_models::{Api, Script, ScriptServer, ServerOptions};

use crate::kit::{World, prompt};

const SCRIPT: &str = r#"
version: 1
turns:
  - say: "I will write it."
    call: { tool: Write, input: { file_path: "config.py", content: "import os" } }
  - expect: { contains: "line 42 is too long", tool_result_contains: "written" }
    call:
      - { tool: Look, input: { at: 1 } }
      - { tool: Look, input: { at: 2 } }
  - expect: { contains: "line 42 is too long", tool_result_contains: "at" }
    say: "Mended."
"#;

/// A reply with a call whose input is invalid, in each API.
fn unreadable_call(api: Api) -> Value {
    let function = json!({"name": "Write", "arguments": "{'file_path': 1}"});
    match api {
        Api::Anthropic => json!({"type": "message", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "c1", "name": "Write", "input": "{'file_path': 1}"}]}),
        Api::OpenAiChat => json!({"choices": [{"finish_reason": "tool_calls",
            "message": {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}}]}),
        Api::OpenAiResponses => json!({"output": [{"type": "function_call", "call_id": "c1", "name": "Write",
            "arguments": "{'file_path': 1}"}]}),
        Api::Gemini => json!({"candidates": [{"finishReason": "STOP",
            "content": {"parts": [{"functionCall": {"id": "c1", "name": "Write", "args": "{'file_path': 1}"}}]}}]}),
    }
}

#[test]
fn invalid_input_goes_back_to_the_model() {
    for api in Api::ALL {
        let script = json!({"version": 1, "turns": [
            {"fails": {"garbage": unreadable_call(api).to_string()}},
            {"expect": {"tool_result_contains": "its input cannot be read: it is "}, "say": "I see."},
        ]});
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let world = World::new([]).hook(EventKind::ToolPre, "guard", move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            HookReply::default()
        });
        let options = ServerOptions { api: Some(api), ..ServerOptions::default() };
        let server = ScriptServer::start(Script::read(&script.to_string(), "").unwrap(), options).unwrap();
        let parts = AgentParts { model: model(api, &server.url()), ..world.parts() };
        let mut agent = Agent::new(parts, "s1", Journal::none());
        let ended = prompt(&mut agent, "Write").unwrap();
        assert_eq!(ended, TurnEnd::Done("I see.".to_owned()), "{}: {:?}", api.name(), server.finish());
        assert_eq!(asked.load(Ordering::Relaxed), 0, "an invalid call needs no approval");
        assert!(world.kinds().contains(&"tool:error".to_owned()));
    }
}

/// The scripted model under the address of its API.
fn model(api: Api, url: &str) -> Arc<dyn Model> {
    let (spec, variables): (String, &[&str]) = match api {
        Api::Anthropic => ("anthropic:m".to_owned(), &["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"]),
        Api::OpenAiResponses => ("openai:m".to_owned(), &["OPENAI_BASE_URL", "OPENAI_API_KEY"]),
        Api::Gemini => ("gemini:m".to_owned(), &["GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"]),
        Api::OpenAiChat => (format!("{url}/v1#m"), &[]),
    };
    let environment = variables.iter().map(|name| (OsString::from(name), OsString::from(url)));
    ModelSpec::parse(&spec).unwrap().connect(&environment.collect::<Vec<_>>()).unwrap().into()
}

/// The messages of the requests in the script.
fn messages(folder: &Path) -> Vec<Vec<Value>> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let read =
        |path: &std::path::PathBuf| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let played = names.iter().map(read).filter(|record| record["part"] == "turn");
    let text = played.map(|record| {
        let request = &record["request"];
        let lists = ["messages", "input", "contents"].map(|key| request[key].as_array());
        lists.into_iter().flatten().next().unwrap().clone()
    });
    text.map(|mut messages| {
        messages.iter_mut().for_each(without_marks);
        messages
    })
    .collect()
}

/// Cache marks move with each request, and the model does not read them.
fn without_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(without_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(without_marks),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn context_is_in_the_next_request_of_every_api() {
    for api in Api::ALL {
        let world = World::new([]).hook(EventKind::ToolPost, "linter", |event| {
            match event.tool.as_ref().and_then(|tool| tool.path()) {
                Some(path) => HookReply::default().inject(format!("{path}: line 42 is too long")),
                None => HookReply::default(),
            }
        });
        let record = world.path().join("requests");
        let script = Script::read(SCRIPT, "").unwrap();
        let options =
            ServerOptions { api: Some(api), record: Some(record.clone()), ..ServerOptions::default() };
        let server = ScriptServer::start(script, options).unwrap();
        let parts = AgentParts { model: model(api, &server.url()), ..world.parts() };
        let mut agent = Agent::new(parts, "s1", Journal::none());
        let ended = prompt(&mut agent, "Write config.py").unwrap();
        assert_eq!(ended, TurnEnd::Done("Mended.".to_owned()), "{}", api.name());
        let report = server.finish();
        assert!(report.is_complete(), "{}: {report:?}", api.name());
        let text = messages(&record);
        assert_eq!(text.len(), 3, "{}", api.name());
        for pair in text.windows(2) {
            let [before, after] = pair else { continue };
            assert_eq!(after[..before.len()], before[..], "{}", api.name());
        }
    }
}
