//! `tenter chat -p`: for scripts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Chat, until};
use crate::world::World;

const GUARD: &str = r#"  tool:pre:
    - { name: no-exit, matcher: Bash, when: { command: "*exit*" }, deny: "No exits here" }
  prompt:submit:
    - { name: polite, when: { prompt: "*please*" }, message: "How polite" }
    - { name: no-secrets, when: { prompt: "*secret*" }, deny: "No secrets" }
"#;

#[test]
fn the_last_words_stand_alone_on_stdout() {
    let chat = Chat::new(
        GUARD,
        "  - say: First.\n    call: { tool: Read, input: { file_path: a.txt } }\n  - say: \"**Done.**\\n\"\n",
    );
    fs::write(chat.world.project().join("a.txt"), "hello\n").unwrap();
    let ran = chat.call(&["-p", "Look at a.txt, please"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "**Done.**\n"), "{ran:?}");
    assert_eq!(ran.stderr, "[hook:polite] How polite\n");
}

#[test]
fn what_is_piped_in_is_added_to_the_prompt() {
    let expects = "  - expect: { contains: [\"Explain this\", \"a stack trace\"] }\n    say: It is broken.\n";
    let chat = Chat::new("", expects);
    let ran = chat.call(&["-p", "Explain this"]).stdin("a stack trace\n").run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "It is broken.\n"), "{ran:?}");
    let alone = chat.call(&[]).stdin("Explain this: a stack trace\n").run();
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(0), "It is broken.\n"), "{alone:?}");
}

#[test]
fn the_exit_code_says_how_it_went() {
    let fails = "  - fails: { status: 400, message: no such model }\n";
    for (turns, prompt, code, stderr) in [
        ("  - say: Done.\n", "work", 0, ""),
        ("  - say: Done.\n", "the secret", 3, "Operation denied by no-secrets: No secrets"),
        (fails, "work", 1, "what was said until then is kept; `tenter chat --resume chat-"),
        ("  - say: Done.\n", "", 2, "hint: run it in a terminal, or say what to do"),
    ] {
        let ran = Chat::new(GUARD, turns).call(&["-p", prompt]).run();
        assert_eq!(ran.code, Some(code), "{prompt}: {ran:?}");
        assert!(ran.stderr.contains(stderr), "{prompt}: {ran:?}");
        assert_eq!(ran.stdout.is_empty(), code != 0, "{prompt}: {ran:?}");
    }
}

#[test]
fn one_that_is_stopped_says_so_and_can_be_gone_on_with() {
    let turns = "  - call: { tool: Bash, input: { command: \"touch begun; sleep 600\" } }\n  - say: Done.\n";
    let chat = Chat::new("", turns);
    let working = chat.call(&["-p", "wait", "--allow", "all"]).start();
    until("the command has begun", || chat.world.project().join("begun").exists());
    let pid = rustix::process::Pid::from_child(&working);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = working.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopped; `tenter chat --resume chat-"), "{stderr}");
}

#[test]
fn without_a_model_it_is_said_which_one_can_be_had() {
    let world = World::new();
    let ran = world.tenter(&["chat", "-p", "x"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY (none is set)"),
        "{ran:?}"
    );
    let key = Path::new("k-123456789");
    let ran = world.tenter(&["chat", "-p", "x"]).env("OPENAI_API_KEY", key).run();
    assert!(ran.stderr.contains("`tenter chat --model openai:NAME` (OPENAI_API_KEY is set)"), "{ran:?}");
    assert!(!ran.stderr.contains("123456789"), "{ran:?}");
}

#[test]
fn what_happens_is_told_line_by_line_as_json() {
    let turns = r#"  - say: I look.
    call: { tool: Read, input: { file_path: a.txt } }
  - call: { tool: Bash, input: { command: "exit 1" } }
  - call: { tool: Write, input: { file_path: b.txt, content: x } }
  - say: Done.
"#;
    let chat = Chat::new(GUARD, turns);
    fs::write(chat.world.project().join("a.txt"), "hello\n").unwrap();
    let ran = chat.call(&["-p", "work, please", "--json"]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[0]["session"] = "SESSION".into();
    lines[0]["model"] = "MODEL".into();
    let is_figure = |line: &Value| line["type"] == "usage";
    assert_eq!(lines.iter().filter(|line| is_figure(line)).count(), 4);
    lines.retain(|line| !is_figure(line));
    let last = lines.last_mut().unwrap();
    assert!(last["usage"]["input_tokens"].as_u64().unwrap() > 0);
    last["usage"] = "USAGE".into();
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}

/// A model that asks for the environment does not find its own key there, and nothing that is kept has it.
#[test]
fn keys_are_neither_given_to_commands_nor_kept() {
    let turns = "  - call: { tool: Bash, input: { command: env } }\n  - say: Done.\n";
    let chat = Chat::new("", turns);
    let secret = "sk-0123456789abcdef0123456789";
    let call = chat.call(&["-p", "look around", "--allow", "all", "--json"]);
    let ran = call.env("ANTHROPIC_API_KEY", Path::new(secret)).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("XDG_STATE_HOME"), "{ran:?}");
    assert!(!ran.stdout.contains(secret), "{ran:?}");
    let found = chat.world.sh(&format!("grep -r {secret} \"$XDG_STATE_HOME\" || echo none"));
    assert_eq!(found.stdout, "none\n");
}

#[test]
fn a_session_is_gone_on_with() {
    let chat = Chat::new("", "  - say: One.\n");
    assert_eq!(chat.call(&["-p", "the first thing"]).run().code, Some(0));
    let expects = "  - expect: { contains: [\"the first thing\", \"the second thing\"] }\n    say: Two.\n";
    fs::write(chat.world.home().join("script.yaml"), format!("version: 1\nturns:\n{expects}")).unwrap();
    let ran = chat.call(&["-p", "the second thing", "--resume"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Two.\n"), "{ran:?}");
    assert_eq!(chat.journals().len(), 1);
    let listed = chat.call(&["--resume", "list"]).run().stdout;
    assert!(
        listed.starts_with("of this project:\n  chat-") && listed.contains("  the first thing"),
        "{listed}"
    );
    let unknown = chat.call(&["-p", "x", "--resume", "nothing"]).run();
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("there is no session `nothing`\nhint: the latest: `chat-"),
        "{unknown:?}"
    );
}

#[test]
fn it_works_in_the_folder_that_is_named() {
    let chat = Chat::new("", "  - call: { tool: Bash, input: { command: pwd } }\n  - say: Done.\n");
    fs::create_dir(chat.world.project().join("inner")).unwrap();
    let ran = chat.call(&["-p", "x", "--cd", "inner", "--allow", "all", "--json"]).run();
    assert!(ran.stdout.contains("/project/inner"), "{ran:?}");
    let nowhere = chat.call(&["-p", "x", "--cd", "nowhere"]).run();
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
}
