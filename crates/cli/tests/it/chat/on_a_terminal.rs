//! The chat on a terminal: prompts, questions, Ctrl-C, and a killed program.

use std::fs;

use super::{Chat, answer_elsewhere, until};

const WRITES: &str = r#"  - say: I write.
    call: { tool: Write, input: { file_path: a.txt, content: "one\ntwo\n" } }
  - say: That is all.
  - say: Again.
    call: { tool: Write, input: { file_path: b.txt, content: "x\n" } }
  - say: Really all.
"#;

#[test]
fn key_answers_a_question_and_shows_the_diff() {
    let chat = Chat::new("", WRITES);
    let mut talking = chat.talk(&[]);
    talking.says("Write it");
    talking.terminal.comes("May I use Write on a.txt?");
    talking.terminal.comes("[1] Allow once  [2] Allow always");
    talking.terminal.comes("without an answer: deny");
    talking.terminal.comes("left > ");
    talking.terminal.comes("left > ");
    talking.terminal.types("Alow\r");
    talking.terminal.comes("`Alow` is none of the options; press a number");
    // One that is no option is dropped with what is typed behind it at once, and the next counts.
    talking.terminal.types("x2");
    talking.terminal.comes("`x2` is none of the options");
    talking.terminal.types("1");
    talking.terminal.comes("granted: Allow once");
    talking.terminal.comes("(new, +2 −0)");
    talking.terminal.comes("+two");
    talking.terminal.comes("That is all.");
    talking.terminal.comes("tokens: ");
    assert_eq!(fs::read_to_string(chat.world.project().join("a.txt")).unwrap(), "one\ntwo\n");

    // The same question can be answered from elsewhere.
    talking.says("Once more");
    talking.terminal.comes("May I use Write on b.txt?");
    answer_elsewhere(&chat.world, "Deny");
    talking.terminal.comes("denied: Deny");
    talking.terminal.comes("✘ User denied: May I use Write on b.txt?");
    talking.terminal.comes("Really all.");
    assert!(!chat.world.project().join("b.txt").exists());
    talking.leaves();
}

#[test]
fn parallel_calls_have_headings_and_named_results() {
    let patterns = ["*.a", "*.b", "*.c", "*.d"];
    let calls: String =
        patterns.map(|it| format!("      - {{ tool: Glob, input: {{ pattern: \"{it}\" }} }}\n")).concat();
    let chat = Chat::new("", &format!("  - call:\n{calls}  - say: All looked.\n"));
    let mut talking = chat.talk_on("dumb", &[]);
    talking.says("Look");
    talking.terminal.comes("All looked.");
    let seen = talking.leaves();
    for pattern in patterns {
        assert_eq!(seen.matches(&format!("▸ Glob {pattern}")).count(), 1, "{seen}");
    }
}

const WAITS: &str = r#"  - say: I wait.
    call: { tool: Bash, input: { command: "touch begun; sleep 600" } }
  - expect: { tool_result_contains: ["stopped by the user"] }
    say: Well then.
"#;

#[test]
fn ctrl_c_stops_the_tool() {
    let chat = Chat::new("", WAITS);
    let mut talking = chat.talk(&["--allow", "all"]);
    talking.says("Wait");
    until("the command has begun", || chat.world.project().join("begun").exists());
    talking.interrupts();
    talking.terminal.comes("stopped; say how to go on");
    talking.says("Go on");
    talking.terminal.comes("Well then.");
    talking.leaves();
}

const SLOW: &str = r#"  tool:pre:
    - { name: slow, matcher: Write, command: "touch asked; sleep 600", timeout: 300 }
"#;

#[test]
fn ctrl_c_stops_a_hook_and_its_call() {
    let chat = Chat::new(SLOW, WRITES);
    let mut talking = chat.talk(&["--allow", "all"]);
    talking.says("Write it");
    until("the hook has begun", || chat.world.project().join("asked").exists());
    talking.interrupts();
    talking.terminal.comes("stopped; say how to go on");
    assert!(!chat.world.project().join("a.txt").exists());
    assert!(chat.journals()[0].contains("It was not run: the user stopped the agent before."));
    talking.says("What now?");
    talking.terminal.comes("That is all.");
    talking.leaves();
}

