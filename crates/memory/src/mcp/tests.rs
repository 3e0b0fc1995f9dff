//! Messages in, messages out.

mod any_line;
mod wrong_input;

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenter_contract::ports::Clock;
use tenter_contract::{SessionId, Timestamp};
use tenter_store::StateFolder;

use super::{Server, Sessions, VERSIONS, serve, tools};
use crate::live::LiveSessions;
use crate::{Memory, MemoryConfig, StaticModel};

/// A minute passes with every call, so that what came later has a later time.
struct Minutes(Mutex<u64>);

impl Clock for Minutes {
    fn now(&self) -> Timestamp {
        let mut minutes = self.0.lock().unwrap();
        *minutes += 1;
        Timestamp::from_unix_ms(1_790_000_000_000 + *minutes * 60_000)
    }
}

fn server(folder: &Path, session: &str) -> Server {
    let state = StateFolder::new(folder.join("state"));
    let clock = Arc::new(Minutes(Mutex::new(0)));
    let means = MemoryConfig {
        clock,
        embedder: Arc::new(StaticModel::default()),
        secrets: vec!["hunter2-hunter2".to_owned()],
    };
    let sessions = Sessions::new(
        LiveSessions::new(state.clone()),
        folder.join("shop"),
        None,
        SessionId::parse(session).unwrap(),
    );
    Server::new(Memory::open(state, means), sessions)
}

fn ask(server: &Server, method: &str, params: impl Into<Value>) -> Value {
    let params = params.into();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    server.answer(&message).unwrap()
}

/// What a tool says; an error is a result too.
fn call(server: &Server, tool: &str, arguments: impl Into<Value>) -> Value {
    let arguments = arguments.into();
    let answer = ask(server, "tools/call", json!({"name": tool, "arguments": arguments}));
    let result = &answer["result"];
    let output: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(result["structuredContent"], output, "{tool}");
    assert_eq!(result["isError"] == true, output.get("error").is_some(), "{tool}: {output}");
    output
}

fn answer_text(server: &Server, text: &str) -> Option<String> {
    server.answer_line(&super::input_line::InputLine::read(text.as_bytes()))
}

fn ghap(goal: &str) -> Value {
    json!({
        "domain": "debugging", "strategy": "read-the-error", "goal": goal, "hypothesis": "the cache is shared",
        "action": "give each test its own", "prediction": "the test passes",
    })
}

#[test]
fn initialize_agrees_on_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let latest = VERSIONS[VERSIONS.len() - 1];
    for (asked, agreed) in VERSIONS.map(|version| (version, version)).into_iter().chain([
        ("2019-01-01", latest),
        ("2099-01-01", latest),
        ("", latest),
    ]) {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test"}});
        let answer = ask(&server, "initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "tenter");
    }
    assert_eq!(ask(&server, "initialize", Value::Null)["result"]["protocolVersion"], latest);
}

#[test]
fn what_is_no_request_gets_the_code_that_json_rpc_has_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let rows = [
        ("{", Some(-32700)),
        ("7", Some(-32600)),
        ("[]", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Some(-32600)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, Some(-32601)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fly"}}"#, Some(-32602)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":[]}}"#,
            Some(-32602),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#, Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}"#, Some(-32002)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"fly"}}"#, Some(-32602)),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/of_a_later_version"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
    ];
    for (message, code) in rows {
        let answer = answer_text(&server, message).map(|text| serde_json::from_str::<Value>(&text).unwrap());
        assert_eq!(answer.map(|answer| answer["error"]["code"].as_i64()), code.map(Some), "{message}");
    }
}

