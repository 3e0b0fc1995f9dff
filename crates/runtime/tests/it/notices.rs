//! Notices reach the user together with the output of hooks.

use std::sync::{Arc, Mutex};

use tenter_contract::{Event, EventKind, HookOutput, HookReply, HookReport, HookSet, Timestamp, Verdict};

use crate::kit::{TestAdapter, Trail, answer, hook, inject, only_stdout, runtime};

pub(crate) fn deny() -> HookReport {
    let verdict = Verdict::Deny { reason: "no".to_owned() };
    HookReport::new(HookOutput::Reply(HookReply { verdict, effects: Vec::new() }))
}

#[test]
fn lost_record_notifies_and_keeps_the_deny() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, _| deny());
    let (code, stdout, stderr) = answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let (denied, notice) = stdout.split_once('\n').unwrap();
    assert_eq!(denied, "deny: Operation denied by strict: no");
    let expected = "message: tenter: error: this event is not in the audit trail, and later ones may not be: the audit trail `trail.jsonl` cannot be used: ";
    assert!(notice.starts_with(expected), "{notice}");
}

/// The notice appears once, and at each stop.
#[test]
fn state_error_notifies_once_and_at_stops() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, event| {
        let command = event.tool.as_ref().unwrap().input["command"].as_str().unwrap();
        if command == "rm" { deny() } else { HookReport::new(HookOutput::Reply(HookReply::default())) }
    });
    for (command, notified) in [("ls", true), ("pwd", false), ("rm", true), ("ls", false), ("rm", true)] {
        let (_, stdout, _) = answer(&runtime, &TestAdapter::default(), command);
        assert_eq!(stdout.contains("not in the audit trail"), notified, "{command}: {stdout}");
    }
}

#[test]
fn lost_undecodable_record_notifies() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(Vec::new(), &trail, |_, _| deny());
    let (code, stdout, stderr) =
        answer(&runtime, &TestAdapter { panics_in: Some("decode"), ..TestAdapter::default() }, "ls");
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(
        stderr.starts_with(
            "tenter: a bug in tenter: the test adapter fell off at decode\ntenter: the audit trail"
        ),
        "{stderr}"
    );
}

#[test]
fn trail_notice_is_shown_once() {
    let notices = Mutex::new(vec!["a damaged trail was quarantined".to_owned()]);
    let trail = Arc::new(Trail { notices, ..Trail::default() });
    let runtime = runtime(vec![hook("reminder")], &trail, |_, event| {
        let tool = event.tool.as_ref().unwrap();
        inject(tool.input["command"].as_str().unwrap())
    });
    let notice = "context: ls\nmessage: tenter: error: a damaged trail was quarantined\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(notice));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "pwd"), only_stdout("context: pwd\n"));
}

#[test]
fn hook_file_problems_notify_once() {
    let trail = Arc::new(Trail::default());
    let text = "error: unknown key `matchr`".to_owned();
    let problems = vec![tenter_contract::Message { text, level: tenter_contract::Level::Error }];
    let runtime = {
        let mut runtime = runtime(Vec::new(), &trail, |_, _| deny());
        runtime.catalog.source = Box::new(HookSet { problems, ..HookSet::default() });
        runtime
    };
    let notice = "message: tenter: error: 1 problem in hook files; `tenter hooks list` shows which hooks are off\nerror: unknown key `matchr`\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(notice));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(""));
    assert_eq!(trail.records().len(), 2);
    for record in trail.records() {
        let tenter_contract::RecordBody::Event(event) = record else { panic!("{record:?}") };
        assert_eq!(event.problems.len(), 1);
    }
}

#[test]
fn embedder_gets_notices_in_the_outcome() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, _| deny());
    let agent = tenter_contract::AgentName::from_static("mine");
    let event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    let tenter_runtime::Handled { outcome, seq, .. } = runtime.emit(event);
    assert_eq!((outcome.decision.as_str(), seq), ("deny", None));
    assert_eq!(outcome.effects.len(), 1, "{:?}", outcome.effects);
}
