//! `tenter context`: what a session begins with.

use std::fs;

use tenter_contract::ports::SessionStore;
use tenter_contract::{
    BudgetCategory, ContextId, EventKind, HookId, Injection, InjectionStatus, Layer, LedgerEntry, Moment,
    Role, SessionId, Source, Timestamp,
};
use tenter_store::{SessionFolders, StateFolder};

use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

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

/// A text of a hook in the ledger of session `s1`.
fn enter(
    world: &World,
    turn: &str,
    generation: u64,
    (hook, status, bytes, of): (&str, InjectionStatus, usize, usize),
) {
    let session_store = SessionFolders::new(&StateFolder::new(world.state().join("tenter")));
    let moment = Moment {
        at: Timestamp::from_unix_ms(1_795_000_000_000),
        event: EventKind::ToolPost,
        turn: turn.to_owned(),
        context: ContextId { generation, agent_id: None },
    };
    let role = if hook == "notes" { Role::Assistant } else { Role::System };
    let entry = LedgerEntry {
        by: Source::Hook(HookId::new(Layer::User, hook)),
        injection: Injection { role, ..Injection::text("x".repeat(of)) },
        role: Role::System,
        category: if hook == "recall" { BudgetCategory::Memory } else { BudgetCategory::Hooks },
        status,
        bytes,
        tokens: bytes as u64 / 4,
        spilled: None,
    };
    session_store.open_ledger(&SessionId::parse("s1").unwrap(), &moment).unwrap().enter(&[entry]).unwrap();
}

#[test]
fn show_tells_what_hooks_put_into_a_session_and_what_is_left_of_its_budget() {
    let dialogue = Dialogue::with_hooks("version: 1\nhooks: {}\n");
    assert_eq!(dialogue.world.claude(&bash("ls")).run().code, Some(0));
    let dialogue = dialogue
        .says(&["context", "show", "--hooks"])
        .meanwhile("hooks inject in three turns, the last of them after a compaction", |world| {
            enter(world, "our 1", 0, ("notes", InjectionStatus::Delivered, 800, 800));
            enter(world, "our 2", 0, ("lint", InjectionStatus::Delivered, 3000, 3000));
            enter(world, "our 3", 1, ("lint", InjectionStatus::Line, 40, 3000));
            enter(world, "our 3", 1, ("tests", InjectionStatus::Truncated, 4096, 90_000));
            enter(world, "our 3", 1, ("recall", InjectionStatus::Delivered, 2000, 2000));
            enter(world, "our 3", 1, ("notes", InjectionStatus::LeftOut, 0, 800));
            enter(world, "our 3", 1, ("manual", InjectionStatus::Rejected, 0, 20_000));
            enter(world, "our 3", 1, ("mark", InjectionStatus::Delivered, 4, 4));
        })
        .says(&["context", "show"])
        .says(&["context", "show", "--hooks", "--session", "s1"])
        .says(&["context", "show", "--previous"])
        .says(&["context", "show", "--json", "--hooks"])
        .says(&["context", "show", "--session", "s9"]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_of_hooks_wants_a_session_and_a_hook_file_that_is_named_must_be_there() {
    assert_dialogue!(Dialogue::nowhere().says(&["context", "show", "--hooks"]).says(&[
        "context",
        "show",
        "--config",
        "gone.yaml"
    ]));
}
