//! Approval requests in the runtime: saved answers, approvers and the order of records.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::*;
use tenter_runtime::{ApiApprover, Approvers, MemoryRegister, Runtime};

use crate::kit::{TestAdapter, Trail, answer, runtime};

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
fn agent(ask: AskUser) -> TestAdapter {
    TestAdapter {
        capabilities: Some(Capabilities { ask, ..Capabilities::EVERYTHING }),
        ..TestAdapter::default()
    }
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
fn answer_decides_and_is_recorded() {
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
        let (_, output, _) =
            with_answer(&approver, option, || answer(&runtime, &agent(AskUser::Never), "ls"));
        assert_eq!(output.trim_end(), expected);
        assert_eq!(approvals(&trail), ["approval:required api", recorded, "event"]);
        assert_eq!(approver.questions(), []);
    }
}

/// Security case P10.
#[test]
fn timeout_uses_the_default() {
    for (default, expected) in
        [(Policy::Deny, "deny: Timeout - denied by default (after 0.2 s)"), (Policy::Allow, "")]
    {
        let trail = Arc::new(Trail::default());
        let runtime = at(ApiApprover::new(), runtime(vec![guard()], &trail, move |_, _| asks(&[], default)));
        let (_, output, _) = answer(&runtime, &agent(AskUser::Never), "ls");
        assert_eq!(output.trim_end(), expected);
        let timeout = "approval:timeout api no answer within 0.2 s";
        assert_eq!(approvals(&trail), ["approval:required api", timeout, "event"]);
    }
}

#[test]
fn agent_deadline_bounds_the_wait() {
    let trail = Arc::new(Trail::default());
    let with_approver =
        at(ApiApprover::new(), runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Deny)));
    let runtime = {
        let mut runtime = with_approver;
        runtime.deadline = Some(Instant::now());
        runtime
    };
    let (_, output, _) = answer(&runtime, &agent(AskUser::Never), "ls");
    assert_eq!(output.trim_end(), "deny: Timeout - denied by default (after 0 s)");
}

#[test]
fn allow_always_covers_the_exact_input() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let runtime = at(
        Arc::clone(&approver),
        runtime(vec![guard()], &trail, |_, _| asks(&["Allow always", "Deny"], Policy::Deny)),
    );
    let adapter = agent(AskUser::Never);
    let ask = |command: &str| answer(&runtime, &adapter, command).1;
    assert_eq!(with_answer(&approver, "1", || ask("make deploy")), "");
    assert_eq!(ask("make deploy"), "");
    assert_eq!(approvals(&trail)[3..], ["approval:granted standing granted before: q1", "event"]);
    assert_eq!(
        with_answer(&approver, "2", || ask("make deploy; rm -rf .")).trim_end(),
        "deny: User denied: Deploy?"
    );
}

#[test]
fn agent_prompt_gets_plain_questions() {
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
    let (_, output, _) = answer(&runtime, &agent(AskUser::Plainly), "ls");
    assert!(
        output.starts_with("deny: Operation denied by tenter: no approver can be asked \"Deploy?\""),
        "{output}"
    );
}

#[test]
fn watcher_comes_before_the_agent() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let runtime = at(
        Arc::clone(&approver),
        runtime(vec![guard()], &trail, |_, _| asks(&["Allow", "Deny"], Policy::Deny)),
    );
    let (_, output, _) = with_answer(&approver, "Allow", || answer(&runtime, &agent(AskUser::Plainly), "ls"));
    assert_eq!(output, "");
    assert_eq!(approvals(&trail)[0], "approval:required api");
}

