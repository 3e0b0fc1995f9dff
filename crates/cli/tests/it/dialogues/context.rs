//! `tenter context`: what a session begins with.

use std::fs;

use super::{Dialogue, assert_dialogue};

const HOOKS: &str = r#"version: 1
context:
  files: [README.md, "docs/**/*.md", ~/notes.md, LICENSE]
hooks:
  session:start:
    - { name: git-status, builtin: git.status, once: session }
  prompt:submit:
    - { name: house-rules, inject: "Two spaces." }
    - { name: not-now, when: { prompt: "*deploy*" }, deny: "Not today." }
"#;

fn project(dialogue: Dialogue) -> Dialogue {
    let folder = dialogue.world.project();
    fs::create_dir_all(folder.join("docs/deep")).unwrap();
    fs::create_dir_all(folder.join(".tenter")).unwrap();
    fs::write(folder.join("README.md"), "x".repeat(1000)).unwrap();
    fs::write(folder.join("docs/deep/long.md"), "x".repeat(20_000)).unwrap();
    fs::write(
        folder.join(".tenter/hooks.yaml"),
        "version: 1\ncontext: { files: [README.md, CONTRIBUTING.md] }\n",
    )
    .unwrap();
    dialogue
}

#[test]
fn show_lists_files_by_layer_what_they_expand_to_and_hooks_that_add_to_them() {
    let dialogue = project(Dialogue::with_hooks(HOOKS));
    assert_dialogue!(
        dialogue
            .says(&["context", "show"])
            .says(&["trust", "--yes"])
            .says(&["context", "show"])
            .says(&["context", "show", "--json"])
    );
}

#[test]
fn show_without_files_says_how_to_name_some() {
    assert_dialogue!(Dialogue::nowhere().says(&["context", "show"]));
}

/// No repository, no `.tenter`: a session's files are meant from the folder it begins in.
#[test]
fn show_says_what_a_session_gets_in_a_folder_that_is_no_project() {
    let dialogue =
        Dialogue::with_hooks("version: 1\ncontext: { files: [README.md, nul.bin, noise.bin, cut.md] }\n");
    let folder = dialogue.world.project();
    fs::write(folder.join("README.md"), "Read me.").unwrap();
    fs::write(folder.join("nul.bin"), b"a\0b").unwrap();
    fs::write(folder.join("noise.bin"), b"caf\xe9 \xff\xfe").unwrap();
    // Longer than fits, and the reading stops in the middle of a character.
    fs::write(folder.join("cut.md"), "\u{e4}".repeat(10_000)).unwrap();
    let start = dialogue.world.tenter(&["emit", "session:start"]).stdin("{}").run().stdout;
    assert!(start.contains("Read me.") && start.contains("Context file cut.md"), "{start}");
    assert!(!start.contains("Context file nul.bin") && !start.contains("Context file noise.bin"), "{start}");
    assert_dialogue!(dialogue.says(&["context", "show"]));
}