#[test]
fn ctrl_c_discards_the_line_and_twice_quits() {
    let chat = Chat::new("", "  - say: Never said.\n");
    let mut talking = chat.talk(&[]);
    talking.terminal.comes("> ");
    talking.terminal.types("half a line\u{3}");
    talking.terminal.comes("Ctrl-C again or Ctrl-D leaves");
    talking.terminal.comes("> ");
    talking.terminal.types("\u{3}");
    talking.terminal.comes("goes on");
    assert!(talking.process.wait().unwrap().success());
    assert!(!talking.terminal.seen.contains("Never said"), "{}", talking.terminal.seen);
}

#[test]
fn reply_keeps_empty_lines_and_margins() {
    let chat = Chat::new(
        "",
        "  - say: \"One.\\n\\n- a\\n  - b\\n\\nTwo, which is long enough to come in several pieces.\\n\"\n",
    );
    let mut talking = chat.talk(&[]);
    talking.says("Say it");
    talking
        .terminal
        .comes("One.\r\n\r\n- a\r\n  - b\r\n\r\nTwo, which is long enough to come in several pieces.\r\n");
    talking.leaves();
}

#[test]
fn typed_or_pasted_lines_are_one_prompt() {
    let expects = r#"  - expect: { contains: ["first\nsecond"] }
    say: Both read.
  - expect: { contains: ["pasted \\\nlines"] }
    say: Pasted, too.
"#;
    let chat = Chat::new("", expects);
    let mut talking = chat.talk(&[]);
    talking.terminal.comes("> ");
    talking.terminal.types("first\\\r");
    talking.terminal.types("second\r");
    talking.terminal.comes("Both read.");
    talking.terminal.comes("tokens: ");
    talking.terminal.comes("> ");
    talking.terminal.types("\u{1b}[200~pasted \\\rlines\u{1b}[201~\r");
    talking.terminal.comes("Pasted, too.");
    talking.leaves();
    // The next session finds the typed lines, and other users cannot read them.
    let history = chat.world.state().join("tenter/chats/history");
    let kept = fs::read_to_string(&history).unwrap();
    assert!(kept.starts_with("\"first\\nsecond\"\n"), "{kept}");
}

#[test]
fn session_killed_in_a_tool_is_resumed() {
    let chat = Chat::new("", WAITS);
    let mut talking = chat.talk(&["--allow", "all"]);
    talking.says("Wait a while");
    until("the command has begun", || chat.world.project().join("begun").exists());
    talking.process.kill().unwrap();
    talking.process.wait().unwrap();
    drop(talking);
    let expects = "  - expect: { contains: [\"Wait a while\", \"It was interrupted\", \"And now?\"] }\n    say: I look first.\n";
    fs::write(chat.world.home().join("script.yaml"), format!("version: 1\nturns:\n{expects}")).unwrap();
    let mut talking = chat.talk(&["--resume"]);
    talking.terminal.comes("gone on with");
    talking.terminal.comes("your last message: Wait a while");
    talking.says("And now?");
    talking.terminal.comes("I look first.");
    talking.leaves();
}

#[test]
fn files_and_profiles_change_in_a_session() {
    let expects = r#"  - expect: { contains: ["What the notes say."], lacks: ["From the profile."] }
    say: Read.
  - expect: { contains: ["From the profile."] }
    say: Read, too.
"#;
    let chat = Chat::new("", expects);
    fs::write(chat.world.project().join("notes.md"), "What the notes say.\n").unwrap();
    let profiles = chat.world.config().join("tenter/profiles");
    fs::create_dir_all(&profiles).unwrap();
    let work = "version: 1\nhooks:\n  prompt:submit:\n    - { name: w, inject: From the profile. }\n";
    fs::write(profiles.join("work.yaml"), work).unwrap();
    let mut talking = chat.talk(&[]);
    talking.says("/context add notes.md nothing.md");
    talking.terminal.comes("Added notes.md; the model reads it with your next prompt.");
    talking.terminal.comes("nothing.md is not there; nothing was added");
    talking.says("What do they say?");
    talking.terminal.comes("Read.");
    talking.says("/context rm notes.md");
    talking.terminal.comes("Removed notes.md");
    talking.says("/profile work");
    talking.terminal.comes("Profile in this session: work");
    talking.says("And now?");
    talking.terminal.comes("Read, too.");
    talking.says("/clear");
    talking.terminal.comes("A new session, chat-");
    talking.leaves();
    assert_eq!(chat.journals().len(), 2);
}
