//! Lines of MCP that reach the memory's server: each is answered at most once, with its id, and the server goes on.

use std::io::Cursor;
use std::sync::Arc;

use serde_json::{Value, json};
use tenter_contract::ports::Clock;
use tenter_contract::{SessionId, Timestamp};
use tenter_memory::live::LiveSessions;
use tenter_memory::mcp::{Server, Sessions, serve};
use tenter_memory::{Memory, MemoryConfig, StaticModel};
use tenter_store::StateFolder;

use crate::trails::folder;

/// Sends the lines of an input to a server of their own, one by one, and then to another as they are.
pub fn mcp(data: &[u8]) {
    let home = folder();
    let one = server(home.path().join("one"));
    for line in data.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
        let answer = answer_line(&one, line);
        let id = answer.as_deref().map(answered);
        if let Some(expected) = expected(line) {
            assert_eq!(id, expected, "{line}");
        }
    }
    let other = server(home.path().join("other"));
    let mut written = Vec::new();
    let last = json!({"jsonrpc": "2.0", "id": "the last one", "method": "ping"}).to_string();
    let bytes = [data, b"\n", last.as_bytes(), b"\n"].concat();
    serve(&other, Cursor::new(bytes), &mut written).expect("it is written to memory");
    let written = String::from_utf8(written).expect("answers are text");
    let last = written.lines().map(answered).last();
    assert_eq!(last, Some(json!("the last one")), "{written}");
}

/// The answer to one line, if it gets one.
fn answer_line(server: &Server, line: &str) -> Option<String> {
    let mut written = Vec::new();
    serve(server, Cursor::new(format!("{line}\n")), &mut written).expect("it is written to memory");
    let text = String::from_utf8(written).expect("answers are text");
    text.strip_suffix('\n').map(str::to_owned)
}

/// The id of an answer, which is one line; of several to a batch that of the first.
fn answered(answer: &str) -> Value {
    assert!(!answer.contains('\n'), "{answer}");
    let mut answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
    if let Some(first) = answer.get_mut(0) {
        answer = first.take();
    }
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
    answer["id"].clone()
}

/// The id of the answer to a line, or that there is none; `None` if only the server knows.
fn expected(line: &str) -> Option<Option<Value>> {
    let Ok(Value::Object(message)) = serde_json::from_str(line) else { return None };
    // What has no method may be an answer.
    message.get("method").filter(|method| method.is_string())?;
    Some(message.get("id").map(|id| if id.is_string() || id.is_number() { id.clone() } else { Value::Null }))
}

fn server(home: std::path::PathBuf) -> Server {
    let state = StateFolder::new(home.join("state"));
    let config = MemoryConfig {
        clock: Arc::new(FixedClock),
        embedder: Arc::new(StaticModel::default()),
        secrets: Vec::new(),
    };
    let own = SessionId::parse("fuzz").expect("it is an id");
    let sessions = Sessions::new(LiveSessions::new(state.clone()), home.join("shop"), None, own);
    Server::new(Memory::open(state, config), sessions)
}

/// A clock that does not move.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_795_000_000_123)
    }
}
