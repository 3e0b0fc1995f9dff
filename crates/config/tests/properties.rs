//! Properties of every text.

use std::fmt::Write as _;

use proptest::prelude::*;
use tenter_config::{Format, Loaded, Severity, SourceText, load};
use tenter_contract::{Handler, Layer};

const FORMATS: [Format; 3] = [Format::Yaml, Format::Toml, Format::Json];

/// Samples to mutate, each in its format.
const SEEDS: [(Format, &str); 6] = [
    (Format::Yaml, include_str!("../samples/valid/tour.yaml")),
    (Format::Yaml, include_str!("../samples/valid/every-key.yaml")),
    (Format::Yaml, include_str!("../samples/valid/anchors.yaml")),
    (Format::Yaml, include_str!("../samples/invalid/wrong-type.yaml")),
    (Format::Toml, include_str!("../samples/valid/tour.toml")),
    (Format::Json, include_str!("../samples/valid/tour.json")),
];

fn loaded(format: Format, text: &str) -> Loaded {
    load(&SourceText { name: "hooks", folder: ".", layer: Layer::Project, format, text })
}

/// Whatever the text: nothing is both running and reported as off, and every problem is three lines.
fn check(loaded: &Loaded) -> Result<(), TestCaseError> {
    for problem in &loaded.problems {
        prop_assert_eq!(problem.to_string().lines().count(), 3, "{}", problem);
        prop_assert!(problem.place.line >= 1 && problem.place.column >= 1);
    }
    let mut names: Vec<&str> = loaded.hooks.iter().map(|hook| hook.id.name.as_str()).collect();
    let before = names.len();
    names.sort_unstable();
    names.dedup();
    prop_assert_eq!(names.len(), before, "names are unique");
    prop_assert!(loaded.hooks.iter().all(|hook| hook.handler != Handler::InProcess));
    Ok(())
}

/// A guard as someone may have written it: under some event, with some name, perhaps one that is taken.
fn guards() -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..3_usize, 0..4_usize), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_loading_panic(text in "\\PC{0,200}", format in 0..3_usize) {
        check(&loaded(FORMATS[format], &text))?;
    }

    #[test]
    fn no_punctuation_makes_loading_panic(text in r#"[\[\]{}:,&*!|>'"%@`#?~<=\-\.\\ \n\ta1é]{0,80}"#, format in 0..3_usize) {
        check(&loaded(FORMATS[format], &text))?;
    }

    #[test]
    fn changed_file_never_panics(
        seed in 0..SEEDS.len(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..12_usize, r#"[\[\]{}:,&*!|'"/()\-\n a1\.\$]{0,4}"#), 1..4),
    ) {
        let (format, text) = SEEDS[seed];
        let mut text: Vec<char> = text.chars().collect();
        for (at, removed, added) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, added.chars());
        }
        check(&loaded(format, &text.into_iter().collect::<String>()))?;
    }

    #[test]
    fn duplicate_guard_is_never_dropped_silently(guards in guards()) {
        const EVENTS: [&str; 3] = ["tool:pre", "PreToolUse", "prompt:submit"];
        let mut text = "version: 1\nhooks:\n".to_owned();
        for (number, (event, name)) in guards.iter().enumerate() {
            let event = EVENTS[*event];
            writeln!(text, "  {event}:\n    - {{ name: guard-{name}, deny: reason {number} }}").unwrap();
        }
        let loaded = loaded(Format::Yaml, &text);
        check(&loaded)?;
        for number in 0..guards.len() {
            let reason = format!("reason {number}");
            let runs = loaded.hooks.iter().any(|hook| matches!(&hook.handler, Handler::Deny(text) if text.as_str() == reason));
            let line = u32::try_from(number).unwrap() * 2 + 4;
            let reported = loaded.problems.iter().any(|problem| problem.severity() == Severity::Error && problem.place.line == line);
            prop_assert!(runs != reported, "guard {number} of {text}");
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (format, open, close) in [
        (Format::Json, "[", "]"),
        (Format::Json, "{\"a\":", "}"),
        (Format::Yaml, "[", "]"),
        (Format::Yaml, "{a: ", "}"),
        (Format::Yaml, "- ", ""),
    ] {
        for depth in [70, 400, 100_000] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert!(loaded(format, &text).has_errors(), "{format:?} {open} {depth}");
        }
    }
    let toml = format!("version = 1\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(loaded(Format::Toml, &toml).has_errors());
}

#[test]
fn aliases_cannot_exhaust_memory() {
    let long = "x".repeat(50_000);
    let text = format!("version: 1\na: &a {long}\nb: [*a, *a, *a]\n");
    let problems = loaded(Format::Yaml, &text).problems;
    assert_eq!(problems[0].message(), "the file is not read: the aliases of this file expand to too much");
}

#[test]
fn huge_unknown_key_is_not_compared() {
    let key = "k".repeat(1_000_000);
    let text = format!(
        r#"{{ "version": 1, "hooks": {{ "Stop": [ {{ "name": "a", "deny": "b", "{key}": 1 }} ] }} }}"#
    );
    let problems = loaded(Format::Json, &text).problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].to_string().len() < 1000, "a message stays readable");
}
