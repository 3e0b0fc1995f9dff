use super::*;
use std::time::Duration;
use tenter_contract::{HookFailure, Injection};

fn reply(verdict: Verdict, context: &[&str]) -> HookOutput {
    let effects = context.iter().map(|text| Effect::Inject(Injection::text(*text))).collect();
    HookOutput::Reply(HookReply { verdict, effects })
}
fn allow() -> Verdict {
    Verdict::Allow { reason: None }
}
fn deny(reason: &str) -> Verdict {
    Verdict::Deny { reason: reason.to_owned() }
}
fn ask(prompt: &str) -> Verdict {
    Verdict::Ask(ApprovalPrompt {
        prompt: prompt.to_owned(),
        options: vec![],
        timeout: None,
        default: Policy::Deny,
    })
}
fn crash() -> HookOutput {
    HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None })
}

#[test]
fn two_paths_are_one_report() {
    use Verdict::Abstain;
    let (go_on, stop) = (OnFailure::always(Policy::Allow), OnFailure::always(Policy::Deny));
    for (first, second, policy, expected, notices) in [
        (reply(Abstain, &["a"]), reply(Abstain, &["b"]), go_on, reply(Abstain, &["a", "b"]), 0),
        (reply(allow(), &[]), reply(allow(), &[]), go_on, reply(allow(), &[]), 0),
        (reply(allow(), &[]), reply(Abstain, &[]), go_on, reply(Abstain, &[]), 0),
        (reply(ask("a"), &[]), reply(allow(), &[]), go_on, reply(ask("a"), &[]), 0),
        (reply(ask("a"), &[]), reply(ask("a"), &[]), go_on, reply(ask("a"), &[]), 0),
        (reply(ask("a"), &[]), reply(ask("b"), &[]), go_on, reply(ask("a\nb"), &[]), 0),
        (reply(ask("a"), &["x"]), reply(deny("no"), &["y"]), go_on, reply(deny("no"), &["x", "y"]), 0),
        (reply(ask("a"), &[]), crash(), go_on, reply(ask("a"), &[]), 1),
        (reply(ask("a"), &[]), crash(), stop, crash(), 1),
        (reply(Abstain, &["x"]), crash(), go_on, crash(), 1),
        (reply(Abstain, &[]), crash(), go_on, crash(), 0),
    ] {
        let got = fold(HookReport::new(first), HookReport::new(second), policy);
        assert_eq!(got.output, expected);
        assert_eq!(got.transcript.notices.len(), notices, "{expected:?}");
    }
}

#[test]
fn two_questions_keep_the_stricter_parts() {
    let query = |timeout: Option<u64>, default, options: &[&str]| ApprovalPrompt {
        prompt: "ok?".to_owned(),
        options: options.iter().map(|&option| tenter_contract::Choice::named(option)).collect(),
        timeout: timeout.map(Duration::from_secs),
        default,
    };
    let one = merge_questions(query(Some(9), Policy::Allow, &["Allow"]), &query(Some(5), Policy::Deny, &[]));
    assert_eq!(one, query(Some(5), Policy::Deny, &[]));
    let one = merge_questions(query(None, Policy::Allow, &["A"]), &query(Some(5), Policy::Allow, &["A"]));
    assert_eq!(one, query(Some(5), Policy::Allow, &["A"]));
}

#[test]
fn transcripts_are_joined_in_order() {
    let transcript = |name: &str, code| Transcript {
        took: Duration::from_secs(1),
        command: Some(name.to_owned()),
        sent: b"the same".to_vec(),
        exit_code: Some(code),
        stdout: format!("{name}\n"),
        stderr: String::new(),
        cut: 2,
        definition: None,
        began: None,
        cached: false,
        notices: vec!["same".to_owned()],
    };
    assert_eq!(
        join(transcript("a", 0), transcript("b", 1)),
        Transcript {
            took: Duration::from_secs(2),
            command: Some("a\nb".to_owned()),
            sent: b"the same".to_vec(),
            exit_code: Some(1),
            stdout: "a\nb\n".to_owned(),
            stderr: String::new(),
            cut: 4,
            definition: None,
            began: None,
            cached: false,
            notices: vec!["same".to_owned()],
        }
    );
}
