use std::path::Path;
use std::process::Command;

use serde_json::json;
use tenter_contract::{HookFailure, HookOutput};

use crate::builtin::tests::{TestBed, injected};

/// Runs git as a user would, with its own identity and no configuration.
fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgSign=false"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn repository() -> TestBed {
    let stage = TestBed::new();
    git(stage.path(), &["init", "-q", "-b", "main"]);
    stage
}

fn commit(stage: &TestBed, file: &str, subject: &str) {
    stage.write(file, subject);
    git(stage.path(), &["add", "-A"]);
    git(stage.path(), &["commit", "-q", "--allow-empty-message", "-m", subject]);
}

#[test]
fn status_has_branch_changes_and_commits() {
    let stage = repository();
    commit(&stage, "a.py", "first");
    commit(&stage, "b c.py", "second");
    git(stage.path(), &["clone", "-q", ".", "../origin.git"]);
    git(stage.path(), &["remote", "add", "origin", "../origin.git"]);
    git(stage.path(), &["fetch", "-q", "origin"]);
    git(stage.path(), &["branch", "-q", "--set-upstream-to=origin/main"]);
    commit(&stage, "d.py", "third");
    stage.write("a.py", "changed");
    stage.write("new\nline.py", "");
    git(stage.path(), &["mv", "b c.py", "e.py"]);
    let output = injected(stage.run("git.status", json!({ "commits": 2 })));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[0], "Git status: branch main, 1 ahead of origin/main");
    assert!(lines[1].starts_with("3 changed files in /"), "{output}");
    assert_eq!(lines[2..5], [" M a.py", "R  e.py", "?? new\\nline.py"]);
    assert_eq!(lines[5], "Last commits:");
    assert!(lines[6].ends_with(" third") && lines[7].ends_with(" second") && lines.len() == 8, "{output}");
}

#[test]
fn changed_files_are_limited() {
    let stage = repository();
    for number in 0..7 {
        stage.write(&format!("{number}"), "");
    }
    let output = injected(stage.run("git.status", json!({ "limit": 2 })));
    assert!(output.contains("7 changed files") && output.ends_with("?? 0\n?? 1\n… and 5 more"), "{output}");
}

#[test]
fn no_repository_has_no_reply() {
    let stage = TestBed::new();
    assert_eq!(
        stage.run("git.status", json!({})).output,
        HookOutput::Reply(tenter_contract::HookReply::default())
    );
}

#[test]
fn missing_git_is_a_failure() {
    let stage = TestBed::new().with_programs(&[]);
    let said = stage.run("git.status", json!({})).output;
    assert_eq!(said, HookOutput::Failure(HookFailure::Missing { detail: "`git` was not found".to_owned() }));
}

#[test]
fn hostile_git_config_runs_nothing() {
    let stage = repository();
    commit(&stage, "a.py", "first");
    let evil = stage.path().join("evil.sh");
    stage.write("evil.sh", &format!("#!/bin/sh\ntouch '{}'\ncat\n", stage.path().join("pwned").display()));
    Command::new("chmod").arg("755").arg(&evil).status().unwrap();
    let evil = evil.to_string_lossy();
    for (key, value) in [
        ("core.fsmonitor", &*evil),
        ("core.pager", &evil),
        ("core.sshCommand", &evil),
        ("diff.external", &evil),
        ("gpg.program", &evil),
        ("log.showSignature", "true"),
        ("filter.evil.clean", &evil),
        ("filter.evil.process", &evil),
        ("filter.other.smudge", &evil),
        ("core.hooksPath", &stage.path().to_string_lossy()),
        ("core.alternateRefsCommand", &evil),
        ("alias.status", &format!("!{evil}")),
    ] {
        git(stage.path(), &["config", key, value]);
    }
    stage.write(".gitattributes", "* filter=evil diff=evil\n");
    // Another size and another time: git must look into the file to know whether it was changed.
    stage.write("a.py", "first");
    Command::new("touch").args(["-d", "2001-01-01", "a.py"]).current_dir(stage.path()).status().unwrap();
    let output = injected(stage.run("git.status", json!({})));
    assert!(output.contains("branch main"), "{output}");
    assert!(!stage.path().join("pwned").exists());
    // Without these precautions git runs the trap.
    git(stage.path(), &["status", "--short"]);
    assert!(stage.path().join("pwned").exists());
}

#[test]
fn commit_subject_stays_on_its_line() {
    let stage = repository();
    commit(&stage, "a", "one\u{1b}[31m\u{202e}two");
    let output = injected(stage.run("git.status", json!({})));
    assert!(output.ends_with(" one\\u{1b}[31m\\u{202e}two"), "{output}");
}

#[test]
fn git_refuses_foreign_repository() {
    let stage = repository();
    // This is how git itself tests it: every repository counts as foreign.
    let hook = stage.hook("git.status", json!({}), &[("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")]);
    let report = stage.run_hook(&hook);
    assert_eq!(report.output, HookOutput::Reply(tenter_contract::HookReply::default()));
    assert!(
        report.transcript.notices.iter().any(|notice| notice.contains("dubious ownership")),
        "{report:?}"
    );
}

#[test]
fn git_hook_variables_are_ignored() {
    let (stage, other) = (repository(), repository());
    commit(&stage, "a", "here");
    commit(&other, "a", "there");
    let elsewhere = other.path().join(".git").to_string_lossy().into_owned();
    let output = injected(stage.run_in("git.status", json!({}), &[("GIT_DIR", &elsewhere)]));
    assert!(output.ends_with(" here"), "{output}");
}

#[test]
fn embedded_bare_repository_is_ignored() {
    let stage = TestBed::new();
    git(stage.path(), &["init", "-q", "--bare", "."]);
    let report = stage.run("git.status", json!({}));
    assert_eq!(report.output, HookOutput::Reply(tenter_contract::HookReply::default()));
}
