//! Calls whose input is large, deep, a list, a glob, a diff or a URI, and calls from other folders.

use std::fs;

use serde_json::{Value, json};

use super::project::Project;
use super::{GUARDS, denies};

fn check(project: &Project, cwd: &str, calls: &[(&str, Value, bool)]) {
    let claude = tenter_adapters::by_name("claude").unwrap();
    let mut wrong = Vec::new();
    for (tool, input, denied) in calls {
        let payload = json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": tool,
            "transcript_path": "t", "tool_input": input});
        let payload: Value = serde_json::from_str(&project.fill(&payload.to_string())).unwrap();
        for guard in GUARDS {
            if denies(guard, claude, &payload) != *denied {
                let shown: String = input.to_string().chars().take(120).collect();
                wrong.push(format!("{guard} in {cwd}: {tool} {shown}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn nested(levels: usize, inner: Value) -> Value {
    (0..levels).fold(inner, |inner, _| json!({ "a": inner }))
}

const MCP: &str = "mcp__files__handle";
const FILE: &str = "production/new.txt";

#[test]
fn no_size_or_depth_of_an_input_passes() {
    let project = Project::new();
    let many = |count: usize, last: &str| -> Vec<Value> {
        let words = (0..count).map(|number| Value::from(format!("word{number}")));
        words.chain([Value::from(last)]).collect()
    };
    let patch = format!("*** Begin Patch\n*** Add File: {FILE}\n+x\n*** End Patch");
    let far = |start: &str| format!("{}{FILE}", start.repeat(12_000));
    let edits: Vec<Value> =
        many(700, "x").iter().map(|word| json!({"old_string": word, "new_string": word})).collect();
    check(
        &project,
        "{root}",
        &[
            (MCP, json!({"files": many(700, FILE)}), true),
            (MCP, json!({"files": many(9_000, FILE)}), true),
            (MCP, json!({"tags": many(700, "x"), "patch": patch}), true),
            (MCP, nested(6, json!({"path": FILE})), true),
            (MCP, nested(100, json!({"path": FILE})), true),
            (MCP, json!({"paths": [[[[[[[FILE]]]]]]]}), true),
            (MCP, json!({"target": far("./")}), true),
            (MCP, json!({"whatever": far("src/../")}), true),
            (MCP, json!({"target": "a\n/../production/new.txt"}), true),
            (MCP, json!({"target": "a b/../production/new.txt"}), true),
            (MCP, json!({"target": format!("[\"{FILE}\"]")}), true),
            (MCP, json!({"path": "\u{0}@\u{0}%40%2500\\@\"'`prod\\uction/a\u{0} \\ %20'"}), true),
            ("Write", json!({"file_path": far("./"), "content": "x"}), true),
            ("Write", json!({"file_path": {"a": {"b": {"c": {"d": {"path": FILE}}}}}}), true),
            ("Edit", json!({"edits": edits, "files": [FILE]}), true),
            ("apply_patch", json!({"input": many(700, &patch)}), true),
            (MCP, json!({"files": many(700, "src/x.rs")}), false),
            (MCP, nested(100, json!({"path": "src/x.rs"})), false),
            (MCP, json!({"data": "a/b".repeat(40_000)}), false),
            (MCP, json!({"content": format!("{{\"path\": \"{FILE}\"}}"), "path": "src/x.rs"}), false),
        ],
    );
}

#[test]
fn no_list_uri_or_variable_passes() {
    let project = Project::new();
    let mut calls: Vec<(&str, Value, bool)> = Vec::new();
    for (text, denied) in [
        ("src/x.rs,production/new.txt", true),
        ("src/x.rs; production/new.txt", true),
        ("src/x.rs\nproduction/new.txt", true),
        ("vscode-remote://host{root}/production/new.txt", true),
        ("vscode-userdata:{root}/production/new.txt", true),
        ("@shop:production/new.txt", true),
        ("workspace:production/new.txt", true),
        ("$PWD/production/new.txt", true),
        ("${workspaceFolder}/production/new.txt", true),
        ("src/$NOT_SET_ANYWHERE/../production/new.txt", true),
        ("{src,production}/new.txt", true),
        ("link-d*/a.txt", true),
        ("file-l*", true),
        ("@(production)/a.txt", true),
        ("src/x.rs,src/production.txt", false),
        ("git:production/new.txt", false),
        ("{src,production-notes}/new.txt", false),
        ("src/[id]/(group)/page.tsx", false),
    ] {
        calls.push(("Write", json!({"file_path": text, "content": "x"}), denied));
        calls.push((MCP, json!({ "path": text }), denied));
    }
    calls.extend([
        (MCP, json!({"image_path": FILE}), true),
        (MCP, json!({"log_file": FILE}), true),
        (MCP, json!({"directory": "production", "name": "new"}), true),
        (MCP, json!({"parent": "production", "name": "new"}), true),
        (MCP, json!({"source": "src/x.rs", "destination": "production"}), true),
        (MCP, json!({"textDocument": {"uri": "file://{root}/production/a.txt"}}), true),
        (MCP, json!({"environment": "production", "target": "production"}), false),
        (MCP, json!({"profile": "production"}), false),
    ]);
    check(&project, "{root}", &calls);
}

#[test]
fn no_search_or_fetch_passes() {
    let project = Project::new();
    check(
        &project,
        "{root}",
        &[
            ("Grep", json!({"pattern": "x", "path": "production"}), true),
            ("Grep", json!({"pattern": "x", "glob": "production/**"}), true),
            ("Grep", json!({"pattern": "x", "path": "src", "glob": "../production/*"}), true),
            ("Glob", json!({"pattern": "production/**"}), true),
            ("Glob", json!({"pattern": "{root}/production/*.txt"}), true),
            ("Glob", json!({"pattern": "*.txt", "path": "link-dir"}), true),
            ("Glob", json!({"pattern": "pro*/**/*.txt"}), true),
            ("LS", json!({"path": "production/"}), true),
            ("WebFetch", json!({"url": "file://{root}/prod%75ction/a.txt", "prompt": "x"}), true),
            ("Glob", json!({"pattern": "src/**"}), false),
            ("Glob", json!({"pattern": "**/*.rs"}), false),
            ("Grep", json!({"pattern": "production/a", "path": "src"}), false),
            ("WebFetch", json!({"url": "https://a.example/production/a.txt", "prompt": "x"}), false),
        ],
    );
}

#[test]
fn no_diff_passes() {
    let project = Project::new();
    let mut calls: Vec<(&str, Value, bool)> = Vec::new();
    for (diff, denied) in [
        ("--- a/production/a.txt\n+++ b/production/a.txt\n@@ -1 +1 @@\n-a\n+b\n", true),
        ("--- other/production/a.txt\n+++ other/production/a.txt\n@@ -1 +1 @@\n", true),
        ("--- a/s\n+++ b/s\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/link-dir/new\n", true),
        ("diff --git a/production/new b/production/new\nnew file mode 100644\n", true),
        ("diff --git a/s b/s\nrename from s\nrename to \"pro\\144uction/s\"\n", true),
        ("copy from production/a.txt\ncopy to src/y\n", true),
        ("--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1 +1 @@\n-production/a.txt\n+b\n", false),
        ("--- a/src/production/x\n+++ b/src/production/x\n", false),
    ] {
        calls.push((MCP, json!({ "diff": diff }), denied));
        calls.push(("Edit", json!({"path": "{root}", "diff": diff}), denied));
        calls.push(("apply_diff", json!({ "patch": diff }), denied));
    }
    check(&project, "{root}", &calls);
}

/// The agent works in a nested repository, in another project, or in none.
#[test]
fn no_folder_of_the_agent_passes() {
    let project = Project::new();
    let root = project.root();
    let other = format!("{root}/../other");
    for folder in [format!("{root}/sub/.git"), format!("{root}/hooks/.tenter"), format!("{other}/.git")] {
        fs::create_dir_all(folder).unwrap();
    }
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    for cwd in ["{root}/sub", "{root}/hooks", "{top}/other", "{top}/else", "{top}/gone", "/"] {
        check(
            &project,
            cwd,
            &[
                ("Write", write("{root}/production/new.txt"), true),
                ("Write", write("{top}/above/link-dir/a.txt"), true),
                ("Write", write("{root}/src/x.rs"), false),
                ("Write", write("{top}/else/production.txt"), false),
            ],
        );
    }
    check(&project, "{root}/sub", &[("Write", write("../production/new.txt"), true)]);
    check(&project, "{top}/other", &[("Write", write("../shop/production/new.txt"), true)]);
}
