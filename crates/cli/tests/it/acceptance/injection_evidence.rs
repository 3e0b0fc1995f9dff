//! Statistics and explanations of injected text: undelivered text does not count.

use serde_json::{Value, json};

use crate::world::{World, bash};

fn stats(world: &World, hook: &str) -> Value {
    let ran = world.tenter(&["hooks", "stats", "--json"]).run();
    let all: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let all = all["hooks"].as_array().unwrap().clone();
    all.into_iter().find(|it| it["hook"] == hook).unwrap_or_else(|| panic!("no {hook}: {ran:?}"))
}

fn call(world: &World, id: usize) {
    let payload = bash("ls").replace("toolu_1", &format!("t{id}"));
    assert_eq!(world.claude(&payload).run().code, Some(0));
}

/// Useful, arrived, bytes, and not arrived.
fn text_counts(world: &World, hook: &str) -> [Value; 4] {
    let all = stats(world, hook);
    ["useful", "injections", "injected_bytes", "not_injected"].map(|key| all[key].clone())
}

#[test]
fn stats_ignore_undelivered_texts() {
    let world = World::with_hooks(
        r#"version: 1
limits: { injection_bytes: 1000, over_limit: reject, turn_tokens: 6, over_budget: enforce }
hooks:
  tool:pre:
    - { name: rules, priority: 1, inject: "Tests come first." }
    - { name: too-long, priority: 2, command: "head -c 2000 /dev/zero | tr '\\0' x", inject_output: always }
    - { name: too-dear, priority: 3, inject: "There is a lot to be said about this." }
    - { name: talker, priority: 4, command: "echo '{\"inject\": \"As was to be said about that, too.\", \"message\": \"hello\"}'" }
"#,
    );
    (0..3).for_each(|id| call(&world, id));
    assert_eq!(
        text_counts(&world, "user/rules"),
        [1, 1, 17, 2].map(|it| json!(it)),
        "given once, then known"
    );
    assert_eq!(text_counts(&world, "user/too-long"), [0, 0, 0, 3].map(|it| json!(it)), "above the limit");
    assert_eq!(text_counts(&world, "user/too-dear"), [0, 0, 0, 3].map(|it| json!(it)), "above the budget");
    assert_eq!(text_counts(&world, "user/talker"), [3, 0, 0, 3].map(|it| json!(it)), "the user received it");
    let table = world.tenter(&["hooks", "stats"]).run().stdout;
    let row = |hook: &str| table.lines().find(|line| line.starts_with(hook)).unwrap().to_owned();
    assert!(row("user/rules").contains("1 of 3 (17 bytes, 2 repeated)"), "{table}");
    assert!(row("user/too-long").contains("0 of 3 (0 bytes, 3 over budget)"), "{table}");
}

/// Claude Code accepts no context right after a compaction, so the text waits for the next event.
#[test]
fn deferred_text_counts_on_delivery() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  context:post_compact:\n    - { name: keep, inject: \"Keep the plan.\" }\n",
    );
    let compact = r#"{"session_id": "s1", "hook_event_name": "PostCompact", "cwd": "/", "trigger": "auto"}"#;
    assert_eq!(world.claude(compact).run().code, Some(0));
    assert_eq!(text_counts(&world, "user/keep"), [0, 0, 0, 1].map(|it| json!(it)), "it waits");
    call(&world, 1);
    assert_eq!(text_counts(&world, "user/keep"), [1, 1, 14, 0].map(|it| json!(it)), "it has arrived");
}

/// Claude Code accepts 10,000 characters per reply, for all hooks together.
#[test]
fn spilled_text_names_its_file() {
    let world = World::with_hooks(
        r#"version: 1
limits: { injection_bytes: 64KiB, turn_tokens: 10000 }
hooks:
  tool:pre:
    - { name: odd, command: "seq 1 2 4000", inject_output: always }
    - { name: even, command: "seq 2 2 4000", inject_output: always }
"#,
    );
    call(&world, 1);
    let shown = world.tenter(&["context", "show", "--hooks"]).run().stdout;
    let path = |line: &str| line.split_once("spilled, all of it in ").map(|(_, path)| path.to_owned());
    let paths: Vec<String> = shown.lines().filter_map(path).collect();
    assert_eq!(paths.len(), 2, "{shown}");
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("\n3999\n") && text.contains("\n4000"), "{path}");
    }
    let records = crate::records::read(&world);
    let recorded = records.iter().filter(|record| record["injection"]["path"] == json!(paths[0]));
    assert_eq!(recorded.count(), 2, "the record says so too");
}

/// Claude Code has one channel and keeps injected text.
#[test]
fn explain_shows_requested_role_and_duration() {
    let world = World::with_hooks(
        r#"version: 1
hooks:
  tool:pre:
    - { name: hint, command: "echo '{\"inject\": {\"content\": \"Hurry.\", \"role\": \"user\", \"ephemeral\": true}}'" }
"#,
    );
    call(&world, 1);
    let shown = world.tenter(&["context", "show", "--hooks"]).run().stdout;
    assert!(shown.contains("system (wanted user)  6 bytes"), "{shown}");
    assert!(shown.contains("delivered, wanted for one model call\n"), "{shown}");
    let explained = world.tenter(&["explain", "2"]).run().stdout;
    assert!(explained.contains("received   6 bytes, about 2 tokens\n  wanted as  user\n"), "{explained}");
}

#[test]
fn replay_shows_both_texts() {
    let hooks = |text: &str| {
        format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: rules, matcher: Bash, inject: \"{text}\" }}\n"
        )
    };
    let world = World::with_hooks(&hooks("Tests come first."));
    call(&world, 1);
    let replay = || world.tenter(&["replay", "1"]).run();
    assert_eq!(replay().code, Some(0));
    for text in ["Tests come after.", "Tests come first, and documents come with them."] {
        world.write_hooks("yaml", &hooks(text));
        let ran = replay();
        assert_eq!(ran.code, Some(1), "{ran:?}");
        for (time, text) in [("then ", "Tests come first."), ("today", text)] {
            let expected = format!("{time}  abstain; injects {} bytes as system: {text}\n", text.len());
            assert!(ran.stdout.contains(&expected), "{expected}{}", ran.stdout);
        }
    }
}

/// A denied prompt reaches no model, so its text is in no context.
#[test]
fn text_with_denied_prompt_is_not_counted() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  prompt:submit:\n    - { name: tip, inject: \"Be brief.\" }\n    - { name: wall, deny: \"No.\" }\n",
    );
    let data = r#"{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Hi."}"#;
    assert!(world.hook("claude", data).run().stdout.contains("Be brief."));
    let tip = stats(&world, "user/tip");
    for (key, expected) in
        [("injections", 0), ("injected_bytes", 0), ("not_injected", 1), ("shown_to_user", 1), ("useful", 0)]
    {
        assert_eq!(tip[key], expected, "{key}: {tip}");
    }
    let table = world.tenter(&["hooks", "stats"]).run().stdout;
    assert!(table.contains("0 of 1 (0 bytes, 1 shown to the user)"), "{table}");
    let shown = world.tenter(&["context", "show", "--session", "s1"]).run().stdout;
    assert!(shown.contains("session s1 (0 texts, 0 bytes; 1 more did not arrive)"), "{shown}");
}
