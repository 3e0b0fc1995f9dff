//! The table *When are we open?* in SECURITY.md. Every row is observed: the cause is brought about with the
//! real adapter and the real kernel, and what comes out is what stands in the table.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Instant;

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Surroundings};
use tenter_contract::{
    Answer, Company, ContextChannel, Effect, Event, EventKind, Handler, HookFailure, HookId, HookReply,
    HookReport, HookSet, HookSpec, Injection, Layer, Level, Message, OnFailure, OutputPatch, Patch, Policy,
    Query, RecordBody, Rewrite, RewriteOutput, Said, SessionId, Timestamp, Unfit, Verdict,
};
use tenter_runtime::Runtime;
use tenter_runtime::background::Audience;
use tenter_runtime::kit::{
    FunctionExecutor, KnownFacts, MemoryReplies, MemorySessions, MemoryTrail, NoDesk, StoppedClock,
};

use crate::broken_parts::{Panicking, Taker, Unusable};
use crate::generated;

/// Something that goes wrong, or cannot be carried.
struct Cause {
    what: &'static str,
    payload: Payload,
    hook: HookSpec,
    said: Said,
    world: World,
}

/// What the agent sends.
#[derive(Clone, Copy, PartialEq)]
enum Payload {
    Event,
    /// With a result of which we do not know the shape.
    OddResult,
    Garbage,
}

/// What the world around the hook is like.
#[derive(Clone, Copy, PartialEq)]
enum World {
    Sound,
    NoTrail,
    NoSessions,
    BrokenHookFile,
    PanickingAdapter,
    /// The same call was answered a moment ago, by another route.
    AnsweredBefore,
    /// Another route is not done with the same call, and the agent's time is up.
    StillJudged,
    /// The hook is run in the background. What happens is seen at once, who is told at the next event.
    InBackground,
    /// Nobody can run it there.
    NoBackground,
}

#[test]
fn security_md_says_when_we_are_open() {
    let mut table = String::from("| cause | agent | what happens | who is told |\n|---|---|---|---|\n");
    for agent in tenter_adapters::all() {
        for cause in causes(*agent) {
            let (happens, told) = observe(*agent, &cause);
            writeln!(table, "| {} | {} | {happens} | {told} |", cause.what, agent.name()).unwrap();
        }
    }
    generated::check("SECURITY.md", "when are we open", &table);
}

fn observe(agent: &dyn AgentAdapter, cause: &Cause) -> (String, String) {
    let trail = Arc::new(MemoryTrail::default());
    let said = cause.said.clone();
    let (asked, other_route) = (AtomicUsize::new(0), Arc::new(Barrier::new(2)));
    let (world, at_it) = (cause.world, Arc::clone(&other_route));
    let taker = Taker { refuses: cause.world == World::NoBackground, ..Taker::default() };
    let runtime = Runtime {
        hooks: Box::new(HookSet {
            problems: match cause.world {
                World::BrokenHookFile => {
                    vec![Message { text: "error: unknown key".to_owned(), level: Level::Error }]
                }
                _ => Vec::new(),
            },
            ..HookSet::of(vec![cause.hook.clone()])
        }),
        fuller: None,
        facts: Box::new(KnownFacts::default()),
        replies: Box::new(MemoryReplies::default()),
        executors: vec![Box::new(FunctionExecutor(move |_: &HookSpec, _: &Event| {
            if world == World::StillJudged && asked.fetch_add(1, Ordering::SeqCst) == 0 {
                at_it.wait();
                at_it.wait();
            }
            HookReport::of(said.clone())
        }))],
        desk: Box::new(NoDesk { why: "no desk".to_owned() }),
        trail: match cause.world {
            World::NoTrail => Box::new(Unusable),
            _ => Box::new(Arc::clone(&trail)),
        },
        sessions: match cause.world {
            World::NoSessions => Box::new(Unusable),
            _ => Box::new(MemorySessions::default()),
        },
        clock: Box::new(StoppedClock::default()),
        background: Some(Box::new(taker.clone())),
        onlooker: None,
        until: (cause.world == World::StillJudged).then(Instant::now),
        inside: None,
    };
    let payload = match cause.payload {
        Payload::Event => payload(agent, &cause.hook.event).to_string(),
        Payload::OddResult => {
            let mut payload = payload(agent, &cause.hook.event);
            payload["tool_response"] = json!({"new": "x"});
            payload.to_string()
        }
        Payload::Garbage => "{ not json".to_owned(),
    };
    let surroundings = Surroundings::default();
    if cause.world == World::AnsweredBefore {
        runtime.answer_whatever_happens(agent, payload.as_bytes(), &surroundings);
    }
    let answer = if cause.world == World::StillJudged {
        std::thread::scope(|scope| {
            scope.spawn(|| runtime.answer_whatever_happens(agent, payload.as_bytes(), &surroundings));
            other_route.wait();
            let answer = runtime.answer_whatever_happens(agent, payload.as_bytes(), &surroundings);
            other_route.wait();
            answer
        })
    } else if cause.world == World::PanickingAdapter {
        // The panic is wanted; its message is not.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let answer = runtime.answer_whatever_happens(&Panicking(agent), payload.as_bytes(), &surroundings);
        std::panic::set_hook(hook);
        answer
    } else {
        runtime.answer_whatever_happens(agent, payload.as_bytes(), &surroundings)
    };
    let records = trail.records();
    let happens = match context(&answer, &records) {
        Some(context) => format!("{}; {context}", happens(agent, &answer, &cause.hook.event)),
        None => happens(agent, &answer, &cause.hook.event).to_owned(),
    };
    if cause.world == World::InBackground {
        let errand = taker.taken.lock().unwrap().pop().unwrap();
        runtime.settle_errand(&errand, &runtime.run_errand(&errand), Audience::NextEvent);
        let next = self::payload(agent, &EventKind::PromptSubmit).to_string();
        let answer = runtime.answer_whatever_happens(agent, next.as_bytes(), &surroundings);
        return (happens, format!("at the next event: {}", told(&answer, &trail.records(), cause)));
    }
    (happens, told(&answer, &records, cause))
}

