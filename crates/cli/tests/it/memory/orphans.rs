//! Entries of killed agents, through the real programs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};

use crate::world::World;

const HOOKS: &str = "version: 1
hooks:
  session:start:
    - name: memory-session-start
      builtin: memory.session_start
";

/// With these an entry stays behind when a session goes on under another id.
const CLEARED: &str = "version: 1
hooks:
  session:end:
    - name: memory-session-end
      builtin: memory.session_end
";

/// An agent: a process that is no shell, runs lines of shell one after the other, prints what they say, and then waits
/// to be killed.
const AGENT: &str = "import subprocess, sys, time
for line in sys.argv[1:]:
    print(subprocess.run(['sh', '-c', line + '; true'], capture_output=True, text=True).stdout, end='')
print('ready', flush=True)
time.sleep(600)";

/// The agent of a session with an entry, and its output.
fn agent(world: &World, session: &str, goal: &str) -> (Child, Vec<String>) {
    let begun = started(world, session);
    let entry = json!({
        "domain": "debugging", "strategy": "ask-user", "goal": goal, "hypothesis": "The cookie\nis old",
        "action": "Renew it", "prediction": "The test passes",
    });
    let lines = [
        format!("echo '{begun}' | {} claude", env!("CARGO_BIN_EXE_tenter-hook")),
        format!("{} mcp call start_ghap '{entry}'", env!("CARGO_BIN_EXE_tenter")),
    ];
    let mut arguments = vec!["-c", AGENT];
    arguments.extend(lines.iter().map(String::as_str));
    let mut child = world.program(Path::new("/usr/bin/python3"), &arguments).start();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = said.by_ref().take_while(|line| line != "ready").collect();
    (child, said)
}

fn started(world: &World, session: &str) -> String {
    let (event, cwd) = ("SessionStart", world.project());
    json!({"hook_event_name": event, "session_id": session, "source": "startup", "cwd": cwd}).to_string()
}

/// The context of a new session.
fn start_context(world: &World, session: &str) -> String {
    let ran = world.claude(&started(world, session)).run();
    if ran.stdout.is_empty() {
        return String::new();
    }
    ran.field("/hookSpecificOutput/additionalContext")
}

fn call(world: &World, tool: &str, arguments: &Value) -> Value {
    let ran = world.tenter(&["mcp", "call", tool, &arguments.to_string()]).run();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn entry_of_a_killed_agent_is_offered() {
    if !cfg!(target_os = "linux") || !Path::new("/usr/bin/python3").is_file() {
        crate::world::skipped("processes can be looked at on Linux alone, and this wants /usr/bin/python3");
        return;
    }
    let world = World::with_hooks(HOOKS);
    let (mut living, said) = agent(&world, "living", "Fix the logout");
    let silent: Value = serde_json::from_str(said.last().unwrap()).unwrap();
    assert_eq!(silent["session_id"], "living", "{said:?}");
    let (mut killed, said) = agent(&world, "killed", "Fix the login");
    let entry: Value = serde_json::from_str(said.last().unwrap()).unwrap();
    assert_eq!(entry["session_id"], "killed", "{said:?}");

    assert_eq!(start_context(&world, "next"), "", "both go on");
    for entry in [&silent, &entry] {
        let wanted = json!({"orphan_id": entry["id"], "session_id": "next"});
        let refused = call(&world, "adopt_orphan", &wanted);
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("is active; leave it to that one"), "{refused}");
    }

    // The process is a zombie, so the system still knows its number.
    killed.kill().unwrap();
    let offer = start_context(&world, "after");
    let data = "<tenter-data source=\"memory\" trust=\"foreign\">\nOrphaned GHAP entry (a tracked hypothesis) from a previous session:\nGoal: Fix the login\nHypothesis: The cookie is old\n</tenter-data>";
    assert!(offer.contains(data), "{offer}");
    assert!(offer.contains("Options:\n- Adopt and continue this work\n- Abandon with reason"), "{offer}");
    killed.wait().unwrap();
    let adopted = call(&world, "adopt_orphan", &json!({"orphan_id": entry["id"], "session_id": "after"}));
    assert_eq!((&adopted["id"], &adopted["session_id"]), (&entry["id"], &json!("after")));
    assert_eq!(start_context(&world, "last"), "", "one was adopted, the other goes on");

    living.kill().unwrap();
    living.wait().unwrap();
    assert!(start_context(&world, "end").contains("Goal: Fix the logout"));
}

