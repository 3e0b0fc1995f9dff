//! Questions on their way through the runtime: what stands, which approver, what is recorded in which order.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::*;
use tenter_runtime::{ApiApprover, Approvers, MemoryRegister, Runtime};

use crate::kit::{Parrot, Trail, answer, runtime};

fn asks(options: &[&str], default: Policy) -> HookReport {
    let query = ApprovalPrompt {
        prompt: "Deploy?".to_owned(),
        options: options.iter().map(|label| Choice::named(label)).collect(),
        timeout: Some(Duration::from_millis(200)),
        default,
    };
    HookReport::new(HookOutput::Reply(HookReply { verdict: Verdict::Ask(query), effects: Vec::new() }))
}

fn guard() -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "guard"), EventKind::ToolPre, Handler::InProcess)
}

/// An agent that cannot ask, and one that can ask plain questions.
fn agent(ask: AskUser) -> Parrot {
    Parrot { capabilities: Some(Capabilities { ask, ..Capabilities::EVERYTHING }), ..Parrot::default() }
}

fn at(approver: impl Approver + 'static, runtime: Runtime) -> Runtime {
    {
        let mut runtime = runtime;
        runtime.approvals.approvers =
            Approvers { before_host: vec![Box::new(approver)], after_host: Vec::new() };
        runtime
    }
}

/// The approvals in a trail, in short.
fn approvals(trail: &Trail) -> Vec<String> {
    let line = |record: RecordBody| match record {
        RecordBody::Approval(record) => {
            let answer = match &record.step {
                ApprovalStep::Answered { answer, .. } => format!(" {}", answer.in_words()),
                _ => String::new(),
            };
            Some(format!("{} {}{answer}", record.step.record_name(), record.request.approver))
        }
        RecordBody::Event(_) => Some("event".to_owned()),
        _ => None,
    };
    trail.records().into_iter().filter_map(line).collect()
}

fn with_answer<T>(approver: &Arc<ApiApprover>, option: &'static str, ask: impl FnOnce() -> T) -> T {
    let approver = Arc::clone(approver);
    let person = thread::spawn(move || {
        let request = approver.next_question(Duration::from_secs(10)).unwrap();
        approver.answer(&request.id, option).unwrap();
    });
    let asked = ask();
    person.join().unwrap();
    asked
}

#[test]
fn what_a_person_says_is_what_happens_and_is_recorded_before_and_after() {
    for (option, expected, recorded) in [
        ("Allow once", "", "approval:granted api granted: Allow once"),
        ("deny", "deny: User denied: Deploy?", "approval:denied api denied: Deny"),
    ] {
        let trail = Arc::new(Trail::default());
        let approver = Arc::new(ApiApprover::new());
        let runtime = at(
            Arc::clone(&approver),
            runtime(vec![guard()], &trail, |_, _| asks(&["Allow once", "Deny"], Policy::Deny)),
        );
        let (_, said, _) = with_answer(&approver, option, || answer(&runtime, &agent(AskUser::Never), "ls"));
        assert_eq!(said.trim_end(), expected);
        assert_eq!(approvals(&trail), ["approval:required api", recorded, "event"]);
        assert_eq!(approver.questions(), []);
    }
}

/// Security case P10.
#[test]
fn silence_is_the_default_and_never_reads_as_if_the_user_had_denied() {
    for (default, expected) in
        [(Policy::Deny, "deny: Timeout - denied by default (after 0.2 s)"), (Policy::Allow, "")]
    {
        let trail = Arc::new(Trail::default());
        let runtime = at(ApiApprover::new(), runtime(vec![guard()], &trail, move |_, _| asks(&[], default)));
        let (_, said, _) = answer(&runtime, &agent(AskUser::Never), "ls");
        assert_eq!(said.trim_end(), expected);
        let timeout = "approval:timeout api nobody answered within 0.2 s";
        assert_eq!(approvals(&trail), ["approval:required api", timeout, "event"]);
    }
}

#[test]
fn the_agents_time_bounds_the_wait() {
    let trail = Arc::new(Trail::default());
    let with_approver =
        at(ApiApprover::new(), runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Deny)));
    let runtime = {
        let mut runtime = with_approver;
        runtime.deadline = Some(Instant::now());
        runtime
    };
    let (_, said, _) = answer(&runtime, &agent(AskUser::Never), "ls");
    assert_eq!(said.trim_end(), "deny: Timeout - denied by default (after 0 s)");
}

#[test]
fn allow_always_is_asked_once_and_binds_a_command_to_its_exact_input() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let runtime = at(
        Arc::clone(&approver),
        runtime(vec![guard()], &trail, |_, _| asks(&["Allow always", "Deny"], Policy::Deny)),
    );
    let parrot = agent(AskUser::Never);
    let ask = |command: &str| answer(&runtime, &parrot, command).1;
    assert_eq!(with_answer(&approver, "1", || ask("make deploy")), "");
    assert_eq!(ask("make deploy"), "");
    assert_eq!(approvals(&trail)[3..], ["approval:granted standing granted before: q1", "event"]);
    assert_eq!(
        with_answer(&approver, "2", || ask("make deploy; rm -rf .")).trim_end(),
        "deny: User denied: Deploy?"
    );
}

