//! `tenter context`: the context at the start of a session.

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
fn show_lists_files_and_hooks_by_layer() {
    let dialogue = project(Dialogue::with_hooks(HOOKS));
    assert_dialogue!(
        dialogue
            .run(&["context", "show"])
            .run(&["trust", "--yes"])
            .run(&["context", "show"])
            .run(&["context", "show", "--json"])
    );
}

#[test]
fn show_without_files_explains_setup() {
    assert_dialogue!(Dialogue::new().run(&["context", "show"]));
}

/// Without a repository or `.tenter`, paths are relative to the working directory of the session.
#[test]
fn show_covers_folders_outside_projects() {
    let dialogue =
        Dialogue::with_hooks("version: 1\ncontext: { files: [README.md, nul.bin, noise.bin, cut.md] }\n");
    let folder = dialogue.world.project();
    fs::write(folder.join("README.md"), "Read me.").unwrap();
    fs::write(folder.join("nul.bin"), b"a\0b").unwrap();
    fs::write(folder.join("noise.bin"), b"caf\xe9 \xff\xfe").unwrap();
    // Longer than the limit, which lies in the middle of a character.
    fs::write(folder.join("cut.md"), "\u{e4}".repeat(10_000)).unwrap();
    let start = dialogue.world.tenter(&["emit", "session:start"]).stdin("{}").run().stdout;
    assert!(start.contains("Read me.") && start.contains("Context file cut.md"), "{start}");
    assert!(!start.contains("Context file nul.bin") && !start.contains("Context file noise.bin"), "{start}");
    assert_dialogue!(dialogue.run(&["context", "show"]));
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
fn show_lists_injections_and_remaining_budget() {
    let dialogue = Dialogue::with_hooks("version: 1\nhooks: {}\n");
    assert_eq!(dialogue.world.claude(&bash("ls")).run().code, Some(0));
    let dialogue = dialogue
        .run(&["context", "show", "--hooks"])
        .step("hooks inject in three turns, the last of them after a compaction", |world| {
            enter(world, "our 1", 0, ("notes", InjectionStatus::Delivered, 800, 800));
            enter(world, "our 2", 0, ("lint", InjectionStatus::Delivered, 3000, 3000));
            enter(world, "our 3", 1, ("lint", InjectionStatus::Line, 40, 3000));
            enter(world, "our 3", 1, ("tests", InjectionStatus::Truncated, 4096, 90_000));
            enter(world, "our 3", 1, ("recall", InjectionStatus::Delivered, 2000, 2000));
            enter(world, "our 3", 1, ("notes", InjectionStatus::LeftOut, 0, 800));
            enter(world, "our 3", 1, ("manual", InjectionStatus::Rejected, 0, 20_000));
            enter(world, "our 3", 1, ("mark", InjectionStatus::Delivered, 4, 4));
        })
        .run(&["context", "show"])
        .run(&["context", "show", "--hooks", "--session", "s1"])
        .run(&["context", "show", "--previous"])
        .run(&["context", "show", "--json", "--hooks"])
        .run(&["context", "show", "--session", "s9"]);
    assert_dialogue!(dialogue);
}

#[test]
fn show_requires_session_and_existing_hook_file() {
    assert_dialogue!(Dialogue::new().run(&["context", "show", "--hooks"]).run(&[
        "context",
        "show",
        "--config",
        "gone.yaml"
    ]));
}
