//! Background hooks: how they start, and where their output goes.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use tenter_contract::ports::{Background, BackgroundJob, Work};
use tenter_contract::*;
use tenter_runtime::Runtime;
use tenter_runtime::kit::StoppedClock;
use tenter_runtime::runner::background::Recipient;

use crate::kit::{TestAdapter, Trail, answer, crash, hook, inject, only_stdout, runtime};
use crate::once::NoSessionStore;

/// Accepts jobs, unless a reason is set.
#[derive(Clone, Default)]
struct TestLauncher {
    taken: Arc<Mutex<Vec<BackgroundJob>>>,
    refusal: Option<&'static str>,
}

impl Background for TestLauncher {
    fn start(&self, job: &BackgroundJob, _: Option<Instant>) -> Result<(), String> {
        if let Some(why) = self.refusal {
            return Err(why.to_owned());
        }
        self.taken.lock().unwrap().push(job.clone());
        Ok(())
    }
}

impl TestLauncher {
    fn accepted(&self) -> Vec<BackgroundJob> {
        std::mem::take(&mut self.taken.lock().unwrap())
    }
}

fn background(name: &str) -> HookSpec {
    HookSpec { execution_mode: ExecutionMode::Background, ..hook(name) }
}

/// A runtime whose hooks return the same report, and its launcher.
fn runtime_with(hooks: Vec<HookSpec>, trail: &Arc<Trail>, report: HookReport) -> (Runtime, TestLauncher) {
    let launcher = TestLauncher::default();
    let runtime = runtime(hooks, trail, move |_, _| report.clone());
    (
        {
            let mut runtime = runtime;
            runtime.runner.background = Some(Box::new(launcher.clone()));
            runtime
        },
        launcher,
    )
}

/// Runs a job as a worker does.
fn run_job(runtime: &Runtime, job: &BackgroundJob) {
    let outcome = runtime.run_job(job);
    runtime.finish_job(job, &outcome, Recipient::NextEvent);
}

fn notify(text: &str) -> HookReport {
    let message = Message { text: text.to_owned(), level: Level::Info };
    let effects = vec![Effect::Notify(message)];
    HookReport::new(HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects }))
}

fn command_of(job: &BackgroundJob) -> Option<String> {
    job.event.tool.as_ref()?.command.clone()
}

#[test]
fn background_reply_reaches_next_event_once() {
    let trail = Arc::new(Trail::default());
    let (runtime, launcher) = runtime_with(vec![background("h")], &trail, inject("found"));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(""));
    let taken = launcher.accepted();
    let [job] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!(command_of(job).as_deref(), Some("ls"));
    run_job(&runtime, job);
    assert_eq!(answer(&runtime, &TestAdapter::default(), "cat"), only_stdout("context: found\n"));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "pwd"), only_stdout(""));
    let records = trail.records();
    assert!(
        matches!(&records[0], RecordBody::Event(record) if record.outcome.runs[0].output == HookOutput::Started)
    );
    assert!(
        matches!(&records[1], RecordBody::Background { run, degraded, .. }
            if matches!(run.output, HookOutput::Reply(_)) && matches!(degraded[..], [Degradation::Deferred { bytes: 5, .. }])),
        "{records:?}"
    );
}

#[test]
fn missing_worker_fails_the_hook() {
    let trail = Arc::new(Trail::default());
    let hooks = vec![HookSpec { once: Once::Session, ..background("h") }];
    let (runtime, _) = runtime_with(hooks, &trail, inject("found"));
    let refuses = TestLauncher { refusal: Some("no memory"), ..TestLauncher::default() };
    let runtime = {
        let mut runtime = runtime;
        runtime.runner.background = Some(Box::new(refuses));
        runtime
    };
    let expected = "message: tenter: warning: hook `h` could not be started: no background worker could be started: no memory; went on without it\n";
    // Twice, because a failed run does not count.
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(expected));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls -a"), only_stdout(expected));
    let failed = |record: &RecordBody| {
        matches!(record, RecordBody::Failure { failure, policy: Policy::Allow, .. }
            if failure.class() == FailureClass::Missing)
    };
    assert_eq!(trail.records().iter().filter(|record| failed(record)).count(), 2);
}

