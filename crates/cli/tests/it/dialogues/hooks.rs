//! `tenter hooks`: lists, problems and tests of hooks.

use std::fs;

use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  session:start:
    - name: git-status
      run: "!git status --short --branch"
      once: session
  tool:pre:
    - name: no-force-push
      description: Keeps the work of other people.
      matcher: Bash
      when: { command: "/^git push .*--force( |$)/" }
      deny: "Use `git push --force-with-lease`."
      priority: -100
      examples: { matches: ["git push origin --force"], ignores: ["git push"] }
    - name: echo-safely
      matcher: "Bash(echo|printf)"
      command: "cat > /dev/null; echo 'checked' >&2; echo '{\"inject\": \"echo is fine\"}'"
      env: { LEVEL: "3" }
      on_failure: { timeout: deny }
    - name: switched-off
      enabled: false
      matcher: Write
      ask: "Really?"
  tool:post:
    - name: broken
      matcher: Write
      command: "echo 'no config found' >&2; exit 3"
"#;

const TYPOS: &str = r#"version: 1
hooks:
  tool:pre:
    - name: no-force-push
      matchr: Bash
      when: { comand: "git push --force*" }
      deny: "Use --force-with-lease."
    - name: no-sudo
      matcher: "Bash(sudo)"
      deny: "Ask an administrator."
  tool:pots:
    - name: lint
      command: "ruff check {tool.path}"
"#;

#[test]
fn list_groups_hooks_by_event_in_order() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).run(&["hooks", "list"]));
}

#[test]
fn json_list_has_hook_file_keys() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).run(&["hooks", "list", "--json"]));
}

#[test]
fn list_corrects_a_typo_with_its_line() {
    assert_dialogue!(Dialogue::with_hooks(TYPOS).run(&["hooks", "list"]));
}

#[test]
fn list_names_the_missing_hook_file() {
    assert_dialogue!(Dialogue::new().run(&["hooks", "list"]));
}

#[test]
fn list_reports_missing_and_unreadable_files() {
    let dialogue = Dialogue::new()
        .run(&["hooks", "list", "--config", "missing.yaml"])
        .step("hooks.txt appears", |world| fs::write(world.project().join("hooks.txt"), "x").unwrap())
        .run(&["hooks", "list", "--config", "hooks.txt"])
        .step("hooks.yaml is no YAML", |world| {
            fs::write(world.project().join("hooks.yaml"), "version: 1\nhooks: [").unwrap();
        })
        .run(&["hooks", "list", "--config", "hooks.yaml"])
        .step("there are two hook files", |world| {
            world.write_hooks("yaml", "version: 1\nhooks: {}\n");
            world.write_hooks("toml", "version = 1\n");
        })
        .run(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_prints_every_hook_field() {
    let dialogue = Dialogue::with_hooks(HOOKS).run(&["hooks", "show", "no-force-push"]).run(&[
        "hooks",
        "show",
        "user/echo-safely",
    ]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_explains_an_inactive_hook() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(&["hooks", "show", "no-force-psuh"])
        .run(&["hooks", "show", "something-else"])
        .run(&["hooks", "show", "switched-off"]);
    assert_dialogue!(dialogue);
}

#[test]
fn rule_test_prints_the_agent_response() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).run(&["hooks", "test", "no-force-push"]));
}

#[test]
fn command_test_prints_input_and_output() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).run(&["hooks", "test", "echo-safely"]));
}

#[test]
fn failing_hook_fails_its_test() {
    let dialogue = Dialogue::with_hooks(HOOKS).run(&["hooks", "test", "broken"]);
    assert_dialogue!(dialogue);
}

#[test]
fn test_accepts_an_agent_payload() {
    let payload = bash("git push origin --force");
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run_with_stdin(&["hooks", "test", "no-force-push", "--payload", "-"], &payload)
        .run_with_stdin(&["hooks", "test", "no-force-push", "--payload", "-", "--json"], &payload)
        .run_with_stdin(&["hooks", "test", "no-force-push", "--payload", "-"], &bash("git status"))
        .run_with_stdin(&["hooks", "test", "no-force-push", "--payload", "-"], "git push")
        .run(&["hooks", "test", "no-force-push", "--payload", "missing.json"])
        .run(&["hooks", "test", "no-force-push", "--agent", "cluade"]);
    assert_dialogue!(dialogue);
}

/// Input and response are the same as with the agent.
#[test]
fn generated_event_belongs_to_the_agent() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: look, matcher: Bash, command: \"cat >seen.json; echo '{}'\" }\n    - { name: slow, matcher: Bash, command: \"echo '{\\\"modify\\\": {\\\"tool_input\\\": {\\\"run_in_background\\\": true}}}'\" }\n",
    );
    for (agent, native) in [("claude", "Bash"), ("gemini", "run_shell_command")] {
        let ran = world.tenter(&["hooks", "test", "look", "--agent", agent]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let seen = fs::read_to_string(world.project().join("seen.json")).unwrap();
        let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
        assert_eq!((&seen["agent"], &seen["tool"]["native_name"]), (&agent.into(), &native.into()), "{seen}");
        assert_eq!(seen["tool"]["name"], "Bash", "{seen}");
    }
    let ran = world.tenter(&["hooks", "test", "slow", "--agent", "gemini"]).run();
    assert!(ran.stdout.contains("\"is_background\": true"), "under its own key: {ran:?}");
}

