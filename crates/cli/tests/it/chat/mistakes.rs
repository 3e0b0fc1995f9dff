//! Invalid input and its hints.

use std::fs;

use super::Chat;

const HOOKS: &str = r#"  prompt:submit:
    - { name: git-status, command: "echo '# Git Status'" }
  tool:pre:
    - { name: no-push, matcher: "Bash(git push*)", deny: "Ask a person to push." }
"#;

#[test]
fn invalid_slash_commands_show_their_usage() {
    let chat = Chat::new(HOOKS, "  - say: Hello.\n");
    fs::write(chat.world.project().join("a.md"), "A.\n").unwrap();
    fs::write(chat.world.project().join("b.md"), "B.\n").unwrap();
    let mut talking = chat.talk_on("dumb", &[]);
    for line in [
        "/help",
        "/hooks",
        "/hooks foo",
        "/hooks disable",
        "/hooks disable git-statu",
        "/hooks enable git-status",
        "/context show --foo",
        "/context add",
        "/context add *.nope",
        "/context add *.md",
        "/context add *.md",
        "/context rm nope.md",
        "/profile nosuch",
        "/profile a b",
        "/model nosuch",
        "/model openai:gpt-5",
        "/compact now",
        "/clear now",
        "/quit now",
        "/ghap",
        "/nope",
        "/",
    ] {
        talking.says(line);
    }
    let seen = talking.leaves().replace('\r', "");
    let project = chat.world.project().canonicalize().unwrap();
    let shown = seen.replace(&project.display().to_string(), "PROJECT");
    let ids = regex_lite::Regex::new("chat-[0-9]{8}-[0-9]{4}-[a-z0-9]{4}").unwrap();
    let script = regex_lite::Regex::new("scripted:\\S+\\.yaml").unwrap();
    insta::assert_snapshot!(script.replace_all(&ids.replace_all(&shown, "SESSION"), "MODEL").into_owned());
}

#[test]
fn invalid_options_show_valid_values() {
    let chat = Chat::new("", "  - say: Hello.\n");
    let project = chat.world.project();
    for (name, text) in [
        ("bogus.yaml", "version: 1\nturns: [{ fails: { bogus: 1 } }]\n"),
        ("half.json", "{"),
        ("other.json", "{\"servers\": {}}"),
    ] {
        fs::write(project.join(name), text).unwrap();
    }
    let typed: [&[&str]; 20] = [
        &["-p", "x", "--model", "foo"],
        &["-p", "x", "--model", "antropic:x"],
        &["-p", "x", "--model", "anthropic:"],
        &["-p", "x", "--model", "anthropic:claude"],
        &["-p", "x", "--model", "http://"],
        &["-p", "x", "--model", "scripted:nosuch.yaml"],
        &["-p", "x", "--model", "scripted:bogus.yaml"],
        &["-p", "x", "--allow", "foo"],
        &["-p", "x", "--allow", "edit"],
        &["-p", "x", "--resume", "nosuch"],
        &["-p", "x", "--mcp", "nosuch.json"],
        &["-p", "x", "--mcp", "half.json"],
        &["-p", "x", "--mcp", "other.json"],
        &["-p", "x", "--cd", "nowhere"],
        &["-p", "x", "--config", "nosuch.yaml"],
        &["-p", "x", "--profile", "nosuch"],
        &["-p", ""],
        &["-p"],
        &["Explain this"],
        &["--jsn"],
    ];
    let mut reported = Vec::new();
    for arguments in typed {
        let ran = chat.call(arguments).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {ran:?}");
        reported.push(format!("$ tenter chat {}\n{}", arguments.join(" "), ran.stderr));
    }
    insta::assert_snapshot!(reported.join("\n"));
}
