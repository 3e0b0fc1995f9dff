use proptest::prelude::*;
use tenter_contract::{Layer, Level};

use super::*;
use crate::{Format, SourceText, load};

const TOUR: &str = include_str!("../../samples/valid/tour.yaml");

fn tour() -> Compiled {
    let source =
        SourceText { name: "hooks.yaml", folder: "/f", layer: Layer::User, format: Format::Yaml, text: TOUR };
    let loaded = load(&source);
    assert!(!loaded.hooks.is_empty() && loaded.problems.is_empty());
    let problems = vec![Message { text: "a problem".to_owned(), level: Level::Warning }];
    Compiled { stamp: b"stamp".to_vec(), hooks: loaded.hooks, problems, imported: vec!["q.json".to_owned()] }
}

fn without_examples(mut compiled: Compiled) -> Compiled {
    for hook in &mut compiled.hooks {
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
    for text in [include_str!("../../samples/valid/tour.toml"), include_str!("../../samples/valid/tour.json")]
    {
        let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
        let loaded = load(&SourceText { name: "h", folder: "/f", layer: Layer::User, format, text });
        let compiled = Compiled { hooks: loaded.hooks, ..Compiled::default() };
        let bytes = compiled.to_bytes().unwrap();
        assert_eq!(Compiled::from_bytes(&bytes), Some(without_examples(compiled)));
    }
}

#[test]
fn hooks_of_other_systems_survive_with_their_braces() {
    let text = r#"{"hooks": {"preToolUse": [{"command": "echo {tool.path} {tool.nonsense}"}], "stop": []}}"#;
    let source = SourceText { name: "q.json", folder: "/f", layer: Layer::User, format: Format::Json, text };
    let loaded = load(&source);
    assert_eq!((loaded.hooks.len(), loaded.problems.len()), (1, 0));
    let compiled = Compiled { hooks: loaded.hooks, ..Compiled::default() };
    assert_eq!(Compiled::from_bytes(&compiled.to_bytes().unwrap()), Some(compiled));
}

#[test]
fn a_change_of_the_form_changes_its_number() {
    let bytes = tour().to_bytes().unwrap();
    let hash = &Sha256::digest(&bytes)[..8];
    insta::assert_snapshot!(format!("format {FORMAT}, {} bytes, {hash:x?}", bytes.len()));
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
