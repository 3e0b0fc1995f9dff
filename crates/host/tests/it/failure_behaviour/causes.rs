//! The causes: the rows of the tables.

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, AgentInstaller};
use tenter_contract::{
    ApprovalPrompt, ContextChannel, Effect, Event, EventKind, ExecutionMode, Handler, HookFailure, HookId,
    HookOutput, HookReply, HookSpec, Injection, Layer, OnFailure, OutputPatch, Patch, Policy, Rewrite,
    RewriteOutput, Timestamp, Verdict,
};

use super::{Cause, Payload, World};

/// All causes, in the order of the table.
pub(super) fn causes(agent: &dyn AgentAdapter) -> Vec<Cause> {
    let mut causes = Vec::new();
    let failures = [
        ("a hook times out", HookFailure::TimedOut { after: std::time::Duration::from_secs(30) }),
        ("a hook crashes", HookFailure::Crashed { exit_code: Some(1), signal: None }),
        ("a hook's reply is garbled", HookFailure::Garbled { detail: "not JSON".to_owned() }),
        ("a hook's program is missing", HookFailure::Missing { detail: "not found".to_owned() }),
        ("tenter panics while it runs a hook", HookFailure::Panicked { detail: "boom".to_owned() }),
    ];
    for (what, failure) in failures {
        causes.push(Cause { output: HookOutput::Failure(failure.clone()), ..cause(what, hook()) });
        let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
        let what = Box::leak(format!("{what}, `on_failure: deny`").into_boxed_str());
        causes.push(Cause { output: HookOutput::Failure(failure), ..cause(what, guard) });
    }
    let managed = HookSpec::new(HookId::new(Layer::Managed, "h"), EventKind::ToolPre, Handler::InProcess);
    let crash = HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    causes.push(Cause { output: crash, ..cause("a managed hook fails", managed) });
    let rewrite = Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(object(&json!({"command": "ls"})))));
    let parallel = HookSpec { execution_mode: ExecutionMode::Parallel, ..hook() };
    causes.push(Cause { output: effect(rewrite), ..cause("a parallel hook rewrites its input", parallel) });
    causes.extend(in_background());
    let guard = || HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
    for (what, hook) in [
        ("the payload cannot be decoded", hook()),
        ("the payload cannot be decoded, and a hook has `on_failure: deny`", guard()),
    ] {
        causes.push(Cause { payload: Payload::Garbage, ..cause(what, hook) });
    }
    for (what, hook) in
        [("tenter panics", hook()), ("tenter panics, and a hook has `on_failure: deny`", guard())]
    {
        causes.push(Cause { world: World::PanickingAdapter, ..cause(what, hook) });
    }
    causes.push(Cause {
        world: World::BrokenHookFile,
        ..cause("a hook file has an error: this hook is off, the others run", hook())
    });
    let deny = || verdict(Verdict::Deny { reason: "no".to_owned() });
    causes.push(Cause {
        world: World::StaleHookFile,
        output: deny(),
        ..cause("a hook file is broken, and a hook of its last good version denies", hook())
    });
    causes.push(Cause { world: World::NoTrail, ..cause("the audit trail cannot be written", hook()) });
    causes.push(Cause {
        world: World::NoTrail,
        output: deny(),
        ..cause("the audit trail cannot be written, and a hook denies", hook())
    });
    causes.push(Cause {
        world: World::NoSessions,
        output: deny(),
        ..cause("the session state cannot be used, and a hook denies", hook())
    });
    causes.extend(two_routes());
    let query =
        ApprovalPrompt { prompt: "?".to_owned(), options: Vec::new(), timeout: None, default: Policy::Deny };
    causes.push(Cause {
        output: verdict(Verdict::Ask(query.clone())),
        ..cause("a hook asks before a tool runs", hook())
    });
    let options =
        ApprovalPrompt { options: vec![tenter_contract::Choice::named("Allow always")], ..query.clone() };
    causes.push(Cause {
        output: verdict(Verdict::Ask(options)),
        ..cause("a hook asks with its own options, and no approver runs", hook())
    });
    causes.extend(at_an_approver(&query));
    causes.push(Cause {
        output: verdict(Verdict::Ask(query)),
        ..at("a hook asks about a prompt, and no approver runs", EventKind::PromptSubmit)
    });
    causes.extend(new_prompt(agent));
    causes.extend(odd_result(agent));
    let removal = Rewrite::ToolInput(Patch::Replace(object(&json!({"command": "ls -a"}))));
    causes.push(Cause {
        output: effect(Effect::Rewrite(removal)),
        ..cause("a hook's rewrite removes a key of the input", hook())
    });
    causes.push(Cause { output: deny(), ..at("a hook denies a result", EventKind::ToolPost) });
    causes.push(Cause {
        payload: Payload::OddResult,
        output: deny(),
        ..at("a hook denies a result of an unknown shape", EventKind::ToolPost)
    });
    causes.push(Cause {
        output: deny(),
        ..at("a hook denies at an event that cannot be stopped", EventKind::SessionStart)
    });
    causes.extend(contexts(agent));
    causes.push(Cause {
        output: verdict(Verdict::Allow { reason: None }),
        ..cause("a hook allows without `may_allow` (the agent's own check applies)", hook())
    });
    causes
}

/// Hooks in the background.
fn in_background() -> [Cause; 3] {
    let hook = || HookSpec { execution_mode: ExecutionMode::Background, ..hook() };
    let crash = HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    let deny = verdict(Verdict::Deny { reason: "no".to_owned() });
    let seen = |what, world, output| Cause { output, world, ..cause(what, hook()) };
    [
        seen("a background hook fails", World::InBackground, crash.clone()),
        seen("a background hook denies, asks, allows or rewrites", World::InBackground, deny),
        seen("a background hook cannot be started", World::NoBackground, crash),
    ]
}