/// What becomes of the text for the model, if there was any.
fn context(answer: &Answer, records: &[RecordBody]) -> Option<&'static str> {
    let unfit = records.iter().flat_map(|record| match record {
        RecordBody::Event(record) => record.outcome.unfit.clone(),
        _ => Vec::new(),
    });
    let fate = |unfit: Unfit| match unfit {
        Unfit::Spilled { .. } => {
            Some("the model gets a fair beginning, and the path of a file with all of it")
        }
        Unfit::ContextCut { .. } => Some("the model gets a fair beginning, and nobody the rest"),
        Unfit::Carried { .. } => Some("the model gets the text at the next event that takes it"),
        Unfit::NoContextChannel { .. } => Some("the text is lost"),
        _ => None,
    };
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let arrived =
        json["hookSpecificOutput"]["additionalContext"].is_string() || json["additionalContext"].is_string();
    unfit.into_iter().find_map(fate).or(arrived.then_some("the model gets all of it"))
}

/// A payload of this agent, whatever it calls things.
fn payload(agent: &dyn AgentAdapter, kind: &EventKind) -> Value {
    let after = *kind == EventKind::ToolPost;
    match agent.name().as_str() {
        "claude" if after => json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Read",
            "tool_input": {"file_path": "a"}, "tool_response": {"type": "text", "file": {"filePath": "a",
            "content": "x", "numLines": 1, "startLine": 1, "totalLines": 1}}, "tool_use_id": "t"}),
        "claude" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "tool_name": "Bash", "tool_input": {"command": "ls", "description": "lists"},
            "tool_use_id": "t"}),
        "codex" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "model": "m", "turn_id": "u", "tool_name": "Bash",
            "tool_input": {"command": "ls", "description": "lists"}, "tool_response": "a", "tool_use_id": "t"}),
        "copilot" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "new", "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "Bash",
            "tool_input": {"command": "ls", "description": "lists"},
            "tool_result": {"result_type": "success", "text_result_for_llm": "a"}}),
        "gemini" => {
            let name = match kind {
                EventKind::ToolPre => "BeforeTool",
                EventKind::ToolPost => "AfterTool",
                EventKind::PromptSubmit => "BeforeAgent",
                other => other.claude_name(),
            };
            json!({"session_id": "s", "hook_event_name": name, "prompt": "p", "source": "startup",
                "tool_name": "run_shell_command", "tool_input": {"command": "ls", "description": "lists"},
                "tool_response": {"llmContent": "Output: a", "returnDisplay": "a"}})
        }
        "qwen" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "tool_name": "run_shell_command",
            "tool_input": {"command": "ls", "description": "lists"}, "tool_use_id": "t",
            "tool_response": {"llmContent": "Command: ls", "returnDisplay": "a"}}),
        other => panic!("no payloads of {other} are known here"),
    }
}

