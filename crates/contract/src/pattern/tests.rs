use super::*;
use proptest::prelude::*;

fn check(pattern: &str, matching: &[&str], other: &[&str]) {
    let parsed = Pattern::parse(pattern).unwrap();
    for text in matching {
        assert!(parsed.matches(text), "`{pattern}` must match `{text}`");
    }
    for text in other {
        assert!(!parsed.matches(text), "`{pattern}` must not match `{text}`");
    }
}

fn check_path(pattern: &str, matching: &[&str], other: &[&str]) {
    let parsed = Pattern::parse(pattern).unwrap();
    for path in matching {
        assert!(parsed.matches_path(path, Some("/home/u/p")), "`{pattern}` must match `{path}`");
    }
    for path in other {
        assert!(!parsed.matches_path(path, Some("/home/u/p")), "`{pattern}` must not match `{path}`");
    }
}

#[test]
fn glob_covers_the_whole_text() {
    check("Bash", &["Bash"], &["bash", "Bash2", "ABash", ""]);
    check("mcp__*", &["mcp__a__b", "mcp__"], &["mcp_", "xmcp__a"]);
    check("*Edit*", &["Edit", "MultiEdit", "NotebookEdit2"], &["edit"]);
    check("?at", &["cat", "hat", "äat"], &["at", "chat"]);
    check("[bc]at", &["bat", "cat"], &["hat", "at"]);
    check("[!bc]at", &["hat"], &["bat", "at"]);
    check("[a-c]x", &["ax", "cx"], &["dx"]);
    check("[]]", &["]"], &["["]);
    check("[", &["["], &["]", ""]);
    check("*a*b*c", &["aabbc", "abc", "xxaxxbxxc"], &["acb", "ab"]);
    check("*", &["", "anything/at all"], &[]);
}

#[test]
fn slashes_make_a_regular_expression() {
    check(
        "/^git push .*--force( |$)/",
        &["git push origin --force", "git push --force x"],
        &["git push --force-with-lease"],
    );
    check("//", &["//"], &["/"]);
    check("/^(?!Read$).*/", &["Bash", "ReadMore", ""], &["Read"]);
    check("/^(?!(Read|Glob)$)/", &["Bash", "Reader"], &["Read", "Glob"]);
    check("/^(?!mcp__)(?!.*Edit)[A-Z]/", &["Bash", "Write"], &["mcp__a", "MultiEdit", "bash"]);
    for unusable in ["/^(?!Read$)a|b/", "/x(?!y)/", "/^(?=x)/", "/(?<!x)y/", "/^(?!a))(b/", r"/(a)\1/"] {
        assert!(Pattern::parse(unusable).is_err(), "{unusable}");
    }
    assert!(Pattern::parse("/(/").is_err());
}

#[test]
fn path_glob_respects_directories() {
    check_path(
        "production/**",
        &["production/a", "production/a/b.py", "/home/u/p/production/a"],
        &["src/production/a", "productions/a", "/production/a"],
    );
    check_path(
        "**/*.py",
        &["a.py", "src/a.py", "/home/u/p/src/deep/a.py", "/elsewhere/a.py"],
        &["a.pyc", "py"],
    );
    check_path("production/**", &["production", "/home/u/p/production/"], &["production-notes"]);
    check_path(
        "/^production\\//",
        &["production/a", "/home/u/p/production/a", "src/../production/a", "/home/u/p//src/../production/a"],
        &["src/production/a", "/production/a", "production-notes/a"],
    );
    check_path("*.py", &["a.py", "src/a.py", "/home/u/p/src/a.py"], &["a.pyc"]);
    check_path("src/*.py", &["src/a.py", "/home/u/p/src/a.py"], &["src/deep/a.py", "a.py"]);
    check_path("/etc/**", &["/etc/passwd", "/etc/a/b"], &["/home/u/p/etc/passwd"]);
    check_path("**/node_modules/**", &["node_modules/x", "a/node_modules/b/c"], &["my_node_modules/x"]);
    check_path("a/**/z", &["a/z", "a/b/z", "a/b/c/z"], &["a/bz", "az"]);
}

#[test]
fn dot_segments_do_not_bypass_a_guard() {
    check_path(
        "production/**",
        &["src/../production/a", "./production/a", "/home/u/p/./x/../production/a", "production//a"],
        &["production/../src/a"],
    );
}

#[test]
fn many_stars_match_in_bounded_time() {
    let pattern = Pattern::parse(&"*a".repeat(40)).unwrap();
    assert!(!pattern.matches(&"a".repeat(39)));
    assert!(!pattern.matches(&format!("{}b", "a".repeat(20_000))));
}

proptest! {
    #[test]
    fn pattern_parsing_never_panics(source in ".{0,12}", text in ".{0,24}") {
        if let Ok(pattern) = Pattern::parse(&source) {
            pattern.matches(&text);
            pattern.matches_path(&text, Some(&source));
        }
    }

    #[test]
    fn literal_matches_only_itself(text in "[a-zA-Z0-9_ .-]{1,12}", other in "[a-zA-Z0-9_ .-]{1,12}") {
        let pattern = Pattern::parse(&text).unwrap();
        prop_assert!(pattern.matches(&text));
        prop_assert_eq!(pattern.matches(&other), text == other);
    }

    #[test]
    fn certain_part_never_excludes_a_match(
        pieces in proptest::collection::vec(
            prop::sample::select(vec![
                "a", "b", "ab", " ", "-", "|", "(", ")", "(?:", "(?i)", "?", "*", "+", "{0}", "{2}", "{0,1}",
                ".", "^", "$", "[ab]", "\\|", "\\(", "\\b", "\\n", "\\x61", "\\u{62}", "\\d", "é",
            ]),
            0..9,
        ),
        text in "[abA \\n|(é1-]{0,6}",
    ) {
        let body = pieces.concat();
        if let Ok(regex) = regex_lite::Regex::new(&body) && regex.is_match(&text) {
            prop_assert!(text.contains(certain_part(&body)), "{body:?} matches {text:?}");
        }
    }
}

#[test]
fn certain_part_is_required() {
    for (body, part) in [
        ("^git push .*--force( |$)", "git push "),
        (r"(curl|wget) .*\| *(ba|z)?sh", "sh"),
        ("rm -rf", "rm -rf"),
        ("colou?r", "colo"),
        ("^git|^hg", ""),
        ("^(git|hg) push", " push"),
        (r"\bdrop\s+table", "table"),
        ("git [|]", ""),
        ("(?i)drop", ""),
        (r"\x{61}bcd", ""),
    ] {
        assert_eq!(certain_part(body), part, "{body}");
    }
}
