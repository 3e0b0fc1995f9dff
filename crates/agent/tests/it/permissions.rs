//! Approvals that the agent requests itself. Without an approver, the call is denied.

use std::sync::Arc;

use serde_json::json;
use tenter_agent::tools;
use tenter_agent::{Agent, AgentParts, Journal, Permission};
use tenter_contract::{EventKind, HookReply, Patch, Rewrite, Verdict};

use crate::kit::{ModelReply, World, briefly, prompt};

fn world(permission: Permission, path: &str) -> World {
    let write = ModelReply::Calls(vec![("Write", json!({"file_path": path, "content": "x"}))]);
    World { permission, ..World::new([write]) }
}

fn result(world: &World) -> String {
    prompt(&mut world.agent(), "Go").unwrap();
    briefly(&world.asked(1))[2].clone()
}

#[test]
fn missing_approver_denies() {
    let world = world(Permission::Look, "a.txt");
    let text = result(&world);
    assert!(text.starts_with("failure: ") && text.contains("May I use Write on a.txt?"), "{text}");
    assert!(!world.path().join("a.txt").exists());
    assert!(world.kinds().contains(&"permission:request".to_owned()));
}

#[test]
fn empty_command_needs_no_approval() {
    for command in ["", "  \n"] {
        let line = ModelReply::Calls(vec![("Bash", json!({"command": command}))]);
        let world = World { permission: Permission::Look, ..World::new([line]) };
        let parts = AgentParts { tools: Arc::new(tools::Toolbox::new(tools::own())), ..world.parts() };
        prompt(&mut Agent::new(parts, "s1", Journal::none()), "Go").unwrap();
        let text = briefly(&world.asked(1))[2].clone();
        assert!(text.starts_with("failure: `command` must be text that is not empty; it is "), "{text}");
        let kinds = world.kinds();
        assert!(!kinds.contains(&"permission:request".to_owned()) && !kinds.contains(&"tool:pre".to_owned()));
        assert!(kinds.contains(&"tool:error".to_owned()), "{kinds:?}");
    }
}

#[test]
fn edits_are_limited_to_the_project() {
    assert_eq!(result(&world(Permission::Edits, "a.txt")), "result: written");
    for outside in ["../a.txt", "/tmp/a.txt", "new/../../a.txt"] {
        assert!(result(&world(Permission::Edits, outside)).starts_with("failure: "), "{outside}");
    }
    let world = world(Permission::Edits, "link/a.txt");
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), world.path().join("link")).unwrap();
    assert!(result(&world).starts_with("failure: "));
    assert!(!elsewhere.path().join("a.txt").exists());
}

#[test]
fn hook_allow_replaces_the_approval() {
    let allow = |_: &tenter_contract::Event| HookReply {
        verdict: Verdict::Allow { reason: None },
        ..HookReply::default()
    };
    for event in [EventKind::ToolPre, EventKind::PermissionRequest] {
        let world = world(Permission::Look, "a.txt").hook(event.clone(), "yes", allow);
        assert_eq!(result(&world), "result: written", "{event}");
    }
}

#[test]
fn reading_needs_no_approval() {
    let look = ModelReply::Calls(vec![("Look", json!({}))]);
    let world = World { permission: Permission::Look, ..World::new([look]) };
    assert_eq!(result(&world), "result: {}");
    assert!(!world.kinds().contains(&"permission:request".to_owned()));
}

/// A rewrite in an approval cannot bypass the guards.
#[test]
fn rewritten_input_is_checked_again() {
    let world = world(Permission::Look, "a.txt")
        .hook(EventKind::PermissionRequest, "yes", |_| {
            let input = json!({"file_path": ".env", "content": "x"}).as_object().cloned().unwrap();
            let allow = HookReply { verdict: Verdict::Allow { reason: None }, ..HookReply::default() };
            allow.rewrite(Rewrite::ToolInput(Patch::Replace(input)))
        })
        .hook(EventKind::ToolPre, "guard", |event| {
            let path = event.tool.as_ref().and_then(|tool| tool.path());
            if path == Some(".env") { HookReply::deny("no") } else { HookReply::default() }
        });
    assert_eq!(result(&world), "failure: Operation denied by guard: no");
    assert!(!world.path().join(".env").exists());
}

