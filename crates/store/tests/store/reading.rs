//! What `tenter audit show` is given.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Store, body};
use serde_json::Map;
use tenter_contract::outcome::{HookRun, Outcome, Round};
use tenter_contract::{
    AgentName, Decision, Event, EventKind, EventRecord, HookFailure, HookId, HookOutput, Layer, Policy,
    RecordBody, SessionId, Source, Timestamp, ToolCall, ToolKind, Transcript,
};
use tenter_store::audit::read::{Content, Entry, Filter, read, read_one};

#[test]
fn filters_let_through_what_they_name() {
    let store = Store::new();
    store
        .trail
        .append(&[
            asked("one", EventKind::ToolPre, "guard"),
            asked("two", EventKind::ToolPost, "format"),
            failed("two", EventKind::ToolPost, "format"),
            asked("one", EventKind::ToolPost, "format"),
        ])
        .unwrap();
    let all = Filter::default;
    let rows = [
        ("everything", all(), vec![1, 2, 3, 4]),
        ("a session", Filter { session: Some("one".into()), ..all() }, vec![1, 4]),
        ("an event", Filter { event: Some("tool:post".into()), ..all() }, vec![2, 4]),
        ("a hook by its name", Filter { hook: Some("format".into()), ..all() }, vec![2, 3, 4]),
        ("a hook by its address", Filter { hook: Some("user/format".into()), ..all() }, vec![2, 3, 4]),
        ("a hook of another layer", Filter { hook: Some("project/guard".into()), ..all() }, vec![]),
        ("the last", Filter { last: Some(2), ..all() }, vec![3, 4]),
        ("more than there are", Filter { last: Some(9), ..all() }, vec![1, 2, 3, 4]),
        ("none", Filter { last: Some(0), ..all() }, vec![]),
        ("the last of a session", Filter { session: Some("one".into()), last: Some(1), ..all() }, vec![4]),
        (
            "all at once",
            Filter {
                session: Some("two".into()),
                hook: Some("format".into()),
                event: Some("tool:post".into()),
                last: Some(5),
                ..all()
            },
            vec![2],
        ),
    ];
    for (name, filter, expected) in rows {
        let found: Vec<u64> = read(&store.state, filter).unwrap().map(|entry| entry.unwrap().line).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn record_is_found_by_its_number() {
    let store = Store::with_records(3);
    let found = read_one(&store.state, 2).unwrap().unwrap();
    assert_eq!((found.seq, found.problem), (2, Some("record 2 (8 bytes)".into())));
    assert_eq!(read_one(&store.state, 4).unwrap(), None);
}

#[test]
fn line_without_a_record_is_shown_and_skipped() {
    let store = Store::with_records(1);
    let mut trail = store.read("trail.jsonl");
    trail.extend_from_slice(b"no json \xff\n{\"v\":2,\"seq\":3}\n[]\n\n{\"v\":1,\"se");
    store.write("trail.jsonl", &trail);
    let filter = Filter { session: Some("none has this".into()), ..Filter::default() };
    let found: Vec<Entry> = read(&store.state, filter).unwrap().map(Result::unwrap).collect();
    let kinds: Vec<(u64, &str)> = found.iter().map(|entry| (entry.line, kind(&entry.content))).collect();
    assert_eq!(
        kinds,
        [(2, "unreadable"), (3, "foreign"), (4, "foreign"), (5, "unreadable"), (6, "unreadable")]
    );
    assert_eq!(read_one(&store.state, 1).unwrap().map(|record| record.seq), Some(1));
}

#[test]
fn missing_trail_has_no_records() {
    let store = Store::new();
    assert_eq!(read(&store.state, Filter::default()).unwrap().count(), 0);
    assert_eq!(read_one(&store.state, 1).unwrap(), None);
    assert!(!store.state.path().exists());
}

#[test]
fn reader_does_not_block_writers() {
    let store = Store::with_records(2);
    let mut entries = read(&store.state, Filter::default()).unwrap();
    entries.next().unwrap().unwrap();
    store.trail.append(&[body("written meanwhile")]).unwrap();
    assert_eq!(entries.count(), 1, "a reader sees the trail of one moment");
}

#[test]
fn filters_by_tool_verdict_failure_and_time() {
    let store = Store::new();
    let called = |tool: &str, native: &str, decision: Decision, at: u64| {
        let mut call = ToolCall::new(tool, ToolKind::Other, Map::new());
        call.native_name = native.to_owned();
        let session = SessionId::parse("s").unwrap();
        let mut event =
            Event::new(EventKind::ToolPre, AgentName::new("gemini"), session, Timestamp::from_unix_ms(at));
        event.tool = Some(call);
        let outcome = Outcome { decision, ..Outcome::nothing(Arc::new(event)) };
        RecordBody::Event(Box::new(EventRecord { outcome, problems: vec![], took: Duration::ZERO }))
    };
    let deny = Decision::Deny { by: Source::Tenter, reason: "a test".to_owned() };
    store
        .trail
        .append(&[
            called("Bash", "run_shell_command", Decision::Abstain, 10),
            called("Write", "write_file", deny.clone(), 20),
            failed("s", EventKind::ToolPre, "guard"),
            called("Bash", "Bash", deny, 30),
        ])
        .unwrap();
    let all = Filter::default;
    let moment = |at| Some(Timestamp::from_unix_ms(at));
    for (name, filter, expected) in [
        ("a tool", Filter { tool: Some("bash".into()), ..all() }, vec![1, 4]),
        ("the agent's own name of it", Filter { tool: Some("write_file".into()), ..all() }, vec![2]),
        ("a verdict", Filter { verdict: Some("deny".into()), ..all() }, vec![2, 4]),
        ("what failed", Filter { failed: true, ..all() }, vec![3]),
        ("from a moment on", Filter { since: moment(20), ..all() }, vec![2, 4]),
        ("before a moment", Filter { until: moment(20), ..all() }, vec![1, 3]),
        ("between two", Filter { since: moment(10), until: moment(30), ..all() }, vec![1, 2]),
    ] {
        let found: Vec<u64> = read(&store.state, filter).unwrap().map(|entry| entry.unwrap().line).collect();
        assert_eq!(found, expected, "{name}");
    }
}

fn kind(content: &Content) -> &'static str {
    match content {
        Content::Record(_) => "record",
        Content::Foreign(_) => "foreign",
        Content::Unreadable { .. } => "unreadable",
    }
}

fn event(session: &str, kind: EventKind) -> Arc<Event> {
    let session = SessionId::parse(session).unwrap();
    Arc::new(Event::new(kind, AgentName::new("claude"), session, Timestamp::from_unix_ms(1)))
}

fn asked(session: &str, kind: EventKind, hook: &str) -> RecordBody {
    let mut outcome = Outcome::nothing(event(session, kind));
    outcome.runs.push(HookRun {
        hook: HookId::new(Layer::User, hook),
        round: Round::First,
        output: HookOutput::Skipped { why: "a test".to_owned() },
        transcript: Transcript::default(),
    });
    RecordBody::Event(Box::new(EventRecord { outcome, problems: vec![], took: Duration::ZERO }))
}

fn failed(session: &str, kind: EventKind, hook: &str) -> RecordBody {
    RecordBody::Failure {
        event: event(session, kind),
        hook: HookId::new(Layer::User, hook),
        failure: HookFailure::Garbled { detail: "a test".to_owned() },
        policy: Policy::Allow,
        stderr_tail: String::new(),
    }
}
