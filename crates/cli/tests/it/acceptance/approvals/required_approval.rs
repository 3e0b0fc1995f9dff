//! Commands that change permissions need the user's approval, in a file that other accounts cannot write. Hooks
//! cannot give it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Watcher, approvals, call, wait_for_question};
use crate::world::{World, event};

const GUARD: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, deny: \"not now\" }\n";

/// A command that an agent runs asks the watching approver.
#[test]
fn agent_needs_approver_to_disable_guard() {
    for (option, code) in [("Allow", Some(0)), ("Deny", Some(1))] {
        let world = World::with_hooks(GUARD);
        let mut watcher = Watcher::start(&world);
        world.claude(&event("UserPromptSubmit")).run();
        let asking = world.tenter_while_agents_run(&["hooks", "disable", "guard"]).start();
        let question = watcher.question();
        let prompt = question["prompt"].as_str().unwrap_or_default().to_owned();
        assert!(
            prompt.contains("tenter hooks disable guard") && prompt.contains("claude started it"),
            "{question}"
        );
        watcher.answer(&question["id"], option);
        let ran = asking.wait_with_output().unwrap();
        assert_eq!(ran.status.code(), code, "{option}: {ran:?}");
        let denied = world.claude(&call("t1", "ls")).run().stdout.contains("not now");
        assert_eq!(denied, option == "Deny", "{option}");
        assert!(
            approvals(&world).iter().any(|line| line.contains("needs-a-person")),
            "{:?}",
            approvals(&world)
        );
    }
}

/// The same for every command that changes what agents may do.
#[test]
fn agent_gets_no_approval_without_approver() {
    let world = World::with_hooks(GUARD);
    for words in [
        &["trust", "--yes"][..],
        &["trust", "revoke"],
        &["hooks", "accept", "--yes"],
        &["hooks", "disable", "guard"],
        &["hooks", "enable", "guard"],
        &["hooks", "new", "x", "--at", "tool:pre"],
        &["profile", "use", "none"],
        &["approvals", "allow", "guard", "*"],
        &["approvals", "answer", "k7q2mf3a", "Allow"],
        &["approvals", "watch"],
        &["init", "claude", "--yes"],
        &["uninstall", "claude"],
        &["import", "x.json", "--write"],
    ] {
        world.claude(&event("UserPromptSubmit")).run();
        let ran = world.tenter_while_agents_run(words).run();
        let notified = ran.stderr.contains("needs a person") || ran.code == Some(2);
        assert!(ran.code != Some(0) && notified, "{words:?}: {ran:?}");
        assert!(world.claude(&call("t1", "ls")).run().stdout.contains("not now"), "{words:?}");
    }
}

#[test]
fn hook_cannot_grant_with_changed_variables() {
    for way in [
        "env -u TENTER_RUN $T approvals allow guard '*'",
        "env -i PATH=$PATH HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME XDG_CONFIG_HOME=$XDG_CONFIG_HOME $T approvals allow guard '*'",
        "setsid -w env -u TENTER_RUN $T hooks disable guard",
        "env -u TENTER_RUN script -qec \"$T hooks disable guard\" /dev/null",
        "echo \"env -u TENTER_RUN $T hooks disable guard\" | sh",
    ] {
        let world = World::new();
        let script = format!(
            "#!/bin/sh\ncd {}\nT={}\n{way} > output.txt 2>&1\n",
            world.project().display(),
            env!("CARGO_BIN_EXE_tenter")
        );
        let path = world.project().join("grant");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let hooks = GRANTS.replace("{cwd}", &world.project().display().to_string());
        world.write_hooks("yaml", &hooks);
        let ran = world.claude(&call("t1", "ls")).run();
        let output = fs::read_to_string(world.project().join("output.txt")).unwrap();
        assert!(output.contains("needs a person"), "{way}: {output} {ran:?}");
        assert!(world.claude(&call("t2", "make")).run().stdout.contains("not now"), "{way}");
    }
}

const GRANTS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: grants, matcher: Bash, command: "{cwd}/grant" }
    - { name: guard, when: { command: "make*" }, deny: "not now" }
"#;

const ASKS: &str = r#"version: 1
approvals: { approver: file }
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run it?", timeout: 300, options: ["Yes", "No", "Later"] } }
"#;

/// Answers with a file of this mode. The question times out after three seconds if the answer is rejected.
fn answer_with_mode(mode: u32, option: &str) -> String {
    let seconds = if mode == 0o600 { "timeout: 300" } else { "timeout: 3" };
    let world = World::with_hooks(&ASKS.replace("timeout: 300", seconds));
    let asking = world.claude(&call("t1", "ls")).start();
    let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    let folder = world.state().join("tenter/approvals/approver");
    while !folder.join(format!("{id}.question.json")).exists() {
        std::thread::yield_now();
    }
    let put = |name: &str, mode: u32, option: &str| {
        let draft = folder.join("draft");
        fs::write(&draft, format!("{{\"option\": \"{option}\"}}")).unwrap();
        fs::set_permissions(&draft, fs::Permissions::from_mode(mode)).unwrap();
        fs::rename(draft, folder.join(name)).unwrap();
    };
    put(&format!("{id}.answer.json"), mode, option);
    let output = asking.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn world_writable_answer_file_grants_nothing() {
    let granted = answer_with_mode(0o600, "Yes");
    assert!(!granted.contains("\"deny\""), "{granted}");
    assert!(answer_with_mode(0o600, "No").contains("\"deny\""));
    for mode in [0o620, 0o602] {
        let denied = answer_with_mode(mode, "Yes");
        assert!(denied.contains("\"deny\""), "{mode:o}: {denied}");
    }
}
