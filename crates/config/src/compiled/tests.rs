use proptest::prelude::*;
use tenter_contract::{
    AgentName, Event, EventKind, HookSpec, Layer, Level, Message, SessionId, Timestamp, ToolCall, ToolKind,
};

use super::*;
use crate::{Format, SourceText, load};

const TOUR: &str = include_str!("../../samples/valid/tour.yaml");

fn tour() -> Compiled {
    let source =
        SourceText { name: "hooks.yaml", folder: "/f", layer: Layer::User, format: Format::Yaml, text: TOUR };
    let loaded = load(&source);
    assert!(!loaded.hooks.is_empty() && loaded.problems.is_empty());
    let problems = vec![Message { text: "a problem".to_owned(), level: Level::Warning }];
    let set = HookSet { hooks: loaded.hooks, overrides: loaded.overrides, problems };
    Compiled { stamp: b"stamp".to_vec(), watched: vec!["/f/check.sh".to_owned()], set }
}

fn without_examples(mut compiled: Compiled) -> Compiled {
    for hook in &mut compiled.set.hooks {
        hook.examples = tenter_contract::Examples::default();
    }
    compiled
}

#[test]
fn what_was_compiled_is_the_same_hooks() {
    let bytes = tour().to_bytes().unwrap();
    assert_eq!(Compiled::from_bytes(&bytes), Some(without_examples(tour())));
}

#[test]
fn every_kind_of_hook_in_the_samples_survives() {
    for (format, text) in [
        (Format::Toml, include_str!("../../samples/valid/tour.toml")),
        (Format::Json, include_str!("../../samples/valid/tour.json")),
        (Format::Yaml, include_str!("../../samples/valid/every-key.yaml")),
        (Format::Yaml, include_str!("../../samples/valid/kinds.yaml")),
        (Format::Yaml, include_str!("../../samples/valid/agents.yaml")),
    ] {
        let loaded = load(&SourceText { name: "h", folder: "/f", layer: Layer::User, format, text });
        assert!(!loaded.hooks.is_empty(), "{text}");
        let set = HookSet { hooks: loaded.hooks, overrides: loaded.overrides, problems: Vec::new() };
        let compiled = Compiled { set, ..Compiled::default() };
        let bytes = compiled.to_bytes().unwrap();
        assert_eq!(Compiled::from_bytes(&bytes), Some(without_examples(compiled)));
    }
}

/// What is left out is what matching would have left out, for every tool and event.
#[test]
fn hooks_that_an_event_cannot_concern_are_left_out_and_no_others() {
    let bytes = tour().to_bytes().unwrap();
    let all = tour().set.hooks;
    let opened = Opened::of(&bytes).unwrap();
    let agent = AgentName::from_static("claude");
    for kind in [EventKind::SessionStart, EventKind::PromptSubmit, EventKind::ToolPre, EventKind::ToolPost] {
        for (tool, tool_kind) in
            [("Bash", ToolKind::Shell), ("Write", ToolKind::Write), ("Task", ToolKind::Task)]
        {
            let mut event =
                Event::new(kind.clone(), agent.clone(), SessionId::unknown(), Timestamp::default());
            event.tool = Some(ToolCall::new(tool, tool_kind, serde_json::Map::new()));
            let named = |hook: &HookSpec| {
                let bare = HookSpec { when: tenter_contract::When::default(), ..hook.clone() };
                tenter_kernel::matching::concerns(&bare, &event)
            };
            let expected: Vec<_> = all.iter().filter(|hook| named(hook)).map(|hook| &hook.id).collect();
            let found = opened.set(Some(&event)).unwrap().hooks;
            assert_eq!(found.iter().map(|hook| &hook.id).collect::<Vec<_>>(), expected, "{kind} {tool}");
        }
    }
}

#[test]
fn hooks_of_other_systems_survive_with_their_braces() {
    let text = r#"{"hooks": {"preToolUse": [{"command": "echo {tool.path} {tool.nonsense}"}], "stop": []}}"#;
    let source = SourceText { name: "q.json", folder: "/f", layer: Layer::User, format: Format::Json, text };
    let loaded = load(&source);
    assert_eq!((loaded.hooks.len(), loaded.problems.len()), (1, 0));
    let compiled = Compiled { set: HookSet::of(loaded.hooks), ..Compiled::default() };
    assert_eq!(Compiled::from_bytes(&compiled.to_bytes().unwrap()), Some(compiled));
}

#[test]
fn a_change_of_the_form_changes_its_number() {
    let bytes = tour().to_bytes().unwrap();
    insta::assert_snapshot!(format!("format {FORMAT}, {} bytes, {:x}", bytes.len(), checksum(&bytes)));
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
