//! What can go wrong or not fit: the rows of the table in SECURITY.md.

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, AgentInstaller};
use tenter_contract::{
    ApprovalPrompt, ContextChannel, Effect, Event, EventKind, ExecutionMode, Handler, HookFailure, HookId,
    HookOutput, HookReply, HookSpec, Injection, Layer, OnFailure, OutputPatch, Patch, Policy, Rewrite,
    RewriteOutput, Timestamp, Verdict,
};

use super::{Cause, Payload, World};

/// Everything that can go wrong or not fit, in the order of the table.
pub(super) fn causes(agent: &dyn AgentAdapter) -> Vec<Cause> {
    let mut causes = Vec::new();
    let failures = [
        (
            "a hook does not finish in time",
            HookFailure::TimedOut { after: std::time::Duration::from_secs(30) },
        ),
        ("a hook crashes", HookFailure::Crashed { exit_code: Some(1), signal: None }),
        ("a hook's answer cannot be read", HookFailure::Garbled { detail: "not JSON".to_owned() }),
        ("a hook's program is missing", HookFailure::Missing { detail: "not found".to_owned() }),
        ("our own code panics in a hook", HookFailure::Panicked { detail: "boom".to_owned() }),
    ];
    for (what, failure) in failures {
        causes.push(Cause { said: HookOutput::Failure(failure.clone()), ..cause(what, hook()) });
        let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
        let what = Box::leak(format!("{what}, `on_failure: deny`").into_boxed_str());
        causes.push(Cause { said: HookOutput::Failure(failure), ..cause(what, guard) });
    }
    let managed = HookSpec::new(HookId::new(Layer::Managed, "h"), EventKind::ToolPre, Handler::InProcess);
    let crash = HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    causes.push(Cause { said: crash, ..cause("a managed hook fails in any way", managed) });
    let rewrite = Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(object(&json!({"command": "ls"})))));
    let parallel = HookSpec { execution_mode: ExecutionMode::Parallel, ..hook() };
    causes.push(Cause { said: effect(rewrite), ..cause("a parallel hook rewrites", parallel) });
    causes.extend(in_background());
    let guard = || HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
    for (what, hook) in [
        ("the payload cannot be understood, no guard", hook()),
        ("the payload cannot be understood, some hook has `on_failure: deny`", guard()),
    ] {
        causes.push(Cause { payload: Payload::Garbage, ..cause(what, hook) });
    }
    for (what, hook) in [
        ("our own code panics, no guard", hook()),
        ("our own code panics, some hook has `on_failure: deny`", guard()),
    ] {
        causes.push(Cause { world: World::PanickingAdapter, ..cause(what, hook) });
    }
    causes.push(Cause {
        world: World::BrokenHookFile,
        ..cause("a hook file has a mistake: that hook is off, the others run", hook())
    });
    let deny = || verdict(Verdict::Deny { reason: "no".to_owned() });
    causes.push(Cause {
        world: World::StaleHookFile,
        said: deny(),
        ..cause("a hook file is broken: its last good version is in force, and a hook of it denies", hook())
    });
    causes.push(Cause { world: World::NoTrail, ..cause("the audit trail cannot be written", hook()) });
    causes.push(Cause {
        world: World::NoTrail,
        said: deny(),
        ..cause("the audit trail cannot be written, and a hook denies", hook())
    });
    causes.push(Cause {
        world: World::NoSessions,
        said: deny(),
        ..cause("the session state cannot be used, and a hook denies", hook())
    });
    causes.extend(two_routes());
    let query =
        ApprovalPrompt { prompt: "?".to_owned(), options: Vec::new(), timeout: None, default: Policy::Deny };
    causes.push(Cause {
        said: verdict(Verdict::Ask(query.clone())),
        ..cause("a hook asks before a tool runs", hook())
    });
    let options =
        ApprovalPrompt { options: vec![tenter_contract::Choice::named("Allow always")], ..query.clone() };
    causes.push(Cause {
        said: verdict(Verdict::Ask(options)),
        ..cause("a hook asks with options of its own, and there is no approver", hook())
    });
    causes.extend(at_a_approver(&query));
    causes.push(Cause {
        said: verdict(Verdict::Ask(query)),
        ..at("a hook asks about a prompt, and there is no approver", EventKind::PromptSubmit)
    });
    causes.extend(new_prompt(agent));
    causes.extend(odd_result(agent));
    let removal = Rewrite::ToolInput(Patch::Replace(object(&json!({"command": "ls -a"}))));
    causes.push(Cause {
        said: effect(Effect::Rewrite(removal)),
        ..cause("a hook's rewrite removes a key of the input", hook())
    });
    causes.push(Cause { said: deny(), ..at("a hook denies a result", EventKind::ToolPost) });
    causes.push(Cause {
        payload: Payload::OddResult,
        said: deny(),
        ..at("a hook denies a result of a shape that is not known", EventKind::ToolPost)
    });
    causes.push(Cause {
        said: deny(),
        ..at("a hook denies where nothing can be stopped", EventKind::SessionStart)
    });
    causes.extend(contexts(agent));
    causes.push(Cause {
        said: verdict(Verdict::Allow { reason: None }),
        ..cause("a hook allows without `may_allow`: the agent's own check still applies", hook())
    });
    causes
}

