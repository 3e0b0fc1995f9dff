//! Approval requests and the effects of their answers.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tenter_contract::{ApprovalRecord, ApprovalStep, EventKind, Rule};
use tenter_coordinator::{
    ApiApprover, ApprovalAnswer, ApprovalPrompt, ApprovalRequest, Choice, Denial, FunctionApprover,
    HookReply, MemoryRegister, Patch, Pattern, Policy, RecordBody, Rewrite, Verdict,
};

use crate::kit::{TestApprover, TestSession, test_session, test_session_with};

const PROMPT: &str = "Allow write to production file: config.py?";
const OPTIONS: [&str; 3] = ["Allow once", "Allow always", "Deny"];

fn production(timeout: Duration, default: Policy) -> HookReply {
    let options = OPTIONS.map(Choice::named).to_vec();
    HookReply::query(ApprovalPrompt { prompt: PROMPT.to_owned(), options, timeout: Some(timeout), default })
}

fn guarded(approver: &TestApprover) -> TestSession {
    let test = test_session_with(|builder| builder.approver(approver.clone()));
    test.register_reply(EventKind::ToolPre, "production", production(Duration::from_mins(1), Policy::Deny));
    test
}

/// The approval records of the trail, in order.
fn recorded(test: &TestSession) -> Vec<&'static str> {
    let steps = test.trail.records().into_iter().filter_map(|record| match record {
        RecordBody::Approval(approval) => Some(approval.step.record_name()),
        _ => None,
    });
    steps.collect()
}

