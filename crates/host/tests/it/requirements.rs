//! The page of requirements names tests and scenarios; each of them must exist, and every requirement needs one.

use std::collections::BTreeSet;

use crate::tree;

const PAGE: &str = "docs/reference/requirements.md";

#[test]
fn every_requirement_names_an_existing_test() {
    let text = tree::text(PAGE);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| A-") || line.starts_with("| B-"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 60, "{PAGE} has {} requirements", rows.len());
    let mut ids = BTreeSet::new();
    for row in &rows {
        let [id, _section, what, shown] = row[..] else { panic!("{PAGE}: {row:?} has not four columns") };
        assert!(ids.insert(id), "{PAGE}: {id} occurs twice; an id belongs to one sentence");
        assert!(what.ends_with('.'), "{PAGE}: {id} is no sentence");
        for link in shown.split("<br>") {
            let named = link.strip_prefix("[`").and_then(|rest| rest.strip_suffix(')'));
            let (name, file) = named
                .and_then(|rest| rest.split_once("`](../../"))
                .unwrap_or_else(|| panic!("{PAGE}: {id}: `{link}` is no link to a test"));
            assert!(is_there(name, file), "{PAGE}: {id} names `{name}`, which is not in {file}");
        }
    }
}

/// Whether a file contains the test, is the scenario, or measures the row.
fn is_there(name: &str, file: &str) -> bool {
    if !tree::root().join(file).is_file() {
        return false;
    }
    if file.starts_with("scenarios/") {
        return file == format!("scenarios/{name}.md");
    }
    let text = tree::text(file);
    if file.contains("/benches/") {
        return text.contains(&format!("\"{name}\""));
    }
    let mut lines = text.lines().map(str::trim);
    let mut test = false;
    lines.any(|line| {
        let found = test && line.starts_with(&format!("fn {name}("));
        // Attributes may follow `#[test]`.
        test = line == "#[test]" || test && (line.starts_with("#[") || line.starts_with("//"));
        found
    })
}
