//! What several hooks come to: cases as tables of what each hook says, and properties over all of them.

use crate::kit::{Say, ask, capabilities, check, deny, inject, notify, query, rewrite, rewrite_all};
use proptest::prelude::*;
use tenter_contract::{
    ApprovalPrompt, Capabilities, Choice, Decision, Degradation, Effect, Grant, HookOutput, Support,
};
use tenter_kernel::adapt;

#[test]
fn deny_keeps_earlier_effects() {
    let outcome =
        check(&[("a", inject("context")), ("b", notify("hello")), ("c", deny("no")), ("d", inject("late"))]);
    assert_eq!(outcome.decision_text(), "deny by c: no");
    assert_eq!(outcome.effects_text(), ["a injects context", "b notifies hello"]);
    assert_eq!(outcome.asked(), ["a", "b", "c"]);
}

#[test]
fn stop_ends_the_run_if_supported() {
    let outcome = check(&[("a", deny("no").and_stop("enough"))]);
    assert_eq!(outcome.decision_text(), "deny by a: no");
    for (capabilities, stop) in [
        (Capabilities::EVERYTHING, Some("enough")),
        (Capabilities { stop: Support::No, ..Capabilities::EVERYTHING }, None),
        (Capabilities::NOTHING, None),
    ] {
        let (adapted, degraded) = adapt(&outcome, &capabilities);
        assert_eq!(adapted.parts().stop.as_deref(), stop);
        let named = degraded.iter().any(|degraded| matches!(degraded, Degradation::CannotStop { .. }));
        assert_eq!(named, stop.is_none());
    }
}

#[test]
fn rewrites_chain_and_keep_the_original() {
    let outcome = check(&[("a", rewrite("one")), ("b", rewrite("two")), ("c", Say::nothing())]);
    let tool = outcome.event.tool.as_ref().unwrap();
    assert_eq!(tool.command.as_deref(), Some("two"));
    assert_eq!(tool.original_input.as_ref().unwrap()["command"], "original");
    assert_eq!(outcome.seen_by("b").as_deref(), Some("one"));
    assert_eq!(outcome.seen_by("c").as_deref(), Some("two"));
}

/// Security case P5.
#[test]
fn empty_reply_keeps_a_rewrite() {
    let outcome = check(&[("a", rewrite("one")), ("b", Say::nothing())]);
    assert_eq!(outcome.event.tool.as_ref().unwrap().command.as_deref(), Some("one"));
}

/// Security case P6.
#[test]
fn hooks_share_one_question() {
    let outcome = check(&[
        ("a", ask("Really?")),
        ("b", rewrite("safe")),
        ("c", ask("Sure?")),
        ("d", inject("context")),
    ]);
    let Decision::Ask(question) = &outcome.decision else { panic!("{:?}", outcome.decision) };
    assert_eq!(question.prompt(), "a: Really?\nc: Sure?");
    assert_eq!(outcome.event.tool.as_ref().unwrap().command.as_deref(), Some("safe"));
    assert_eq!(outcome.effects_text(), ["b rewrites tool_input", "d injects context"]);
}

#[test]
fn choice_means_its_visible_label() {
    let own = |label: &str| Choice::granting(label, Grant::Session).unwrap();
    for (choice, label, grants) in [
        (Choice::named("Al\u{1b}[31mlow always"), "Allow always", Grant::Session),
        (Choice::named("\u{200b}Allow\nonce"), "Allow once", Grant::Once),
        (Choice::named("Allow\u{200b}ed"), "Allowed", Grant::Nothing),
        (own("De\u{200b}ny"), "Deny", Grant::Nothing),
        (own("Ship\u{7} it"), "Ship it", Grant::Session),
    ] {
        let options = vec![choice, Choice::named("Deny")];
        let outcome = check(&[("a", query(ApprovalPrompt { options, ..ApprovalPrompt::new("Really?") }))]);
        let Decision::Ask(question) = &outcome.decision else { panic!("{:?}", outcome.decision) };
        assert_eq!(question.options[0], Choice { label: label.to_owned(), grants });
    }
}

