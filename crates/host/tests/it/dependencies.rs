//! The dependency diagram of ARCHITECTURE.md, compared with the manifests.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree;

#[test]
fn dependency_diagram_matches_manifests() {
    assert_eq!(
        drawn(),
        manifests(),
        "the block `dependencies` of ARCHITECTURE.md; a new edge is an architectural change"
    );
}

#[test]
fn contract_and_kernel_have_no_other_dependencies() {
    let edges = manifests();
    assert!(edges["contract"].is_empty());
    assert_eq!(edges["kernel"], BTreeSet::from(["contract".to_owned()]));
}

#[test]
fn crate_map_lists_the_workspace_in_order() {
    let text = tree::text("ARCHITECTURE.md");
    let map = text.split("## Crates").nth(1).unwrap();
    let named: Vec<String> = map
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/")?.split('`').next().map(str::to_owned))
        .collect();
    assert_eq!(named, tree::crates());
}

fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let text = tree::text("ARCHITECTURE.md");
    let block = text.split("```text dependencies").nth(1).unwrap().split("```").next().unwrap();
    block
        .lines()
        .filter_map(|line| line.split_once('→'))
        .map(|(from, to)| {
            (
                from.trim().to_owned(),
                to.split_whitespace().filter(|word| *word != "–").map(str::to_owned).collect(),
            )
        })
        .collect()
}

fn manifests() -> BTreeMap<String, BTreeSet<String>> {
    tree::crates()
        .into_iter()
        .map(|name| {
            let manifest: toml::Table = tree::text(&format!("crates/{name}/Cargo.toml")).parse().unwrap();
            let dependencies =
                manifest.get("dependencies").and_then(toml::Value::as_table).cloned().unwrap_or_default();
            let ours = dependencies.keys().filter_map(|key| key.strip_prefix("tenter-").map(str::to_owned));
            (name, ours.collect())
        })
        .collect()
}