/// A project, a folder with a secret and the folder of long outputs; links of the project lead to both.
fn neighbours() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for (path, content) in
        [("project/a.txt", "a word"), ("home/id_rsa", "a secret"), ("long/out.txt", "a result")]
    {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        std::fs::write(at(path), content).unwrap();
    }
    for (link, to) in [("file", "home/id_rsa"), ("folder", "home"), ("new", "home/new")] {
        std::os::unix::fs::symlink(at(to), at("project").join(link)).unwrap();
    }
    folder
}

/// The result of a call without an approver.
fn called(permission: Permission, folder: &std::path::Path, tool: &'static str, input: &str) -> String {
    let input = input.replace("HERE", folder.to_str().unwrap());
    let line = ModelReply::Calls(vec![(tool, serde_json::from_str(&input).unwrap())]);
    let world = World { permission, ..World::new([line]) };
    let place = tools::Workspace::new(folder.join("project"), Vec::new(), folder.join("long"));
    let parts = AgentParts {
        tools: Arc::new(tools::Toolbox::new(tools::own())),
        place: Arc::new(place),
        ..world.parts()
    };
    prompt(&mut Agent::new(parts, "s1", Journal::none()), "Go").unwrap();
    briefly(&world.asked(1))[2].clone()
}

#[test]
fn reading_outside_the_project_needs_approval() {
    let folder = neighbours();
    for (tool, input, is_asked) in [
        ("Read", r#"{"file_path": "a.txt"}"#, false),
        ("Read", r#"{"file_path": "HERE/project/a.txt"}"#, false),
        ("Read", r#"{"file_path": "HERE/long/out.txt"}"#, false),
        ("Read", r#"{"file_path": "HERE/home/id_rsa"}"#, true),
        ("Read", r#"{"file_path": "../home/id_rsa"}"#, true),
        ("Read", r#"{"file_path": "file"}"#, true),
        ("Read", r#"{"file_path": "folder/id_rsa"}"#, true),
        ("Read", r#"{"file_path": "folder/../long/../home/id_rsa"}"#, true),
        ("TodoWrite", r#"{"todos": []}"#, false),
        ("Glob", r#"{"pattern": "*"}"#, false),
        ("Glob", r#"{"pattern": "**/*.rs"}"#, false),
        ("Glob", r#"{"pattern": "*", "path": "HERE/home"}"#, true),
        ("Glob", r#"{"pattern": "HERE/home/*"}"#, true),
        ("Glob", r#"{"pattern": "../home/*"}"#, true),
        ("Glob", r#"{"pattern": "folder/*"}"#, true),
        ("Grep", r#"{"pattern": "/etc/passwd"}"#, false),
        ("Grep", r#"{"pattern": "a", "path": "HERE/home"}"#, true),
        ("Grep", r#"{"pattern": "a", "path": "file"}"#, true),
        ("Grep", r#"{"pattern": "a", "glob": "../home/*"}"#, true),
    ] {
        for permission in [Permission::Look, Permission::Edits] {
            let text = called(permission, folder.path(), tool, input);
            assert_eq!(text.contains("May I use "), is_asked, "{tool} {input}: {text}");
            assert!(!text.contains("a secret"), "{tool} {input}: {text}");
        }
        let text = called(Permission::All, folder.path(), tool, input);
        assert!(!text.contains("May I use "), "{tool} {input}: {text}");
    }
}

/// A link in a repository must not show files without approval.
#[test]
fn search_skips_links_out_of_the_project() {
    let folder = neighbours();
    std::os::unix::fs::symlink("a.txt", folder.path().join("project/same")).unwrap();
    let input = r#"{"pattern": "a ", "output_mode": "content"}"#;
    for permission in Permission::ALL {
        let text = called(permission, folder.path(), "Grep", input);
        assert_eq!(text, "result: a.txt:1:a word\nsame:1:a word");
    }
}

#[test]
fn dangling_link_needs_approval() {
    let folder = neighbours();
    for (path, is_asked) in
        [("b.txt", false), ("in/side/b.txt", false), ("new", true), ("folder/b.txt", true)]
    {
        let input = format!(r#"{{"file_path": "{path}", "content": "x"}}"#);
        let text = called(Permission::Edits, folder.path(), "Write", &input);
        assert_eq!(text.contains("May I use Write on "), is_asked, "{path}: {text}");
    }
    // Long outputs may be read.
    let text = called(
        Permission::Edits,
        folder.path(),
        "Write",
        r#"{"file_path": "HERE/long/new.txt", "content": "x"}"#,
    );
    assert!(text.contains("May I use Write on "), "{text}");
    assert_eq!(std::fs::read_dir(folder.path().join("home")).unwrap().count(), 1);
}

#[test]
fn files_that_run_automatically_need_approval() {
    let folder = neighbours();
    let project = folder.path().join("project");
    let write = |path: &str, content: &str| {
        std::fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
        std::fs::write(project.join(path), content).unwrap();
    };
    write(".git/config", "[core]\n\tHooksPath = \"scripts/hooks\"\n");
    write(".git/hooks/pre-commit.sample", "");
    write("scripts/hooks/pre-push", "");
    write("src/main.rs", "");
    write("twice", "");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, project.join(name)).unwrap();
    link(".git", "dot");
    link(".git/hooks", "src/h");
    link(".git/config", "c");
    link("../.git/new", "src/dangles");
    link("src", "s");
    std::fs::hard_link(project.join(".git/hooks/pre-commit.sample"), project.join("hard")).unwrap();
    for (path, is_asked) in [
        ("src/main.rs", false),
        ("src/../src/main.rs", false),
        ("s/main.rs", false),
        (".gitignore", false),
        (".github/dependabot.yml", false),
        ("git/hooks/x", false),
        ("docs/.well-known/x", false),
        (".git/hooks/pre-commit", true),
        (".git/config", true),
        (".GIT/config", true),
        ("sub/.git/config", true),
        ("sub/.git", true),
        ("src/../.git/hooks/post-checkout", true),
        ("HERE/project/.git/info/attributes", true),
        ("dot/hooks/x", true),
        ("src/h/x", true),
        ("s/h/x", true),
        ("c", true),
        ("src/dangles", true),
        ("hard", true),
        ("scripts/hooks/pre-push", true),
        ("scripts/hooks/new", true),
        (".husky/pre-commit", true),
        (".vscode/tasks.json", true),
        ("a.code-workspace", true),
        (".envrc", true),
        ("sub/.envrc", true),
        (".mcp.json", true),
        (".claude/settings.json", true),
        (".claude/commands/x.md", true),
        (".cursor/hooks.json", true),
        ("opencode.json", true),
        (".tenter/hooks.yaml", true),
        (".github/workflows/ci.yml", true),
        (".forgejo/workflows/ci.yml", true),
        (".gitea/workflows/ci.yml", true),
        (".gitea/issue_template.md", false),
        (".gitlab/ci/build.yml", true),
        (".gitlab/issue_templates/bug.md", false),
        (".drone.yml", true),
        (".woodpecker.yml", true),
        (".woodpecker/test.yaml", true),
        (".hg/hgrc", true),
        (".jj/repo/config.toml", true),
        (".simple-git-hooks.json", true),
        ("simple-git-hooks.cjs", true),
        (".huskyrc", true),
        (".huskyrc.json", true),
        (".hgignore", false),
        ("lefthook.yml", true),
        (".pre-commit-config.yaml", true),
        ("mise.toml", true),
        (".exrc", true),
        ("venv/lib/x.pth", true),
    ] {
        let input = format!(r#"{{"file_path": "{path}", "content": ""}}"#);
        let text = called(Permission::Edits, folder.path(), "Write", &input);
        assert_eq!(text.contains("May I use Write on "), is_asked, "{path}: {text}");
    }
    let text = called(Permission::Edits, folder.path(), "Write", r#"{"file_path": ".envrc", "content": ""}"#);
    assert!(text.contains("May I use Write on .envrc (a shell runs this file automatically)?"), "{text}");
    let edit = r#"{"file_path": ".git/config", "old_string": "core", "new_string": "x"}"#;
    assert!(called(Permission::Edits, folder.path(), "Edit", edit).contains("May I use Edit on "));
}