/// Security case P7.
#[test]
fn deny_beats_ask_beats_allow() {
    assert_eq!(check(&[("a", ask("?")), ("b", deny("no"))]).decision_text(), "deny by b: no");
    assert_eq!(check(&[("a", Say::allow().may_allow()), ("b", ask("?"))]).decision.as_str(), "ask");
    assert_eq!(check(&[("a", Say::allow().may_allow())]).decision.as_str(), "allow");
}

/// Security case P7.
#[test]
fn allow_without_may_allow_is_degraded() {
    let outcome = check(&[("a", Say::allow())]);
    assert_eq!(outcome.decision, Decision::Abstain);
    assert!(matches!(outcome.degraded.as_slice(), [Degradation::CannotAllow { .. }]));
}

/// Security case P7.
#[test]
fn guard_runs_again_after_a_rewrite() {
    let outcome = check(&[("guard", Say::deny_if("evil").rejudge()), ("b", rewrite("evil"))]);
    assert_eq!(outcome.decision_text(), "deny by guard: evil");
    assert_eq!(outcome.asked(), ["guard", "b", "guard again"]);
}

#[test]
fn guard_matching_only_the_rewrite_runs() {
    let outcome = check(&[("guard", deny("evil").when_command("evil").rejudge()), ("b", rewrite("evil"))]);
    assert_eq!(outcome.decision_text(), "deny by guard: evil");
    assert_eq!(outcome.asked(), ["b", "guard again"]);
}

#[test]
fn guard_after_last_rewrite_runs_once() {
    let outcome = check(&[("b", rewrite("fine")), ("guard", Say::nothing().rejudge())]);
    assert_eq!(outcome.asked(), ["b", "guard"]);
}

#[test]
fn rewrites_that_do_not_settle_deny() {
    let outcome = check(&[("a", rewrite("one").rejudge()), ("b", rewrite("two"))]);
    assert_eq!(outcome.decision_text(), "deny by a: rewrites do not settle");
}

#[test]
fn second_run_adds_no_effects() {
    let outcome = check(&[("a", inject("context").rejudge()), ("b", rewrite("two"))]);
    assert_eq!(outcome.effects_text(), ["a injects context", "b rewrites tool_input"]);
}

#[test]
fn failure_follows_policy_and_notifies() {
    let open = check(&[("a", Say::crash()), ("b", inject("context"))]);
    assert_eq!(open.decision, Decision::Abstain);
    assert_eq!(
        open.effects_text(),
        ["tenter notifies hook `a` failed with exit code 1; went on without it", "b injects context"]
    );
    let closed = check(&[("a", Say::crash().or_deny()), ("b", inject("context"))]);
    assert_eq!(
        closed.decision_text(),
        "deny by a: the hook failed with exit code 1, and its `on_failure` says deny"
    );
}

#[test]
fn stopped_hook_gives_no_warning() {
    let stopped = check(&[("a", Say::stopped())]);
    assert_eq!(stopped.effects_text(), ["tenter notifies hook `a` was ended with the agent's turn"]);
    let guard = check(&[("a", Say::stopped().or_deny())]);
    let denied = guard.decision_text();
    assert!(denied.starts_with("deny by a: the hook failed: it was ended"), "{denied}");
}

#[test]
fn background_hook_keeps_parallel_group() {
    let outcome = check(&[
        ("a", inject("a").parallel()),
        ("b", Say::started().background()),
        ("c", inject("c").parallel()),
        ("d", Say::started().background()),
        ("e", inject("e")),
    ]);
    assert_eq!(outcome.groups, [vec!["a", "b", "c", "d"], vec!["e"]]);
    assert_eq!(outcome.asked(), ["a", "b", "c", "d", "e"]);
}

