//! The dialogue in the specification of context hooks, line by line.

use std::fs;

use super::Chat;

const HOOKS: &str = r#"  session:start:
    - { name: project-info, command: "echo '# Project Information'" }
  prompt:submit:
    - { name: git-status, command: "echo '# Git Status'" }
context:
  files: [README.md, AmazonQ.md]
"#;

#[test]
fn slash_hooks_lists_and_switches_hooks() {
    let chat = Chat::new(HOOKS, "  - say: Hello.\n");
    let project = chat.world.project();
    fs::write(project.join("README.md"), "Read me.\n").unwrap();
    fs::write(project.join("AmazonQ.md"), "Ask me.\n").unwrap();
    let profiles = chat.world.config().join("tenter/profiles");
    fs::create_dir_all(&profiles).unwrap();
    fs::write(profiles.join("default.yaml"), "version: 1\nhooks: {}\n").unwrap();
    // A terminal that cannot move its cursor: what was typed and what came stand below each other.
    let mut talking = chat.talk_on("dumb", &["--profile", "default"]);
    for line in [
        "/hooks",
        "/hooks disable git-status",
        "/hooks",
        "/hooks enable git-status",
        "/context show",
        "Hello",
        "/context show --previous",
        "/context show --always",
        "/hooks disable nothing",
        "/hoks",
        "/ghap",
    ] {
        talking.says(line);
    }
    let seen = talking.leaves().replace('\r', "");
    let project = project.canonicalize().unwrap();
    let shown = seen.replace(&project.display().to_string(), "PROJECT");
    let ids = regex_lite::Regex::new("chat-[0-9]{8}-[0-9]{4}-[a-z0-9]{4}").unwrap();
    let script = regex_lite::Regex::new("scripted:\\S+").unwrap();
    let shown = script.replace_all(&ids.replace_all(&shown, "SESSION"), "MODEL").into_owned();
    insta::assert_snapshot!(shown);
}
