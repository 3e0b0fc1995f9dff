//! Questions to a person, and what their answers come to.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tenter_contract::{ApprovalRecord, ApprovalStep, EventKind, Rule};
use tenter_coordinator::{
    ApiApprover, ApprovalAnswer, ApprovalPrompt, ApprovalRequest, Choice, Denial, FunctionApprover,
    HookReply, MemoryRegister, Patch, Pattern, Policy, RecordBody, Rewrite, Verdict,
};

use crate::kit::{Clerk, Stage, stage, staged};

const PROMPT: &str = "Allow write to production file: config.py?";
const OPTIONS: [&str; 3] = ["Allow once", "Allow always", "Deny"];

fn production(timeout: Duration, default: Policy) -> HookReply {
    let options = OPTIONS.map(Choice::named).to_vec();
    HookReply::query(ApprovalPrompt { prompt: PROMPT.to_owned(), options, timeout: Some(timeout), default })
}

fn guarded(clerk: &Clerk) -> Stage {
    let stage = staged(|builder| builder.approver(clerk.clone()));
    stage.says(EventKind::ToolPre, "production", production(Duration::from_mins(1), Policy::Deny));
    stage
}

/// What the trail says of questions, in order.
fn recorded(stage: &Stage) -> Vec<&'static str> {
    let steps = stage.trail.records().into_iter().filter_map(|record| match record {
        RecordBody::Approval(approval) => Some(approval.step.record_name()),
        _ => None,
    });
    steps.collect()
}

#[test]
fn approved_call_goes_on() {
    let clerk = Clerk::says("Allow once");
    let stage = guarded(&clerk);
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    assert_eq!(clerk.asked(), [PROMPT]);
}

#[test]
fn allowed_once_is_asked_again() {
    let clerk = Clerk::says("Allow once");
    let stage = guarded(&clerk);
    for _ in 0..2 {
        assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    }
    assert_eq!(clerk.asked().len(), 2);
}

#[test]
fn allowed_always_is_not_asked_again_until_the_session_ends() {
    let clerk = Clerk::says("Allow always");
    let stage = guarded(&clerk);
    let write = || stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py"));
    for _ in 0..3 {
        assert!(write().is_ok());
    }
    assert_eq!(clerk.asked().len(), 1);
    stage.session.emit(stage.session.event(EventKind::SessionEnd)).unwrap();
    assert!(write().is_ok());
    assert_eq!(clerk.asked().len(), 2);
}

#[test]
fn grant_is_for_one_question() {
    let clerk = Clerk::says("Allow always");
    let stage = guarded(&clerk);
    stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    let other = HookReply::query(ApprovalPrompt {
        prompt: "And the budget?".to_owned(),
        options: OPTIONS.map(Choice::named).to_vec(),
        timeout: None,
        default: Policy::Deny,
    });
    stage.says(EventKind::ToolPre, "budget", other);
    stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    assert_eq!(clerk.asked(), [PROMPT, "And the budget?"]);
}

#[test]
fn grants_stay_in_their_session() {
    let clerk = Clerk::says("Allow always");
    for _ in 0..2 {
        let stage = guarded(&clerk);
        assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    }
    assert_eq!(clerk.asked().len(), 2);
}

#[test]
fn user_deny_is_an_error() {
    let clerk = Clerk::says("Deny");
    let stage = guarded(&clerk);
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "User denied: Allow write to production file: config.py?");
    assert_eq!(denied.denial, Denial::User { prompt: PROMPT.to_owned() });
    assert_eq!(clerk.asked().len(), 1);
}

#[test]
fn silence_is_denied_by_default_and_never_called_the_users_no() {
    let stage = guarded(&Clerk::is_away());
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "Timeout - denied by default (after 60 s)");
    assert_eq!(denied.denial, Denial::Timeout { after: Duration::from_mins(1) });
    assert_eq!(recorded(&stage), ["approval:required", "approval:timeout"]);
}

#[test]
fn silence_allows_where_the_question_says_so() {
    let stage = staged(|builder| builder.approver(Clerk::is_away()));
    stage.says(EventKind::ToolPre, "cost", production(Duration::from_mins(1), Policy::Allow));
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "a")).is_ok());
}

