//! Whatever hooks inject, the ledger, the record and what the agent received agree to the byte.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use tenter_contract::{
    Capabilities, ContextChannel, Effect, EventKind, HookOutput, HookReply, HookReport, HookSet, HookSpec,
    Injection, InjectionStatus, LedgerEntry, Limits, Once, OverBudget, OverLimit, RecordBody, Repeat, Role,
    SessionId, Support, Verdict,
};
use tenter_runtime::kit::MemorySessions;

use crate::kit::{TestAdapter, Trail, answer, hook, inject, only_stdout, runtime};

/// An injected text of a hook.
#[derive(Clone, Debug)]
struct HookText {
    hook: usize,
    text: Injection,
}

/// An event with the agent's capabilities and the texts of hooks.
#[derive(Clone, Debug)]
struct TestEvent {
    kind: EventKind,
    turn: &'static str,
    source: Option<&'static str>,
    capabilities: Capabilities,
    texts: Vec<HookText>,
}

const HOOKS: [&str; 3] = ["a", "b", "c"];

fn text() -> impl Strategy<Value = Injection> {
    let content = prop_oneof![
        "[a-c]{1,3}",
        "[a-zä\n]{1,400}",
        "[a-zä\n]{90,1200}",
        Just("From b (3 bytes):\nx\u{200b}".to_owned())
    ];
    let role = prop::sample::select(Role::ALL.to_vec());
    let repeat = prop::sample::select(Repeat::ALL.to_vec());
    let key = prop::option::weighted(0.2, Just("k".to_owned()));
    (content, role, repeat, key, any::<bool>()).prop_map(|(content, role, repeat, key, ephemeral)| {
        Injection { role, repeat, key, ephemeral, ..Injection::text(content) }
    })
}

fn test_event() -> impl Strategy<Value = TestEvent> {
    let kind = prop::sample::select(vec![EventKind::ToolPre, EventKind::ToolPost, EventKind::SessionStart]);
    let turn = prop::sample::select(vec!["one", "two"]);
    let source = prop::sample::select(vec![None, None, Some("compact"), Some("resume")]);
    let channel =
        prop::sample::select(vec![ContextChannel::Always, ContextChannel::Always, ContextChannel::None]);
    let limit = prop::option::weighted(0.3, 300usize..900);
    let role = prop::sample::select(vec![Support::Yes, Support::No]);
    let texts = prop::collection::vec(
        (0..HOOKS.len(), text()).prop_map(|(hook, text)| HookText { hook, text }),
        0..5,
    );
    (kind, turn, source, (channel, limit, role), texts).prop_map(
        |(kind, turn, source, capabilities, texts)| {
            let (context, context_limit, role) = capabilities;
            let capabilities = Capabilities { context, context_limit, role, ..Capabilities::EVERYTHING };
            TestEvent { kind, turn, source, capabilities, texts }
        },
    )
}

fn limits() -> impl Strategy<Value = Limits> {
    let over_limit = prop::sample::select(OverLimit::ALL.to_vec());
    let over_budget = prop::sample::select(OverBudget::ALL.to_vec());
    (100usize..500, 1u64..400, over_limit, over_budget).prop_map(
        |(injection_bytes, turn_tokens, over_limit, over_budget)| Limits {
            injection_bytes,
            turn_tokens,
            session_tokens: 2 * turn_tokens,
            over_limit,
            over_budget,
            ..Limits::default()
        },
    )
}

/// The limit of Claude Code, in UTF-16 units.
const CLAUDE_LIMIT: usize = 10_000;

/// A text at one of the real limits or far above: `injection_bytes` counts bytes, Claude Code
/// UTF-16 units, of which the emoji has two.
fn large() -> impl Strategy<Value = HookText> {
    let letter = prop::sample::select(vec!["x", "é", "✓", "🪝", "x\n"]);
    let size =
        prop::sample::select(vec![1, 3000, 9_990, 10_000, 10_010, 10_239, 10_240, 10_241, 20_480, 60_000]);
    let counted_in_bytes = any::<bool>();
    let repeat = prop::sample::select(Repeat::ALL.to_vec());
    (0..HOOKS.len(), letter, size, counted_in_bytes, repeat).prop_map(
        |(hook, letter, size, bytes, repeat)| {
            let one = if bytes { letter.len() } else { letter.encode_utf16().count() };
            // Padding meets the limit exactly.
            let content = format!("{}{}", letter.repeat(size / one), "-".repeat(size % one));
            HookText { hook, text: Injection { repeat, ..Injection::text(content) } }
        },
    )
}

