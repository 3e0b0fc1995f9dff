//! The records of a session.

use tenter_contract::EventKind;
use tenter_coordinator::{HookReply, RecordBody};

use crate::kit::test_session;

#[test]
fn injection_record_is_complete() {
    let test = test_session();
    test.register_reply(EventKind::ToolPost, "linter_feedback", HookReply::default().inject("Line 42"));
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(emitted.seq, Some(1));
    let records = test.trail.records();
    let [RecordBody::Event(record), RecordBody::Injection { event, entry }] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!(record.outcome.runs.len(), 1);
    assert_eq!(event.session_text(), "abc-123");
    assert_eq!(event.kind, EventKind::ToolPost);
    assert_eq!(event.at.to_string(), "2025-11-07T12:34:56.000Z");
    assert_eq!(entry.by.to_string(), "linter_feedback");
    assert_eq!((entry.bytes, entry.tokens, entry.injection.role.as_str()), (7, 2, "system"));
}

#[test]
fn record_has_every_hook() {
    let test = test_session();
    test.register_reply(EventKind::ToolPre, "first", HookReply::default());
    test.register_reply(EventKind::ToolPre, "second", HookReply::deny("no"));
    let _ = test.session.emit(test.write(EventKind::ToolPre, "a"));
    let records = test.trail.records();
    let [RecordBody::Event(record)] = &records[..] else { panic!("{records:?}") };
    let names: Vec<&str> = record.outcome.runs.iter().map(|run| run.hook.name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(record.outcome.decision.as_str(), "deny");
    assert!(record.took >= record.outcome.runs.iter().map(|run| run.transcript.took).sum());
}