/// What this agent does with the answer.
fn happens(agent: &dyn AgentAdapter, answer: &Answer, kind: &EventKind) -> &'static str {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let specific = &json["hookSpecificOutput"];
    let (denies, asks, rewrites, withholds) = match agent.name().as_str() {
        "claude" => (
            specific["permissionDecision"] == "deny" || json["decision"] == "block",
            specific["permissionDecision"] == "ask",
            specific["updatedInput"].is_object(),
            specific["updatedToolOutput"].is_object(),
        ),
        "codex" => (
            specific["permissionDecision"] == "deny" || json["decision"] == "block",
            specific["permissionDecision"] == "ask",
            specific["updatedInput"].is_object(),
            true,
        ),
        "copilot" => (
            json["permissionDecision"] == "deny" || json["decision"] == "block",
            json["permissionDecision"] == "ask",
            json["modifiedArgs"].is_object(),
            true,
        ),
        "gemini" => {
            (json["decision"] == "deny", json["decision"] == "ask", specific["tool_input"].is_object(), true)
        }
        // It takes no rewritten input where tools are about to run, and no question anywhere.
        "qwen" => (json["continue"] == false || json["decision"] == "block", false, false, true),
        other => panic!("no answers to {other} are known here"),
    };
    let denies = denies || answer.exit_code == 2;
    match (denies, *kind == EventKind::ToolPost) {
        (true, true) if withholds => "**closed**: the model reads the reason in place of the result",
        (true, true) => "half open: the model is told that the result is denied, and sees it all the same",
        (true, false) => "**closed**: denied",
        (false, _) if asks => "closed until the user answers",
        (false, _) if rewrites => "goes on with the new input",
        (false, _) => "open: goes on",
    }
}

fn told(answer: &Answer, records: &[RecordBody], cause: &Cause) -> String {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let mut told = Vec::new();
    if json["hookSpecificOutput"]["permissionDecisionReason"].is_string()
        || json["permissionDecisionReason"].is_string()
        || json["reason"].is_string()
        || json["stopReason"].is_string()
        || answer.exit_code == 2
    {
        told.push("the agent, with the reason");
    } else if !answer.stderr.is_empty() {
        told.push("standard error");
    }
    if json["systemMessage"].is_string() {
        told.push("the user");
    }
    let failure = records.iter().any(|record| matches!(record, RecordBody::Failure { .. }));
    match (records.is_empty(), failure) {
        (true, _) => assert!(cause.world == World::NoTrail, "{}: no record", cause.what),
        (false, true) => told.push("the trail (`hook:failed`)"),
        (false, false) => told.push("the trail"),
    }
    told.join("; ")
}

fn causes(agent: &dyn AgentAdapter) -> Vec<Cause> {
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
        causes.push(Cause { said: Said::Failure(failure.clone()), ..cause(what, hook()) });
        let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
        let what = Box::leak(format!("{what}, `on_failure: deny`").into_boxed_str());
        causes.push(Cause { said: Said::Failure(failure), ..cause(what, guard) });
    }
    let managed = HookSpec::new(HookId::new(Layer::Managed, "h"), EventKind::ToolPre, Handler::InProcess);
    let crash = Said::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    causes.push(Cause { said: crash, ..cause("a managed hook fails in any way", managed) });
    let rewrite = Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(object(&json!({"command": "ls"})))));
    let parallel = HookSpec { company: Company::Parallel, ..hook() };
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
    causes.push(Cause { world: World::NoTrail, ..cause("the audit trail cannot be written", hook()) });
    let deny = || verdict(Verdict::Deny { reason: "no".to_owned() });
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
    let query = Query { prompt: "?".to_owned(), options: Vec::new(), timeout: None, default: Policy::Deny };
    causes.push(Cause {
        said: verdict(Verdict::Ask(query.clone())),
        ..cause("a hook asks before a tool runs", hook())
    });
    let options = Query { options: vec!["Allow always".to_owned()], ..query.clone() };
    causes.push(Cause {
        said: verdict(Verdict::Ask(options)),
        ..cause("a hook asks with options of its own, and there is no desk", hook())
    });
    causes.push(Cause {
        said: verdict(Verdict::Ask(query)),
        ..at("a hook asks about a prompt, and there is no desk", EventKind::PromptSubmit)
    });
    causes.push(Cause {
        said: effect(Effect::Rewrite(Rewrite::Prompt("p".to_owned()))),
        ..at("a hook rewrites a prompt, which the agent cannot take", EventKind::PromptSubmit)
    });
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
    let hook = || HookSpec { company: Company::Background, ..hook() };
    let crash = Said::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None });
    let deny = verdict(Verdict::Deny { reason: "no".to_owned() });
    let seen = |what, world, said| Cause { said, world, ..cause(what, hook()) };
    [
        seen("a hook fails in the background", World::InBackground, crash.clone()),
        seen("a hook denies, asks, allows or rewrites in the background", World::InBackground, deny),
        seen("a hook cannot be started in the background", World::NoBackground, crash),
    ]
}