/// A hook that nobody waits for.
fn in_background() -> [Cause; 3] {
    let hook = || HookSpec { execution_mode: ExecutionMode::Background, ..hook() };
    let crash = HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    let deny = verdict(Verdict::Deny { reason: "no".to_owned() });
    let seen = |what, world, said| Cause { said, world, ..cause(what, hook()) };
    [
        seen("a hook fails in the background", World::InBackground, crash.clone()),
        seen("a hook denies, asks, allows or rewrites in the background", World::InBackground, deny),
        seen("a hook cannot be started in the background", World::NoBackground, crash),
    ]
}

/// A question for a person, who says nothing, or whom it does not reach.
fn at_a_approver(query: &ApprovalPrompt) -> [Cause; 3] {
    let asks = |what, world, default| Cause {
        said: verdict(Verdict::Ask(ApprovalPrompt { default, ..query.clone() })),
        world,
        ..cause(what, hook())
    };
    [
        asks("nobody answers a question in time", World::SilentApprover, Policy::Deny),
        asks(
            "nobody answers a question in time that says `default: allow`",
            World::SilentApprover,
            Policy::Allow,
        ),
        asks("a question cannot be kept (full disk, read-only state)", World::NoRegister, Policy::Deny),
    ]
}

/// A prompt in the place of another, unless the agent takes it.
fn new_prompt(agent: &dyn AgentAdapter) -> Option<Cause> {
    let prompt = Event::new(EventKind::PromptSubmit, agent.name(), None, Timestamp::default());
    let what = "a hook rewrites a prompt, which the agent cannot take";
    let said = effect(Effect::Rewrite(Rewrite::Prompt("p".to_owned())));
    (!agent.capabilities(&prompt).rewrite_prompt.possible())
        .then(|| Cause { said, ..at(what, EventKind::PromptSubmit) })
}

/// A result in a shape that the agent does not take, if there is one.
fn odd_result(agent: &dyn AgentAdapter) -> Option<Cause> {
    let after = Event::new(EventKind::ToolPost, agent.name(), None, Timestamp::default());
    let output = Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!("redacted"))));
    let what = "a hook rewrites a result, which the agent cannot take in that shape";
    (agent.capabilities(&after).rewrite_output != RewriteOutput::Freely)
        .then(|| Cause { said: effect(output), ..at(what, EventKind::ToolPost) })
}

/// One call that starts two processes.
fn two_routes() -> [Cause; 3] {
    let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
    let within = std::time::Duration::from_mins(10);
    let late = HookOutput::Failure(HookFailure::NotReached { within });
    let mut causes = [
        cause("a call comes again by another route, and a hook denied it there", hook()),
        cause("a call is still being judged by another route when the agent's time is up", hook()),
        cause(
            "a call is still being judged by another route when the agent's time is up, `on_failure: deny`",
            guard,
        ),
    ];
    let denied = verdict(Verdict::Deny { reason: "no".to_owned() });
    for (cause, (world, said)) in causes.iter_mut().zip([
        (World::AnsweredBefore, denied),
        (World::StillJudged, late.clone()),
        (World::StillJudged, late),
    ]) {
        (cause.world, cause.said) = (world, said);
    }
    causes
}

/// Text that has to wait, and text that is too much, with and without a folder to keep it in.
fn contexts(agent: &dyn AgentAdapter) -> Vec<Cause> {
    let can = |kind: &EventKind| {
        agent.capabilities(&Event::new(kind.clone(), agent.name(), None, Timestamp::default()))
    };
    let sent = agent.installer().map(AgentInstaller::events).unwrap_or_default();
    let takes_none = |kind: &&EventKind| {
        sent.contains(kind) && can(kind).context == ContextChannel::None && can(kind).later.possible()
    };
    let kinds = [EventKind::ToolPre, EventKind::ContextPostCompact, EventKind::OrchestratorComplete];
    // Best where the user can be told; some agents show no messages at all.
    let silent: Vec<&EventKind> = kinds.iter().filter(takes_none).collect();
    let silent = silent.iter().find(|kind| can(kind).message.possible()).or(silent.first()).copied();
    let inject = |texts: &[Injection]| {
        let effects = texts.iter().cloned().map(Effect::Inject).collect();
        HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects })
    };
    let waits = |what, world| {
        silent.map(|kind| Cause { world, said: inject(&[Injection::text("x")]), ..at(what, kind.clone()) })
    };
    // Two texts that are not the same: a repeat would be left out.
    let much = ["x", "y"].map(|letter| Injection::text(letter.repeat(6_000)));
    let spills = |what, world| Cause { world, said: inject(&much), ..at(what, EventKind::PromptSubmit) };
    let long = |what, text: fn(String) -> Injection| Cause {
        said: inject(&[text("x".repeat(12_000))]),
        ..at(what, EventKind::PromptSubmit)
    };
    let waiting = [
        waits("a hook has context at an event where the agent takes none", World::Sound),
        waits(
            "context has to wait for the next event, and the session folder cannot be written",
            World::NoSessions,
        ),
    ];
    let spilling = [
        long("one text of a reply has 12,000 bytes, and the limit is 10,240", Injection::text),
        long("a hook has printed 12,000 bytes, and the limit is 10,240", Injection::printed),
        spills("hooks have 12,000 characters of context", World::Sound),
        spills("12,000 characters of context, and the session folder cannot be written", World::NoSessions),
    ];
    waiting.into_iter().flatten().chain(spilling).collect()
}

fn cause(what: &'static str, hook: HookSpec) -> Cause {
    Cause {
        what,
        payload: Payload::Event,
        hook,
        said: HookOutput::Reply(HookReply::default()),
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