#[test]
fn a_plain_question_is_left_to_the_agent_and_another_is_not() {
    for (options, approver) in [(&[][..], "host"), (&["Allow", "Deny"], "host"), (&["Allow always"], "none")]
    {
        let trail = Arc::new(Trail::default());
        let runtime = runtime(vec![guard()], &trail, move |_, _| asks(options, Policy::Deny));
        answer(&runtime, &agent(AskUser::Plainly), "ls");
        assert!(
            approvals(&trail)[0].contains(&format!(" {approver}")),
            "{options:?}: {:?}",
            approvals(&trail)
        );
    }
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Allow));
    let (_, said, _) = answer(&runtime, &agent(AskUser::Plainly), "ls");
    assert!(said.starts_with("deny: Operation denied by tenter: nobody can be asked \"Deploy?\""), "{said}");
}

#[test]
fn somebody_who_watches_gets_what_the_agent_could_ask_itself() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let runtime = at(
        Arc::clone(&approver),
        runtime(vec![guard()], &trail, |_, _| asks(&["Allow", "Deny"], Policy::Deny)),
    );
    let (_, said, _) = with_answer(&approver, "Allow", || answer(&runtime, &agent(AskUser::Plainly), "ls"));
    assert_eq!(said, "");
    assert_eq!(approvals(&trail)[0], "approval:required api");
}

#[test]
fn a_rule_answers_without_a_question_and_a_deny_says_whose_it_is() {
    let rule = |policy| Rule {
        id: "r1".to_owned(),
        policy,
        hook: "guard".to_owned(),
        pattern: Pattern::parse("*").unwrap(),
        project: None,
        expires: None,
        at: Timestamp::default(),
    };
    for (policy, expected) in [
        (Policy::Allow, ""),
        (Policy::Deny, "deny: User denied: Deploy? (a standing answer: approvals rule r1)"),
    ] {
        let trail = Arc::new(Trail::default());
        let with_none = runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Deny));
        let approvals = Box::new(MemoryRegister::with_rules(vec![rule(policy)]));
        let runtime = {
            let mut runtime = with_none;
            runtime.approvals.register = approvals;
            runtime
        };
        assert_eq!(answer(&runtime, &agent(AskUser::Never), "ls").1.trim_end(), expected);
    }
}

/// An approver at which nobody waits any more.
struct Gone;

impl Approver for Gone {
    fn name(&self) -> &'static str {
        "gone"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, waiting: &dyn Waiting) -> ApprovalAnswer {
        waiting.elsewhere().unwrap()
    }
}

#[test]
fn a_question_nobody_waits_with_is_withdrawn_and_grants_nothing() {
    let trail = Arc::new(Trail::default());
    let with_approver = at(Gone, runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Allow)));
    let runtime = {
        let mut runtime = with_approver;
        runtime.approvals.still_wanted = || false;
        runtime
    };
    let (_, said, _) = answer(&runtime, &agent(AskUser::Never), "ls");
    assert!(said.contains("was withdrawn: nobody waits for the answer any more"), "{said}");
}

/// An approver that somebody leaves while a question lies there.
struct Left;

impl Approver for Left {
    fn name(&self) -> &'static str {
        "left"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        ApprovalAnswer::ApproverGone { why: "whoever watched has gone".to_owned() }
    }
}

#[test]
fn a_deserted_approver_leaves_the_question_to_the_next_and_that_is_recorded() {
    let left = "approval:withdrawn left withdrawn from this approver: whoever watched has gone";
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let asking = || runtime(vec![guard()], &trail, |_, _| asks(&["Allow always", "Deny"], Policy::Allow));
    let approvers =
        Approvers { before_host: vec![Box::new(Left)], after_host: vec![Box::new(Arc::clone(&approver))] };
    let both = {
        let mut runtime = asking();
        runtime.approvals.approvers = approvers;
        runtime
    };
    let said = with_answer(&approver, "deny", || answer(&both, &agent(AskUser::Plainly), "ls").1);
    assert_eq!(said.trim_end(), "deny: User denied: Deploy?");
    let recorded = ["approval:required left", left, "approval:required api"];
    assert_eq!(approvals(&trail)[..3], recorded);
    assert_eq!(approvals(&trail)[3], "approval:denied api denied: Deny");

    let only = at(Left, asking());
    let (_, said, _) = answer(&only, &agent(AskUser::Plainly), "make");
    assert!(said.contains("nobody can be asked \"Deploy?\": whoever watched has gone"), "{said}");
    let none = "approval:denied none no approver: whoever watched has gone";
    assert_eq!(approvals(&trail)[5..], ["approval:required left", left, none, "event"]);
}

