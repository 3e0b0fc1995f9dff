//! Approval questions and the effect of their answers.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use serde_json::Value;

use super::{Watcher, approvals, call, list, wait_for_question};
use crate::world::{REASON, World};

const REWRITTEN: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: release-manager, matcher: "Bash(npm)", ask: { prompt: "Publish?", options: ["Allow once", "Allow always", "Deny"] } }
    - name: dry-run-first
      matcher: "Bash(npm)"
      command: "echo '{\"modify\": {\"tool_input\": {\"command\": \"npm publish --dry-run\"}}}'"
"#;

/// Security cases P6 and P7: the displayed input is the one that runs, and it was judged again.
#[test]
fn approved_input_is_the_final_input() {
    let world = World::with_hooks(REWRITTEN);
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&call("t1", "npm publish")).start();
    let question = watcher.question();
    assert_eq!(question["tool"]["input"]["command"], "npm publish --dry-run");
    assert_eq!(question["tool"]["original_input"]["command"], "npm publish");
    assert_eq!(question["asked_by"][0]["hook"], "user/release-manager");
    watcher.answer(&question["id"], "Allow once");
    let output = asking.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["updatedInput"]["command"], "npm publish --dry-run");
    assert_eq!(specific["permissionDecision"], Value::Null, "an approver lifts no check of the agent's own");
    assert_eq!(
        approvals(&world),
        [
            "approval:required  release-manager at tool:pre, approver watch",
            "approval:granted  release-manager at tool:pre, approver watch: granted: Allow once"
        ]
    );
}

const PATIENT: &str = r#"version: 1
approvals: { approver: watch }
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run {tool.command}?", timeout: 300, options: ["Allow once", "Allow always", "Deny"] } }
"#;

#[test]
fn twenty_questions_get_their_own_answers() {
    let world = World::with_hooks(PATIENT);
    world.claude(&call("t", "first")).env("TENTER_RUN", "a:b:c:d:e:f:g:h").run();
    let mut watcher = Watcher::start(&world);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..20)
            .map(|number| {
                let payload = call(&format!("t{number}"), &format!("echo {number}"));
                let world = &world;
                scope.spawn(move || (number, world.claude(&payload).run()))
            })
            .collect();
        let mut options = BTreeMap::new();
        for _ in 0..20 {
            let question = watcher.question();
            let command = question["tool"]["input"]["command"].as_str().unwrap().to_owned();
            let number: u32 = command.trim_start_matches("echo ").parse().unwrap();
            let option = if number.is_multiple_of(3) { "Deny" } else { "Allow once" };
            assert_eq!(options.insert(number, option), None, "asked twice");
            watcher.answer(&question["id"], option);
        }
        for asked in asking {
            let (number, ran) = asked.join().unwrap();
            match options[&number] {
                "Deny" => assert_eq!(ran.field(REASON), format!("User denied: Run echo {number}?")),
                _ => assert_eq!(ran.stdout, "", "{ran:?}"),
            }
        }
    });
    let recorded = approvals(&world);
    let count = |what: &str| recorded.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!(
        [count("approval:required"), count("approval:granted"), count("approval:denied")],
        [20, 13, 7]
    );
    assert_eq!(list(&world)["questions"], serde_json::json!([]));
}

/// Security case P10, and the agent's own time.
#[test]
fn approval_timeout_precedes_agent_timeout() {
    let short = PATIENT.replace("timeout: 300", "timeout: 1");
    let world = World::with_hooks(&short);
    let ran = world.claude(&call("t1", "ls")).run();
    assert_eq!(ran.field(REASON), "Timeout - denied by default (after 1 s)");
    let world = World::with_hooks(PATIENT);
    let ran = world.tenter(&["hook", "claude", "--within", "2s"]).stdin(call("t2", "ls")).run();
    assert!(ran.field(REASON).starts_with("Timeout - denied by default (after "), "{ran:?}");
    assert!(ran.took.as_secs() < 60, "five minutes were asked for: {ran:?}");
    assert!(approvals(&world)[1].starts_with("approval:timeout"), "{:?}", approvals(&world));
}