/// A result in a shape that the agent does not take, if there is one.
fn odd_result(agent: &dyn AgentAdapter) -> Option<Cause> {
    let after = Event::new(EventKind::ToolPost, agent.name(), SessionId::unknown(), Timestamp::default());
    let output = Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!("redacted"))));
    let what = "a hook rewrites a result, which the agent cannot take in that shape";
    (agent.abilities(&after).rewrite_output != RewriteOutput::Freely)
        .then(|| Cause { said: effect(output), ..at(what, EventKind::ToolPost) })
}

/// One call that starts two processes.
fn two_routes() -> [Cause; 3] {
    let guard = HookSpec { on_failure: OnFailure::always(Policy::Deny), ..hook() };
    let within = std::time::Duration::from_mins(10);
    let late = Said::Failure(HookFailure::NotReached { within });
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
fn contexts(agent: &dyn AgentAdapter) -> [Cause; 4] {
    let can = |kind: &EventKind| {
        agent.abilities(&Event::new(kind.clone(), agent.name(), SessionId::unknown(), Timestamp::default()))
    };
    let sent = agent.installer().map(AgentInstaller::events).unwrap_or_default();
    let takes_none = |kind: &&EventKind| {
        sent.contains(kind) && can(kind).context == ContextChannel::None && can(kind).later.possible()
    };
    let kinds = [EventKind::ToolPre, EventKind::ContextPostCompact, EventKind::OrchestratorComplete];
    // Best where the user can be told; some agents show no messages at all.
    let silent: Vec<&EventKind> = kinds.iter().filter(takes_none).collect();
    let silent = silent.iter().find(|kind| can(kind).message.possible()).or(silent.first()).unwrap();
    let silent = (*silent).clone();
    let inject = |text: &str, times| {
        let effects = vec![Effect::Inject(Injection::text(text)); times];
        Said::Reply(HookReply { verdict: Verdict::Abstain, effects })
    };
    let waits = |what, world| Cause { world, said: inject("x", 1), ..at(what, silent.clone()) };
    let much = "x".repeat(6_000);
    let spills = |what, world| Cause { world, said: inject(&much, 2), ..at(what, EventKind::PromptSubmit) };
    [
        waits("a hook has context at an event where the agent takes none", World::Sound),
        waits(
            "context has to wait for the next event, and the session folder cannot be written",
            World::NoSessions,
        ),
        spills("hooks have 12,000 characters of context", World::Sound),
        spills("12,000 characters of context, and the session folder cannot be written", World::NoSessions),
    ]
}

fn cause(what: &'static str, hook: HookSpec) -> Cause {
    Cause {
        what,
        payload: Payload::Event,
        hook,
        said: Said::Reply(HookReply::default()),
        world: World::Sound,
    }
}

fn at(what: &'static str, kind: EventKind) -> Cause {
    cause(what, HookSpec { event: kind, ..hook() })
}

fn hook() -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::InProcess)
}

fn verdict(verdict: Verdict) -> Said {
    Said::Reply(HookReply { verdict, effects: Vec::new() })
}

fn effect(effect: Effect) -> Said {
    Said::Reply(HookReply { verdict: Verdict::Abstain, effects: vec![effect] })
}

fn object(value: &Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap()
}