#[test]
fn approved_call_goes_on() {
    let approver = TestApprover::answering("Allow once");
    let test = guarded(&approver);
    assert!(test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    assert_eq!(approver.asked(), [PROMPT]);
}

#[test]
fn allowed_once_is_asked_again() {
    let approver = TestApprover::answering("Allow once");
    let test = guarded(&approver);
    for _ in 0..2 {
        assert!(test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    }
    assert_eq!(approver.asked().len(), 2);
}

#[test]
fn allow_always_lasts_for_the_session() {
    let approver = TestApprover::answering("Allow always");
    let test = guarded(&approver);
    let write = || test.session.emit(test.write(EventKind::ToolPre, "/production/config.py"));
    for _ in 0..3 {
        assert!(write().is_ok());
    }
    assert_eq!(approver.asked().len(), 1);
    test.session.emit(test.session.event(EventKind::SessionEnd)).unwrap();
    assert!(write().is_ok());
    assert_eq!(approver.asked().len(), 2);
}

#[test]
fn grant_is_for_one_question() {
    let approver = TestApprover::answering("Allow always");
    let test = guarded(&approver);
    test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    let other = HookReply::query(ApprovalPrompt {
        prompt: "And the budget?".to_owned(),
        options: OPTIONS.map(Choice::named).to_vec(),
        timeout: None,
        default: Policy::Deny,
    });
    test.register_reply(EventKind::ToolPre, "budget", other);
    test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    assert_eq!(approver.asked(), [PROMPT, "And the budget?"]);
}

#[test]
fn grants_stay_in_their_session() {
    let approver = TestApprover::answering("Allow always");
    for _ in 0..2 {
        let test = guarded(&approver);
        assert!(test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    }
    assert_eq!(approver.asked().len(), 2);
}

#[test]
fn user_deny_is_an_error() {
    let approver = TestApprover::answering("Deny");
    let test = guarded(&approver);
    let denied = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "User denied: Allow write to production file: config.py?");
    assert_eq!(denied.denial, Denial::User { prompt: PROMPT.to_owned() });
    assert_eq!(approver.asked().len(), 1);
}

#[test]
fn timeout_is_denied_by_default() {
    let test = guarded(&TestApprover::silent());
    let denied = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "Timeout - denied by default (after 60 s)");
    assert_eq!(denied.denial, Denial::Timeout { after: Duration::from_mins(1) });
    assert_eq!(recorded(&test), ["approval:required", "approval:timeout"]);
}

#[test]
fn timeout_can_allow() {
    let test = test_session_with(|builder| builder.approver(TestApprover::silent()));
    test.register_reply(EventKind::ToolPre, "cost", production(Duration::from_mins(1), Policy::Allow));
    assert!(test.session.emit(test.write(EventKind::ToolPre, "a")).is_ok());
}

#[test]
fn missing_approver_allows_nothing() {
    let test = test_session();
    test.register_reply(EventKind::ToolPre, "production", production(Duration::from_mins(1), Policy::Allow));
    let denied = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    let none =
        Denial::NoApprover { prompt: PROMPT.to_owned(), why: "this program has no approver".to_owned() };
    assert_eq!(denied.denial, none);
}

#[test]
fn question_is_recorded_twice() {
    for (option, expected) in [("Allow once", "approval:granted"), ("Deny", "approval:denied")] {
        let test = guarded(&TestApprover::answering(option));
        let _ = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py"));
        assert_eq!(recorded(&test), ["approval:required", expected]);
        let records = test.trail.records();
        let RecordBody::Approval(answered) = &records[1] else { panic!("{records:?}") };
        let ApprovalRecord { request, step: ApprovalStep::Answered { answer, .. }, .. } = &**answered else {
            panic!("{answered:?}");
        };
        assert_eq!(request.question.prompt(), PROMPT);
        assert_eq!(request.question.options.len(), 3);
        assert_eq!(request.question.asked_by[0].hook.name, "production");
        assert_eq!((request.approver.as_str(), answer.in_words().ends_with(option)), ("test-approver", true));
    }
}

#[test]
fn one_question_names_all_hooks() {
    let approver = TestApprover::answering("Allow");
    let test = test_session_with(|builder| builder.approver(approver.clone()));
    test.register_reply(EventKind::ToolPre, "release", HookReply::ask("Publish?"));
    test.register_reply(EventKind::ToolPre, "owner", HookReply::ask("Really?"));
    let elsewhere = serde_json::json!({ "file_path": "/staging/config.py" }).as_object().cloned().unwrap();
    let reroute = HookReply::default().rewrite(Rewrite::ToolInput(Patch::Merge(elsewhere)));
    test.register_reply(EventKind::ToolPre, "reroute", reroute);
    let emitted = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    assert_eq!(approver.asked(), ["release: Publish?\nowner: Really?"]);
    assert_eq!(emitted.event().tool.as_ref().unwrap().path(), Some("/staging/config.py"));
}

#[test]
fn hook_cannot_grant() {
    let approver = TestApprover::answering("Deny");
    let test = test_session_with(|builder| builder.approver(approver.clone()));
    test.register_reply(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let allow = Verdict::Allow { reason: Some("I say so".to_owned()) };
    test.register_reply(EventKind::ToolPre, "grants", HookReply { verdict: allow, effects: Vec::new() });
    assert!(test.session.emit(test.write(EventKind::ToolPre, "a")).is_err());
    assert_eq!(approver.asked(), ["Sure?"]);
}

#[test]
fn panicking_approver_grants_nothing() {
    let fall_apart = |_: &ApprovalRequest| -> ApprovalAnswer { panic!("the approver fell apart") };
    let test = test_session_with(|builder| builder.approver(FunctionApprover(fall_apart)));
    test.register_reply(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let denied = test.session.emit(test.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Operation denied by tenter: no approver can be asked \"Sure?\": the approver panicked: the approver fell apart"
    );
}

#[test]
fn concurrent_questions_get_their_answers() {
    let approver = Arc::new(ApiApprover::new());
    let test = test_session_with(|builder| builder.approver(Arc::clone(&approver)));
    let ask = |event: &tenter_contract::Event| HookReply::ask(event.message.clone().unwrap());
    test.session.register(EventKind::ToolPre, "asks", 0, ask).unwrap();
    thread::scope(|scope| {
        let ask = |number: usize| {
            let mut event = test.session.event(EventKind::ToolPre);
            event.message = Some(format!("May {number} go?"));
            test.session.emit(event)
        };
        let asking: Vec<_> = (0..20).map(|number| scope.spawn(move || ask(number))).collect();
        for _ in 0..20 {
            let request = approver.next_question(Duration::from_mins(1)).unwrap();
            let prompt = request.question.prompt();
            let number: usize = prompt.split(' ').nth(1).unwrap().parse().unwrap();
            approver.answer(&request.id, if number.is_multiple_of(2) { "Allow" } else { "Deny" }).unwrap();
            assert!(approver.answer(&request.id, "Allow").is_err(), "an answer counts once");
        }
        for (number, asked) in asking.into_iter().enumerate() {
            match asked.join().unwrap() {
                Ok(_) => assert!(number.is_multiple_of(2), "{number} went"),
                Err(denied) => assert_eq!(denied.to_string(), format!("User denied: May {number} go?")),
            }
        }
    });
    assert_eq!(recorded(&test).len(), 40);
}

#[test]
fn saved_rule_answers() {
    let rule = |id: &str, policy, hook: &str, pattern: &str| Rule {
        id: id.to_owned(),
        policy,
        hook: hook.to_owned(),
        pattern: Pattern::parse(pattern).unwrap(),
        project: None,
        expires: None,
        at: crate::kit::NOON,
    };
    let rules = vec![
        rule("r1", Policy::Allow, "production_protection", "/production/*"),
        rule("r2", Policy::Deny, "cost_control", "*"),
    ];
    let approver = TestApprover::answering("Deny");
    let test = test_session_with(|builder| {
        builder.approver(approver.clone()).approvals(MemoryRegister::with_rules(rules))
    });
    test.register_reply(EventKind::ToolPre, "production_protection", HookReply::ask("Production?"));
    assert!(test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    test.register_reply(EventKind::ToolPre, "cost_control", HookReply::ask("Expensive?"));
    let denied = test.session.emit(test.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert!(matches!(denied.denial, Denial::User { .. }), "{denied:?}");
    assert_eq!(approver.asked(), Vec::<String>::new());
}
