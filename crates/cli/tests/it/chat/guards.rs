//! Guards and built-in parts of the chat: sub-agents, files that run automatically, hanging servers, notifications,
//! instruction files, the memory.

use std::fs;

use serde_json::{Value, json};

use super::{Chat, until};

const TASK: &str = "  - call: { tool: Task, input: { description: d, prompt: Do it. } }\n";

#[test]
fn subagent_hooks_check_only_their_calls() {
    let list = "  tool:pre:\n    - { name: tasks, agents: [task], matcher: Bash, deny: Not in a task. }\n";
    let section = "  tool:pre: []\nagents:\n  task:\n    hooks:\n      tool:pre:\n        - { name: tasks, matcher: Bash, deny: Not in a task. }\n";
    for hooks in [list, section] {
        let bash = "  - call: { tool: Bash, input: { command: touch FILE } }\n";
        let turns = format!(
            "{}{TASK}{}  - say: Sub done.\n  - say: Done.\n",
            bash.replace("FILE", "main"),
            bash.replace("FILE", "sub")
        );
        let chat = Chat::new(hooks, &turns);
        let ran = chat.call(&["-p", "Go", "--allow", "all"]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("Not in a task."), "{ran:?}");
        let exists = |name: &str| chat.world.project().join(name).exists();
        assert_eq!((exists("main"), exists("sub")), (true, false), "{hooks}: {ran:?}");
    }
}

#[test]
fn edits_of_git_hooks_need_approval() {
    let turns = "  - call: { tool: Write, input: { file_path: .git/hooks/pre-commit, content: x } }\n\
        \x20 - call: { tool: Write, input: { file_path: link/config, content: x } }\n\
        \x20 - call: { tool: Write, input: { file_path: a.txt, content: x } }\n\
        \x20 - say: Done.\n";
    let chat = Chat::new("", turns);
    let at = |path: &str| chat.world.project().join(path);
    fs::create_dir_all(at(".git/hooks")).unwrap();
    std::os::unix::fs::symlink(".git", at("link")).unwrap();
    let ran = chat.call(&["-p", "Go", "--allow", "edits"]).run();
    assert!(!at(".git/hooks/pre-commit").exists() && !at(".git/config").exists(), "{ran:?}");
    assert!(at("a.txt").exists(), "{ran:?}");
    assert!(ran.stderr.contains("(git runs this file automatically)"), "{ran:?}");
}

#[test]
fn hanging_server_is_reported_and_skipped() {
    let chat = Chat::new("", "  - say: Done.\n");
    let servers = json!({"mcpServers": {"stuck": {"command": "sleep", "args": ["1000"]}}});
    let file = chat.world.home().join("mcp.json");
    fs::write(&file, servers.to_string()).unwrap();
    let ran = chat.call(&["-p", "Go", "--mcp", file.to_str().unwrap()]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.stderr.contains("MCP server `stuck` did not start within 5 s"), "{ran:?}");
}

#[test]
fn hooks_are_notified_of_questions_and_idling() {
    let bell =
        "  user:notification:\n    - { name: bell, command: \"cat >> bell.json; echo >> bell.json\" }\n";
    let turns = "  - call: { tool: Write, input: { file_path: a.txt, content: x } }\n  - say: Done.\n";
    let chat = Chat::new(bell, turns);
    let mut talking = chat.talk(&["--notify-after", "1"]);
    talking.says("Write it");
    talking.terminal.comes("left > ");
    let received = || -> Vec<(String, String)> {
        let text = fs::read_to_string(chat.world.project().join("bell.json")).unwrap_or_default();
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        events.map(|event| (word(&event["source"]), word(&event["message"]))).collect()
    };
    until("hooks are notified of the question", || received().len() == 1);
    assert_eq!(received()[0], ("permission_prompt".to_owned(), "May I use Write on a.txt?".to_owned()));
    talking.terminal.types("1");
    talking.terminal.comes("Done.");
    until("hooks are notified of the wait", || received().len() == 2);
    assert_eq!(received()[1].0, "idle_prompt");
    talking.leaves();
}