/// The default limits, with each policy for longer texts.
fn real_limits() -> impl Strategy<Value = Limits> {
    let over_limit = prop::sample::select(OverLimit::ALL.to_vec());
    let over_budget = prop::sample::select(OverBudget::ALL.to_vec());
    let turn_tokens = prop::sample::select(vec![1000, 5000]);
    (over_limit, over_budget, turn_tokens).prop_map(|(over_limit, over_budget, turn_tokens)| Limits {
        turn_tokens,
        over_limit,
        over_budget,
        ..Limits::default()
    })
}

/// The context of an answer of the test adapter.
fn context(stdout: &str) -> Option<&str> {
    let rest = stdout.strip_prefix("context: ")?;
    Some(rest.split_once("\nmessage: ").map_or_else(|| rest.strip_suffix('\n').unwrap(), |(text, _)| text))
}

/// The message of these ledger entries.
fn message(entries: &[LedgerEntry]) -> String {
    let of_all = entries.iter().any(|entry| entry.spilled.is_some() || entry.status == InjectionStatus::Cut);
    let texts = || entries.iter().filter(|entry| entry.status != InjectionStatus::Line);
    let mut message = String::new();
    for entry in entries {
        let LedgerEntry { by, injection, status, bytes, .. } = entry;
        if entries.len() > 1 {
            message += if message.is_empty() { "Hook feedback:\n\n" } else { "\n\n" };
            let all = injection.whole_bytes();
            let size = if *bytes == all { all.to_string() } else { format!("{bytes} of {all}") };
            if *status != InjectionStatus::Line {
                writeln!(message, "From {by} ({size} bytes):").unwrap();
            }
        }
        let text = injection.received(by, *bytes);
        assert_eq!(text.len(), *bytes);
        message += &text;
        if !of_all {
            message += &injection.tail();
        }
    }
    if of_all {
        let kept: usize = texts().map(|entry| entry.bytes).sum();
        let all: usize = texts().map(|entry| entry.injection.whole_bytes()).sum();
        let path = entries.iter().find_map(|entry| entry.spilled.as_ref());
        let place = path.map(|path| format!("; the whole text is in {path}")).unwrap_or_default();
        write!(message, "\n\n… [{kept} of {all} bytes{place}]").unwrap();
    }
    message
}

