//! The meaning of hook files: active, disabled and restricted hooks.

use tenter_config::{Format, Loaded, ProblemKind, Severity, SourceText, load};
use tenter_contract::{
    Command, EnvInheritance, EventKind, Handler, HookId, Layer, OnFailure, Policy, Template,
};

fn yaml(layer: Layer, hooks: &str) -> Loaded {
    let text = format!("version: 1\nhooks:\n{hooks}");
    load(&SourceText { name: "hooks.yaml", folder: "/f", layer, format: Format::Yaml, text: &text })
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.hooks.iter().map(|hook| hook.id.name.as_str()).collect()
}

#[test]
fn bad_hook_disables_only_itself() {
    let loaded = yaml(
        Layer::User,
        "  tool:pre:
    - { name: first, deny: No. }
    - { name: bad, deny: No., timout: 3 }
    - { name: last, deny: No. }
  tool:prre:
    - { name: undelivered, deny: No. }
  Stop:
    - { name: other-event, deny: No. }\n",
    );
    assert_eq!(names(&loaded), ["first", "last", "other-event"]);
    assert_eq!(loaded.problems.len(), 2);
    assert!(loaded.has_errors());
}

#[test]
fn warning_disables_nothing() {
    let loaded = yaml(Layer::User, "  tool:pre: [ { name: guard, matcher: bash, deny: No. } ]\n");
    assert_eq!(names(&loaded), ["guard"]);
    assert_eq!(
        loaded.problems.iter().map(tenter_config::Problem::severity).collect::<Vec<_>>(),
        [Severity::Warning]
    );
    assert!(!loaded.has_errors());
}

/// Security case P8.
#[test]
fn suspicious_matchers_are_reported_one_by_one() {
    let loaded = yaml(
        Layer::User,
        "  tool:pre:
    - { name: commas, matcher: 'Bash,PowerShell', deny: No. }
    - { name: server, matcher: mcp__brave-search, deny: No. }
    - { name: broken, matcher: 'Bash(', deny: No. }
    - { name: good, matcher: Bash, deny: No. }
  PreToolUsage:
    - { name: undelivered, deny: No. }\n",
    );
    assert_eq!(names(&loaded), ["commas", "server", "good"]);
    let hints: Vec<String> = loaded.problems.iter().map(tenter_config::Problem::hint).collect();
    assert_eq!(
        hints,
        [
            "commas do not separate names; did you mean `Bash|PowerShell`?",
            "did you mean `mcp__brave-search__*`?",
            "close every parenthesis: `Bash(git push|npm publish)`",
            "did you mean `PreToolUse`?",
        ]
    );
}

#[test]
fn disabled_hook_is_listed_unchecked() {
    let loaded = yaml(
        Layer::Project,
        "  prompt:submit:
    - { name: later, enabled: false, http: { url: 'https://example.com' }, cache: 10m }
    - { name: now, inject: Hello. }\n",
    );
    assert_eq!(names(&loaded), ["now"]);
    assert_eq!(loaded.disabled, [HookId::new(Layer::Project, "later")]);
    assert_eq!(loaded.problems, []);
}

#[test]
fn enabled_and_disabled_hook_is_an_error() {
    let loaded =
        yaml(Layer::User, "  tool:pre: [ { name: guard, enabled: false, enabled: true, deny: No. } ]\n");
    assert_eq!((loaded.hooks.len(), loaded.disabled.len()), (0, 0));
    let expected = ProblemKind::DuplicateKey { key: "enabled".to_owned(), first_line: 3 };
    assert_eq!(loaded.problems.into_iter().map(|problem| problem.kind).collect::<Vec<_>>(), [expected]);
}

#[test]
fn empty_file_is_an_error() {
    for format in [Format::Yaml, Format::Toml, Format::Json] {
        for text in ["", "\u{feff}", "\n\n"] {
            let loaded = load(&SourceText { name: "x", folder: "", layer: Layer::User, format, text });
            assert!(loaded.refused);
            let kinds: Vec<ProblemKind> = loaded.problems.into_iter().map(|problem| problem.kind).collect();
            assert_eq!(kinds, [ProblemKind::EmptyFile], "{format:?} {text:?}");
        }
    }
}

