//! Dependencies have permissive licences: those that deny.toml allows.

use std::process::Command;

use serde_json::Value;

use crate::tree;

#[test]
fn every_dependency_has_a_licence_that_deny_toml_allows() {
    let config: toml::Table = tree::text("deny.toml").parse().unwrap();
    let allowed: Vec<&str> = config["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|licence| licence.as_str().unwrap())
        .collect();
    let metadata = Command::new(env!("CARGO"))
        // Of this platform only: the sources of the others need not have been downloaded.
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            &platform(),
        ])
        .current_dir(tree::root())
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    for package in metadata["packages"].as_array().unwrap() {
        let (name, licence) =
            (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or("none"));
        assert!(permitted(licence, &allowed), "{name} has the licence {licence}; see deny.toml");
    }
}

fn platform() -> String {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

/// Whether an SPDX expression can be satisfied with the allowed licences: of an OR one side, of an AND both.
fn permitted(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.trim();
    let inner = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner.filter(|inner| balanced(inner)) {
        return permitted(inner, allowed);
    }
    if let Some((left, right)) = split(expression, " AND ") {
        return permitted(left, allowed) && permitted(right, allowed);
    }
    if let Some((left, right)) = split(expression, " OR ").or_else(|| split(expression, "/")) {
        return permitted(left, allowed) || permitted(right, allowed);
    }
    allowed.contains(&expression)
}

/// The two sides of the first such operator that stands outside parentheses.
fn split<'a>(expression: &'a str, operator: &str) -> Option<(&'a str, &'a str)> {
    expression
        .match_indices(operator)
        .find(|(place, _)| balanced(&expression[..*place]))
        .map(|(place, _)| (&expression[..place], &expression[place + operator.len()..]))
}

fn balanced(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("none", false),
    ] {
        assert_eq!(permitted(expression, &allowed), expected, "{expression}");
    }
}
