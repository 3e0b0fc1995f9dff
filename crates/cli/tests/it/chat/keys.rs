//! Only the provider gets the key of a model, whatever the model or a hook tries.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use super::{Chat, until};
use crate::world::{Call, Ran, World};

const KEY: &str = "sk-0123456789abcdef0123456789";

/// With a key in every variable that is known.
fn with_keys(call: Call) -> Call {
    let names =
        ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "TENTER_MODEL_KEY"];
    names.into_iter().fold(call, |call, name| call.env(name, Path::new(KEY)))
}

/// Works through a script in which everything is allowed.
fn worked(chat: &Chat) -> Ran {
    let ran = with_keys(chat.call(&["-p", "look around", "--allow", "all", "--json"])).run();
    was_played(&ran);
    ran
}

/// What a turn expects and does not find is said in the place of its words.
fn was_played(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(r#""type":"done","reason":"done","text":"Done.""#), "{ran:?}");
}

/// Nothing that was said or kept has it: the stream, the session, the records.
fn assert_no_key(chat: &Chat, ran: &Ran) {
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    let found = chat.world.sh(&format!("grep -rl {KEY} \"$XDG_STATE_HOME\" || echo none"));
    assert_eq!(found.stdout, "none\n");
}

#[test]
fn command_finds_no_key_in_its_parent() {
    let look = r"tr '\\0' '\\n' </proc/$PPID/environ; env";
    let turns = format!("  - call: {{ tool: Bash, input: {{ command: \"{look}\" }} }}\n  - say: Done.\n");
    let chat = Chat::new("", &turns);
    let ran = worked(&chat);
    // It is not there, so nothing had to be hidden.
    assert!(ran.stdout.contains("XDG_STATE_HOME=") && !ran.stdout.contains("key hidden"), "{ran:?}");
    assert!(!ran.stdout.contains("_API_KEY") && !ran.stdout.contains("TENTER_MODEL_KEY"), "{ran:?}");
    assert_no_key(&chat, &ran);
}

#[test]
fn hook_has_no_key_in_its_environment() {
    let hooks = "  tool:post:\n    - { name: check, matcher: Write, command: \"sh {tool.path}\", inject_output: always }\n";
    let turns = r#"  - call: { tool: Write, input: { file_path: a.sh, content: "env; tr '\\0' '\\n' </proc/$PPID/environ\n" } }
  - expect: { contains: ["XDG_STATE_HOME="], lacks: ["_API_KEY=", "TENTER_MODEL_KEY=", "key hidden"] }
    say: Done.
"#;
    let chat = Chat::new(hooks, turns);
    let ran = worked(&chat);
    assert_no_key(&chat, &ran);
}

/// A key may lie elsewhere too.
#[test]
fn found_key_is_hidden_everywhere() {
    let hooks = r#"  tool:post:
    - { name: says, matcher: Bash, command: "echo \"hook: $(cat .env)\"", inject_output: always }
  tool:pre:
    - { name: denies, matcher: Glob, command: "cat .env >&2; exit 2" }
"#;
    let turns = r#"  - call: { tool: Read, input: { file_path: .env } }
  - expect: { contains: ["[key hidden]"] }
    call: { tool: Bash, input: { command: "cat .env; cat .env >&2" } }
  - expect: { contains: ["hook: KEY=[key hidden]", "stderr:\nKEY=[key hidden]"] }
    call: { tool: Glob, input: { pattern: "*" } }
  - expect: { contains: ["denied by denies: KEY=[redacted:openai]"] }
    say: Done.
"#;
    let chat = Chat::new(hooks, turns);
    fs::write(chat.world.project().join(".env"), format!("KEY={KEY}\n")).unwrap();
    let ran = worked(&chat);
    assert_no_key(&chat, &ran);
    assert!(chat.journals()[0].matches("[key hidden]").count() >= 3, "{:?}", chat.journals());
}

#[test]
fn server_gets_its_key() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let model = format!("http://{}/v1#some", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        while !received.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut piece = [0; 4096];
            let count = stream.read(&mut piece).unwrap();
            received.extend_from_slice(&piece[..count]);
        }
        stream.write_all(b"HTTP/1.1 400 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        String::from_utf8_lossy(&received).to_lowercase()
    });
    let world = World::new();
    let ran = with_keys(world.tenter(&["chat", "-p", "hello", "--model", &model])).run();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let received = server.join().unwrap();
    assert!(received.contains(&format!("authorization: bearer {KEY}\r\n")), "{received}");
}

/// It becomes another program on the way, and all it was given must come along.
#[test]
fn key_changes_no_argument_stdin_or_folder() {
    let turns = "  - expect: { contains: [\"two  words\", \"piped in\"] }\n    call: { tool: Bash, input: { command: pwd } }\n  - say: Done.\n";
    let chat = Chat::new("", turns);
    fs::create_dir(chat.world.project().join("inner")).unwrap();
    let call = chat.call(&["-p", "two  words", "--cd", "inner", "--allow", "all", "--json"]);
    let ran = with_keys(call).stdin("piped in").run();
    was_played(&ran);
    assert!(ran.stdout.contains("/project/inner"), "{ran:?}");
}

/// Such a hook is run by another program, which knows no key that it could hide.
#[test]
fn background_hook_output_has_no_key() {
    let hooks = r#"  tool:post:
    - { name: slow, matcher: Read, background: true, command: "cat .env", inject_output: always }
"#;
    let chat = Chat::new(hooks, "  - call: { tool: Read, input: { file_path: a.txt } }\n  - say: Done.\n");
    fs::write(chat.world.project().join("a.txt"), "a\n").unwrap();
    fs::write(chat.world.project().join(".env"), format!("KEY={KEY}\n")).unwrap();
    let first = worked(&chat);
    let sessions = chat.world.state().join("tenter/sessions");
    let waits = format!("grep -rl {KEY} {} || true", sessions.display());
    // It came in the same turn, or lies there for the next.
    until("the hook has ended", || {
        first.stdout.contains("[key hidden]") || !chat.world.sh(&waits).stdout.is_empty()
    });
    let expects = "  - expect: { contains: [\"KEY=[key hidden]\"] }\n    say: Done.\n";
    fs::write(chat.world.home().join("script.yaml"), format!("version: 1\nturns:\n{expects}")).unwrap();
    let second = with_keys(chat.call(&["-p", "And now?", "--resume", "--json"])).run();
    was_played(&second);
    for said in [first.stdout, second.stdout, chat.journals().concat()] {
        assert!(!said.contains(KEY), "{said}");
    }
}

#[test]
fn terminal_works_with_a_key() {
    let chat = Chat::new("", "  - say: It is green.\n");
    let set = [("TERM", "xterm"), ("NO_COLOR", "1"), ("OPENAI_API_KEY", KEY)];
    let mut talking = chat.talk_with(&set, &[]);
    talking.says("Which colour?");
    talking.terminal.comes("It is green.");
    assert!(!talking.leaves().contains(KEY));
}