#[test]
fn rule_answers_without_asking() {
    let rule = |policy| Rule {
        id: "r1".to_owned(),
        policy,
        hook: "guard".to_owned(),
        pattern: Pattern::parse("*").unwrap(),
        project: None,
        expires: None,
        at: Timestamp::default(),
    };
    for (policy, expected) in
        [(Policy::Allow, ""), (Policy::Deny, "deny: User denied: Deploy? (saved answer: approvals rule r1)")]
    {
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

/// An approver whose request is no longer wanted.
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
fn withdrawn_question_grants_nothing() {
    let trail = Arc::new(Trail::default());
    let with_approver = at(Gone, runtime(vec![guard()], &trail, |_, _| asks(&[], Policy::Allow)));
    let runtime = {
        let mut runtime = with_approver;
        runtime.approvals.still_wanted = || false;
        runtime
    };
    let (_, output, _) = answer(&runtime, &agent(AskUser::Never), "ls");
    assert!(output.contains("was withdrawn: the agent no longer waits for the answer"), "{output}");
}

/// An approver that ends while it has a request.
struct Left;

impl Approver for Left {
    fn name(&self) -> &'static str {
        "left"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        ApprovalAnswer::ApproverGone { why: "the watcher has ended".to_owned() }
    }
}

#[test]
fn next_approver_takes_over() {
    let left = "approval:withdrawn left withdrawn from this approver: the watcher has ended";
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
    let output = with_answer(&approver, "deny", || answer(&both, &agent(AskUser::Plainly), "ls").1);
    assert_eq!(output.trim_end(), "deny: User denied: Deploy?");
    let recorded = ["approval:required left", left, "approval:required api"];
    assert_eq!(approvals(&trail)[..3], recorded);
    assert_eq!(approvals(&trail)[3], "approval:denied api denied: Deny");

    let only = at(Left, asking());
    let (_, output, _) = answer(&only, &agent(AskUser::Plainly), "make");
    assert!(output.contains("no approver can be asked \"Deploy?\": the watcher has ended"), "{output}");
    let none = "approval:denied none no approver: the watcher has ended";
    assert_eq!(approvals(&trail)[5..], ["approval:required left", left, none, "event"]);
}

#[test]
fn observers_run_in_order() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let events = Arc::new(Mutex::new(Vec::new()));
    let observer = |kind| HookSpec::new(HookId::new(Layer::User, "observer"), kind, Handler::InProcess);
    let hooks = vec![guard(), observer(EventKind::ApprovalRequired), observer(EventKind::ApprovalDenied)];
    let seen_events = Arc::clone(&events);
    let with_observers = runtime(hooks, &trail, move |_, event| {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        if event.kind != EventKind::ToolPre {
            let line = format!("{} {} {}", event.kind, text(&event.message), text(&event.reason));
            seen_events.lock().unwrap().push(line);
        }
        asks(&["Allow once", "Deny"], Policy::Deny)
    });
    let runtime = at(Arc::clone(&approver), with_observers);
    let output = with_answer(&approver, "Deny", || answer(&runtime, &agent(AskUser::Never), "ls").1);
    assert_eq!(output.lines().next(), Some("deny: User denied: Deploy?"), "{output}");
    let expected = ["approval:required Deploy? ", "approval:denied Deploy? denied: Deny"];
    assert_eq!(*events.lock().unwrap(), expected);
    let recorded = ["approval:required api", "approval:denied api denied: Deny", "event"];
    assert_eq!(approvals(&trail), recorded, "an observer that asks is not asked about");
}

#[test]
fn unknown_option_does_not_count() {
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

/// An approver that ignores the time limit.
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

/// Without any time, every answer is too late.
#[test]
fn late_answer_does_not_count() {
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
        let timeout = "approval:timeout clockless no answer within 0 s";
        for command in ["ls", "ls"] {
            let (_, output, _) = answer(&runtime, &agent(AskUser::Never), command);
            assert_eq!(output.trim_end(), expected);
        }
        let once = ["approval:required clockless", timeout, "event"];
        assert_eq!(approvals(&trail), [once, once].concat(), "the second is asked as the first was");
    }
}

#[test]
fn question_can_wait_forever() {
    let trail = Arc::new(Trail::default());
    let approver = Arc::new(ApiApprover::new());
    let query = ApprovalPrompt { timeout: Some(Duration::MAX), ..ApprovalPrompt::new("Deploy?") };
    let reply = HookReply { verdict: Verdict::Ask(query), effects: Vec::new() };
    let asks = runtime(vec![guard()], &trail, move |_, _| HookReport::new(HookOutput::Reply(reply.clone())));
    let runtime = at(Arc::clone(&approver), asks);
    let output = with_answer(&approver, "Allow", || answer(&runtime, &agent(AskUser::Never), "ls").1);
    assert_eq!(output.trim_end(), "");
}

#[test]
fn host_answer_is_observed_by_the_call() {
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
