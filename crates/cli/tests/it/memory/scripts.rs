//! The example scripts of the memory specification with the specification's own configuration.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::{Ran, World};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/memory-hooks");
/// The specification's settings; its times are for a machine that does nothing else.
const CONFIGURATION: &str = "hooks:
  session_start: { enabled: true, script: .claude/hooks/session_start.sh, timeout_ms: 20000, inject_light_context: true }
  user_prompt_submit: { enabled: true, script: .claude/hooks/user_prompt_submit.sh, timeout_ms: 20000, context_depth: rich, token_budget: 2000, include_code: true }
  ghap_checkin: { enabled: true, script: .claude/hooks/ghap_checkin.sh, frequency: 10, timeout_ms: 20000 }
  outcome_capture: { enabled: true, script: .claude/hooks/outcome_capture.sh, timeout_ms: 20000, matchers: [pytest, npm test], auto_capture: true }
  session_end: { enabled: false, script: .claude/hooks/session_end.sh, timeout_ms: 1000 }
";

struct Project {
    world: World,
    path: String,
}

impl Project {
    fn new(with_hook_files: bool) -> Self {
        let world = World::new();
        let hooks = world.project().join(".claude/hooks");
        fs::create_dir_all(&hooks).unwrap();
        for entry in fs::read_dir(EXAMPLES).unwrap() {
            let file = entry.unwrap().path();
            if with_hook_files || file.extension().is_some_and(|end| end == "sh") {
                fs::copy(&file, hooks.join(file.file_name().unwrap())).unwrap();
            }
        }
        fs::write(hooks.join("config.yaml"), CONFIGURATION).unwrap();
        let programs = world.home().join("bin");
        fs::create_dir_all(&programs).unwrap();
        symlink(Path::new(env!("CARGO_BIN_EXE_tenter")), programs.join("tenter")).unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        let imported = world.tenter(&["import", ".claude/hooks/config.yaml", "--write"]).run();
        assert_eq!(imported.code, Some(0), "{imported:?}");
        Self { world, path }
    }

    fn send(&self, name: &str, more: &Value) -> Ran {
        let mut payload = json!({"session_id": "s1", "hook_event_name": name, "cwd": self.world.project()});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.world.claude(&payload.to_string()).env("PATH", &self.path).run()
    }

    fn context(&self, name: &str, more: &Value) -> String {
        let ran = self.send(name, more);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn example_scripts_run_as_specified() {
    let project = Project::new(true);
    let words = ["memory", "add", "Ann wants small commits in the login code", "--category", "preference"];
    assert_eq!(project.world.tenter(&words).run().code, Some(0));
    let text = project.context("SessionStart", &json!({"source": "startup"}));
    assert!(text.contains("Ann wants small commits"), "{text}");
    let start = [
        "ghap",
        "start",
        "--goal",
        "Fix it",
        "--hypothesis",
        "A race",
        "--action",
        "Lock",
        "--prediction",
        "the test passes",
        "--domain",
        "debugging",
        "--strategy",
        "read-the-error",
        "--session",
        "s1",
    ];
    assert_eq!(project.world.tenter(&start).run().code, Some(0));
    let call = |number: u32| json!({"tool_name": "Bash", "tool_input": {"command": format!("ls {number}")}, "tool_use_id": format!("t{number}")});
    let texts: Vec<String> = (1..=10).map(|number| project.context("PreToolUse", &call(number))).collect();
    assert!(texts[..9].iter().all(String::is_empty), "{texts:?}");
    assert!(texts[9].contains("the test passes"), "{texts:?}");
    let ended = json!({"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "t99",
        "tool_response": {"stdout": "1 passed in 0.1s", "stderr": "", "interrupted": false}});
    let text = project.context("PostToolUse", &ended);
    assert!(text.contains("Test PASSED"), "{text}");
}

#[test]
fn example_scripts_report_a_missing_hook_file() {
    let project = Project::new(false);
    let ran = project.send("SessionStart", &json!({"source": "startup"}));
    assert!(ran.stdout.contains("there is no such hook file"), "{ran:?}");
}
