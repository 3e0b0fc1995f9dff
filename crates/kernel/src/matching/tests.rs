use super::*;
use serde_json::{Value, json};
use tenter_contract::{AgentName, EventKind, Handler, HookId, Layer, Template, Timestamp, ToolKind};

fn call(name: &str, kind: ToolKind, input: &Value) -> Event {
    let mut event =
        Event::new(EventKind::ToolPre, AgentName::from_static("claude"), None, Timestamp::default());
    event.cwd = Some("/repo".to_owned());
    event.tool = Some(ToolCall::new(name, kind, input.as_object().cloned().unwrap()));
    event
}

fn bash(command: &str) -> Event {
    call("Bash", ToolKind::Shell, &json!({ "command": command }))
}

fn hook() -> HookSpec {
    let handler = Handler::Deny(Template::parse("no").unwrap());
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler)
}

fn pattern(source: &str) -> Pattern {
    Pattern::parse(source).unwrap()
}

fn check_words(words: &str, command: &str, expected: bool) {
    let commands = vec![words.split_whitespace().map(pattern).collect()];
    let mut hook = hook();
    hook.matcher.selectors = vec![Selector::Call { tool: pattern("Bash"), commands }];
    assert_eq!(concerns(&hook, &bash(command)), expected, "`{words}` on `{command}`");
}

#[test]
fn name_matches_canonical_native_and_kind() {
    for (source, expected) in [
        ("Bash", true),
        ("shell", true),
        ("run_shell_command", true),
        ("bash", false),
        ("Write", false),
        ("B*", true),
    ] {
        let mut hook = hook();
        hook.matcher.selectors = vec![Selector::Name(pattern(source))];
        let mut event = bash("ls");
        event.tool.as_mut().unwrap().native_name = "run_shell_command".to_owned();
        assert_eq!(concerns(&hook, &event), expected, "{source}");
    }
}

#[test]
fn command_words_match_every_part() {
    check_words("cargo test", "cargo test --all", true);
    check_words("cargo test", "cd x && cargo test", true);
    check_words("cargo test", "RUST_LOG=1 cargo test | tail", true);
    check_words("cargo test", "(cd x; cargo test)", true);
    check_words("cargo test", "cargo  test", true);
    check_words("cargo test", "echo cargo test", false);
    check_words("cargo test", "cargo testing", false);
    check_words("cargo test", "cargo", false);
    check_words("pytest*", "pytest-3 x", true);
    check_words("git push", "true; git push --force", true);
    check_words("rm", "\\rm -rf x", true);
}

#[test]
fn globs_match_names_not_kinds() {
    let write = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    for (source, expected) in [
        ("Write", true),
        ("write", true),
        ("*rite", true),
        ("/^(shell|write)$/", true),
        ("*write*", true),
        ("[!W]rite", false),
        ("[!W]*", false),
        ("[a-z]*", false),
        ("wri??", false),
        ("/^[^W]/", false),
        ("shell", false),
    ] {
        assert_eq!(names_tool(&pattern(source), &write), expected, "{source}");
    }
    let mut native = write;
    native.native_name = "write".to_owned();
    assert!(names_tool(&pattern("wri??"), &native), "an agent's own name");
}

#[test]
fn look_ahead_excludes_every_name() {
    let mut read = ToolCall::new("Read", ToolKind::Read, serde_json::Map::new());
    read.native_name = "read_file".to_owned();
    let bash = ToolCall::new("Bash", ToolKind::Shell, serde_json::Map::new());
    let input = json!({"command": "ls"}).as_object().cloned().unwrap();
    let server = ToolCall::new("mcp__host__run", ToolKind::Mcp, input);
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n-x\n+y\n*** End Patch";
    let patch = json!({"input": patch}).as_object().cloned().unwrap();
    let patch = ToolCall::from_patch("apply_patch", "input", patch);
    for (source, expected) in [
        ("/^(?!Read$).*/", [false, true, true, true]),
        ("/^(?!(Read|Glob)$)/", [false, true, true, true]),
        ("/^(?!read_file$)/", [false, true, true, true]),
        ("/^(?!read$)/", [false, true, true, true]),
        ("/^(?!Bash$)/", [true, false, true, true]),
        ("/^(?!mcp__)/", [true, true, false, true]),
        ("/^(?!Edit$)/", [true, true, true, true]),
        ("/^(?!Edit$|Write$)[A-Z]/", [true, true, true, false]),
    ] {
        let found = [&read, &bash, &server, &patch].map(|tool| names_tool(&pattern(source), tool));
        assert_eq!(found, expected, "{source}");
    }
}

#[test]
fn every_condition_is_checked() {
    let mut hook = hook();
    hook.when.command = vec![pattern("/^git push/")];
    hook.when.cwd = vec![pattern("/repo/**"), pattern("/repo")];
    assert!(concerns(&hook, &bash("git push")));
    assert!(!concerns(&hook, &bash("git pull")));
    let mut elsewhere = bash("git push");
    elsewhere.cwd = Some("/other".to_owned());
    assert!(!concerns(&hook, &elsewhere));
}

#[test]
fn conditions_agree_with_the_match() {
    let mut hook = hook();
    hook.agents = vec![pattern("claude")];
    hook.matcher.selectors = vec![Selector::Name(pattern("shell"))];
    hook.when.command = vec![pattern("/^git push/")];
    hook.when.branch = vec![pattern("main")];
    hook.when.layer = vec![pattern("user")];
    let event = bash("git pull");
    let reasons: Vec<(Vec<String>, bool)> = conditions(&hook)
        .into_iter()
        .map(|condition| (condition.found(&event), condition.holds(&event)))
        .collect();
    let found = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        reasons,
        [
            (found(&["tool:pre"]), true),
            (found(&["claude"]), true),
            (found(&["Bash", "shell"]), true),
            (found(&["git pull"]), false),
            (vec![], false),
            (found(&["user"]), true),
        ]
    );
    assert!(!concerns(&hook, &event));
}

