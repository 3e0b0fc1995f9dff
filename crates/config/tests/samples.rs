//! Every file in `samples/`: the valid ones load without warnings, and the problems of the invalid ones
//! are in snapshots.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use strum::VariantNames;
use tenter_config::{Format, Loaded, ProblemKind, SourceText, load};
use tenter_contract::{HookSource, HookSpec, Layer};

#[test]
fn every_problem_has_a_snapshot() {
    let mut shown = BTreeSet::new();
    for sample in samples("invalid") {
        let loaded = loaded(&sample, Layer::Project);
        shown.extend(loaded.problems.iter().map(|problem| <&'static str>::from(&problem.kind)));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(file_name(&sample), report(&loaded));
        });
    }
    let all: BTreeSet<&str> = ProblemKind::VARIANTS.iter().copied().collect();
    assert_eq!(shown, all, "each kind of problem needs a file in samples/invalid");
}

#[test]
fn invalid_samples_are_named_after_problems() {
    for sample in samples("invalid") {
        let name = file_name(&sample);
        let kinds: Vec<&'static str> =
            loaded(&sample, Layer::Project).problems.iter().map(|problem| (&problem.kind).into()).collect();
        assert!(kinds.iter().any(|kind| name.starts_with(kind)), "{name} has {kinds:?}");
    }
}

#[test]
fn valid_samples_load_without_warnings() {
    for sample in samples("valid") {
        let loaded = loaded(&sample, Layer::User);
        assert_eq!(loaded.problems, [], "{}: {}", sample.display(), report(&loaded));
    }
}

#[test]
fn three_formats_give_the_same_hooks() {
    let [yaml, toml, json] = ["tour.yaml", "tour.toml", "tour.json"].map(|name| {
        let sample = folder("valid").join(name);
        without_places(loaded(&sample, Layer::Project).hooks)
    });
    assert_eq!(yaml.len(), 5);
    assert_eq!(yaml, toml);
    assert_eq!(yaml, json);
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for name in ["tour.yaml", "tour.toml", "tour.json"] {
        let sample = folder("valid").join(name);
        let text = text_of(&sample);
        assert_eq!(
            loaded_text(name, &text.replace('\n', "\r\n"), Layer::User),
            loaded_text(name, &text, Layer::User),
            "{name}"
        );
    }
}

#[test]
fn every_key_arrives_in_the_hook() {
    let loaded = loaded(&folder("valid").join("every-key.yaml"), Layer::Project);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("every-key", format!("{:#?}", loaded.hooks[0]));
    });
}

/// The report about a file, and the hooks that run.
fn report(loaded: &Loaded) -> String {
    let mut report: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    let running: Vec<&str> = loaded.hooks.iter().map(|hook| hook.id.name.as_str()).collect();
    report.push(format!(
        "(running: {})",
        if running.is_empty() { "none".to_owned() } else { running.join(", ") }
    ));
    report.join("\n\n")
}

fn without_places(hooks: Vec<HookSpec>) -> Vec<HookSpec> {
    hooks.into_iter().map(|hook| HookSpec { source: HookSource::default(), ..hook }).collect()
}

fn loaded(sample: &Path, layer: Layer) -> Loaded {
    loaded_text(&file_name(sample), &text_of(sample), layer)
}

fn loaded_text(name: &str, text: &str, layer: Layer) -> Loaded {
    let format = Format::from_file_name(name).unwrap();
    load(&SourceText { name, folder: ".", layer, format, text })
}

#[expect(clippy::disallowed_methods, reason = "tests read their samples; the crate itself reads nothing")]
fn text_of(sample: &Path) -> String {
    std::fs::read_to_string(sample).unwrap()
}

fn samples(kind: &str) -> Vec<PathBuf> {
    let mut samples: Vec<PathBuf> =
        std::fs::read_dir(folder(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
    samples.sort();
    samples
}

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(kind)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
