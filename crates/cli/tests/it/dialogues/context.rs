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