#[test]
fn parallel_hook_may_not_rewrite() {
    let outcome = check(&[("a", rewrite("one").parallel()), ("b", inject("context").parallel())]);
    assert_eq!(outcome.event.tool.as_ref().unwrap().command.as_deref(), Some("original"));
    assert!(matches!(&outcome.runs[0].output, HookOutput::Failure(_)));
}

#[test]
fn parallel_hooks_keep_all_effects() {
    let outcome = check(&[
        ("a", deny("first").parallel()),
        ("b", inject("context").parallel()),
        ("c", deny("second").parallel()),
        ("d", inject("never asked")),
    ]);
    assert_eq!(outcome.decision_text(), "deny by a: first");
    assert_eq!(outcome.effects_text(), ["b injects context"]);
    assert_eq!(outcome.groups, [vec!["a", "b", "c"]]);
}

#[test]
fn injection_above_the_limit_is_rejected() {
    let fits = check(&[("a", inject(&"x".repeat(10_240)))]);
    assert!(fits.degraded.is_empty());
    let large = check(&[("a", inject(&"x".repeat(10_241)).and_tell("found"))]);
    assert_eq!(
        large.degraded[0].to_string(),
        "Context injection exceeds 10240 bytes: 10241 bytes (from a); nothing of it was injected"
    );
    assert_eq!(large.effects_text(), ["a notifies found (injection failed)"]);
}

#[test]
fn unsupported_rewrite_denies_before_asking() {
    let outcome =
        crate::kit::check_with(&capabilities::no_rewrite(), &[("a", rewrite("safe")), ("b", ask("?"))]);
    assert_eq!(
        outcome.decision_text(),
        "deny by tenter: a rewrites the tool input of this call, and the agent cannot take a rewrite here"
    );
    assert!(outcome.questions.is_empty());
}

#[test]
fn kept_key_denies_the_rewrite() {
    let merged = |say: Say| crate::kit::check_with(&capabilities::merged_over(), &[("a", say)]);
    assert_eq!(merged(rewrite("safe")).decision_text(), "abstain");
    assert_eq!(
        merged(rewrite_all("safe")).decision_text(),
        "deny by tenter: a removes `description` from the tool input of this call, and the agent would keep it"
    );
}

#[test]
fn missing_approver_denies() {
    let outcome = crate::kit::check_with(&capabilities::no_ask(), &[("a", ask("Deploy?"))]);
    assert_eq!(
        outcome.decision_text(),
        "deny by tenter: no approver can be asked \"Deploy?\": no approver in this test"
    );
    assert_eq!(outcome.questions, ["Deploy?"]);
}

fn any_say() -> impl proptest::strategy::Strategy<Value = Say> {
    let base = prop_oneof![
        Just(Say::nothing()),
        Just(Say::allow()),
        Just(Say::crash()),
        "[a-c]{1,3}".prop_map(|text| deny(&text)),
        "[a-c]{1,3}".prop_map(|text| ask(&text)),
        "[a-c]{1,3}".prop_map(|text| inject(&text)),
        "[a-c]{1,3}".prop_map(|text| notify(&text)),
        "[a-c]{1,3}".prop_map(|text| rewrite(&text)),
        "[a-c]{1,3}".prop_map(|text| rewrite_all(&text)),
    ];
    (base, any::<bool>(), any::<bool>(), any::<bool>(), -1i32..2).prop_map(
        |(say, parallel, rejudge, or_deny, priority)| {
            let say = if parallel { say.parallel() } else { say };
            let say = if rejudge { say.rejudge() } else { say };
            let say = if or_deny { say.or_deny() } else { say };
            say.priority(priority)
        },
    )
}

fn named(says: Vec<Say>) -> Vec<(&'static str, Say)> {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    NAMES.into_iter().zip(says).collect()
}