#[test]
fn without_a_approver_nothing_is_allowed() {
    let stage = stage();
    stage.says(EventKind::ToolPre, "production", production(Duration::from_mins(1), Policy::Allow));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    let none =
        Denial::NoApprover { prompt: PROMPT.to_owned(), why: "this program has no approver".to_owned() };
    assert_eq!(denied.denial, none);
}

#[test]
fn question_is_recorded_twice() {
    for (option, came) in [("Allow once", "approval:granted"), ("Deny", "approval:denied")] {
        let stage = guarded(&Clerk::says(option));
        let _ = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py"));
        assert_eq!(recorded(&stage), ["approval:required", came]);
        let records = stage.trail.records();
        let RecordBody::Approval(answered) = &records[1] else { panic!("{records:?}") };
        let ApprovalRecord { request, step: ApprovalStep::Answered { answer, .. }, .. } = &**answered else {
            panic!("{answered:?}");
        };
        assert_eq!(request.question.prompt(), PROMPT);
        assert_eq!(request.question.options.len(), 3);
        assert_eq!(request.question.askers[0].hook.name, "production");
        assert_eq!((request.approver.as_str(), answer.in_words().ends_with(option)), ("clerk", true));
    }
}

#[test]
fn one_question_names_all_hooks() {
    let clerk = Clerk::says("Allow");
    let stage = staged(|builder| builder.approver(clerk.clone()));
    stage.says(EventKind::ToolPre, "release", HookReply::ask("Publish?"));
    stage.says(EventKind::ToolPre, "owner", HookReply::ask("Really?"));
    let elsewhere = serde_json::json!({ "file_path": "/staging/config.py" }).as_object().cloned().unwrap();
    let reroute = HookReply::default().rewrite(Rewrite::ToolInput(Patch::Merge(elsewhere)));
    stage.says(EventKind::ToolPre, "reroute", reroute);
    let emitted = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap();
    assert_eq!(clerk.asked(), ["release: Publish?\nowner: Really?"]);
    assert_eq!(emitted.event().tool.as_ref().unwrap().path(), Some("/staging/config.py"));
}

#[test]
fn hook_cannot_grant() {
    let clerk = Clerk::says("Deny");
    let stage = staged(|builder| builder.approver(clerk.clone()));
    stage.says(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let allow = Verdict::Allow { reason: Some("I say so".to_owned()) };
    stage.says(EventKind::ToolPre, "grants", HookReply { verdict: allow, effects: Vec::new() });
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "a")).is_err());
    assert_eq!(clerk.asked(), ["Sure?"]);
}

#[test]
fn panicking_approver_grants_nothing() {
    let fall_apart = |_: &ApprovalRequest| -> ApprovalAnswer { panic!("the approver fell apart") };
    let stage = staged(|builder| builder.approver(FunctionApprover(fall_apart)));
    stage.says(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Operation denied by tenter: no approver can be asked \"Sure?\": the approver panicked: the approver fell apart"
    );
}

#[test]
fn concurrent_questions_get_their_answers() {
    let approver = Arc::new(ApiApprover::new());
    let stage = staged(|builder| builder.approver(Arc::clone(&approver)));
    let ask = |event: &tenter_contract::Event| HookReply::ask(event.message.clone().unwrap());
    stage.session.register(EventKind::ToolPre, "asks", 0, ask).unwrap();
    thread::scope(|scope| {
        let ask = |number: usize| {
            let mut event = stage.session.event(EventKind::ToolPre);
            event.message = Some(format!("May {number} go?"));
            stage.session.emit(event)
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
    assert_eq!(recorded(&stage).len(), 40);
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
    let clerk = Clerk::says("Deny");
    let stage =
        staged(|builder| builder.approver(clerk.clone()).approvals(MemoryRegister::with_rules(rules)));
    stage.says(EventKind::ToolPre, "production_protection", HookReply::ask("Production?"));
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    stage.says(EventKind::ToolPre, "cost_control", HookReply::ask("Expensive?"));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert!(matches!(denied.denial, Denial::User { .. }), "{denied:?}");
    assert_eq!(clerk.asked(), Vec::<String>::new());
}