#[test]
fn a_batch_is_answered_by_the_versions_that_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
        {"jsonrpc":"2.0","id":"b","method":"nope"}]"#;
    for version in VERSIONS {
        let server = server(folder.path(), "s");
        ask(&server, "initialize", json!({"protocolVersion": version}));
        let answer: Value = serde_json::from_str(&answer_text(&server, batch).unwrap()).unwrap();
        if version < "2025-06-18" {
            assert_eq!(answer[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
            assert_eq!((answer[1]["id"].as_str(), answer.as_array().map(Vec::len)), (Some("b"), Some(2)));
        } else {
            assert_eq!(answer[0]["error"]["code"], -32600, "{version}");
            assert_eq!(
                (&answer[0]["id"], &answer[1]["id"], &answer[2]),
                (&json!(1), &json!("b"), &Value::Null)
            );
        }
    }
}

#[test]
fn every_tool_says_when_to_call_it_and_what_it_takes() {
    let mut names: Vec<&str> = tools::all().iter().map(|tool| tool.name).collect();
    for tool in tools::all() {
        let listed = tool.listed();
        let schema = &listed["inputSchema"];
        assert_eq!(schema["type"], "object", "{}", tool.name);
        for required in schema["required"].as_array().unwrap() {
            assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{}", tool.name);
        }
        for (name, parameter) in schema["properties"].as_object().unwrap() {
            assert!(parameter["description"].is_string(), "{}.{name} has no description", tool.name);
        }
        assert!(tool.description.len() > 40, "{} hardly says when to call it", tool.name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), tools::all().len());
}

#[test]
fn a_prediction_that_was_wrong_becomes_an_experience_that_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let started = call(&server, "start_ghap", ghap("Fix the flaky cache test"));
    assert_eq!(started["session_id"], "s");
    assert_eq!(call(&server, "get_active_ghap", json!({}))["id"], started["id"]);
    let second = call(&server, "start_ghap", ghap("Something else"));
    assert_eq!(second["error"]["type"], "active_ghap_exists");
    let updated = call(&server, "update_ghap", json!({"hypothesis": "the clock is shared", "note": "hm"}));
    assert_eq!((&updated["success"], &updated["iteration_count"]), (&json!(true), &json!(2)));
    let unexplained =
        call(&server, "resolve_ghap", json!({"status": "falsified", "result": "it still fails"}));
    assert_eq!(unexplained["error"]["type"], "validation_error");
    let resolved = call(
        &server,
        "resolve_ghap",
        json!({
            "status": "falsified", "result": "it still fails at midnight", "surprise": "time zones matter",
            "root_cause": {"category": "wrong-assumption", "description": "tests ran in local time"},
            "lesson": {"what_worked": "a clock that stands still", "takeaway": "stop the clock in tests"},
        }),
    );
    assert_eq!((&resolved["confidence_tier"], &resolved["stored"]), (&json!("silver"), &json!(true)));
    assert_eq!(call(&server, "get_active_ghap", json!({}))["has_active"], false);
    let listed = call(&server, "list_ghap_entries", json!({"outcome": "falsified"}));
    assert_eq!((&listed["count"], &listed["results"][0]["id"]), (&json!(1), &started["id"]));
    let found = call(&server, "search_experiences", json!({"query": "flaky cache"}));
    assert_eq!(found["results"][0]["lesson"]["takeaway"], "stop the clock in tests");
    let read = ask(
        &server,
        "resources/read",
        json!({"uri": format!("tenter://memory/experience/{}", started["id"].as_str().unwrap())}),
    );
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("the cache is shared"), "the history is there: {text}");
}

#[test]
fn a_context_cites_what_stands_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    call(&server, "start_ghap", ghap("Fix the flaky cache test"));
    let end = json!({
        "status": "falsified", "result": "it still fails at midnight", "surprise": "time zones matter",
        "root_cause": {"category": "wrong-assumption", "description": "tests ran in local time"},
        "lesson": {"what_worked": "a clock that stands still"},
    });
    let id = call(&server, "resolve_ghap", end)["id"].clone();
    for (tool, arguments) in [
        (
            "assemble_context",
            json!({"query": "flaky cache test", "context_types": ["experiences", "values"]}),
        ),
        ("get_context", json!({"situation": "flaky cache test", "depth": "light"})),
        ("get_context", json!({})),
        ("premortem", json!({"domain": "debugging", "strategy": "read-the-error"})),
    ] {
        let result = call(&server, tool, arguments);
        assert_eq!(result["cited"][0]["id"], id, "{tool}: {result}");
        assert!(result["token_count"].as_u64().unwrap() > 10, "{tool}: {result}");
    }
    let result = call(&server, "assemble_context", json!({"query": "x", "max_tokens": 49}));
    assert_eq!(result["error"]["type"], "validation_error");
    let result = call(&server, "premortem", json!({"domain": "cooking"}));
    assert_eq!(result["error"]["type"], "validation_error");
    // What is not available is named, and what is there needs no remark.
    for (types, remark) in [
        (json!(["values", "code", "commits"]), "values, code, commits are not available yet"),
        (json!(["experiences", "code"]), "code is not available yet"),
        (json!(["experiences"]), ""),
        (json!([]), ""),
    ] {
        let result =
            call(&server, "assemble_context", json!({"query": "flaky cache test", "context_types": types}));
        let remark_text = result["remark"].as_str().unwrap_or_default();
        assert!(remark_text.starts_with(remark) && remark_text.is_empty() == remark.is_empty(), "{result}");
    }
}

