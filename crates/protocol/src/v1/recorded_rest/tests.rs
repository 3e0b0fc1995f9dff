use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenter_contract::outcome::Round;
use tenter_contract::{
    EventRecord, HookId, HookOutput, HookReply, HookRun, Layer, Outcome, RecordBody, Transcript,
};

use super::*;

fn run() -> HookRun {
    HookRun {
        hook: HookId::new(Layer::User, "watch"),
        round: Round::First,
        output: HookOutput::Reply(HookReply::default()),
        transcript: Transcript::default(),
    }
}

fn record(event: &Event, asked: bool) -> RecordV1 {
    let runs = if asked { vec![run()] } else { Vec::new() };
    let outcome = Outcome { runs, ..Outcome::nothing(Arc::new(event.clone())) };
    let record = EventRecord { outcome, problems: Vec::new(), took: Duration::ZERO };
    let record = RecordV1::from_body(1, "", &RecordBody::Event(Box::new(record)));
    serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap()
}

/// One of every kind, with everything an adapter may fill in.
fn events() -> Vec<Event> {
    let event = |kind: EventKind| {
        let session = SessionId::parse("s1").unwrap();
        let at = Timestamp::from_unix_ms(1_795_000_000_123);
        let mut event = Event::new(kind, AgentName::from_static("claude"), session, at);
        event.cwd = Some("/p/src".to_owned());
        event.project_root = Some("/p".to_owned());
        event
    };
    let mut call = ToolCall::new(
        "Bash",
        ToolKind::Shell,
        json!({"command": "make", "path": "/p/a"}).as_object().cloned().unwrap(),
    );
    call.native_name = "run_shell_command".to_owned();
    call.call_id = Some("t1".to_owned());
    call.exit_code = Some(2);
    let mut before = event(EventKind::ToolPre);
    before.tool = Some(ToolCall { exit_code: None, ..call.clone() });
    let mut after = event(EventKind::ToolPost);
    call.output = Some(json!({"stdout": "ok", "stderr": "oh"}));
    (call.stdout, call.stderr) = (Some("ok".to_owned()), Some("oh".to_owned()));
    after.tool = Some(call.clone());
    after.duration_ms = Some(12);
    let mut odd = event(EventKind::ToolError);
    call.output = Some(json!("all of it"));
    call.kind = ToolKind::Mcp;
    call.paths = vec!["/p/elsewhere".to_owned()];
    odd.tool = Some(call);
    odd.error = Some(EventError { kind: Some("timeout".to_owned()), message: "too late".to_owned() });
    let mut prompt = event(EventKind::PromptSubmit);
    (prompt.prompt, prompt.turn, prompt.turn_count) =
        (Some("fix it".to_owned()), Some("7".to_owned()), Some(3));
    prompt.files = vec!["a.rs".to_owned()];
    let mut notice = event(EventKind::UserNotification);
    (notice.message, notice.status) = (Some("waiting".to_owned()), Some("idle".to_owned()));
    let mut end = event(EventKind::SessionEnd);
    (end.reason, end.source) = (Some("logout".to_owned()), Some("user".to_owned()));
    let mut sub = event(EventKind::SubagentStart);
    (sub.agent_id, sub.agent_type) = (Some("a1".to_owned()), Some("reviewer".to_owned()));
    sub.parent = SessionId::parse("s0");
    let mut own = event(EventKind::Other("deploy:begin".to_owned()));
    own.data.insert("ticket".to_owned(), json!([7]));
    own.orchestrator = Some("o".to_owned());
    vec![before, after, odd, prompt, notice, end, sub, own]
}

#[test]
fn event_with_hooks_is_recalled_completely() {
    for event in events() {
        let recalled = record(&event, true).recalled().unwrap();
        assert_eq!(recalled, Recalled { event, missing: Vec::new() });
    }
}

#[test]
fn texts_of_an_event_without_hooks_are_not_kept() {
    for event in events() {
        let recalled = record(&event, false).recalled().unwrap();
        assert!(recalled.event == event || !recalled.missing.is_empty(), "{event:?}");
        // What conditions look at is there in any case.
        let looked_at = |event: &Event| {
            let tool = event.tool.clone();
            (event.subject().map(str::to_owned), tool.map(|tool| (tool.kind, tool.paths, tool.exit_code)))
        };
        assert_eq!(looked_at(&recalled.event), looked_at(&event));
    }
}

#[test]
fn restored_call_has_the_original_input() {
    let mut event = events().remove(0);
    let asked = event.clone();
    let patch = json!({"command": "make -n"}).as_object().cloned().unwrap();
    assert!(event.rewrite(&tenter_contract::Rewrite::ToolInput(tenter_contract::Patch::Merge(patch))));
    assert_eq!(record(&event, true).recalled().unwrap().event, asked);
}

#[test]
fn cut_or_hidden_texts_are_reported_missing() {
    let mut event = events().remove(3);
    event.prompt = Some("long ".repeat(5000));
    let missing = record(&event, true).recalled().unwrap().missing;
    assert_eq!(missing, ["of texts above 16 KiB only the beginning is kept"]);
    event.prompt = Some("use [redacted:github-token] for it".to_owned());
    let missing = record(&event, true).recalled().unwrap().missing;
    assert_eq!(missing, ["secrets in it are not kept"]);
}

#[test]
fn other_records_are_not_recalled() {
    let change = tenter_contract::HookChange::Profile { name: None };
    let body = RecordBody::Change { at: Timestamp::default(), change };
    assert_eq!(RecordV1::from_body(1, "", &body).recalled(), None);
}