proptest! {
    #[test]
    fn outcome_ignores_the_finishing_order(says in proptest::collection::vec(any_say(), 0..8), seed in any::<u64>()) {
        let hooks = named(says);
        let in_order = check(&hooks);
        let shuffled = crate::kit::check_shuffled(&hooks, seed);
        prop_assert_eq!(&in_order.outcome, &shuffled.outcome);
    }

    #[test]
    fn no_effect_is_lost(says in proptest::collection::vec(any_say(), 0..8)) {
        let outcome = check(&named(says));
        let mut wanted = 0;
        for run in outcome.runs.iter().filter(|run| run.round == tenter_contract::Round::First) {
            if let HookOutput::Reply(reply) = &run.output {
                wanted += reply.effects.len();
            }
        }
        let by_hooks = outcome.effects.iter().filter(|(by, _)| *by != tenter_contract::Source::Tenter).count();
        let named = outcome.degraded.iter().filter(|degraded| matches!(degraded, Degradation::CannotRewrite { .. } | Degradation::InjectionTooLarge { .. })).count();
        prop_assert_eq!(wanted, by_hooks + named);
        prop_assert!(outcome.effects.iter().all(|(_, effect)| !matches!(effect, Effect::SuppressOutput)));
    }

    #[test]
    fn deny_never_becomes_allow(says in proptest::collection::vec(any_say(), 0..8), which in 0usize..6) {
        let capabilities = capabilities::all()[which];
        let outcome = crate::kit::check_with(&capabilities, &named(says));
        let (adapted, degraded) = tenter_kernel::adapt(&outcome.outcome, &capabilities);
        let verdict = &adapted.parts().verdict;
        match &outcome.decision {
            Decision::Deny { .. } => {
                let stopped = matches!(verdict, tenter_contract::AgentVerdict::Deny { .. });
                let named = degraded.iter().any(|degraded| matches!(degraded, Degradation::CannotDeny { .. }));
                prop_assert!(stopped || named);
            }
            Decision::Ask(_) => {
                let allowed = matches!(verdict, tenter_contract::AgentVerdict::Allow { .. });
                prop_assert!(!allowed);
            }
            Decision::Abstain | Decision::Allow { .. } => {}
        }
    }

    #[test]
    fn merging_agent_runs_only_checked_input(says in proptest::collection::vec(any_say(), 0..8)) {
        let capabilities = capabilities::merged_over();
        let outcome = crate::kit::check_with(&capabilities, &named(says));
        let (adapted, _) = tenter_kernel::adapt(&outcome.outcome, &capabilities);
        let call = outcome.event.tool.as_ref().unwrap();
        if !matches!(adapted.parts().verdict, tenter_contract::AgentVerdict::Deny { .. }) {
            let mut runs = call.asked_input().clone();
            runs.extend(adapted.parts().input.clone().unwrap_or_default());
            prop_assert_eq!(&runs, &call.input);
        }
    }

    #[test]
    fn every_injection_arrives_or_is_degraded(says in proptest::collection::vec(any_say(), 0..8), which in 0usize..6) {
        let capabilities = capabilities::all()[which];
        let outcome = crate::kit::check_with(&capabilities, &named(says));
        let (adapted, degraded) = tenter_kernel::adapt(&outcome.outcome, &capabilities);
        let parts = adapted.parts();
        let reason = match &parts.verdict { tenter_contract::AgentVerdict::Deny { reason } => reason.as_str(), _ => "" };
        for (by, effect) in &outcome.effects {
            if let Effect::Inject(injection) = effect {
                let deferred = parts.context.as_deref().unwrap_or("").contains(&injection.content) || reason.contains(&injection.content);
                let named = degraded.iter().any(|degraded| matches!(degraded, Degradation::Deferred { by: whose, .. } | Degradation::NoContextChannel { by: whose, .. } if whose == by));
                prop_assert!(deferred || named);
            }
        }
    }
}
