//! House rules that a machine can check. A message says what to do, since a newcomer reads it in need.

use std::collections::BTreeSet;
use std::path::Path;

use crate::tree;

/// Files above this length are split at the next natural seam.
const LONGEST: usize = 500;
/// Files that may be longer, each with its reason.
const LONGER: [(&str, &str); 0] = [];

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for file in tree::files("crates", "rs") {
        let text = tree::text(&file);
        let tests_beside_their_code = file.ends_with("/tests.rs");
        assert!(
            text.starts_with("//!") || tests_beside_their_code,
            "{file}: begin it with a `//!` line that says what it is for"
        );
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    for file in ["rs", "py"].into_iter().flat_map(|extension| tree::files("crates", extension)) {
        let lines = tree::text(&file).lines().count();
        let excused = LONGER.iter().any(|(name, _)| *name == file);
        assert!(
            lines <= LONGEST || excused,
            "{file} has {lines} lines: split it, or give a reason in tidy.rs"
        );
    }
}

#[test]
fn no_file_is_forgotten() {
    for file in tree::files("crates", "rs") {
        let path = Path::new(&file);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = path.parent().unwrap();
        let crate_root = ["lib", "main", "build", "tenter_hook"].contains(&stem.as_str());
        let target = folder.ends_with("tests") || folder.ends_with("benches") || folder.ends_with("examples");
        if crate_root || target {
            continue;
        }
        let (module, parent) = if stem == "mod" {
            (folder.file_name().unwrap().to_string_lossy().into_owned(), folder.parent().unwrap())
        } else {
            (stem, folder)
        };
        let mut homes = vec![parent.join("mod.rs"), parent.join("lib.rs"), parent.join("main.rs")];
        homes.push(parent.with_extension("rs"));
        if parent.ends_with("tests") {
            let roots = tree::files(&parent.to_string_lossy(), "rs").into_iter().map(Into::into);
            homes.extend(roots.filter(|root: &std::path::PathBuf| root.parent() == Some(parent)));
        }
        let declared = homes.iter().filter(|home| tree::root().join(home).is_file()).any(|home| {
            tree::text(&home.to_string_lossy()).lines().any(|line| {
                let line = line.trim();
                let declared = line.strip_suffix(&format!("mod {module};"));
                declared.is_some_and(|visible| visible.is_empty() || visible.starts_with("pub"))
            })
        });
        assert!(declared, "{file} is in no module: nothing compiles it, and a test in it never runs");
    }
}

#[test]
fn nothing_is_left_to_be_done_in_the_code() {
    for file in tree::files("crates", "rs") {
        for word in ["FIX\u{4d}E", "TO\u{44}O", "XX\u{58}"] {
            assert!(
                !tree::text(&file).contains(word),
                "{file} has a {word}: do it, or write it down as an issue"
            );
        }
    }
}

#[test]
fn files_named_in_documents_exist() {
    let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"].map(str::to_owned);
    let further = ["docs", "examples", "scenarios"].into_iter().flat_map(|folder| tree::files(folder, "md"));
    for document in documents.into_iter().chain(further) {
        let text = tree::text(&document);
        for (number, piece) in text.split('`').enumerate() {
            let path = piece.trim_end_matches('/');
            let is_code = number % 2 == 1
                && ["crates/", "docs/", "scenarios/", "scripts/"].iter().any(|p| path.starts_with(p));
            if is_code && !path.contains(['*', '<', ' ', '{', '\n']) {
                assert!(tree::root().join(path).exists(), "{document} names `{path}`, which does not exist");
            }
        }
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let from = tree::root().join(&document);
            assert!(
                from.parent().unwrap().join(target).exists(),
                "{document} links to {target}, which does not exist"
            );
        }
    }
}

#[test]
fn every_scenario_of_a_specification_stands_on_its_page() {
    let page = tree::text("docs/reference/specifications.md");
    for scenario in tree::files("scenarios", "md").iter().filter(|file| file.starts_with("scenarios/seed-")) {
        assert!(page.contains(&format!("(../../{scenario})")), "{scenario}: add it to specifications.md");
    }
}

#[test]
fn recipes_named_in_documents_are_in_the_justfile() {
    let justfile = tree::text("justfile");
    let recipes: BTreeSet<&str> = justfile
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '[']) && !line.contains(":="))
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(head, _)| head.split_whitespace().next())
        .collect();
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "AGENTS.md"] {
        for named in tree::text(document).split("`just ").skip(1) {
            let recipe = named.split(['`', ' ']).next().unwrap();
            assert!(
                recipes.contains(recipe),
                "{document} names `just {recipe}`, which the justfile does not have"
            );
        }
    }
}