#[test]
fn instruction_files_reach_the_model() {
    let turns = "  - expect: { contains: [\"Use tabs.\", \"Answer in French.\"] }\n    say: Read.\n";
    let chat = Chat::new("", turns);
    let write = |path: std::path::PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(chat.world.project().join(".git")).unwrap();
    write(chat.world.project().join("AGENTS.md"), "Use tabs.\n");
    write(chat.world.config().join("tenter/AGENTS.md"), "Answer in French.\n");
    let ran = chat.call(&["-p", "Go"]).run();
    assert_eq!(ran.stdout, "Read.\n", "{ran:?}");
    let without = chat.call(&["-p", "Go", "--no-instructions"]).run();
    assert!(without.stdout.contains("the request does not contain \"Use tabs.\""), "{without:?}");
    let mut talking = chat.talk(&[]);
    talking.says("/context show");
    talking.terminal.comes("Instructions (2):");
    talking.terminal.comes("AGENTS.md (project, 10 bytes)");
    talking.leaves();
}

#[test]
fn memory_tools_need_no_configuration() {
    let entry = "domain: debugging, strategy: systematic-elimination, goal: g, hypothesis: h, action: a, prediction: p";
    let turns = format!(
        "  - call: {{ tool: mcp__tenter__start_ghap, input: {{ {entry} }} }}\n\
         \x20 - expect: {{ tool_result_contains: \"ghap\" }}\n    say: Begun.\n"
    );
    let chat = Chat::new("", &turns);
    let ran = chat.call(&["-p", "Go", "--json"]).run();
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = lines.iter().find(|line| line["type"] == "tool_result").unwrap();
    assert_eq!(result["failed"], false, "{result}");
    assert_eq!(lines.last().unwrap()["text"], "Begun.", "{lines:?}");
    let without = chat.call(&["-p", "Go", "--json", "--no-memory"]).run();
    assert!(without.stdout.contains("There is no tool `mcp__tenter__start_ghap`"), "{without:?}");
}

#[test]
fn selected_profile_runs_its_start_hooks() {
    let hooks = "  session:start:\n    - { name: mine, command: \"echo mine >> starts\" }\n";
    let chat = Chat::new(hooks, "  - expect: { contains: [\"From the start of work.\"] }\n    say: Seen.\n");
    let profiles = chat.world.config().join("tenter/profiles");
    fs::create_dir_all(&profiles).unwrap();
    let work = "version: 1\nhooks:\n  session:start:\n    - { name: w, inject: From the start of work. }\n";
    fs::write(profiles.join("work.yaml"), work).unwrap();
    let mut talking = chat.talk(&[]);
    talking.says("/profile work");
    talking.says("/hooks");
    talking.terminal.comes("- w (conversation start), profile");
    talking.says("Go");
    talking.terminal.comes("Seen.");
    talking.leaves();
    assert_eq!(fs::read_to_string(chat.world.project().join("starts")).unwrap(), "mine\n");
}

#[test]
fn hook_text_keeps_its_provenance() {
    let hooks = "  prompt:submit:\n    - { name: house, inject: House rules. }\n";
    let chat = Chat::new(hooks, "  - say: Done.\n");
    let ran = chat.call(&["-p", "Go", "--json"]).run();
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let streamed = lines.iter().find(|line| line["type"] == "context").unwrap()["metadata"].clone();
    let journal = chat.journals().concat();
    let kept = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept: Vec<Value> = kept.filter_map(|line| line.pointer("/item/note/metadata").cloned()).collect();
    let emitted = chat.world.tenter(&["emit", "prompt:submit"]).stdin(r#"{"prompt": "x"}"#).run().answer();
    let single = emitted["inject"][0]["metadata"].clone();
    for metadata in [streamed, kept[0].clone(), single] {
        assert_eq!(metadata["source"], "hook", "{metadata}");
        assert_eq!(metadata["hook_name"], "house", "{metadata}");
        assert_eq!(metadata["event"], "prompt:submit", "{metadata}");
        assert_eq!(metadata["requested_role"], "system", "{metadata}");
        assert!(metadata["timestamp"].as_str().unwrap().ends_with('Z'), "{metadata}");
    }
}
