//! `tenter chat -p`: for scripts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use rustix::process::Signal;

use super::{Chat, send_signal, until};
use crate::world::World;

pub(super) const GUARD: &str = r#"  tool:pre:
    - { name: no-exit, matcher: Bash, when: { command: "*exit*" }, deny: "No exits here" }
  prompt:submit:
    - { name: polite, when: { prompt: "*please*" }, message: "How polite" }
    - { name: no-secrets, when: { prompt: "*secret*" }, deny: "No secrets" }
"#;

#[test]
fn stdout_has_only_the_last_text() {
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
fn stdin_is_added_to_the_prompt() {
    let expects = "  - expect: { contains: [\"Explain this\", \"a stack trace\"] }\n    say: It is broken.\n";
    let chat = Chat::new("", expects);
    let ran = chat.call(&["-p", "Explain this"]).stdin("a stack trace\n").run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "It is broken.\n"), "{ran:?}");
    let alone = chat.call(&[]).stdin("Explain this: a stack trace\n").run();
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(0), "It is broken.\n"), "{alone:?}");
}

#[test]
fn exit_codes_of_a_run() {
    let fails = "  - fails: { status: 400, message: no such model }\n";
    for (turns, prompt, code, stderr) in [
        ("  - say: Done.\n", "work", 0, ""),
        ("  - say: Done.\n", "the secret", 1, "Operation denied by no-secrets: No secrets"),
        (fails, "work", 1, "the conversation is saved; `tenter chat --resume chat-"),
        ("  - say: Done.\n", "", 2, "hint: pass a prompt: `tenter chat -p"),
    ] {
        let ran = Chat::new(GUARD, turns).call(&["-p", prompt]).run();
        assert_eq!(ran.code, Some(code), "{prompt}: {ran:?}");
        assert!(ran.stderr.contains(stderr), "{prompt}: {ran:?}");
        assert_eq!(ran.stdout.is_empty(), code != 0, "{prompt}: {ran:?}");
    }
}

#[test]
fn stopped_run_can_be_resumed() {
    let turns = "  - call: { tool: Bash, input: { command: \"touch begun; sleep 600\" } }\n  - say: Done.\n";
    let chat = Chat::new("", turns);
    let working = chat.call(&["-p", "wait", "--allow", "all"]).start();
    until("the command has begun", || chat.world.project().join("begun").exists());
    send_signal(&working, Signal::INT);
    let output = working.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("stopped; `tenter chat --resume chat-"), "{stderr}");
}

#[test]
fn unwritable_state_is_an_internal_error() {
    let chat = Chat::new("", "  - say: Never said.\n");
    let ran = chat.call(&["-p", "work"]).env("XDG_STATE_HOME", Path::new("/dev/null")).run();
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("XDG_STATE_HOME names another place"), "{ran:?}");
}

#[test]
fn busy_server_is_reported_during_the_wait() {
    let busy =
        "  - fails: { status: 429, headers: { retry-after: 1 }, message: Slow down. }\n  - say: Done.\n";
    let ran = Chat::new("", busy).call(&["-p", "work"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.stderr.contains("Slow down.") && ran.stderr.contains("; asking again in 1 s\n"), "{ran:?}");
}

/// Much of what is piped ends on a terminal.
#[test]
fn escapes_are_removed_from_the_last_text() {
    let say = "  - say: \"\\e[2Jgone \\u202e می\\u200cخواهم 👩\\u200d💻\"\n";
    let ran = Chat::new("", say).call(&["-p", "say it"]).run();
    assert_eq!(ran.stdout, "\\u{1b}[2Jgone \\u{202e} می\u{200c}خواهم 👩\u{200d}💻\n", "{ran:?}");
}

#[test]
fn resume_warns_of_another_project() {
    let chat = Chat::new("", "  - say: One.\n");
    assert_eq!(chat.call(&["-p", "the first thing"]).run().stderr, "");
    let listed = chat.call(&["--resume", "list", "--json"]).run().stdout;
    let session: Value = serde_json::from_str(&listed).unwrap();
    let session = session["session"].as_str().unwrap();
    fs::create_dir_all(chat.world.home().join("other/.git")).unwrap();
    let other = chat.world.home().join("other");
    let there = ["-p", "another thing", "--resume", session, "--cd", other.to_str().unwrap()];
    let ran = chat.call(&there).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let reported = "[tenter] warning: this session began in another project, ";
    assert!(ran.stderr.starts_with(reported) && ran.stderr.contains("/other now"), "{ran:?}");
    let json = chat.call(&[&there[..], &["--json"]].concat()).run();
    let second: Value = serde_json::from_str(json.stdout.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&second["type"], &second["level"]), (&"message".into(), &"warning".into()), "{json:?}");
}