/// The file number of a spilled text.
fn file(entry: &LedgerEntry) -> Option<usize> {
    let path = entry.spilled.as_deref().or_else(|| entry.injection.form.path())?;
    path.strip_prefix("memory/context-")?.strip_suffix(".txt")?.parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn ledger_record_and_agent_agree(limits in limits(), events in prop::collection::vec(test_event(), 1..12)) {
        assert_agreement(limits, events)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn ledger_agrees_at_the_limits(
        limits in real_limits(),
        events in prop::collection::vec(prop::collection::vec(large(), 1..5), 1..4),
    ) {
        let test_event = |texts| TestEvent {
            kind: EventKind::ToolPost,
            turn: "one",
            source: None,
            capabilities: Capabilities { context_limit: Some(CLAUDE_LIMIT), ..Capabilities::EVERYTHING },
            texts,
        };
        assert_agreement(limits, events.into_iter().map(test_event).collect())?;
    }
}

/// Sends the events and compares after each.
fn assert_agreement(limits: Limits, events: Vec<TestEvent>) -> Result<(), TestCaseError> {
    let trail = Arc::new(Trail::default());
    let now: Arc<Mutex<Vec<HookText>>> = Arc::default();
    let current = Arc::clone(&now);
    let hooks = [EventKind::ToolPre, EventKind::ToolPost, EventKind::SessionStart]
        .into_iter()
        .flat_map(|event| HOOKS.map(|name| HookSpec { event: event.clone(), ..hook(name) }));
    let base = runtime(hooks.collect(), &trail, move |hook, _| {
        let texts = current.lock().unwrap();
        let own = texts.iter().filter(|it| HOOKS[it.hook] == hook.id.name);
        let effects = own.map(|it| Effect::Inject(it.text.clone())).collect();
        HookReport::new(HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects }))
    });
    let sessions = MemorySessions::default();
    let (ledgers, contexts) = (sessions.ledgers.clone(), sessions.clone());
    let set = HookSet { limits, ..base.catalog.source.at(None).unwrap() };
    let runtime = {
        let mut runtime = base;
        runtime.catalog.source = Box::new(set);
        runtime.sessions.store = Box::new(sessions);
        runtime
    };
    let session = SessionId::parse("s1").unwrap();
    let (mut known, mut recorded) = (0, 0);
    for event in events {
        now.lock().unwrap().clone_from(&event.texts);
        let adapter = TestAdapter {
            kind: Some(event.kind.clone()),
            turn: Some(event.turn),
            source: event.source,
            capabilities: Some(event.capabilities),
            ..TestAdapter::default()
        };
        let (_, stdout, _) = answer(&runtime, &adapter, "ls");
        let entries: Vec<LedgerEntry> =
            ledgers.entries(&session).into_iter().skip(known).map(|(_, entry)| entry).collect();
        known += entries.len();
        let records: Vec<LedgerEntry> = trail
            .records()
            .into_iter()
            .skip(recorded)
            .filter_map(|record| match record {
                RecordBody::Injection { entry, .. } => Some(*entry),
                _ => None,
            })
            .collect();
        recorded = trail.records().len();
        let delivered: Vec<LedgerEntry> =
            entries.iter().filter(|entry| entry.status.reached_agent()).cloned().collect();
        prop_assert_eq!(&delivered, &records);
        let text = context(&stdout);
        prop_assert_eq!(text.is_some(), !delivered.is_empty(), "{}", stdout);
        if let Some(text) = text {
            let most = event.capabilities.context_limit.unwrap_or(usize::MAX);
            prop_assert!(text.encode_utf16().count() <= most, "{} bytes", text.len());
            // If the headers alone exceed the limit, no text is delivered.
            if delivered.iter().any(|entry| entry.bytes > 0) {
                prop_assert_eq!(text, message(&delivered), "{:#?}", delivered);
            }
            // The named file contains the complete text of the hook.
            for entry in delivered.iter().filter(|entry| entry.status == InjectionStatus::Spilled) {
                let number = file(entry).ok_or_else(|| TestCaseError::fail("it names no file"))?;
                let kept = contexts.contexts(&session)[number - 1].clone();
                prop_assert!(kept.contains(entry.injection.whole_content()), "{} {:#?}", kept, entry);
                let pointer = format!("the whole text is in memory/context-{number}.txt]");
                prop_assert!(text.contains(&pointer), "{}", text);
                let pointers = text.matches("the whole text is in").count();
                prop_assert!(entry.spilled.is_none() || pointers == 1, "{}", text);
            }
        }
        for entry in &entries {
            let reached = entry.status.reached_agent();
            // The agent may receive only the path of a spilled text.
            prop_assert!(reached || entry.bytes == 0, "{:?}", entry);
            prop_assert!(
                entry.bytes > 0 || !reached || event.capabilities.context_limit.is_some(),
                "{:?}",
                entry
            );
            prop_assert!(
                entry.injection.content.len() <= limits.injection_bytes
                    || entry.status == InjectionStatus::Rejected
            );
        }
    }
    if limits.over_budget == OverBudget::Enforce {
        for turn in ["one", "two"] {
            let all = ledgers.entries(&session);
            let of_turn = all.iter().filter(|(moment, _)| moment.turn == turn);
            let spent: u64 = of_turn.map(|(_, entry)| entry.tokens).sum();
            prop_assert!(spent <= limits.turn_tokens, "{spent} of {}", limits.turn_tokens);
        }
    }
    Ok(())
}