#[test]
fn late_answer_is_refused_and_grants_nothing() {
    let world = World::with_hooks(&PATIENT.replace("timeout: 300", "timeout: 2"));
    let asking = world.claude(&call("t1", "ls")).start();
    let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    asking.wait_with_output().unwrap();
    let late = world.tenter(&["approvals", "answer", &id, "Allow always"]).run();
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(
        late.stderr.starts_with(&format!("error: question {id} is closed: no answer within 2 s")),
        "{late:?}"
    );
    assert_eq!(list(&world)["grants"], serde_json::json!([]));
}

#[test]
fn unsaved_approval_is_denied_with_cause() {
    let world = World::with_hooks(PATIENT);
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/approvals"), "in the way").unwrap();
    let ran = world.claude(&call("t1", "ls")).run();
    let reason = ran.field(REASON);
    assert!(reason.contains("no approver can be asked"), "{ran:?}");
    assert!(reason.contains("the question cannot be put"), "{ran:?}");
}

#[test]
fn missing_approver_denial_names_the_command() {
    let world = World::with_hooks(&PATIENT.replace("approvals: { approver: watch }\n", ""));
    let ran = world.claude(&call("t1", "ls")).run();
    assert!(ran.field(REASON).contains("the user can run `tenter approvals watch`"), "{ran:?}");
    assert_eq!(approvals(&world).len(), 1);
    let explained = world.tenter(&["explain", "2"]).run().stdout;
    assert!(explained.contains("`guard` asked, and this is the answer"), "{explained}");
    assert!(!explained.contains("outweighs"), "{explained}");
}

#[test]
fn folder_approver_answers_with_file() {
    let world = World::with_hooks(&PATIENT.replace("approver: watch", "approver: file"));
    let asking = world.claude(&call("t1", "ls")).start();
    let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    let folder = world.state().join("tenter/approvals/approver");
    while !folder.join(format!("{id}.question.json")).exists() {
        thread::yield_now();
    }
    fs::write(folder.join(format!("{id}.answer.json")), r#"{"option": "Deny"}"#).unwrap();
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run ls?"), "{output:?}");
    assert!(approvals(&world)[1].contains("approver file: denied: Deny"), "{:?}", approvals(&world));
}

/// The answer folder is protected without a setting.
#[test]
fn agent_cannot_write_answer_folder() {
    let world = World::with_hooks(
        "version: 1
approvals: { approver: file, folder: ~/answers }
hooks:
  tool:pre:
    - { name: protect, builtin: protect.config }
",
    );
    let forged = "echo '{}' > ~/answers/k7q2mf3a.answer.json";
    let ran = world.claude(&call("t1", forged)).run();
    assert!(ran.field(REASON).contains("the approver of questions to the user"), "{ran:?}");
    let again = world.claude(&call("t2", &format!("{forged} ;"))).run();
    assert!(again.field(REASON).contains("the approver of questions to the user"), "recalled: {again:?}");
    assert_eq!(world.claude(&call("t3", "ls ~")).run().stdout, "");
}

/// A project could otherwise answer its own questions.
#[test]
fn project_cannot_name_approver() {
    let world = World::new();
    fs::create_dir_all(world.project().join(".tenter")).unwrap();
    let text = PATIENT.replace("approver: watch", "approver: allow");
    fs::write(world.project().join(".tenter/hooks.yaml"), text).unwrap();
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    let ran = world.claude(&call("t1", "ls")).run();
    assert!(ran.field(REASON).contains("no approver can be asked"), "{ran:?}");
}

#[test]
fn emit_outcome_contains_question_and_answer() {
    let world = World::with_hooks(
        "approvals: { approver: deny }\nhooks:\n  tool:pre:\n    - { name: g, ask: { prompt: \"Run?\", options: [\"Allow once\", \"Deny\"], timeout: 20, default: deny } }\n",
    );
    let event = r#"{"tool": {"name": "Bash", "input": {"command": "ls"}}}"#;
    let ran = world.tenter(&["emit", "tool:pre"]).stdin(event).run();
    let outcome: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let question = &outcome["question"];
    assert_eq!(question["prompt"], "Run?");
    assert_eq!(question["options"][0]["label"], "Allow once");
    assert_eq!((question["timeout"].as_f64(), question["default"].as_str()), (Some(20.0), Some("deny")));
    assert!(question["answer"].is_string(), "{outcome}");
}
