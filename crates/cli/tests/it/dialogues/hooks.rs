//! `tenter hooks`: which hooks there are, what is wrong with them, and what one of them does.

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
      description: Nobody overwrites other people's work.
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
fn list_shows_every_hook_by_event_and_in_the_order_they_are_asked() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).says(&["hooks", "list"]));
}

#[test]
fn list_as_json_has_the_keys_of_hook_files() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).says(&["hooks", "list", "--json"]));
}

#[test]
fn list_names_the_line_of_a_typo_and_the_right_word() {
    assert_dialogue!(Dialogue::with_hooks(TYPOS).says(&["hooks", "list"]));
}

#[test]
fn list_says_where_a_hook_file_would_be() {
    assert_dialogue!(Dialogue::nowhere().says(&["hooks", "list"]));
}

#[test]
fn list_does_not_pass_over_a_file_that_is_not_there_or_not_readable_as_one() {
    let dialogue = Dialogue::nowhere()
        .says(&["hooks", "list", "--config", "missing.yaml"])
        .meanwhile("hooks.txt appears", |world| fs::write(world.project().join("hooks.txt"), "x").unwrap())
        .says(&["hooks", "list", "--config", "hooks.txt"])
        .meanwhile("hooks.yaml is no YAML", |world| {
            fs::write(world.project().join("hooks.yaml"), "version: 1\nhooks: [").unwrap();
        })
        .says(&["hooks", "list", "--config", "hooks.yaml"])
        .meanwhile("there are two hook files", |world| {
            world.write_hooks("yaml", "version: 1\nhooks: {}\n");
            world.write_hooks("toml", "version = 1\n");
        })
        .says(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_shows_one_hook_with_everything_it_has() {
    let dialogue = Dialogue::with_hooks(HOOKS).says(&["hooks", "show", "no-force-push"]).says(&[
        "hooks",
        "show",
        "user/echo-safely",
    ]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_of_a_hook_that_does_not_run_says_so() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(&["hooks", "show", "no-force-psuh"])
        .says(&["hooks", "show", "something-else"])
        .says(&["hooks", "show", "switched-off"]);
    assert_dialogue!(dialogue);
}

#[test]
fn testing_a_fixed_hook_shows_what_the_agent_gets() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).says(&["hooks", "test", "no-force-push"]));
}

#[test]
fn testing_a_command_shows_what_it_read_ran_and_wrote() {
    assert_dialogue!(Dialogue::with_hooks(HOOKS).says(&["hooks", "test", "echo-safely"]));
}

#[test]
fn testing_a_failing_hook_is_a_finding() {
    let dialogue = Dialogue::with_hooks(HOOKS).says(&["hooks", "test", "broken"]);
    assert_dialogue!(dialogue);
}

#[test]
fn testing_takes_a_payload_of_the_agent() {
    let payload = bash("git push origin --force");
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says_with(&["hooks", "test", "no-force-push", "--payload", "-"], &payload)
        .says_with(&["hooks", "test", "no-force-push", "--payload", "-", "--json"], &payload)
        .says_with(&["hooks", "test", "no-force-push", "--payload", "-"], &bash("git status"))
        .says_with(&["hooks", "test", "no-force-push", "--payload", "-"], "git push")
        .says(&["hooks", "test", "no-force-push", "--payload", "missing.json"])
        .says(&["hooks", "test", "no-force-push", "--agent", "cluade"]);
    assert_dialogue!(dialogue);
}

/// The hook reads, and the answer says, what they would with the agent itself.
#[test]
fn an_event_that_is_made_up_is_one_of_the_agent() {
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

/// A guard in Python that cannot be imported denies although its file says nothing about failures.
#[test]
fn a_failure_that_denies_by_default_does_not_quote_what_no_file_says() {
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

/// The hook writes down what it reads; what is shown must be the same.
#[test]
fn testing_shows_what_a_hook_of_another_dialect_really_reads() {
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
fn testing_shows_what_a_function_or_a_server_was_given_and_nothing_for_a_rule() {
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
    let told = world.tenter(&["hooks", "test", "server"]).run();
    assert!(told.stdout.contains("it was asked with\n"), "{told:?}");
}

#[test]
fn testing_runs_a_hook_that_waits_for_its_turn_in_a_session() {
    for limit in ["every: 3", "once: session", "once: turn"] {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: now, {limit}, matcher: Bash, deny: \"Not now.\" }}\n"
        ));
        let ran = world.tenter(&["hooks", "test", "now"]).run();
        assert!(ran.stdout.contains("Not now.") && !ran.stdout.contains("skipped"), "{limit}: {ran:?}");
    }
}

#[test]
fn testing_a_hook_for_other_agents_names_one() {
    let dialogue = Dialogue::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: others, agents: \"!claude\", matcher: Bash, deny: \"no\" }\n    - { name: nobody, agents: reviewer, matcher: Bash, deny: \"no\" }\n",
    );
    assert_dialogue!(
        dialogue
            .says(&["hooks", "test", "others"])
            .says(&["hooks", "test", "others", "--agent", "gemini"])
            .says(&["hooks", "test", "nobody"])
            .says_with(&["hooks", "test", "others", "--payload", "-"], &bash("ls"))
    );
}

#[test]
fn a_changed_project_lists_a_guard_that_denies_as_on_and_nothing_twice() {
    let write = |world: &World, more: &str| {
        fs::create_dir_all(world.project().join(".tenter")).unwrap();
        let text = format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, matcher: Bash, deny: \"no\" }}\n  session:start:\n    - {{ name: hello, inject: \"hi\" }}\n{more}"
        );
        fs::write(world.project().join(".tenter/hooks.yaml"), text).unwrap();
    };
    let dialogue = Dialogue::nowhere()
        .meanwhile("a project brings hooks", |world| write(world, ""))
        .says(&["trust", "--yes"])
        .meanwhile("they change", |world| write(world, "# changed\n"))
        .says(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn testing_leaves_no_record() {
    assert_dialogue!(
        Dialogue::with_hooks(HOOKS).says(&["hooks", "test", "git-status"]).says(&["audit", "show"])
    );
}

/// In a real terminal, which `script` makes.
#[test]
#[cfg(target_os = "linux")]
fn testing_shows_on_a_terminal_that_it_waits_and_never_in_json() {
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