#[test]
fn deferred_text_is_counted_on_delivery() {
    let trail = Arc::new(Trail::default());
    let base = runtime(vec![hook("hint")], &trail, |_, event| {
        let tool = event.tool.as_ref().unwrap();
        inject(tool.input["command"].as_str().unwrap())
    });
    let sessions = MemorySessions::default();
    let ledgers = sessions.ledgers.clone();
    let runtime = {
        let mut runtime = base;
        runtime.sessions.store = Box::new(sessions);
        runtime
    };
    let without_context = TestAdapter {
        capabilities: Some(Capabilities { context: ContextChannel::None, ..Capabilities::EVERYTHING }),
        ..TestAdapter::default()
    };
    assert_eq!(answer(&runtime, &without_context, "one"), only_stdout(""));
    answer(&runtime, &TestAdapter::default(), "two");
    answer(&runtime, &TestAdapter::default(), "three");
    let entries = ledgers.entries(&SessionId::parse("s1").unwrap());
    let summary: Vec<(&str, &str, u64)> = entries
        .iter()
        .map(|(_, entry)| (entry.injection.content.as_str(), entry.status.as_str(), entry.tokens))
        .collect();
    assert_eq!(
        summary,
        [("one", "deferred", 0), ("one", "delivered", 1), ("two", "delivered", 1), ("three", "delivered", 2)]
    );
}

/// A prompt hook reports a state, independent of other hooks.
#[test]
fn returning_state_is_injected_again() {
    let trail = Arc::new(Trail::default());
    let of_prompt = |name| HookSpec { event: EventKind::PromptSubmit, ..hook(name) };
    let runtime = runtime(vec![of_prompt("state"), of_prompt("twin")], &trail, |_, event| {
        inject(event.tool.as_ref().map_or("", |tool| tool.input["command"].as_str().unwrap()))
    });
    let prompt = TestAdapter { kind: Some(EventKind::PromptSubmit), ..TestAdapter::default() };
    let compacted = TestAdapter { kind: Some(EventKind::ContextPostCompact), ..TestAdapter::default() };
    for (state, expected) in [
        ("clean", "context: clean\n"),
        ("clean", ""),
        ("dirty", "context: dirty\n"),
        ("clean", "context: clean\n"),
        ("clean", ""),
        ("compacted", ""),
        ("clean", "context: clean\n"),
        ("clean", ""),
    ] {
        let event = if state == "compacted" { &compacted } else { &prompt };
        assert_eq!(answer(&runtime, event, state), only_stdout(expected), "{state}");
    }
}

/// One or two events of a compaction begin one new context, in which `once: session` runs again.
#[test]
fn compaction_begins_a_context() {
    let trail = Arc::new(Trail::default());
    let rules = HookSpec { once: Once::Session, ..hook("rules") };
    let runtime = runtime(vec![rules, hook("branch")], &trail, |hook, _| inject(&hook.id.name));
    let test_event = |kind, source| TestAdapter { kind: Some(kind), source, ..TestAdapter::default() };
    let both = "context: Hook feedback:\n\nFrom rules (5 bytes):\nrules\n\nFrom branch (6 bytes):\nbranch\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "1"), only_stdout(both));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "2"), only_stdout(""));
    for (kind, source) in [
        (EventKind::SessionStart, Some("resume")),
        (EventKind::ContextPreCompact, Some("auto")),
        (EventKind::SessionStart, Some("startup")),
    ] {
        answer(&runtime, &test_event(kind.clone(), source), "x");
        assert_eq!(answer(&runtime, &TestAdapter::default(), "3"), only_stdout(""), "{kind} {source:?}");
    }
    for events in [
        &[(EventKind::SessionStart, Some("compact"))][..],
        &[(EventKind::ContextPostCompact, Some("auto")), (EventKind::SessionStart, Some("compact"))],
        &[(EventKind::ContextPostCompact, None)],
        &[(EventKind::SessionStart, Some("clear"))],
    ] {
        for (kind, source) in events {
            answer(&runtime, &test_event(kind.clone(), *source), "x");
        }
        assert_eq!(answer(&runtime, &TestAdapter::default(), "4"), only_stdout(both), "{events:?}");
        assert_eq!(answer(&runtime, &TestAdapter::default(), "5"), only_stdout(""), "{events:?}");
    }
}
