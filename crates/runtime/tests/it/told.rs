//! What the user must know reaches the user, beside whatever hooks say.

use std::sync::{Arc, Mutex};

use tenter_contract::{Event, EventKind, HookOutput, HookReply, HookReport, HookSet, Timestamp, Verdict};

use crate::kit::{Parrot, Trail, answer, hook, inject, runtime, said};

pub(crate) fn deny() -> HookReport {
    let verdict = Verdict::Deny { reason: "no".to_owned() };
    HookReport::new(HookOutput::Reply(HookReply { verdict, effects: Vec::new() }))
}

#[test]
fn a_lost_record_is_told_and_the_deny_stands() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, _| deny());
    let (code, stdout, stderr) = answer(&runtime, &Parrot::default(), "ls");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let (denied, told) = stdout.split_once('\n').unwrap();
    assert_eq!(denied, "deny: Operation denied by strict: no");
    let expected = "message: tenter: error: this event is not in the audit trail, and later ones may not be: the audit trail `trail.jsonl` cannot be used: ";
    assert!(told.starts_with(expected), "{told}");
}

/// The same at every event would be noise, and what is stopped must never pass by unseen.
#[test]
fn trouble_with_our_own_state_is_told_once_in_a_session_and_with_all_that_is_stopped() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, event| {
        let command = event.tool.as_ref().unwrap().input["command"].as_str().unwrap();
        if command == "rm" { deny() } else { HookReport::new(HookOutput::Reply(HookReply::default())) }
    });
    for (command, told) in [("ls", true), ("pwd", false), ("rm", true), ("ls", false), ("rm", true)] {
        let (_, stdout, _) = answer(&runtime, &Parrot::default(), command);
        assert_eq!(stdout.contains("not in the audit trail"), told, "{command}: {stdout}");
    }
}

#[test]
fn a_lost_record_of_a_payload_that_cannot_be_read_is_told_beside_the_answer() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(Vec::new(), &trail, |_, _| deny());
    let (code, stdout, stderr) =
        answer(&runtime, &Parrot { panics_in: Some("decode"), ..Parrot::default() }, "ls");
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(
        stderr.starts_with("tenter: a bug in tenter: the parrot fell off at decode\ntenter: the audit trail"),
        "{stderr}"
    );
}

#[test]
fn what_the_trail_has_to_tell_is_told_once() {
    let notices = Mutex::new(vec!["a damaged trail was set aside".to_owned()]);
    let trail = Arc::new(Trail { notices, ..Trail::default() });
    let runtime = runtime(vec![hook("reminder")], &trail, |_, event| {
        let tool = event.tool.as_ref().unwrap();
        inject(tool.input["command"].as_str().unwrap())
    });
    let told = "context: ls\nmessage: tenter: error: a damaged trail was set aside\n";
    assert_eq!(answer(&runtime, &Parrot::default(), "ls"), said(told));
    assert_eq!(answer(&runtime, &Parrot::default(), "pwd"), said("context: pwd\n"));
}

#[test]
fn problems_of_the_hook_files_are_told_once_per_session_and_kept_in_every_record() {
    let trail = Arc::new(Trail::default());
    let text = "error: unknown key `matchr`".to_owned();
    let problems = vec![tenter_contract::Message { text, level: tenter_contract::Level::Error }];
    let runtime = {
        let mut runtime = runtime(Vec::new(), &trail, |_, _| deny());
        runtime.catalog.source = Box::new(HookSet { problems, ..HookSet::default() });
        runtime
    };
    let told = "message: tenter: error: 1 problem in hook files; `tenter hooks list` shows which hooks are off\nerror: unknown key `matchr`\n";
    assert_eq!(answer(&runtime, &Parrot::default(), "ls"), said(told));
    assert_eq!(answer(&runtime, &Parrot::default(), "ls"), said(""));
    assert_eq!(trail.records().len(), 2);
    for record in trail.records() {
        let tenter_contract::RecordBody::Event(event) = record else { panic!("{record:?}") };
        assert_eq!(event.problems.len(), 1);
    }
}

#[test]
fn an_embedder_is_told_in_the_outcome() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let runtime = runtime(vec![hook("strict")], &trail, |_, _| deny());
    let agent = tenter_contract::AgentName::from_static("mine");
    let event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    let tenter_runtime::Handled { outcome, seq, .. } = runtime.emit(event);
    assert_eq!((outcome.decision.as_str(), seq), ("deny", None));
    assert_eq!(outcome.effects.len(), 1, "{:?}", outcome.effects);
}
