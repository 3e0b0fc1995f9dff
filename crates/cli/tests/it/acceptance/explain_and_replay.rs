//! Recorded events can be explained and replayed without side effects.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: no-force-push, matcher: Bash, when: { command: "/--force( |$)/" }, deny: "Use --force-with-lease." }
    - { name: counter, matcher: Bash, every: 2, command: "echo run >> runs" }
    - { name: sure, matcher: "Bash(rm)", ask: "Run it?" }
  tool:post:
    - name: no-secrets
      matcher: Bash
      command: "grep -q hunter2 && echo '{\"deny\": \"it prints a password\"}' || true"
"#;

fn push() -> String {
    bash("git push --force")
}

/// Everything below a folder, with its content.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.insert(entry.path(), Vec::new());
            all.extend(tree(&entry.path()));
        } else {
            all.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn replayed(world: &World, arguments: &[&str]) -> (Option<i32>, Value) {
    let ran = world.tenter(&[&["replay"], arguments, &["--json"]].concat()).run();
    (ran.code, serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

#[test]
fn replay_shows_effect_of_changed_hook() {
    let world = World::with_hooks(HOOKS);
    assert!(world.claude(&push()).run().stdout.contains("deny"));
    let (code, same) = replayed(&world, &["1"]);
    assert_eq!((code, &same["summary"]["different"]), (Some(0), &json!(0)), "{same}");

    world.write_hooks("yaml", &HOOKS.replace("/--force( |$)/", "/--force-now/"));
    let (code, changed) = replayed(&world, &["1"]);
    let event = &changed["events"][0];
    assert_eq!(
        (code, &event["then"]["verdict"], &event["today"]["verdict"]),
        (Some(1), &json!("deny"), &json!("abstain"))
    );
    let gone = &event["hooks"][0];
    assert_eq!((&gone["hook"], &gone["change"]), (&json!("user/no-force-push"), &json!("gone")));
    assert_eq!(gone["why"], "when.command wants /--force-now/, and it is git push --force");

    let explained = world.tenter(&["explain", "1"]).run().stdout;
    assert!(
        explained.contains("so: denied by no-force-push: Use --force-with-lease."),
        "what happened stays: {explained}"
    );

    world.write_hooks("yaml", &HOOKS.replace("Use --force-with-lease.", "Never."));
    let (code, reworded) = replayed(&world, &["last"]);
    assert_eq!((code, &reworded["events"][0]["today"]["reason"]), (Some(1), &json!("Never.")));
}

/// A question with other options or another default is a different question, whichever hook asks it.
#[test]
fn replay_compares_question_options_and_default() {
    let hooks = |fixed: &str, program: &str| {
        format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: sure, matcher: \"Bash(rm)\", ask: {fixed} }}\n    - {{ name: asks, matcher: Bash, when: {{ command: \"*deploy*\" }}, command: \"cat {program}\" }}\n"
        )
    };
    let then = r#"{ prompt: "Run it?", options: ["Allow once", "Allow always", "Deny"] }"#;
    let world = World::with_hooks(&hooks(then, "ask.json"));
    let ask = |options: &str| format!(r#"{{"ask": {{"prompt": "Deploy?", "options": {options}}}}}"#);
    fs::write(world.project().join("ask.json"), ask(r#"["Ship it", "Deny"]"#)).unwrap();
    for (id, command) in ["rm x", "deploy", "rm deploy"].into_iter().enumerate() {
        let call = bash(command).replace("toolu_1", &format!("t{id}"));
        assert!(
            world.claude(&call).run().stdout.contains("permissionDecision"),
            "denied, or left to the agent"
        );
    }
    let different = |arguments: &[&str]| {
        let (code, replay) = replayed(&world, &[&["s1"], arguments].concat());
        let differ: Vec<bool> =
            replay["events"].as_array().unwrap().iter().map(|it| it["differs"] == true).collect();
        assert_eq!(code, Some(i32::from(differ.contains(&true))), "{replay}");
        (differ, replay["events"][0]["question"].clone())
    };
    assert_eq!(
        different(&[]),
        (vec![false, false, false], Value::Null),
        "a program's word of then has its options"
    );
    assert_eq!(different(&["--run"]).0, [false, false, false]);

    let today = r#"{ prompt: "Run it?", options: ["Allow once", { label: "Allow always", grant: tool }, "Deny"], default: allow }"#;
    world.write_hooks("yaml", &hooks(today, "ask.json"));
    let (differ, question) = different(&[]);
    assert_eq!(
        differ,
        [true, false, false],
        "where both ask, it is allow or deny, and a deny by silence, as it was"
    );
    assert_eq!(question["then"]["default"], "deny");
    assert_eq!(question["today"]["default"], "allow");
    assert_eq!(question["today"]["options"][1], json!({"label": "Allow always", "grant": "tool"}));
    let shown = world.tenter(&["replay", "s1"]).run().stdout;
    assert!(
        shown.contains("the question  then   Allow once, Allow always, Deny; silence denies\n"),
        "{shown}"
    );
    let offer = "today  Allow once, Allow always (grant: tool), Deny; silence allows\n";
    assert!(shown.contains(offer), "{shown}");

    world.write_hooks("yaml", &hooks(then, "ask.json"));
    fs::write(world.project().join("ask.json"), ask(r#"["Allow", "Deny"]"#)).unwrap();
    assert_eq!(different(&["--run"]).0, [false, true, false]);
}

#[test]
fn replay_has_no_side_effects_by_default() {
    let world = World::with_hooks(HOOKS);
    for (id, command) in ["ls", "ls -l", "rm x", "rm y"].into_iter().enumerate() {
        assert_eq!(world.claude(&bash(command).replace("toolu_1", &format!("t{id}"))).run().code, Some(0));
    }
    let runs = || fs::read_to_string(world.project().join("runs")).unwrap();
    assert_eq!(runs().lines().count(), 2, "every second one");
    world.end_agents();
    let before = (tree(&world.state()), tree(&world.project()));
    let (code, replay) = replayed(&world, &["s1"]);
    assert_eq!((code, &replay["summary"]["not_run"]), (Some(0), &json!(["user/counter"])), "{replay}");
    assert_eq!((tree(&world.state()), tree(&world.project())), before, "no trace");
    let asked = replay["events"][3]["today"].clone();
    assert_eq!(
        (&asked["verdict"], &asked["reason"]),
        (&json!("ask"), &json!("Run it?")),
        "no question was asked"
    );

    assert_eq!(replayed(&world, &["s1", "--run"]).0, Some(0));
    assert_eq!(runs().lines().count(), 4, "for real, and at the same events");
    assert_eq!(tree(&world.state()), before.0);
}

#[test]
fn replay_repeats_recorded_tool_result() {
    let world = World::with_hooks(HOOKS);
    let after = |tool: &str, printed: &str| {
        let payload = json!({
            "session_id": "s1", "hook_event_name": "PostToolUse", "cwd": "/", "tool_name": tool,
            "tool_input": {"command": "cat notes", "file_path": "/notes"}, "tool_use_id": tool,
            "tool_response": {"stdout": printed, "stderr": "", "interrupted": false},
        });
        assert_eq!(world.claude(&payload.to_string()).run().code, Some(0));
    };
    after("Bash", "the password is hunter2");
    after("Read", "no hook matches this");
    let (code, same) = replayed(&world, &["s1", "--run"]);
    assert_eq!((code, &same["events"][0]["today"]["verdict"]), (Some(0), &json!("deny")), "{same}");
    let missing = same["events"][1]["missing"][0].as_str().unwrap();
    assert!(missing.starts_with("no hook was asked then"), "{missing}");
    assert!(!fs::read_to_string(world.trail()).unwrap().contains("no hook matches this"));

    world.write_hooks("yaml", &HOOKS.replace("hunter2", "hunter3"));
    assert_eq!(replayed(&world, &["1", "--run"]).0, Some(1));
    let (code, changed) = replayed(&world, &["1"]);
    assert_eq!(code, Some(1), "without a run its word of then is that of another hook: {changed}");
}

#[test]
fn audit_follow_prints_each_new_record() {
    let world = World::with_hooks(HOOKS);
    assert_eq!(world.claude(&bash("first")).run().code, Some(0));
    let mut following = world.tenter(&["audit", "show", "--follow", "--json", "--tool", "Bash"]).start();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["tool"]["input"]["command"], "first");
    for command in ["second", "third"] {
        assert_eq!(world.claude(&bash(command)).run().code, Some(0));
        assert_eq!(next()["tool"]["input"]["command"], command);
    }
    following.kill().unwrap();
    following.wait().unwrap();
}

#[test]
fn duplicate_delivery_names_the_first_record() {
    let world = World::with_hooks(HOOKS);
    for payload in [bash("ls"), push().replace("toolu_1", "t2"), bash("ls"), push().replace("toolu_1", "t2")]
    {
        assert_eq!(world.claude(&payload).run().code, Some(0));
    }
    let shown = world.tenter(&["audit", "show", "--last", "2"]).run().stdout;
    let ends: Vec<&str> =
        shown.lines().filter_map(|line| line.split_once("Bash  ")).map(|(_, it)| it).collect();
    assert_eq!(
        ends,
        ["the call of record 1, delivered again → abstain", "the call of record 2, delivered again → deny"]
    );
    let output = world.tenter(&["explain", "4"]).run().stdout;
    assert!(output.contains("run `tenter explain 2` to see their replies"), "{output}");
    let refused = world.tenter(&["replay", "4"]).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.ends_with("hint: run `tenter replay 2` to replay the first delivery\n"),
        "{refused:?}"
    );
    assert_eq!(replayed(&world, &["2"]).0, Some(0), "the hint helps");
}

#[test]
fn denied_question_matches_both_filters() {
    let world = World::with_hooks(&format!("approvals: {{ approver: deny }}\n{HOOKS}"));
    let data =
        json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "rm x"}}).to_string();
    assert_eq!(world.tenter(&["emit", "tool:pre"]).stdin(data).run().code, Some(0));
    let shown = |filter: &[&str]| world.tenter(&[&["audit", "show"], filter].concat()).run().stdout;
    for filter in [&["--verdict", "deny"][..], &["--asked"]] {
        assert!(shown(filter).contains("sure: ask → deny (no approver: "), "{filter:?}: {}", shown(filter));
    }
    assert!(
        shown(&["--verdict", "ask"]).starts_with("no record matches"),
        "{}",
        shown(&["--verdict", "ask"])
    );
    let why = "the hook file says that questions are denied";
    world.write_hooks("yaml", &HOOKS.replace("ask: ", "deny: "));
    for notice in [world.tenter(&["explain", "last"]).run(), world.tenter(&["replay", "last"]).run()] {
        assert_eq!(notice.stdout.matches(why).count(), 1, "the reason appears once: {notice:?}");
    }
    assert_eq!(world.claude(&push()).run().code, Some(0));
    assert_eq!(shown(&["--asked"]).lines().count(), 1, "that call has no question");
}

/// Without a run, the reply of a hook is unknown, whether or not it was asked at the time.
#[test]
fn replay_invents_no_hook_reply() {
    let world = World::with_hooks(HOOKS);
    assert!(world.claude(&push()).run().stdout.contains("deny"));
    assert_eq!(world.claude(&bash("rm x").replace("toolu_1", "t2")).run().code, Some(0));
    world.write_hooks("yaml", &HOOKS.replace("/--force( |$)/", "/--force-now/").replace("every: 2, ", ""));
    let ran = world.tenter(&["replay", "1"]).run();
    assert!(
        ran.stdout.contains("not run and not asked then, so their replies are not known: user/counter\n"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("at their word"), "{ran:?}");
    assert!(ran.stdout.contains("only a run (`--run`) shows its reply"), "{ran:?}");
}

#[test]
fn replay_reports_hook_file_problem() {
    let world = World::with_hooks(HOOKS);
    assert!(world.claude(&push()).run().stdout.contains("deny"));
    world.write_hooks("yaml", &HOOKS.replace("deny: \"Use", "denny: \"Use"));
    let ran = world.tenter(&["replay", "1"]).run();
    assert_eq!(ran.code, Some(0), "its last good version is active: {ran:?}");
    assert!(ran.stdout.contains("a hook file of today has a problem, so hooks may be off"), "{ran:?}");
    assert!(!ran.stdout.contains("there is no such hook"), "it is there, and off: {ran:?}");
}