#[test]
fn missing_model_lists_available_ones() {
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

/// A model that asks for the environment does not find its own key there, and nothing that is kept has it.
#[test]
fn keys_are_not_passed_or_stored() {
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
fn session_is_resumed() {
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
    assert!(unknown.stderr.contains("session `nothing` not found\nhint: the latest: `chat-"), "{unknown:?}");
}

/// The commands in error messages work.
#[test]
fn resumed_session_keeps_its_model() {
    let chat = Chat::new("", "");
    let script = "version: 1\nturns:\n  - say: From the script.\n";
    fs::write(chat.world.project().join("own.yaml"), script).unwrap();
    let call = |arguments: &[&str]| chat.world.tenter(&[&["chat"], arguments].concat());
    fs::create_dir(chat.world.project().join(".git")).unwrap();
    assert_eq!(call(&["-p", "one", "--model", "scripted:own.yaml"]).run().stderr, "");
    fs::create_dir(chat.world.project().join("inner")).unwrap();
    let ran = call(&["-p", "two", "--resume", "--cd", "inner"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "From the script.\n"), "{ran:?}");
    assert!(ran.stderr.starts_with("[tenter] asking scripted:/"), "{ran:?}");
    assert!(ran.stderr.ends_with("/own.yaml, with which the session began\n"), "{ran:?}");
    let other = chat.world.project().join("other.yaml");
    fs::write(&other, "version: 1\nturns:\n  - fails: { status: 400, message: no }\n").unwrap();
    let ran = call(&["-p", "three", "--resume", "--model", "scripted:other.yaml"]).run();
    assert!(ran.stderr.contains("other.yaml` goes on\n"), "{ran:?}");
}

#[test]
fn folder_option_sets_the_project() {
    let chat = Chat::new("", "  - call: { tool: Bash, input: { command: pwd } }\n  - say: Done.\n");
    fs::create_dir(chat.world.project().join("inner")).unwrap();
    let ran = chat.call(&["-p", "x", "--cd", "inner", "--allow", "all", "--json"]).run();
    assert!(ran.stdout.contains("/project/inner"), "{ran:?}");
    let nowhere = chat.call(&["-p", "x", "--cd", "nowhere"]).run();
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
}

#[test]
fn files_outside_the_project_need_approval() {
    let turns = r#"  - call: { tool: Read, input: { file_path: "HOME/.ssh/id_rsa" } }
  - expect: { contains: ["May I use Read on "], lacks: ["a private key"] }
    call: { tool: Read, input: { file_path: "STATE/tenter/chats/outputs/stdout-1.txt" } }
  - expect: { contains: ["a long output"] }
    say: Done.
"#;
    let place = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let chat = Chat::new("", "");
    let turns = turns.replace("HOME", &place(chat.world.home())).replace("STATE", &place(chat.world.state()));
    fs::write(chat.world.home().join("script.yaml"), format!("version: 1\nturns:\n{turns}")).unwrap();
    for (file, content) in [
        (chat.world.home().join(".ssh/id_rsa"), "a private key"),
        (chat.world.state().join("tenter/chats/outputs/stdout-1.txt"), "a long output"),
    ] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    let ran = chat.call(&["-p", "look"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.stderr.contains("/.ssh/id_rsa") && !ran.stderr.contains("a private key"), "{ran:?}");
}