#[test]
fn layers_differ_in_permissions_and_failures() {
    let minimal = EnvInheritance::Minimal;
    let all = EnvInheritance::All;
    for (layer, inherit_env, failure) in [
        (Layer::Managed, &all, Policy::Deny),
        (Layer::User, &all, Policy::Allow),
        (Layer::Profile, &all, Policy::Allow),
        (Layer::Project, &minimal, Policy::Allow),
        (Layer::Local, &minimal, Policy::Allow),
    ] {
        let loaded = yaml(layer, "  tool:pre: [ { name: check, command: ls } ]\n");
        let hook = &loaded.hooks[0];
        assert_eq!(&hook.inherit_env, inherit_env, "{layer:?}");
        assert_eq!(hook.on_failure, OnFailure::always(failure), "{layer:?}");
        assert_eq!(hook.rejudge, failure == Policy::Deny, "{layer:?}");

        let generous = yaml(layer, "  tool:pre: [ { name: check, command: ls, may_allow: true } ]\n");
        let may = matches!(layer, Layer::Managed | Layer::User);
        assert_eq!(generous.hooks.iter().any(|hook| hook.may_allow), may, "{layer:?}");
        assert_eq!(generous.has_errors(), !may, "{layer:?}");
    }
}

#[test]
fn guards_run_again_by_default() {
    for (keys, rejudge) in [
        ("command: ls", false),
        ("command: ls, on_failure: deny", true),
        ("command: ls, on_failure: { missing: deny }", true),
        ("command: ls, on_failure: deny, rejudge: false", false),
        ("command: ls, rejudge: true", true),
        ("deny: No.", true),
        ("ask: Really?", true),
    ] {
        let loaded = yaml(Layer::User, &format!("  tool:pre: [ {{ name: guard, {keys} }} ]\n"));
        assert_eq!(loaded.hooks[0].rejudge, rejudge, "{keys}");
    }
}

#[test]
fn aliases_of_one_event_are_one_event() {
    let loaded = yaml(
        Layer::User,
        "  tool:pre: [ { name: one, deny: No. } ]
  PreToolUse: [ { name: two, deny: No. } ]
  beforeShellExecution: [ { name: three, deny: No. } ]\n",
    );
    assert_eq!(loaded.problems, []);
    assert!(loaded.hooks.iter().all(|hook| hook.event == EventKind::ToolPre));
    assert_eq!(names(&loaded), ["one", "two", "three"]);
}

#[test]
fn run_with_exclamation_mark_uses_the_shell() {
    let loaded = yaml(Layer::User, "  Stop: [ { name: status, run: '! git status' } ]\n");
    let line = Template::parse_shell("git status").unwrap();
    assert_eq!(loaded.hooks[0].handler, Handler::Command(Command::Shell(line)));
    assert_eq!(
        (loaded.hooks[0].source.file.as_str(), loaded.hooks[0].source.folder.as_str()),
        ("hooks.yaml", "/f")
    );
    assert_eq!(loaded.hooks[0].source.line, 3);
}

#[test]
fn examples_are_checked_as_commands_paths_or_prompts() {
    for (keys, matching, other) in [
        ("matcher: Bash, when: { command: 'git push*' }", "git push -f", "git pull"),
        ("matcher: 'Bash(git push)'", "cd x && git push -f", "git pull"),
        ("matcher: 'run_shell_command(rm)'", "rm x", "ls"),
        ("matcher: Edit, when: { path: 'src/**' }", "src/a.rs", "docs/a.md"),
        ("when: { path: ['*.pem', '*.key'] }", "certs/a.pem", "certs/a.txt"),
        ("agents: codex, when: { command: 'rm *', cwd: '/srv/**', agent: codex }", "rm x", "ls"),
    ] {
        let with = |matches: &str, ignores: &str| {
            let hook = format!(
                "  tool:pre: [ {{ name: guard, {keys}, deny: No., examples: {{ matches: ['{matches}'], ignores: ['{ignores}'] }} }} ]\n"
            );
            yaml(Layer::User, &hook)
        };
        assert_eq!(with(matching, other).problems, [], "{keys}");
        let swapped: Vec<ProblemKind> =
            with(other, matching).problems.into_iter().map(|problem| problem.kind).collect();
        let expected = [
            ProblemKind::ExampleMissed { example: other.to_owned() },
            ProblemKind::ExampleHit { example: matching.to_owned() },
        ];
        assert_eq!(swapped, expected, "{keys}");
    }
}

#[test]
fn messages_contain_no_terminal_commands() {
    let text = "{ \"version\": 1, \"\\u001b[2Jhooks\\n\\u202e\": 1 }";
    let loaded =
        load(&SourceText { name: "x", folder: "", layer: Layer::Project, format: Format::Json, text });
    assert_eq!(
        loaded.problems[0].message(),
        "unknown key `\u{fffd}[2Jhooks\u{fffd}\u{fffd}` at the top level"
    );
}