#[test]
fn memory_tools_store_find_and_delete() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let stored = call(
        &server,
        "store_memory",
        json!({"content": "Ann wants tabs, and hunter2-hunter2 is hers", "category": "preference", "tags": ["style"]}),
    );
    assert!(!stored["content"].as_str().unwrap().contains("hunter2"), "{stored}");
    assert_eq!(
        call(&server, "retrieve_memories", json!({"query": "tabs"}))["results"][0]["id"],
        stored["id"]
    );
    assert_eq!(call(&server, "retrieve_memories", json!({"query": ""}))["count"], 0);
    assert_eq!(call(&server, "list_memories", json!({"tags": ["style"]}))["total"], 1);
    let id = json!({"memory_id": stored["id"]});
    assert_eq!(call(&server, "delete_memory", id.clone())["deleted"], true);
    assert_eq!(call(&server, "delete_memory", id)["error"]["type"], "not_found");
    assert_eq!(call(&server, "list_memories", json!({}))["total"], 0);
}

#[test]
fn journal_tools_write_list_and_reflect() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let page = call(
        &server,
        "store_journal_entry",
        json!({"summary": "Moved the cache", "working_directory": "/w/shop", "next_steps": ["tests"],
               "session_log_content": "all of it"}),
    );
    let listed = call(&server, "list_journal_entries", json!({"unreflected_only": true}));
    assert_eq!((&listed["count"], &listed["entries"][0]["project_name"]), (&json!(1), &json!("shop")));
    let get =
        |log: bool| call(&server, "get_journal_entry", json!({"entry_id": page["id"], "include_log": log}));
    assert_eq!((get(false).get("session_log"), &get(true)["session_log"]), (None, &json!("all of it")));
    let marked =
        call(&server, "mark_entries_reflected", json!({"entry_ids": [page["id"]], "memories_created": 1}));
    assert_eq!(marked["marked_count"], 1);
    assert_eq!(call(&server, "list_journal_entries", json!({"unreflected_only": true}))["count"], 0);
    assert_eq!(get(true).get("session_log"), None);
}

#[test]
fn invalid_arguments_name_valid_ones() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let rows = [
        ("start_ghap", json!({"goal": "x"}), "`domain` (one of: debugging, "),
        ("start_ghap", json!({"goal": "x"}), "`action` (a text), `prediction` (a text) are missing"),
        ("store_memory", json!({"content": "x"}), "`category` is missing; it is one of: preference, fact"),
        ("start_ghap", json!({"domain": "cooking"}), "`cooking` is no `domain`; there are: debugging"),
        ("update_ghap", json!({"note": 7}), "`note` is not a text: 7"),
        ("resolve_ghap", json!({"status": "won", "result": "x"}), "`won` is no `status`"),
        (
            "resolve_ghap",
            json!({"status": "falsified", "result": "x", "root_cause": "y"}),
            "`root_cause` is not",
        ),
        ("list_ghap_entries", json!({"limit": 0}), "`limit` is out of range (0)"),
        ("list_ghap_entries", json!({"limit": 101}), "from 1 to 100"),
        ("list_ghap_entries", json!({"limit": "1"}), "`limit` is not a whole number from 1 to 100: \"1\""),
        ("list_ghap_entries", json!({"since": "yesterday"}), "`since` is no time"),
        ("search_experiences", json!({}), "`query` is missing"),
        ("search_experiences", json!({"query": "x", "limit": 51}), "from 1 to 50"),
        ("search_experiences", json!({"query": "x", "axis": "left"}), "`left` is no `axis`"),
        ("search_experiences", json!({"query": "x".repeat(10_001)}), "the limit is 10000"),
        ("store_memory", json!({"content": "", "category": "fact"}), "`content` is empty"),
        ("store_memory", json!({"content": "x".repeat(10_001), "category": "fact"}), "the limit is 10000"),
        ("store_memory", json!({"content": "x", "category": "gossip"}), "`gossip` is no `category`"),
        ("store_memory", json!({"content": "x", "category": "fact", "importance": 2}), "from 0 to 1"),
        ("retrieve_memories", json!({"query": "x", "min_importance": "1"}), "is not a number from 0 to 1"),
        (
            "retrieve_memories",
            json!({"query": "x", "search_mode": "psychic"}),
            "`psychic` is no `search_mode`",
        ),
        ("list_memories", json!({"offset": -1}), "`offset` is out of range"),
        ("list_memories", json!({"tags": "a"}), "`tags` is not a list of texts"),
        ("store_journal_entry", json!({"summary": " "}), "`summary` is empty"),
        ("list_journal_entries", json!({"limit": 201}), "from 1 to 200"),
        ("mark_entries_reflected", json!({"entry_ids": []}), "`entry_ids` is empty"),
        ("mark_entries_reflected", json!({"entry_ids": ["x"], "memories_created": -1}), "out of range"),
        ("get_active_ghap", json!({"session_id": " "}), "`session_id` is empty"),
    ];
    for (tool, arguments, expected) in rows {
        let result = call(&server, tool, arguments.clone());
        assert_eq!(result["error"]["type"], "validation_error", "{tool} {arguments}: {result}");
        let message = result["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{tool}: {message}");
    }
    for (tool, arguments) in [
        ("update_ghap", json!({"note": "x"})),
        ("resolve_ghap", json!({"status": "confirmed", "result": "x"})),
        ("adopt_orphan", json!({})),
        ("abandon_orphan", json!({"reason": "x"})),
        ("get_journal_entry", json!({"entry_id": "journal_1"})),
    ] {
        assert_eq!(call(&server, tool, arguments)["error"]["type"], "not_found", "{tool}");
    }
}

