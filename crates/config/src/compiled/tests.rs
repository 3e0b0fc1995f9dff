use std::sync::Arc;

use proptest::prelude::*;
use tenter_contract::{
    AgentName, Event, EventKind, HookSpec, Layer, Level, Limits, Message, OverBudget, OverLimit, Timestamp,
    ToolCall, ToolKind,
};

use tenter_kernel::matching::{concerns, may_concern};

use super::*;
use crate::{Format, SourceText, load};

const TOUR: &str = include_str!("../../samples/valid/tour.yaml");

fn tour() -> Compiled {
    let source =
        SourceText { name: "hooks.yaml", folder: "/f", layer: Layer::User, format: Format::Yaml, text: TOUR };
    let loaded = load(&source);
    assert!(!loaded.hooks.is_empty() && loaded.problems.is_empty());
    let problems = vec![Message { text: "a problem".to_owned(), level: Level::Warning }];
    let limits = Limits {
        injection_bytes: 4096,
        turn_tokens: 1,
        memory_tokens: 2,
        session_tokens: 3,
        over_limit: OverLimit::Spill,
        over_budget: OverBudget::Enforce,
    };
    let set = HookSet {
        overrides: loaded.overrides,
        approver: loaded.approver,
        limits,
        problems,
        ..HookSet::new(loaded.hooks)
    };
    Compiled { stamp: b"stamp".to_vec(), watched: vec!["/f/check.sh".to_owned()], set }
}

fn without_examples(mut compiled: Compiled) -> Compiled {
    for hook in &mut compiled.set.hooks {
        Arc::make_mut(hook).examples = tenter_contract::Examples::default();
    }
    compiled
}

#[test]
fn compiled_hooks_are_unchanged() {
    let bytes = tour().to_bytes().unwrap();
    assert_eq!(Compiled::from_bytes(&bytes), Some(without_examples(tour())));
}

#[test]
fn every_sample_hook_survives_compiling() {
    for (format, text) in [
        (Format::Toml, include_str!("../../samples/valid/tour.toml")),
        (Format::Json, include_str!("../../samples/valid/tour.json")),
        (Format::Yaml, include_str!("../../samples/valid/every-key.yaml")),
        (Format::Yaml, include_str!("../../samples/valid/kinds.yaml")),
        (Format::Yaml, include_str!("../../samples/valid/agents.yaml")),
    ] {
        let loaded = load(&SourceText { name: "h", folder: "/f", layer: Layer::User, format, text });
        assert!(!loaded.hooks.is_empty(), "{text}");
        let set =
            HookSet { overrides: loaded.overrides, approver: loaded.approver, ..HookSet::new(loaded.hooks) };
        let compiled = Compiled { set, ..Compiled::default() };
        let bytes = compiled.to_bytes().unwrap();
        assert_eq!(Compiled::from_bytes(&bytes), Some(without_examples(compiled)));
    }
}

/// Events of every kind, with calls that some of the hooks in the samples name and others do not.
fn events() -> Vec<Event> {
    let kinds = [
        EventKind::SessionStart,
        EventKind::PromptSubmit,
        EventKind::ToolPre,
        EventKind::ToolPost,
        EventKind::OrchestratorComplete,
    ];
    let commands = ["", "ls", "git push --force", "cd x && \"rm\" -rf y", "FOO=1 npm test", "sudo\\ x"];
    let tools = [("Bash", ToolKind::Shell), ("Write", ToolKind::Write), ("Task", ToolKind::Task)];
    let agents = [None, Some("reviewer")];
    let mut events = Vec::new();
    for kind in kinds {
        for (tool, tool_kind) in tools {
            for (command, agent) in commands.into_iter().flat_map(|command| agents.map(|it| (command, it))) {
                let mut event =
                    Event::new(kind.clone(), AgentName::from_static("claude"), None, Timestamp::default());
                let input = serde_json::json!({ "command": command, "file_path": "/repo/production/x.py" });
                event.tool = Some(ToolCall::new(tool, tool_kind, input.as_object().cloned().unwrap()));
                event.agent_type = agent.map(str::to_owned);
                event.prompt = Some("fix the build".to_owned());
                events.push(event);
            }
        }
    }
    events
}

