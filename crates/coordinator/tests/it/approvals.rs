//! Questions to a person, and what their answers come to.

use std::time::Duration;

use tenter_contract::{Event, EventKind, HumanAnswer, Question};
use tenter_coordinator::{ApprovalDesk, Denial, HookReply, Patch, Policy, Query, Rewrite};

use crate::kit::{Clerk, stage, staged};

const PROMPT: &str = "Allow write to production file: config.py?";

fn production(default: Policy) -> HookReply {
    HookReply::query(Query {
        prompt: PROMPT.to_owned(),
        options: Vec::new(),
        timeout: Some(Duration::from_mins(1)),
        default,
    })
}

#[test]
fn a_question_goes_to_the_desk_and_what_is_allowed_goes_on() {
    let clerk = Clerk::allows("Allow");
    let stage = staged(|builder| builder.desk(clerk.clone()));
    stage.says(EventKind::ToolPre, "production", production(Policy::Deny));
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    assert_eq!(clerk.asked(), [PROMPT]);
}

#[test]
fn allowed_once_is_asked_again() {
    let clerk = Clerk::allows("Allow once");
    let stage = staged(|builder| builder.desk(clerk.clone()));
    stage.says(EventKind::ToolPre, "production", production(Policy::Deny));
    for _ in 0..2 {
        assert!(stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).is_ok());
    }
    assert_eq!(clerk.asked().len(), 2);
}

#[test]
fn what_the_user_denies_is_an_error_that_says_so() {
    let clerk = Clerk::denies();
    let stage = staged(|builder| builder.desk(clerk.clone()));
    stage.says(EventKind::ToolPre, "production", production(Policy::Deny));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "User denied: Allow write to production file: config.py?");
    assert_eq!(denied.denial, Denial::User { prompt: PROMPT.to_owned() });
    assert_eq!(clerk.asked().len(), 1);
}

#[test]
fn silence_is_denied_by_default_and_never_called_the_users_no() {
    let stage = staged(|builder| builder.desk(Clerk::is_away(Duration::from_mins(1))));
    stage.says(EventKind::ToolPre, "production", production(Policy::Deny));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert_eq!(denied.to_string(), "Timeout - denied by default (after 60 s)");
    assert_eq!(denied.denial, Denial::Timeout { after: Duration::from_mins(1) });
}

#[test]
fn silence_allows_where_the_question_says_so() {
    let stage = staged(|builder| builder.desk(Clerk::is_away(Duration::from_mins(1))));
    stage.says(EventKind::ToolPre, "cost", production(Policy::Allow));
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "a")).is_ok());
}

#[test]
fn without_a_desk_nothing_is_allowed() {
    let stage = stage();
    stage.says(EventKind::ToolPre, "production", production(Policy::Allow));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "/production/config.py")).unwrap_err();
    assert!(matches!(&denied.denial, Denial::NoDesk { prompt, .. } if prompt == PROMPT), "{denied:?}");
}

#[test]
fn one_question_names_everyone_who_asks_about_the_final_input() {
    let clerk = Clerk::allows("Allow");
    let stage = staged(|builder| builder.desk(clerk.clone()));
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
fn a_hook_can_ask_and_never_grant() {
    let clerk = Clerk::denies();
    let stage = staged(|builder| builder.desk(clerk.clone()));
    stage.says(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let allow = tenter_coordinator::Verdict::Allow { reason: Some("I say so".to_owned()) };
    stage.says(EventKind::ToolPre, "grants", HookReply { verdict: allow, effects: Vec::new() });
    assert!(stage.session.emit(stage.write(EventKind::ToolPre, "a")).is_err());
    assert_eq!(clerk.asked(), ["Sure?"]);
}

/// A desk that breaks when it is used.
struct Wobbly;

impl ApprovalDesk for Wobbly {
    fn ask(&self, _: &Question, _: &Event) -> HumanAnswer {
        panic!("the desk fell apart")
    }
}

#[test]
fn a_desk_that_panics_grants_nothing() {
    let stage = staged(|builder| builder.desk(Wobbly));
    stage.says(EventKind::ToolPre, "asks", HookReply::ask("Sure?"));
    let denied = stage.session.emit(stage.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Operation denied by tenter: nobody can be asked \"Sure?\": the desk panicked: the desk fell apart"
    );
}
