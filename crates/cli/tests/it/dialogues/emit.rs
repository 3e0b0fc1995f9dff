//! `tenter emit`: hooks for any program.

use super::{Dialogue, assert_dialogue};
use crate::world::World;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: no-sudo, matcher: "Bash(sudo)", deny: "Ask an administrator." }
  deploy:started:
    - { name: freeze, inject: "There is a freeze until Monday." }
    - { name: warn, message: { text: "Deploying.", level: warning } }
"#;

#[test]
fn standard_and_custom_events_have_an_outcome() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run_with_stdin(
            &["emit", "PreToolUse"],
            r#"{"tool": {"name": "Bash", "input": {"command": "sudo reboot"}}}"#,
        )
        .run_with_stdin(&["emit", "deploy:started"], r#"{"session_id": "d1", "data": {"to": "staging"}}"#)
        .run(&["emit", "session:end"])
        .run(&["audit", "show"]);
    assert_dialogue!(dialogue);
}

/// Events without a session do not share one, because it would never end.
#[test]
fn once_hook_repeats_without_a_session() {
    for period in ["session", "turn"] {
        let world = crate::world::World::with_hooks(&format!(
            "version: 1\nhooks:\n  session:start:\n    - {{ name: rules, inject: \"Be brief.\", once: {period} }}\n"
        ));
        let emit = |data: &str| world.tenter(&["emit", "session:start"]).stdin(data).run().stdout;
        let notice = format!("it runs at every event that names no session (once: {period})");
        let (first, second) = (emit("{}"), emit("{}"));
        assert!(first.contains("Be brief.") && first.contains(&notice), "{first}");
        assert!(second.contains("Be brief.") && !second.contains(&notice), "{second}");
        let shown = world.tenter(&["audit", "show", "--json"]).run().stdout;
        assert_eq!(shown.matches(&notice).count(), 2, "{shown}");
        let named = r#"{"session_id": "d1"}"#;
        assert!(emit(named).contains("Be brief."));
        assert!(!emit(named).contains("Be brief."));
    }
}