#[test]
fn null_is_no_argument() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let result = call(&server, "list_memories", json!({"catgory": null, "category": null}));
    assert_eq!((&result["total"], result.get("ignored_arguments")), (&json!(0), None));
    let result = call(&server, "ping", json!({"random_string": "x"}));
    assert_eq!(
        (&result["status"], &result["ignored_arguments"]),
        (&json!("healthy"), &json!(["random_string"]))
    );
}

#[test]
fn ping_reports_unwritable_store() {
    let folder = tempfile::tempdir().unwrap();
    // A file where the folder of the state would be made.
    let state = folder.path().join("state");
    std::fs::write(&state, "").unwrap();
    let server = server(&state, "s");
    let result = call(&server, "ping", json!({}));
    assert_eq!(result["status"], "degraded", "{result}");
    assert!(result["problem"].as_str().unwrap().contains("is not a folder"), "{result}");
}

#[test]
fn sessions_of_one_project_stay_separate() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|session| server(folder.path(), session));
    call(&one, "start_ghap", ghap("of one"));
    assert_eq!(call(&two, "get_active_ghap", json!({}))["has_active"], false);
    call(&two, "start_ghap", ghap("of two"));
    assert_eq!(call(&one, "get_active_ghap", json!({}))["goal"], "of one");
    let sub = json!({"agent_id": "reviewer"});
    assert_eq!(call(&one, "get_active_ghap", sub)["has_active"], false, "a sub-agent has its own");
    assert_eq!(call(&one, "get_active_ghap", json!({"session_id": "two"}))["goal"], "of two");
    assert_eq!(call(&one, "end_session", json!({}))["abandoned"][0]["status"], "abandoned");
    assert_eq!(call(&two, "get_active_ghap", json!({}))["goal"], "of two");
    // What one of them stored is found by both: they are in one project.
    let found = call(&two, "list_ghap_entries", json!({}));
    assert_eq!(found["results"][0]["goal"], "of one");
}

#[test]
fn new_session_starts_without_orphans() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|session| server(folder.path(), session));
    for session in [&one, &two] {
        let result = call(session, "start_session", json!({}));
        assert_eq!(result["error"], Value::Null, "{result}");
    }
    assert_eq!(call(&two, "get_orphan", json!({}))["has_orphan"], false);
    assert_eq!(call(&two, "should_check_in", json!({"frequency": 1}))["should_check_in"], false);
    assert_eq!(call(&two, "ping", json!({}))["session_id"], "two");
}

#[test]
fn prompts_name_tools_and_active_entry() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let listed = ask(&server, "prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"].as_array().unwrap().len(), 2);
    let start =
        || ask(&server, "prompts/get", json!({"name": "start-ghap", "arguments": {"goal": "a green build"}}));
    let text =
        |answer: Value| answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
    assert!(text(start()).starts_with("I want this: a green build"));
    call(&server, "start_ghap", ghap("old work"));
    assert!(text(start()).starts_with("There is an active entry already"));
    assert_eq!(ask(&server, "prompts/get", json!({"name": "start-ghap"}))["error"]["code"], -32602);
    assert!(text(ask(&server, "prompts/get", json!({"name": "reflect"}))).contains("mark_entries_reflected"));
}

#[test]
fn lines_are_answered_until_output_closes() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let lines = "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\
{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n\
{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";
    let mut written = Vec::new();
    serve(&server, lines.as_bytes(), &mut written).unwrap();
    let answers: Vec<Value> =
        String::from_utf8(written).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1, 7], "what comes later is another request");

    let error = serve(&server, "{}\n".as_bytes(), Gone).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

/// A process who has gone away.
struct Gone;
impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