#[test]
fn missing_value_fails_the_condition() {
    let mut hook = hook();
    hook.when.path = vec![pattern("**")];
    assert!(!concerns(&hook, &bash("ls")));
    assert!(concerns(&hook, &call("Write", ToolKind::Write, &json!({ "file_path": "/repo/a" }))));
}

#[test]
fn paths_are_relative_to_the_project() {
    let mut hook = hook();
    hook.when.path = vec![pattern("production/**")];
    for (path, expected) in
        [("/repo/production/a.py", true), ("/repo/src/../production/a.py", true), ("/repo/src/a.py", false)]
    {
        let mut event = call("Write", ToolKind::Write, &json!({ "file_path": path }));
        event.project_root = Some("/repo".to_owned());
        event.cwd = Some("/repo/src".to_owned());
        assert_eq!(concerns(&hook, &event), expected, "{path}");
    }
}

#[test]
fn path_allow_requires_every_name() {
    let mut hook = hook();
    hook.when.path = vec![pattern("src/**")];
    let mut event = call("Write", ToolKind::Write, &json!({ "file_path": "/repo/src/link" }));
    assert!(concerns(&hook, &event) && is_within(&hook, &event));
    let mut path = CanonicalPath { written: "/repo/src/link".to_owned(), ..CanonicalPath::default() };
    path.add_name("/repo/src/link");
    path.add_name("/repo/production/a");
    event.facts.paths = vec![path];
    assert!(concerns(&hook, &event) && !is_within(&hook, &event));
}

#[test]
fn missing_fact_fails_the_condition() {
    let mut event = bash("ls");
    event.facts = tenter_contract::Facts {
        branch: Some("release/2".to_owned()),
        variables: vec![("CI".to_owned(), "true".to_owned()), ("EMPTY".to_owned(), String::new())],
        files: vec!["Cargo.toml".to_owned()],
        ..Default::default()
    };
    let fits = |change: &dyn Fn(&mut When)| {
        let mut hook = hook();
        change(&mut hook.when);
        concerns(&hook, &event)
    };
    let env = |name: &str, source: &str| (name.to_owned(), vec![pattern(source)]);
    assert!(fits(&|when| when.branch = vec![pattern("main"), pattern("release/*")]));
    assert!(!fits(&|when| when.branch = vec![pattern("main")]));
    assert!(fits(&|when| when.env = vec![env("CI", "true"), env("EMPTY", "*")]));
    assert!(!fits(&|when| when.env = vec![env("CI", "true"), env("OTHER", "*")]));
    assert!(!fits(&|when| when.env = vec![env("CI", "false")]));
    assert!(fits(&|when| when.file_exists = vec!["none".to_owned(), "Cargo.toml".to_owned()]));
    assert!(!fits(&|when| when.file_exists = vec!["none".to_owned()]));
    assert!(fits(&|when| when.layer = vec![pattern("user")]));
    assert!(!fits(&|when| when.layer = vec![pattern("project")]));
}

#[test]
fn matcher_without_tool_uses_the_subject() {
    let mut hook = hook();
    hook.event = EventKind::SessionStart;
    hook.matcher.selectors = vec![Selector::Name(pattern("startup"))];
    let mut event = bash("x");
    event.kind = EventKind::SessionStart;
    event.tool = None;
    event.source = Some("startup".to_owned());
    assert!(concerns(&hook, &event));
    event.source = Some("resume".to_owned());
    assert!(!concerns(&hook, &event));
}

#[test]
fn agents_match_by_id_type_or_program() {
    for (source, expected) in
        [("claude", true), ("Claude", true), ("reviewer", true), ("a1", true), ("codex", false)]
    {
        let mut hook = hook();
        hook.agents = vec![pattern(source)];
        let mut event = bash("ls");
        event.agent_id = Some("a1".to_owned());
        event.agent_type = Some("reviewer".to_owned());
        assert_eq!(concerns(&hook, &event), expected, "{source}");
    }
}

#[test]
fn agent_can_be_excluded() {
    for (sources, expected) in [
        (vec!["!claude"], false),
        (vec!["!a1"], false),
        (vec!["!codex"], true),
        (vec!["claude", "!a1"], false),
        (vec!["claude", "!a2"], true),
        (vec!["codex", "!a2"], false),
    ] {
        let mut hook = hook();
        hook.agents = sources.iter().map(|source| pattern(source)).collect();
        let mut event = bash("ls");
        event.agent_id = Some("a1".to_owned());
        assert_eq!(concerns(&hook, &event), expected, "{sources:?}");
    }
}

#[test]
fn too_long_command_matches_regexes() {
    let mut hook = hook();
    hook.when.command = vec![pattern("/rm -rf/")];
    assert!(!concerns(&hook, &bash(&"a".repeat(SEARCHED))));
    assert!(concerns(&hook, &bash(&"a".repeat(SEARCHED + 1))));
    hook.when.command = vec![pattern("*rm -rf*")];
    assert!(!concerns(&hook, &bash(&"a".repeat(SEARCHED + 1))), "a glob is compared with all of it");
    assert!(concerns(&hook, &bash(&format!("{} rm -rf x", "a".repeat(SEARCHED)))));
    hook.when.command.clear();
    hook.when.prompt = vec![pattern("/rm -rf/")];
    assert!(!concerns(&hook, &bash(&"a".repeat(SEARCHED + 1))), "it has no prompt");
}