#[test]
fn hooks_that_observe_approvals_hear_in_order_and_ask_nobody() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let observer = |kind| HookSpec::new(HookId::new(Layer::User, "observer"), kind, Handler::InProcess);
    let hooks = vec![guard(), observer(EventKind::ApprovalRequired), observer(EventKind::ApprovalDenied)];
    let hearing = Arc::clone(&heard);
    let with_observers = runtime(hooks, &trail, move |_, event| {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        if event.kind != EventKind::ToolPre {
            let line = format!("{} {} {}", event.kind, text(&event.message), text(&event.reason));
            hearing.lock().unwrap().push(line);
        }
        asks(&["Allow once", "Deny"], Policy::Deny)
    });
    let runtime = at(Arc::clone(&approver), with_observers);
    let said = with_answer(&approver, "Deny", || answer(&runtime, &agent(AskUser::Never), "ls").1);
    assert_eq!(said.lines().next(), Some("deny: User denied: Deploy?"), "{said}");
    let expected = ["approval:required Deploy? ", "approval:denied Deploy? denied: Deny"];
    assert_eq!(*heard.lock().unwrap(), expected);
    let recorded = ["approval:required api", "approval:denied api denied: Deny", "event"];
    assert_eq!(approvals(&trail), recorded, "an observer that asks is not asked about");
}

#[test]
fn an_answer_to_another_question_or_none_of_its_options_does_not_count() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let runtime = at(Arc::clone(&approver), runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Deny)));
    thread::scope(|scope| {
        let asked = scope.spawn(|| answer(&runtime, &agent(AskUser::Never), "ls").1);
        let request = approver.next_question(Duration::from_secs(10)).unwrap();
        assert!(approver.answer("q99", "Allow").is_err());
        assert!(approver.answer(&request.id, "yes").is_err());
        assert!(asked.join().unwrap().contains("Timeout - denied by default"));
        assert!(approver.answer(&request.id, "Allow").is_err(), "too late");
    });
}

/// An approver that answers whatever the clock says.
struct Clockless(&'static str);

impl Approver for Clockless {
    fn name(&self) -> &'static str {
        "clockless"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, request: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        request.question.choice(self.0).unwrap().answer()
    }
}

/// A question without any time: everything that is said to it is said too late.
#[test]
fn what_is_said_when_the_time_is_over_counts_at_no_approver_and_lasts_no_session() {
    for (option, default, expected) in [
        ("Allow always", Policy::Deny, "deny: Timeout - denied by default (after 0 s)"),
        ("Deny", Policy::Allow, ""),
    ] {
        let trail = Arc::new(Trail::default());
        let query = ApprovalPrompt {
            timeout: Some(Duration::ZERO),
            default,
            ..ApprovalPrompt::new("Deploy?").offering(["Allow always", "Deny"])
        };
        let reply = HookReply { verdict: Verdict::Ask(query), effects: Vec::new() };
        let asks =
            runtime(vec![guard()], &trail, move |_, _| HookReport::new(HookOutput::Reply(reply.clone())));
        let runtime = at(Clockless(option), asks);
        let timeout = "approval:timeout clockless nobody answered within 0 s";
        for command in ["ls", "ls"] {
            let (_, said, _) = answer(&runtime, &agent(AskUser::Never), command);
            assert_eq!(said.trim_end(), expected);
        }
        let once = ["approval:required clockless", timeout, "event"];
        assert_eq!(approvals(&trail), [once, once].concat(), "the second is asked as the first was");
    }
}

#[test]
fn a_question_may_wait_for_good() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let query = ApprovalPrompt { timeout: Some(Duration::MAX), ..ApprovalPrompt::new("Deploy?") };
    let reply = HookReply { verdict: Verdict::Ask(query), effects: Vec::new() };
    let asks = runtime(vec![guard()], &trail, move |_, _| HookReport::new(HookOutput::Reply(reply.clone())));
    let runtime = at(Arc::clone(&approver), asks);
    let said = with_answer(&approver, "Allow", || answer(&runtime, &agent(AskUser::Never), "ls").1);
    assert_eq!(said.trim_end(), "");
}

#[test]
fn what_was_left_to_the_agent_is_observed_when_the_call_has_run() {
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Deny));
    let event = |kind: EventKind| {
        let mut event =
            Event::new(kind, AgentName::new("mine"), SessionId::parse("s").unwrap(), Timestamp::default());
        let call = ToolCall::new("Bash", ToolKind::Shell, serde_json::Map::new());
        event.tool = Some(ToolCall { call_id: Some("t1".to_owned()), ..call });
        event
    };
    let outcome = runtime.emit(event(EventKind::ToolPre)).outcome;
    assert_eq!(outcome.decision.as_str(), "ask");
    runtime.emit(event(EventKind::ToolPost));
    runtime.emit(event(EventKind::ToolPre));
    runtime.emit(event(EventKind::OrchestratorComplete));
    let all = approvals(&trail);
    assert_eq!(
        all,
        [
            "approval:required host",
            "event",
            "approval:granted host",
            "event",
            "approval:required host",
            "event",
            "approval:unknown host",
            "event"
        ]
    );
}