#[test]
fn entry_of_a_person_is_not_offered() {
    let world = World::with_hooks(HOOKS);
    let begun = json!({
        "domain": "debugging", "strategy": "ask-user", "goal": "Fix the login", "hypothesis": "h", "action": "a",
        "prediction": "p",
    });
    let entry = call(&world, "start_ghap", &begun);
    assert_eq!(start_context(&world, "next"), "");
    let refused = call(&world, "adopt_orphan", &json!({"orphan_id": entry["id"], "session_id": "next"}));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("a person began it at a terminal"), "{refused}");
    let ran = world.tenter(&["ghap", "adopt", entry["id"].as_str().unwrap(), "--session", "next"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("hint: there `tenter ghap resolve` or `tenter ghap abandon` ends it"),
        "{ran:?}"
    );
}

#[test]
fn orphans_are_listed_with_commands() {
    let world = World::with_hooks(CLEARED);
    let begin = |session: &str, goal: &str| {
        let begun = json!({
            "domain": "debugging", "strategy": "ask-user", "goal": goal, "hypothesis": "h", "action": "a",
            "prediction": "p", "session_id": session,
        });
        call(&world, "start_ghap", &begun)["id"].as_str().unwrap().to_owned()
    };
    let ids = [("one", "Fix the login"), ("two", "Fix the logout")].map(|(session, goal)| {
        let id = begin(session, goal);
        let (event, cwd) = ("SessionEnd", world.project());
        let ended = json!({"hook_event_name": event, "session_id": session, "reason": "clear", "cwd": cwd});
        assert_eq!(world.claude(&ended.to_string()).run().code, Some(0));
        id
    });
    let typed = |arguments: &[&str]| world.tenter(arguments).run().stdout;

    let shown = typed(&["ghap", "show"]);
    for id in &ids {
        let next = format!(
            "`tenter ghap adopt {id}` goes on with it, `tenter ghap abandon WHY --orphan {id}` gives it up"
        );
        assert!(shown.contains(&next), "{shown}");
    }
    assert_eq!(shown.matches("left behind; last seen").count(), 2, "{shown}");
    let listed = typed(&["ghap", "list"]);
    assert!(listed.contains("2 are not resolved yet, 2 left behind; `tenter ghap show`"), "{listed}");

    let orphan = call(&world, "get_orphan", &json!({"session_id": "three"}));
    assert_eq!((&orphan["id"], &orphan["more"]), (&json!(ids[1]), &json!(1)), "{orphan}");
    assert_eq!(orphan["others"], json!([{"id": ids[0], "goal": "Fix the login"}]));

    // An active entry cannot be adopted.
    let own = typed(&["ghap", "adopt", &ids[0]]);
    assert!(own.starts_with("adopted:"), "{own}");
    let shown: Value = serde_json::from_str(&typed(&["ghap", "show", "--json"])).unwrap();
    let shown: Vec<(&Value, &Value)> = shown["active"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["entry"]["id"], &it["left_behind"]))
        .collect();
    assert_eq!(shown, [(&json!(ids[0]), &json!(false)), (&json!(ids[1]), &json!(true))]);
    let listed: Value = serde_json::from_str(&typed(&["ghap", "list", "--json"])).unwrap();
    assert_eq!(listed, json!({"entries": [], "total": 0, "unresolved": 2, "left_behind": [ids[1]]}));
}