#[test]
fn failed_background_run_releases_its_claim() {
    let trail = Arc::new(Trail::default());
    let hooks = vec![HookSpec { once: Once::Session, ..background("h") }];
    let (runtime, launcher) = runtime_with(hooks, &trail, crash());
    let started = |command: &str| {
        answer(&runtime, &TestAdapter::default(), command);
        launcher.accepted()
    };
    let first = started("one");
    assert_eq!((first.len(), started("two").len()), (1, 0));
    run_job(&runtime, &first[0]);
    assert_eq!((started("three").len(), started("four").len()), (1, 0));
}

#[test]
fn background_failure_notifies_at_next_event() {
    let large = inject(&"x".repeat(INJECTION_LIMIT + 1));
    for (report, expected) in [
        (crash(), "message: tenter: warning: hook `h` failed with exit code 1; went on without it\n"),
        (
            large,
            "message: tenter: warning: Context injection exceeds 10240 bytes: 10241 bytes (from h); nothing of it was injected\n",
        ),
        (notify("done"), "message: h: done\n"),
    ] {
        let trail = Arc::new(Trail::default());
        let (runtime, launcher) = runtime_with(vec![background("h")], &trail, report);
        answer(&runtime, &TestAdapter::default(), "ls");
        run_job(&runtime, &launcher.accepted()[0]);
        assert_eq!(answer(&runtime, &TestAdapter::default(), "pwd"), only_stdout(expected));
        assert_eq!(answer(&runtime, &TestAdapter::default(), "cat"), only_stdout(""));
    }
}

/// Otherwise, times would go backwards in the trail.
#[test]
fn background_record_has_its_end_time() {
    let trail = Arc::new(Trail::default());
    let (runtime, launcher) = runtime_with(vec![background("h")], &trail, crash());
    answer(&runtime, &TestAdapter::default(), "ls");
    let end = Timestamp::from_unix_ms(60_000);
    let later = {
        let mut runtime = runtime;
        runtime.clock = Arc::new(StoppedClock(end));
        runtime
    };
    run_job(&later, &launcher.accepted()[0]);
    let times: Vec<Timestamp> = trail
        .records()
        .iter()
        .filter_map(|record| match record {
            RecordBody::Background { at, event, .. } => {
                assert_ne!(event.at, end, "when it was started is kept with it");
                Some(*at)
            }
            RecordBody::Failure { event, .. } => Some(event.at),
            _ => None,
        })
        .collect();
    assert_eq!(times, [end, end]);
}

#[test]
fn background_verdict_is_a_failure() {
    let patch = json!({ "command": "true" }).as_object().cloned().unwrap();
    let query =
        ApprovalPrompt { prompt: "?".to_owned(), options: Vec::new(), timeout: None, default: Policy::Deny };
    for (what, verdict, effects) in [
        ("deny", Verdict::Deny { reason: "no".to_owned() }, Vec::new()),
        ("allow", Verdict::Allow { reason: None }, Vec::new()),
        ("ask", Verdict::Ask(query), Vec::new()),
        ("rewrite", Verdict::Abstain, vec![Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(patch)))]),
    ] {
        let report = HookReport::new(HookOutput::Reply(HookReply { verdict, effects }));
        let trail = Arc::new(Trail::default());
        let expected = format!(
            "message: tenter: warning: hook `h` gave an answer that cannot be read: a hook with `background: true` may not {what}; went on without it\n"
        );
        let (runtime, launcher) = runtime_with(vec![background("h")], &trail, report);
        answer(&runtime, &TestAdapter::default(), "ls");
        run_job(&runtime, &launcher.accepted()[0]);
        assert_eq!(answer(&runtime, &TestAdapter::default(), "pwd"), only_stdout(&expected), "{what}");
        let alone = {
            let mut runtime = runtime;
            runtime.runner.background = None;
            runtime
        };
        assert_eq!(answer(&alone, &TestAdapter::default(), "cat"), only_stdout(&expected), "{what}");
    }
}