/// A question that is never answered, or cannot be stored.
fn at_an_approver(query: &ApprovalPrompt) -> [Cause; 3] {
    let asks = |what, world, default| Cause {
        output: verdict(Verdict::Ask(ApprovalPrompt { default, ..query.clone() })),
        world,
        ..cause(what, hook())
    };
    [
        asks("a question times out", World::SilentApprover, Policy::Deny),
        asks("a question with `default: allow` times out", World::SilentApprover, Policy::Allow),
        asks("a question cannot be stored (full disk, read-only state)", World::NoRegister, Policy::Deny),
    ]
}

/// A rewritten prompt, for agents that do not support it.
fn new_prompt(agent: &dyn AgentAdapter) -> Option<Cause> {
    let prompt = Event::new(EventKind::PromptSubmit, agent.name(), None, Timestamp::default());
    let what = "a hook rewrites a prompt, which the agent does not support";
    let output = effect(Effect::Rewrite(Rewrite::Prompt("p".to_owned())));
    (!agent.capabilities(&prompt).rewrite_prompt.possible())
        .then(|| Cause { output, ..at(what, EventKind::PromptSubmit) })
}

/// A result in a shape that the agent does not support, if there is one.
fn odd_result(agent: &dyn AgentAdapter) -> Option<Cause> {
    let after = Event::new(EventKind::ToolPost, agent.name(), None, Timestamp::default());
    let output = Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!("redacted"))));
    let what = "a hook rewrites a result into a shape that the agent does not support";
    (agent.capabilities(&after).rewrite_output != RewriteOutput::Freely)
        .then(|| Cause { output: effect(output), ..at(what, EventKind::ToolPost) })
}

/// One call that starts two processes.
fn two_routes() -> [Cause; 3] {
    let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
    let within = std::time::Duration::from_mins(10);
    let late = HookOutput::Failure(HookFailure::NotReached { within });
    let mut causes = [
        cause("a denied call arrives again by another route", hook()),
        cause("another route still decides the call at the deadline", hook()),
        cause("another route still decides the call at the deadline, `on_failure: deny`", guard),
    ];
    let denied = verdict(Verdict::Deny { reason: "no".to_owned() });
    for (cause, (world, output)) in causes.iter_mut().zip([
        (World::AnsweredBefore, denied),
        (World::StillJudged, late.clone()),
        (World::StillJudged, late),
    ]) {
        (cause.world, cause.output) = (world, output);
    }
    causes
}

/// Deferred texts and texts above a limit, with and without a session folder.
fn contexts(agent: &dyn AgentAdapter) -> Vec<Cause> {
    let can = |kind: &EventKind| {
        agent.capabilities(&Event::new(kind.clone(), agent.name(), None, Timestamp::default()))
    };
    let sent = agent.installer().map(AgentInstaller::events).unwrap_or_default();
    let takes_none = |kind: &&EventKind| {
        sent.contains(kind) && can(kind).context == ContextChannel::None && can(kind).later.possible()
    };
    let kinds = [EventKind::ToolPre, EventKind::ContextPostCompact, EventKind::OrchestratorComplete];
    // Prefer an event at which the agent shows messages.
    let silent: Vec<&EventKind> = kinds.iter().filter(takes_none).collect();
    let silent = silent.iter().find(|kind| can(kind).message.possible()).or(silent.first()).copied();
    let inject = |texts: &[Injection]| {
        let effects = texts.iter().cloned().map(Effect::Inject).collect();
        HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects })
    };
    let waits = |what, world| {
        silent.map(|kind| Cause { world, output: inject(&[Injection::text("x")]), ..at(what, kind.clone()) })
    };
    // Two different texts: a repeat would be left out.
    let much = ["x", "y"].map(|letter| Injection::text(letter.repeat(6_000)));
    let spills = |what, world| Cause { world, output: inject(&much), ..at(what, EventKind::PromptSubmit) };
    let long = |what, text: fn(String) -> Injection| Cause {
        output: inject(&[text("x".repeat(12_000))]),
        ..at(what, EventKind::PromptSubmit)
    };
    let waiting = [
        waits("a hook injects at an event without a context channel", World::Sound),
        waits("deferred context, and the session folder cannot be written", World::NoSessions),
    ];
    let spilling = [
        long("one injected text has 12,000 bytes; the limit is 10,240", Injection::text),
        long("a hook prints 12,000 bytes of context; the limit is 10,240", Injection::printed),
        spills("hooks inject 12,000 characters at one event", World::Sound),
        spills("the same, and the session folder cannot be written", World::NoSessions),
    ];
    waiting.into_iter().flatten().chain(spilling).collect()
}

fn cause(what: &'static str, hook: HookSpec) -> Cause {
    Cause {
        what,
        payload: Payload::Event,
        hook,
        output: HookOutput::Reply(HookReply::default()),
        world: World::Sound,
    }
}

fn at(what: &'static str, kind: EventKind) -> Cause {
    cause(what, HookSpec { event: kind, ..hook() })
}

fn hook() -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::InProcess)
}

fn verdict(verdict: Verdict) -> HookOutput {
    HookOutput::Reply(HookReply { verdict, effects: Vec::new() })
}

fn effect(effect: Effect) -> HookOutput {
    HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects: vec![effect] })
}

fn object(value: &Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap()
}
