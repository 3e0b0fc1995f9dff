//! The four use cases of context injection with real tools: findings of a linter, a type checker, a test runner or git
//! are in the next request, and the agent fixes them in the same turn.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Chat;
use crate::needs;

/// One prompt, and what must be true afterwards.
struct Case {
    needs: &'static str,
    hooks: &'static str,
    /// The files that are there.
    files: &'static [(&'static str, &'static str)],
    turns: &'static str,
    /// Who finds nothing any more, in which words.
    content: &'static str,
    /// How often hooks had something to say.
    findings: usize,
}

impl Case {
    fn play(&self) {
        if needs::lacks("a use case", self.needs) {
            return;
        }
        let chat = Chat::new(self.hooks, self.turns);
        for (name, text) in self.files {
            fs::write(chat.world.project().join(name), text).unwrap();
        }
        let path = std::env::join_paths(needs::path()).unwrap();
        let arguments = ["--allow", "all", "--json", "-p", "Do it, and mend what is wrong."];
        let ran = chat.call(&arguments).env("PATH", Path::new(&path)).run();
        let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let done = lines.last().unwrap();
        assert_eq!(done["text"], "Mended.", "{}\n{}", ran.stdout, ran.stderr);
        let findings = lines.iter().filter(|line| line["type"] == "context").count();
        assert_eq!(findings, self.findings, "{}", ran.stdout);
        // One prompt, and the model was asked once more than it called tools.
        let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
        assert_eq!(count("usage"), count("tool_call") + 1);
        let after = chat.world.sh(&format!("PATH='{}' {}", path.to_string_lossy(), self.content));
        assert_eq!(after.code, Some(0), "{}{}", after.stdout, after.stderr);
    }
}

#[test]
fn linter_findings_are_fixed_in_the_turn() {
    Case {
        needs: "<!-- needs: ruff -->",
        hooks: "  tool:post:
    - { name: ruff, matcher: \"Write|Edit\", when: { path: \"**/*.py\" }, command: \"ruff check --no-cache --select E,F --output-format concise {tool.path}\", inject_output: failure }
",
        files: &[],
        turns: "  - say: I write it.
    call: { tool: Write, input: { file_path: config.py, content: \"import os\\nimport sys\\n\\nl = 1\\nprint(l)\\n\" } }
  - expect: { contains: [\"config.py:1:8: F401\", \"config.py:2:8: F401\", \"config.py:4:1: E741\"] }
    call: { tool: Write, input: { file_path: config.py, content: \"limit = 1\\nprint(limit)\\n\" } }
  - say: Mended.
",
        content: "ruff check --no-cache --select E,F config.py",
        findings: 1,
    }
    .play();
}

#[test]
fn type_errors_are_fixed_in_the_turn() {
    Case {
        needs: "<!-- needs: mypy -->",
        hooks: "  tool:post:
    - { name: mypy, matcher: \"Write|Edit\", when: { path: \"**/*.py\" }, command: \"mypy --strict --cache-dir=/dev/null {tool.path}\", inject_output: failure, timeout: 60s }
",
        files: &[("models.py", "def area(width: int, height: int) -> int:\n    return width * height\n")],
        turns: "  - call: { tool: Read, input: { file_path: models.py } }
  - call: { tool: Edit, input: { file_path: models.py, old_string: \"def area(width: int, height: int) -> int:\", new_string: \"def area(width, height: int):\" } }
  - expect: { contains: [\"models.py:1: error\", \"annotation\"] }
    call: { tool: Edit, input: { file_path: models.py, old_string: \"def area(width, height: int):\", new_string: \"def area(width: float, height: float) -> float:\" } }
  - say: Mended.
",
        content: "mypy --strict --cache-dir=/dev/null models.py",
        findings: 1,
    }
    .play();
}

#[test]
fn test_failures_are_fixed_in_the_turn() {
    Case {
        needs: "<!-- needs: pytest -->",
        hooks: "  tool:post:
    - { name: pytest, matcher: \"Write|Edit\", command: \"pytest -q --no-header -p no:cacheprovider\", inject_output: failure, timeout: 60s }
",
        files: &[
            ("utils.py", "def total(numbers):\n    return sum(numbers)\n"),
            (
                "test_utils.py",
                "from utils import total\n\n\ndef test_process_data():\n    assert total([2, 3]) == 5\n\n\ndef test_validate():\n    assert total([]) == 0\n",
            ),
        ],
        turns: "  - call: { tool: Read, input: { file_path: utils.py } }
  - call: { tool: Edit, input: { file_path: utils.py, old_string: \"sum(numbers)\", new_string: \"sum(numbers) - 2\" } }
  - expect: { contains: [\"assert 3 == 5\", \"test_process_data\", \"test_validate\", \"2 failed\"] }
    call: { tool: Edit, input: { file_path: utils.py, old_string: \"sum(numbers) - 2\", new_string: \"sum(numbers)\" } }
  - say: Mended.
",
        content: "pytest -q -p no:cacheprovider",
        findings: 1,
    }
    .play();
}

#[test]
fn agent_knows_uncommitted_changes_from_the_start() {
    Case {
        needs: "<!-- needs: git -->",
        hooks: "  session:start:
    - { name: git-status, command: \"git init -q . && git status --short\", inject_output: always }
",
        files: &[("config.py", "a = 1\n"), ("temp.log", "x\n")],
        turns: "  - expect: { contains: [\"?? config.py\", \"?? temp.log\"] }
    say: There is a log that is not needed.
    call: { tool: Bash, input: { command: rm temp.log && git add config.py } }
  - say: Mended.
",
        content: "test -z \"$(git status --short | grep -v '^A  config.py')\"",
        findings: 1,
    }
    .play();
}