#[test]
fn missing_background_runs_in_foreground() {
    let trail = Arc::new(Trail::default());
    let (runtime, _) = runtime_with(vec![background("h")], &trail, inject("found"));
    let runtime = {
        let mut runtime = runtime;
        runtime.runner.background = None;
        runtime
    };
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout("context: found\n"));
    let records = trail.records();
    let RecordBody::Event(record) = &records[0] else { panic!("{records:?}") };
    let notices = &record.outcome.runs[0].transcript.notices;
    assert_eq!(notices[..], ["the agent waited for it: nothing runs in the background here"]);
}

#[test]
fn background_hook_sees_earlier_rewrites() {
    let patch = json!({ "command": "ls -l" }).as_object().cloned().unwrap();
    let rewrite = HookReply {
        verdict: Verdict::Abstain,
        effects: vec![Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(patch)))],
    };
    let deny = HookReply { verdict: Verdict::Deny { reason: "no".to_owned() }, effects: Vec::new() };
    for (first, expected) in [(rewrite, Some("ls -l")), (deny, None)] {
        let trail = Arc::new(Trail::default());
        let report = HookReport::new(HookOutput::Reply(first));
        let (runtime, launcher) = runtime_with(vec![hook("first"), background("h")], &trail, report);
        answer(&runtime, &TestAdapter::default(), "ls");
        assert_eq!(launcher.accepted().first().and_then(command_of).as_deref(), expected);
    }
}

#[test]
fn ended_session_gets_records_only() {
    let trail = Arc::new(Trail::default());
    let (runtime, launcher) = runtime_with(vec![background("h")], &trail, inject("found"));
    answer(&runtime, &TestAdapter::default(), "ls");
    let job = &launcher.accepted()[0];
    let strangers =
        BackgroundJob { event: Arc::new(Event { session: None, ..(*job.event).clone() }), ..job.clone() };
    for (job, recipient) in [(job, Recipient::TrailOnly), (&strangers, Recipient::NextEvent)] {
        let outcome = runtime.run_job(job);
        runtime.finish_job(job, &outcome, recipient);
        let last = trail.records().pop().unwrap();
        assert!(
            matches!(&last, RecordBody::Background { degraded, .. }
                if matches!(degraded[..], [Degradation::NoContextChannel { bytes: 5, .. }])),
            "{last:?}"
        );
    }
    assert_eq!(answer(&runtime, &TestAdapter::default(), "pwd"), only_stdout(""));
}

#[test]
fn lost_background_output_is_reported() {
    let trail = Arc::new(Trail { full_disk: true, ..Trail::default() });
    let (runtime, launcher) = runtime_with(vec![background("h")], &trail, notify("done"));
    answer(&runtime, &TestAdapter::default(), "ls");
    let job = &launcher.accepted()[0];
    run_job(&runtime, job);
    let output = answer(&runtime, &TestAdapter::default(), "pwd").1;
    let lost = "tenter: error: the run of a background hook is not recorded: the audit trail";
    assert!(output.contains("h: done\n") && output.contains(lost), "{output}");

    let trail = Arc::new(Trail::default());
    let (runtime, _) = runtime_with(vec![background("h")], &trail, notify("done"));
    run_job(
        &{
            let mut runtime = runtime;
            runtime.sessions.store = Box::new(NoSessionStore);
            runtime
        },
        job,
    );
    let last = trail.records().pop().unwrap();
    assert!(
        matches!(&last, RecordBody::Failure { failure: HookFailure::Failed { detail }, .. }
            if detail.starts_with("its output is lost")),
        "{last:?}"
    );
}

#[test]
fn ended_job_fails_each_hook() {
    let trail = Arc::new(Trail::default());
    let (runtime, launcher) = runtime_with(vec![background("a")], &trail, inject("found"));
    answer(&runtime, &TestAdapter::default(), "ls");
    let job = launcher.accepted().pop().unwrap();
    let job = BackgroundJob { work: Work::Event { hooks: vec![hook("a"), hook("b")] }, ..job };
    let failure = HookFailure::Failed { detail: "the agent is gone".to_owned() };
    runtime.finish_job(&job, &Runtime::fail_job(&job, &failure), Recipient::TrailOnly);
    let names: Vec<String> = trail
        .records()
        .iter()
        .filter_map(|record| match record {
            RecordBody::Failure { hook, .. } => Some(hook.name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["a", "b"]);
}

/// The size above which an injection is refused.
const INJECTION_LIMIT: usize = tenter_contract::limits::INJECTION_LIMIT;