/// `script` provides a terminal. Each hook waits until the previous line is visible.
#[test]
#[cfg(target_os = "linux")]
fn progress_needs_a_terminal() {
    let waits =
        |file: &str| format!("{{ name: {file}, command: \"while ! test -e {file}; do sleep 0.01; done\" }}");
    let world = crate::world::World::with_hooks(&format!(
        "version: 1\nhooks:\n  deploy:started:\n    - {}\n    - {}\n    - {}\n",
        waits("one"),
        waits("two"),
        waits("three")
    ));
    let tenter = env!("CARGO_BIN_EXE_tenter");
    let ran = world.sh(&format!(
        "echo '{{}}' >data
        seen() {{ while ! grep -aq \"$1 hooks finished\" shown; do sleep 0.01; done; }}
        script -qefc '{tenter} emit deploy:started <data' shown >/dev/null &
        seen '0 of 3'; touch one; seen '1 of 3'; touch two; seen '2 of 3'; touch three; wait"
    ));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = std::fs::read_to_string(world.project().join("shown")).unwrap();
    for line in [
        "\r0 of 3 hooks finished; waiting for one\x1b[K",
        "\r2 of 3 hooks finished; waiting for three\x1b[K",
        "\r\x1b[K{\"v\":1,",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown:?}");
    }
    // Without a terminal.
    let piped = world.sh(&format!("{tenter} emit deploy:started <data"));
    assert_eq!(piped.stderr, "");
    assert!(!piped.stdout.contains("finished"), "{piped:?}");
    // Too fast to need progress output.
    let quick = world.sh(&format!("script -qec '{tenter} emit deploy:ended <data' /dev/null"));
    assert!(!quick.stdout.contains('\x1b'), "{quick:?}");
}

#[test]
fn non_object_data_is_refused() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run_with_stdin(&["emit", "tool:pre"], r#"{"tool": "#)
        .run_with_stdin(&["emit", "tool:pre"], r#"["tool"]"#)
        .run_with_stdin(&["emit", "tool:pre"], r#"{"tool": {"name": 7}}"#);
    assert_dialogue!(dialogue);
}

#[test]
fn unknown_event_has_a_suggestion() {
    let dialogue = Dialogue::new()
        .run_with_stdin(&["emit", "tool:pree"], "{}")
        .run_with_stdin(&["emit", "PreTolUse"], "{}")
        .run_with_stdin(&["emit", "tool:sharpened"], "{}")
        .run_with_stdin(&["emit", "deploy"], "{}");
    assert_dialogue!(dialogue);
}

/// A guard finds no value under a misspelled key, so the event is refused.
#[test]
fn misspelled_keys_of_an_event_are_named() {
    let guard = "version: 1\nhooks:\n  tool:pre: [ { name: guard, matcher: Bash, deny: \"no\" } ]\n";
    let world = World::with_hooks(guard);
    for (data, meant) in [
        (r#"{"tool":{"nme":"Bash"}}"#, "tool.name"),
        (r#"{"tol":{"name":"Bash"}}"#, "tool"),
        (r#"{"tool":{"name":"Bash","inptu":{"command":"ls"}}}"#, "tool.input"),
    ] {
        let ran = world.tenter(&["emit", "tool:pre"]).stdin(data).run();
        assert_eq!(ran.code, Some(2), "{data}: {ran:?}");
        assert!(ran.stderr.contains(&format!("did you mean `{meant}`?")), "{data}: {ran:?}");
    }
}

/// Guards abstain without a tool, which would allow the event.
#[test]
fn tool_event_without_tool_is_refused_with_an_example() {
    let guard = "version: 1\nhooks:\n  tool:pre: [ { name: guard, deny: \"no\", matcher: Bash } ]\n";
    let world = World::with_hooks(guard);
    let example = r#"{"tool": {"name": "Bash", "input": {"command": "ls"}}}"#;
    let tool = r#"{"name":"Bash","input":{"command":"ls"}}"#;
    for data in [
        "",
        "{}",
        tool,
        r#"{"command":"ls"}"#,
        r#"{"tool":null}"#,
        r#"{"path":"x"}"#,
        &format!(r#"{{"payload":{{"tool":{tool}}}}}"#),
        &format!(r#"{{"data":{{"tool":{tool}}}}}"#),
    ] {
        let ran = world.tenter(&["emit", "tool:pre"]).stdin(data).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{data}: {ran:?}");
        assert!(ran.stderr.contains("it has no `tool`"), "{data}: {ran:?}");
        assert!(ran.stderr.contains(&format!("echo '{example}' | tenter emit tool:pre")), "{data}: {ran:?}");
    }
    let ran = world.tenter(&["emit", "tool:pre"]).stdin(example).run();
    assert_eq!(ran.field("/decision/verdict"), "deny", "the example works");
    let ran = world.tenter(&["emit", "prompt:submit"]).stdin(r#"{"text":"Hi."}"#).run();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("it has no `prompt`"), "{ran:?}");
}

#[test]
fn unknown_key_of_an_event_is_a_warning() {
    let world = World::with_hooks("version: 1\nhooks: {}\n");
    let ran = world
        .tenter(&["emit", "tool:pre"])
        .stdin(r#"{"tool":{"name":"Bash","input":{"command":"ls"}},"workdir":"/x"}"#)
        .run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.starts_with("warning: an event has no key `workdir`"), "{ran:?}");
    assert!(ran.field("/messages/0/text").starts_with("an event has no key `workdir`"), "{ran:?}");
    let own = world.tenter(&["emit", "deploy:started"]).stdin(r#"{"to":"staging"}"#).run();
    assert_eq!((own.code, own.stderr.as_str()), (Some(0), ""), "{own:?}");
}
