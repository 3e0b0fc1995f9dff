use std::fs;
use std::os::unix::fs::symlink;

use tenter_contract::Pattern;

use super::*;

fn project() -> (tempfile::TempDir, PathBase) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("production")).unwrap();
    fs::write(root.join("production/a.txt"), "a").unwrap();
    symlink("production", root.join("link")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let root = root.to_str().unwrap().to_owned();
    (folder, PathBase { cwd: Some(root.clone()), root: Some(root), ..PathBase::default() })
}

#[test]
fn path_has_the_names_by_text_and_by_links() {
    let (_folder, base) = project();
    let root = base.root.clone().unwrap();
    for (text, expected) in [
        ("link/a.txt", vec!["link/a.txt", "production/a.txt"]),
        ("link/new", vec!["link/new", "production/new"]),
        ("loop/a", vec!["loop/a"]),
        ("production/a.txt", vec!["production/a.txt"]),
    ] {
        let path = resolve_one(text, &base);
        let expected: Vec<String> = expected.into_iter().map(|name| format!("{root}/{name}")).collect();
        assert_eq!(path.names, expected, "{text}");
        assert!(!path.unknown, "{text}");
    }
}

#[test]
fn endless_path_matches_every_condition() {
    let (folder, base) = project();
    let root = folder.path().canonicalize().unwrap();
    for number in 0..200 {
        symlink(format!("chain{}", number + 1), root.join(format!("chain{number}"))).unwrap();
    }
    let path = resolve_one("chain0/a", &base);
    assert!(path.unknown);
    let pattern = Pattern::parse("production/**").unwrap();
    assert!(path.matches(&pattern, base.root.as_deref()));
    assert!(!path.is_within(std::slice::from_ref(&pattern), base.root.as_deref()));
}

#[test]
fn globs_and_path_ends_are_searched() {
    let (_folder, base) = project();
    let query = |text: &str, use_as: PathUse| PathQuery {
        base: base.clone(),
        texts: vec![PathText { text: text.to_owned(), use_as }],
        globs: Vec::new(),
    };
    let guarded = Pattern::parse("production/**").unwrap();
    for (text, use_as, expected) in [
        ("*/a.txt", PathUse::Path, true),
        ("prod*/*", PathUse::Path, true),
        ("a.txt", PathUse::LookedUp, true),
        ("a.txt", PathUse::Path, false),
        ("*.rs", PathUse::Path, false),
    ] {
        let found = resolve(&query(text, use_as));
        let matches = found.iter().any(|path| path.matches(&guarded, base.root.as_deref()));
        assert_eq!(matches, expected, "{text}: {found:?}");
    }
    assert!(resolve(&query("no such text", PathUse::IfExists)).is_empty());
}

#[test]
fn paths_below_the_home_stay_within_a_grant() {
    let (_folder, base) = project();
    let root = base.root.clone().unwrap();
    let home = Path::new(&root).parent().unwrap().to_str().unwrap().to_owned();
    let base = PathBase { home: Some(home), ..base };
    let path = resolve_one("production/a.txt", &base);
    let below = Path::new(&root).file_name().unwrap().to_str().unwrap();
    let from_home = Pattern::parse(&format!("~/{below}/production/**")).unwrap();
    let granted = Pattern::parse("production/**").unwrap();
    assert!(path.matches(&from_home, Some(&root)));
    assert!(path.is_within(std::slice::from_ref(&granted), Some(&root)));
}

/// A guard of `production/**` means that of every project.
#[test]
fn foreign_file_is_named_below_its_project() {
    let (_folder, base) = project();
    let other = tempfile::tempdir().unwrap();
    let other = other.path().canonicalize().unwrap();
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::create_dir_all(other.join("production/.tenter")).unwrap();
    let inside = Path::new(base.root.as_deref().unwrap()).join("vendor/.git");
    fs::create_dir_all(inside).unwrap();
    let guarded = Pattern::parse("production/**").unwrap();
    for (text, expected) in [
        (other.join("production"), true),
        (other.join("src/production"), false),
        (Path::new("vendor/production/a").to_path_buf(), false),
    ] {
        let path = resolve_one(text.to_str().unwrap(), &base);
        assert_eq!(path.matches(&guarded, base.root.as_deref()), expected, "{text:?}: {path:?}");
        assert!(expected || path.aliases.iter().all(|name| !name.starts_with("production")), "{path:?}");
    }
}

#[test]
fn variables_and_alternatives_are_expanded() {
    let (_folder, base) = project();
    let guarded = Pattern::parse("production/**").unwrap();
    let folder = base.root.clone().unwrap();
    for (text, expected) in [
        ("$PWD/production/new", true),
        ("${workspaceFolder}/production/new", true),
        ("$NOT_SET_ANYWHERE/../production/new", true),
        ("src/${NOT_SET_ANYWHERE}/../../production/new", true),
        ("{src,production}/new", true),
        ("{src,{lib,link}}/new", true),
        ("@(production|src)/a.txt", true),
        ("lin*/a.txt", true),
        ("l*/n*", false),
        ("$PWD/src/new", false),
        ("{src,lib}/new", false),
        ("src/{{name}}/new", false),
    ] {
        let path = resolve_one(text, &base);
        assert_eq!(path.matches(&guarded, Some(&folder)), expected, "{text}: {path:?}");
    }
    // A text that is made to have many alternatives is not followed without end.
    resolve_one(&"{a,b}".repeat(40), &base);
}

/// One path with all of its names.
fn resolve_one(text: &str, base: &PathBase) -> CanonicalPath {
    let text = PathText { text: text.to_owned(), use_as: PathUse::Path };
    let query = PathQuery { base: base.clone(), texts: vec![text], globs: Vec::new() };
    resolve(&query).pop().unwrap_or_else(|| CanonicalPath::by_text("", base))
}