/// A Python guard that fails to import denies, also without `on_failure`.
#[test]
fn default_failure_policy_is_not_quoted() {
    for (says, expected) in
        [("", "`on_failure` is deny by default"), (", on_failure: deny", "`on_failure` says deny")]
    {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: gone, matcher: Bash, python: no_such.check{says} }}\n"
        ));
        let ran = world.claude(&bash("ls")).run();
        assert!(ran.stdout.contains(expected), "{ran:?}");
    }
}

/// The hook saves its input, which must equal the printed one.
#[test]
fn test_prints_the_input_of_foreign_hooks() {
    for dialect in ["tenter", "claude", "amazonq", "massgen", "ghap"] {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: look, matcher: Bash, dialect: {dialect}, command: \"cat >seen.json; echo '{{}}'\" }}\n"
        ));
        let ran = world.tenter(&["hooks", "test", "look", "--json"]).run();
        assert_eq!(ran.code, Some(0), "{dialect}: {ran:?}");
        let shown: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let seen = fs::read_to_string(world.project().join("seen.json")).unwrap();
        let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
        assert_eq!(shown["stdin"], seen, "{dialect}");
    }
}

#[test]
fn test_prints_input_for_functions_and_servers() {
    let world = World::with_hooks(
        "version: 1
hooks:
  tool:pre:
    - { name: function, matcher: Bash, python: look.seen }
    - { name: server, matcher: Bash, mcp: { server: judge, tool: look, arguments: { line: \"{tool.command}\" } } }
    - { name: rule, matcher: Bash, deny: \"no\" }
mcp_servers:
  judge: { command: [sh, no-such-server] }
",
    );
    fs::write(world.config().join("tenter/look.py"), "def seen(event):\n    return None\n").unwrap();
    let shown = |name: &str| -> serde_json::Value {
        let ran = world.tenter(&["hooks", "test", name, "--json"]).run();
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    };
    let of_function = shown("function");
    assert_eq!(of_function["stdin"]["tool"]["name"], "Bash", "{of_function}");
    let of_server = &shown("server")["stdin"];
    assert_eq!(of_server["name"], "look");
    assert!(of_server["arguments"]["line"].is_string(), "{of_server}");
    assert_eq!(shown("rule")["stdin"], serde_json::Value::Null);
    let tested = world.tenter(&["hooks", "test", "server"]).run();
    assert!(tested.stdout.contains("it was asked with\n"), "{tested:?}");
}

#[test]
fn test_runs_a_waiting_hook() {
    for limit in ["every: 3", "once: session", "once: turn"] {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: now, {limit}, matcher: Bash, deny: \"Not now.\" }}\n"
        ));
        let ran = world.tenter(&["hooks", "test", "now"]).run();
        assert!(ran.stdout.contains("Not now.") && !ran.stdout.contains("skipped"), "{limit}: {ran:?}");
    }
}

#[test]
fn test_suggests_an_agent_of_the_hook() {
    let dialogue = Dialogue::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: others, agents: \"!claude\", matcher: Bash, deny: \"no\" }\n    - { name: unused, agents: reviewer, matcher: Bash, deny: \"no\" }\n",
    );
    assert_dialogue!(
        dialogue
            .run(&["hooks", "test", "others"])
            .run(&["hooks", "test", "others", "--agent", "gemini"])
            .run(&["hooks", "test", "unused"])
            .run_with_stdin(&["hooks", "test", "others", "--payload", "-"], &bash("ls"))
    );
}

#[test]
fn changed_project_lists_each_guard_once() {
    let write = |world: &World, more: &str| {
        fs::create_dir_all(world.project().join(".tenter")).unwrap();
        let text = format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, matcher: Bash, deny: \"no\" }}\n  session:start:\n    - {{ name: hello, inject: \"hi\" }}\n{more}"
        );
        fs::write(world.project().join(".tenter/hooks.yaml"), text).unwrap();
    };
    let dialogue = Dialogue::new()
        .step("a project brings hooks", |world| write(world, ""))
        .run(&["trust", "--yes"])
        .step("they change", |world| write(world, "# changed\n"))
        .run(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn test_writes_no_record() {
    assert_dialogue!(
        Dialogue::with_hooks(HOOKS).run(&["hooks", "test", "git-status"]).run(&["audit", "show"])
    );
}

/// `script` provides a terminal.
#[test]
#[cfg(target_os = "linux")]
fn test_shows_progress_only_on_a_terminal() {
    let world = crate::world::World::with_hooks(
        "version: 1\nhooks:\n  session:start:\n    - { name: slow, command: \"while ! test -e go; do sleep 0.01; done\" }\n",
    );
    let tenter = env!("CARGO_BIN_EXE_tenter");
    let ran = world.sh(&format!(
        "script -qefc '{tenter} hooks test slow' shown >/dev/null &
        while ! grep -aq '0 of 1 hook finished' shown; do sleep 0.01; done; touch go; wait; rm go
        script -qefc '{tenter} hooks test slow --json' json >/dev/null &
        sleep 0.5; touch go; wait"
    ));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = |file: &str| std::fs::read_to_string(world.project().join(file)).unwrap();
    assert!(shown("shown").contains("\r\x1b[K"), "{}", shown("shown"));
    assert!(!shown("json").contains("finished"), "{}", shown("json"));
}