/// A hook that is concerned may rewrite the input, so then every hook is there that some input could concern;
/// if none is, nothing is rewritten, and none is needed.
#[test]
fn only_hooks_an_event_cannot_concern_are_left_out() {
    let mut left_out = 0;
    for text in [
        TOUR,
        include_str!("../../samples/valid/every-key.yaml"),
        include_str!("../../samples/valid/kinds.yaml"),
        include_str!("../../samples/valid/agents.yaml"),
    ] {
        let source = SourceText { name: "h", folder: "/f", layer: Layer::User, format: Format::Yaml, text };
        let all = load(&source).hooks;
        let bytes = Compiled { set: HookSet::new(all.clone()), ..Compiled::default() }.to_bytes().unwrap();
        let opened = CompiledView::parse(&bytes).unwrap();
        for event in events() {
            let turn = matches!(event.kind, EventKind::PromptSubmit | EventKind::OrchestratorComplete);
            let found = opened.hook_set(Some(&event)).unwrap().hooks;
            let has = |hook: &HookSpec| found.iter().any(|other| other.id == hook.id);
            // Whatever is in the input, and whatever holds at the place.
            let could = |hook: &HookSpec| {
                let mut bare = HookSpec { when: tenter_contract::When::default(), ..hook.clone() };
                for selector in &mut bare.matcher.selectors {
                    if let tenter_contract::Selector::Call { tool, .. } = selector.clone() {
                        *selector = tenter_contract::Selector::Name(tool);
                    }
                }
                concerns(&bare, &event)
            };
            for hook in all.iter().filter(|hook| turn && hook.once == tenter_contract::Once::Turn) {
                assert!(has(hook), "{} at {}", hook.id.address(), event.kind);
            }
            if all.iter().any(|hook| may_concern(hook, &event)) {
                for hook in all.iter().filter(|hook| could(hook)) {
                    assert!(has(hook), "{} at {event:?}", hook.id.address());
                }
            }
            left_out += all.iter().filter(|hook| !has(hook)).count();
        }
    }
    assert!(left_out > 100, "{left_out}");
}

#[test]
fn foreign_hooks_keep_their_braces() {
    let text = r#"{"hooks": {"preToolUse": [{"command": "echo {tool.path} {tool.nonsense}"}], "stop": []}}"#;
    let source = SourceText { name: "q.json", folder: "/f", layer: Layer::User, format: Format::Json, text };
    let loaded = load(&source);
    assert_eq!((loaded.hooks.len(), loaded.problems.len()), (1, 0));
    let compiled = Compiled { set: HookSet::new(loaded.hooks), ..Compiled::default() };
    assert_eq!(Compiled::from_bytes(&compiled.to_bytes().unwrap()), Some(compiled));
}

#[test]
fn changed_format_changes_its_number() {
    let bytes = tour().to_bytes().unwrap();
    let format = format!("format {FORMAT}, {} bytes, {:x}", bytes.len(), checksum(&bytes));
    insta::assert_snapshot!(format, @"format 17, 796 bytes, 2813aaf22b24755e");
}

proptest! {
    #[test]
    fn damaged_bytes_are_never_hooks(place in 0usize..10_000, flip in 1u8..=255) {
        let mut bytes = tour().to_bytes().unwrap();
        let place = place % bytes.len();
        bytes[place] ^= flip;
        prop_assert_eq!(Compiled::from_bytes(&bytes), None);
        bytes.truncate(place);
        prop_assert_eq!(Compiled::from_bytes(&bytes), None);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(Compiled::from_bytes(&bytes), None);
    }
}
