//! The terminal output: the source of questions, slow hooks, and only known escapes.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use super::{Chat, send_signal, until};

/// The guide shows what the program shows, line by line, in the same order.
#[test]
fn question_matches_the_guide() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/chat.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, shown) = guide.split_once("> Why does the test of the parser fail?\n").unwrap();
    let lines: Vec<&str> = shown.lines().take_while(|line| !line.starts_with("  granted")).collect();
    assert!(lines.len() > 4, "{lines:?}");
    let turns = "  - say: I run it first.\n    call: { tool: Bash, input: { command: cargo test -p parser } }\n  - say: Well.\n";
    let chat = Chat::new("", turns);
    let mut talking = chat.talk(&[]);
    talking.says("Why does the test of the parser fail?");
    talking.terminal.comes(&lines.join("\r\n"));
    talking.terminal.comes("left > ");
    talking.terminal.types("3");
    talking.terminal.comes("denied: Deny");
    talking.leaves();
}

#[test]
fn questions_name_subagent_or_hook() {
    let hook = "  tool:pre:\n    - { name: careful, matcher: Read, ask: Read that? }\n";
    let turns = r#"  - call: { tool: Task, input: { description: write, prompt: Write it } }
  - call: { tool: Write, input: { file_path: a.txt, content: "one\n" } }
  - say: Written.
  - say: It is written.
    call: { tool: Read, input: { file_path: a.txt } }
  - say: That is all.
"#;
    let chat = Chat::new(hook, turns);
    let mut talking = chat.talk(&[]);
    talking.says("Write it");
    talking.terminal.comes(
        "May I use Write on a.txt?\r\n  tenter asks before a file is changed\r\n  a sub-agent wants it, which works for the agent\r\n",
    );
    talking.terminal.comes("left > ");
    talking.terminal.types("1");
    talking.terminal.comes("Read that?\r\n  asked by hook user/careful\r\n  tool Read\r\n");
    talking.terminal.comes("left > ");
    talking.terminal.types("1");
    talking.terminal.comes("That is all.");
    let seen = talking.leaves();
    assert!(!seen.contains("embedded/") && !seen.contains("tenter:permission"), "{seen}");
}

#[test]
fn plain_terminal_gets_no_escapes() {
    let turns =
        "  - say: \"**Hello.**\"\n    call: { tool: Bash, input: { command: echo asked } }\n  - say: Bye.\n";
    let chat = Chat::new("", turns);
    let mut talking = chat.talk_with(&[("TERM", "dumb")], &[]);
    talking.says("Say it");
    talking.terminal.comes("type the number of an option; 5:00 left");
    talking.terminal.types("1");
    talking.terminal.comes("Bye.");
    let seen = talking.leaves();
    assert!(!seen.contains('\u{1b}'), "{seen:?}");
    // The same where colours are known, and where they are not wanted.
    for (variables, coloured) in
        [(&[("TERM", "xterm")][..], true), (&[("TERM", "xterm"), ("NO_COLOR", "1")], false)]
    {
        let mut talking = chat.talk_with(variables, &[]);
        talking.says("/help");
        let seen = talking.leaves();
        assert_eq!(seen.contains("\u{1b}[1m"), coloured, "{variables:?}: {seen:?}");
    }
}

#[test]
fn tables_are_aligned() {
    let say = "Look:\\n\\n| Name | Calls |\\n|:--|--:|\\n| parser | 12 |\\n| x | 3 |\\n\\nمی\\u200cخواهم 👩\\u200d💻\\n";
    let chat = Chat::new("", &format!("  - say: \"{say}\"\n"));
    let mut talking = chat.talk(&[]);
    talking.says("Show it");
    talking
        .terminal
        .comes("Look:\r\n\r\nName    Calls\r\n──────  ─────\r\nparser     12\r\nx           3\r\n\r\n");
    talking.terminal.comes("می\u{200c}خواهم 👩\u{200d}💻\r\n");
    talking.leaves();
}

#[test]
fn slow_hook_is_named_and_can_be_stopped() {
    let slow = "  tool:pre:\n    - { name: slow, matcher: Write, command: \"touch asked; sleep 600\", timeout: 300 }\n";
    let turns = "  - call: { tool: Write, input: { file_path: a.txt, content: x } }\n  - say: Well.\n";
    let chat = Chat::new(slow, turns);
    let mut talking = chat.talk(&[]);
    talking.says("Write it");
    talking.terminal.comes("0 of 1 hook finished; waiting for slow");
    talking.interrupts();
    talking.terminal.comes("[tenter] hook `slow` was ended with the agent's turn");
    talking.terminal.comes("stopped; say how to go on");
    let seen = talking.leaves();
    assert!(!seen.contains("went on without it") && !seen.contains("May I"), "{seen}");
}

#[test]
fn repeated_context_is_marked() {
    let hooks = "  prompt:submit:\n    - { name: status, inject: All is well. }\n    - { name: count, command: \"echo x >> n; cat n\" }\n";
    let chat = Chat::new(hooks, "  - say: One.\n  - say: Two.\n");
    let mut talking = chat.talk(&[]);
    talking.says("/context show --always");
    talking.says("First");
    talking.terminal.comes("Added by hooks with your last prompt (1):\r\n- status, count (per prompt), ");
    talking.says("Second");
    talking.terminal.comes("Added by hooks with your last prompt (1):\r\n- count (per prompt), 3 bytes:\r\n");
    talking.terminal.comes("- status (per prompt): the same as before, which the model has already\r\n");
    talking.says("/clear");
    talking.says("/context show --previous");
    talking.terminal.comes("No hook has added anything to your last prompt.");
    talking.leaves();
}

#[test]
fn terminated_program_prints_the_resume_command() {
    let turns = "  - call: { tool: Bash, input: { command: \"touch begun; sleep 600\" } }\n  - say: Done.\n";
    let chat = Chat::new("", turns);
    let mut typing = chat.talk(&[]);
    typing.terminal.comes("> ");
    typing.terminal.types("half a li");
    typing.terminal.comes("half a li");
    send_signal(&typing.process, Signal::TERM);
    typing.terminal.comes("left in the middle; `tenter chat --resume chat-");
    assert_eq!(typing.process.wait().unwrap().code(), Some(1));

    let mut working = chat.talk(&["--allow", "all"]);
    working.says("Wait");
    until("the command has begun", || chat.world.project().join("begun").exists());
    send_signal(&working.process, Signal::TERM);
    working.terminal.comes("stopped; say how to go on");
    working.terminal.comes("goes on");
    assert_eq!(working.process.wait().unwrap().code(), Some(1));
}
