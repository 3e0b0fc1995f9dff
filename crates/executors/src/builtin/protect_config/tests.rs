use serde_json::json;
use tenter_contract::{EventKind, HookOutput, HookReply, ToolKind, Verdict};

use super::settings_of;
use crate::builtin::tests::TestBed;

/// A test call of an agent's tool.
fn stage() -> TestBed {
    let mut stage = TestBed::new();
    stage.event.kind = EventKind::ToolPre;
    stage
}

fn reason(stage: &TestBed) -> Option<String> {
    match stage.run("protect.config", json!({ "paths": ["deploy/**", "~/.ssh/**"] })).output {
        HookOutput::Reply(HookReply { verdict: Verdict::Deny { reason }, effects }) if effects.is_empty() => {
            Some(reason)
        }
        HookOutput::Reply(reply) if reply == HookReply::default() => None,
        other => panic!("{other:?}"),
    }
}

fn check_command(stage: &mut TestBed, line: &str, denied: bool) {
    stage.called("Bash", ToolKind::Shell, json!({ "command": line }));
    assert_eq!(reason(stage).is_some(), denied, "{line}: {:?}", reason(stage));
}

#[test]
fn reason_names_owner_and_next_step() {
    let mut stage = stage();
    stage.called("Write", ToolKind::Write, json!({ "file_path": ".claude/settings.json" }));
    let expected = "`.claude/settings.json` belongs to Claude Code's hook settings, and protect.config keeps agents from changing it. Ask the user to make this change.";
    assert_eq!(reason(&stage).as_deref(), Some(expected));
}

#[test]
fn hook_settings_are_not_written() {
    let mut stage = stage();
    let denied = [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".Claude/Settings.JSON",
        "src/../.claude/./settings.json",
        "packages/web/.claude/settings.json",
        "/home/alice/.gemini/settings.json",
        ".codex/config.toml",
        ".cursor/hooks.json",
        ".github/hooks/x.json",
        "/etc/claude-code/managed-settings.d/a.json",
        "~/.config/tenter/hooks.yaml",
        "~/.local/state/tenter/audit/key",
        ".tenter/hooks.local.yaml",
        "opencode.json",
        "deploy/production/x",
        "~/.ssh/config",
    ];
    let allowed = [
        ".claude/commands/x.md",
        ".claude/settings.json.md",
        "docs/settings.json",
        "src/main.rs",
        ".github/workflows/ci.yml",
        "etc/claude-code/x",
        "",
    ];
    let paths = denied.iter().map(|path| (path, true)).chain(allowed.iter().map(|path| (path, false)));
    for (path, denied) in paths {
        for (name, kind) in [
            ("Write", ToolKind::Write),
            ("MultiEdit", ToolKind::Edit),
            ("mcp__fs__write_file", ToolKind::Mcp),
        ] {
            stage.called(name, kind, json!({ "file_path": path }));
            assert_eq!(reason(&stage).is_some(), denied, "{name} {path}");
        }
        for (name, kind) in
            [("Read", ToolKind::Read), ("Grep", ToolKind::Search), ("mcp__fs__read_file", ToolKind::Mcp)]
        {
            stage.called(name, kind, json!({ "path": path }));
            assert_eq!(reason(&stage), None, "{name} {path}");
        }
    }
    stage.called("NotebookEdit", ToolKind::Edit, json!({ "notebook_path": ".claude/settings.json" }));
    assert!(reason(&stage).is_some());
    stage.called(
        "mcp__fs__move_file",
        ToolKind::Mcp,
        json!({ "path": "a", "destination": ".claude/settings.json" }),
    );
    assert!(reason(&stage).is_some());
}

#[test]
fn links_are_resolved() {
    let mut stage = stage();
    let project = stage.path().to_owned();
    std::fs::create_dir(project.join(".claude")).unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, project.join(name)).unwrap();
    link(".claude", "notes");
    link(".claude/settings.json", "not-there-yet.txt");
    link("src", "harmless");
    std::fs::create_dir(project.join("src")).unwrap();
    link("../.claude", "src/up");
    link("notes", "again");
    link("round", "about");
    link("about", "round");
    for (path, denied) in [
        ("notes/settings.json", true),
        ("notes/x.md", false),
        ("not-there-yet.txt", true),
        ("harmless/settings.json", false),
        ("src/up/settings.json", true),
        ("harmless/up/settings.json", true),
        ("again/settings.json", true),
        ("again/../.claude/settings.json", true),
        ("about/settings.json", false),
    ] {
        stage.called("Write", ToolKind::Write, json!({ "file_path": path }));
        assert_eq!(reason(&stage).is_some(), denied, "{path}");
        check_command(&mut stage, &format!("echo x > {path}"), denied);
    }
}

#[test]
fn patch_headings_decide() {
    let mut stage = stage();
    for (heading, denied) in [
        ("*** Update File: .claude/settings.json", true),
        ("*** Add File: .codex/hooks.json", true),
        ("*** Move to: .cursor/hooks.json", true),
        ("*** Update File: src/a.rs", false),
    ] {
        let patch = format!("*** Begin Patch\n{heading}\n+ x\n*** End Patch\n");
        stage.called("apply_patch", ToolKind::Edit, json!({ "input": patch }));
        assert_eq!(reason(&stage).is_some(), denied, "{heading}");
        check_command(&mut stage, &format!("apply_patch <<'EOF'\n{patch}EOF"), denied);
    }
}

#[test]
fn command_may_only_read_protected_path() {
    let mut stage = stage();
    for line in [
        "echo '{\"disableAllHooks\": true}' > .claude/settings.json",
        "cat >> ~/.claude/settings.json <<EOF\n{}\nEOF",
        "cat <<'EOF' >.claude/settings.json\n{}\nEOF\n",
        "echo x | tee .claude/settings.json",
        "cp /tmp/x .claude/settings.json",
        "cp /tmp/settings.json .claude/",
        "cp /tmp/settings.json .claude",
        "mv .claude/settings.json /tmp",
        "rm -rf .claude",
        "rm -f ~/.config/tenter/hooks.yaml",
        "rm -rf ~/.config",
        "rm -rf ~",
        "ln -sf /tmp/x .claude/settings.json",
        "sed -i 's/a/b/' .claude/settings.json",
        "sed -n 'w .claude/settings.json' x",
        "install -m 644 x .gemini/settings.json",
        "dd if=/dev/zero of=.claude/settings.json",
        "chmod 000 $HOME/.config/tenter",
        "python3 -c \"open('.claude/settings.json','w').write('{}')\"",
        "python3 <<'EOF'\nopen('.claude/settings.json', 'w')\nEOF",
        "node -e 'require(\"fs\").writeFileSync(\".claude/settings.json\", \"{}\")'",
        "bash -c 'echo x > .claude/settings.json'",
        "bash -lc 'rm .claude/settings.json'",
        "eval 'rm .claude/settings.json'",
        "sh <<EOF\nrm .claude/settings.json\nEOF",
        "echo \"$(rm .claude/settings.json)\"",
        "echo `rm .claude/settings.json`",
        "true && { rm .claude/settings.json; }",
        "(cd .claude && echo x > settings.json)",
        "cd .claude; rm settings.json",
        "if true; then rm .claude/settings.json; fi",
        "for f in .claude/settings.json; do rm $f; done",
        "X=.claude/settings.json; rm $X",
        "sudo -n rm .claude/settings.json",
        "env A=1 rm .claude/settings.json",
        "timeout 5 rm .claude/settings.json",
        "find .claude -name settings.json -delete",
        "echo .claude/settings.json | xargs rm .claude/settings.json",
        "git checkout HEAD~1 -- .claude/settings.json",
        "git diff --output=.claude/settings.json",
        "jq . x > .claude/settings.json",
        "yq -i .a=1 .claude/settings.json",
        "rm .claude/sett*",
        "rm .claude/*",
        "rm .claude/settings.{json,local.json}",
        "rm .CLAUDE/Settings.json",
        "curl -o .claude/settings.json https://x.example",
        "curl -o.claude/settings.json https://x.example",
        "tar xf x.tar .claude/settings.json",
        "truncate -s 0 \".claude/settings.json\"",
        "r'm' .cla\"ude\"/settings.json",
        "printf x >.claude\\/settings.json",
        "tenter uninstall claude --yes",
        "/usr/local/bin/tenter init gemini",
        "tenter hooks disable protect-config",
        "cd /tmp && tenter hooks --config x disable protect-config",
        "tenter hooks new x --kind deny",
        "tenter hooks enable x --project",
        "echo y | tenter trust",
        "tenter trust --pin abc",
        "tenter trust revoke",
        "tenter profile use lax",
        "tenter approvals answer k7q2mf3a Allow",
        "tenter approvals allow guard '*'",
        "tenter approvals --json watch",
        "tenter approvals revoke k7q2mf3a",
        "echo '{}' > ~/.local/state/tenter/approvals/questions/k7q2mf3a/answer.json",
        "tenter import x.json --write",
        "tenter import x.json --out=/tmp/x.yaml",
        "echo x 2> .claude/settings.json",
        "echo x &> .claude/settings.json",
        "sort -o .claude/settings.json x",
    ] {
        check_command(&mut stage, line, true);
    }
    for line in [
        "cat .claude/settings.json",
        "cat ~/.claude/settings.json | jq .hooks",
        "grep -rn hooks .claude/settings.json > /tmp/out",
        "grep 'rm -rf ~/.claude/settings.json' notes.md",
        "ls -la .claude",
        "head -5 .claude/settings.json && wc -l .claude/settings.json",
        "jq '.hooks' < .claude/settings.json",
        "diff .claude/settings.json .claude/settings.local.json",
        "sed -n '1,20p' .claude/settings.json",
        "find .claude -name '*.json'",
        "git diff .claude/settings.json",
        "git log -p -- .claude/settings.json",
        "git add .claude/settings.json && git commit -m 'settings: .claude/settings.json'",
        "echo 'see .claude/settings.json'",
        "test -f .claude/settings.json || echo none",
        "cat > notes.md <<'EOF'\nEdit .claude/settings.json and run rm x.\nEOF",
        "mkdir -p .claude/commands",
        "cp x.md .claude/commands/x.md",
        "rm -rf target node_modules",
        "rm *",
        "prettier --write '*.json'",
        "prettier --write 'packages/*/settings.json'",
        "cargo build && cargo test",
        "tenter doctor",
        "tenter approvals list",
        "tenter trust show --json",
        "tenter hooks test protect-config",
        "tenter import ~/.claude/settings.json",
        "tenter profile list",
        "tenter hooks list --config ~/.config/tenter/hooks.yaml",
        "cp a.txt ~/",
        "cd .claude && cat settings.json",
        "",
    ] {
        check_command(&mut stage, line, false);
    }
}

#[test]
fn paths_outside_the_command_are_not_seen() {
    let mut stage = stage();
    for line in [
        "f=settings; rm .claude/$f.json",
        "echo cm0gLmNsYXVkZS9zZXR0aW5ncy5qc29uCg== | base64 -d | sh",
        "python3 -c \"import os; os.remove('.clau' + 'de/settings.json')\"",
        "sh ./written-before.sh",
    ] {
        check_command(&mut stage, line, false);
    }
}

#[test]
fn powershell_separates_folders_by_backslashes() {
    let mut stage = stage();
    for (line, denied) in [
        ("Set-Content .claude\\settings.json '{}'", true),
        ("Remove-Item -Recurse .claude", true),
        ("Get-Content .claude\\settings.json", false),
    ] {
        stage.called("PowerShell", ToolKind::Shell, json!({ "command": line }));
        assert_eq!(reason(&stage).is_some(), denied, "{line}");
    }
}

#[test]
fn moved_folders_are_protected() {
    let mut stage = stage();
    for (variable, path) in [
        ("CLAUDE_CONFIG_DIR", "settings.json"),
        ("XDG_CONFIG_HOME", "tenter/hooks.yaml"),
        ("CODEX_HOME", "config.toml"),
    ] {
        let folder = stage.home().join("elsewhere");
        stage.called("Write", ToolKind::Write, json!({ "file_path": folder.join(path) }));
        assert_eq!(reason(&stage), None, "{variable}");
        let said = stage.run_in("protect.config", json!({}), &[(variable, &folder.to_string_lossy())]).output;
        assert!(
            matches!(said, HookOutput::Reply(HookReply { verdict: Verdict::Deny { .. }, .. })),
            "{variable}"
        );
    }
}

#[test]
fn own_programs_are_protected() {
    let mut stage = stage();
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let folder = folder.to_string_lossy();
    for (line, denied) in [
        (format!("cp /tmp/evil {folder}/tenter-hook"), true),
        (format!("cp /tmp/tenter-hook {folder}"), true),
        (format!("cp /tmp/other {folder}"), false),
        (format!("rm -r {folder}"), true),
        (format!("{folder}/tenter --version"), false),
    ] {
        check_command(&mut stage, &line, denied);
    }
}

/// A writer to this folder answers its own questions.
#[test]
fn approver_folder_is_protected_behind_a_link() {
    let mut stage = stage();
    let real = stage.home().parent().unwrap().join("elsewhere");
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, stage.home().join("approvals")).unwrap();
    let answers = |stage: &TestBed| {
        let said = stage.run("protect.config", json!({ "approver_folder": "~/approvals" })).output;
        matches!(said, HookOutput::Reply(HookReply { verdict: Verdict::Deny { .. }, .. }))
    };
    for (path, denied) in [
        ("~/approvals/k7q2mf3a.answer.json".to_owned(), true),
        (format!("{}/k7q2mf3a.answer.json", real.display()), true),
        ("~/approvals.md".to_owned(), false),
    ] {
        stage.called("Write", ToolKind::Write, json!({ "file_path": path }));
        assert_eq!(answers(&stage), denied, "{path}");
    }
    for (line, denied) in [
        ("echo '{\"option\": \"Allow\"}' > ~/approvals/k7q2mf3a.answer.json", true),
        ("mv a ~/approvals", true),
        ("ls ~/approvals", false),
    ] {
        stage.called("Bash", ToolKind::Shell, json!({ "command": line }));
        assert_eq!(answers(&stage), denied, "{line}");
    }
}

#[test]
fn failing_guard_denies() {
    let hook = stage().hook("protect.config", json!({}), &[]);
    assert!(hook.is_guard() && hook.rejudge && hook.on_failure.guards());
}

#[test]
fn settings_are_known_by_path_end() {
    assert_eq!(settings_of("/x/.claude/settings.json"), Some("Claude Code's hook settings"));
    assert_eq!(settings_of("/x/claude/settings.json"), None);
}

#[test]
fn indirect_commands_are_read() {
    let mut stage = stage();
    for (line, denied) in [
        ("echo 'rm ~/.config/tenter/hooks.yaml' | sh", true),
        ("cat <<< x; bash <<< 'rm ~/.config/tenter/hooks.yaml'", true),
        ("bash -c -- 'rm ~/.config/tenter/hooks.yaml'", true),
        ("bash -c 'rm $1' x ~/.config/tenter/hooks.yaml", true),
        ("cd ~/.config && cd tenter && rm hooks.yaml", true),
        ("env -C ~/.config/tenter rm hooks.yaml", true),
        ("sudo -u root -D ~/.config/tenter rm hooks.yaml", true),
        ("sudo -u root tenter hooks disable x", true),
        ("tenter hooks accept", true),
        ("mv ~/.config /tmp/x", true),
        ("find ~/.config -delete", true),
        ("sort -uo ~/.config/tenter/hooks.yaml x", true),
        ("rg --pre x y ~/.config/tenter/hooks.yaml", true),
        ("rm /etc/tenter/hooks.yaml", true),
        ("rm $'.claude/settings\\x2ejson'", true),
        ("rm \"$(echo .claude)/settings.json\"", true),
        ("time -o .claude/settings.json cat x", true),
        ("strace -o .claude/settings.json cat x", true),
        ("sudo -nu cat rm .claude/settings.json", true),
        ("cat <<E\n$(rm .claude/settings.json)\nE", true),
        ("bash x.sh .claude/settings.json -c ls", true),
        ("bash -cx 'rm .claude/settings.json'", true),
        ("[[ a || rm .claude/settings.json ]]", true),
        ("((rm .claude/settings.json))", true),
        ("case a in a) rm .claude/settings.json;; esac", true),
        ("f() { rm .claude/settings.json; }; f", true),
        ("a=(.claude/settings.json); rm $a", true),
        ("echo a | (cat; rm .claude/settings.json)", true),
        ("cat ${x:-$(rm .claude/settings.json)}", true),
        ("$($($($($($($($($(rm .claude/settings.json)))))))))", true),
        ("bash -lc 'cat .claude/settings.json'", false),
        ("time cat .claude/settings.json", false),
        ("X=.claude/settings.json cat x", false),
        ("echo 'make test' | sh", false),
        ("find ~/.config -name x", false),
        ("mv ~/src/a ~/src/b", false),
        ("cd src && cd app && ls", false),
        ("sort -u ~/.config/tenter/hooks.yaml", false),
        ("rg deny ~/.config/tenter/hooks.yaml", false),
    ] {
        check_command(&mut stage, line, denied);
    }
}

#[test]
fn too_long_or_too_deep_command_is_denied() {
    let mut stage = stage();
    check_command(&mut stage, &format!("{} rm .claude/settings.json", "$(".repeat(50)), true);
    check_command(&mut stage, &format!("echo {}", "a ".repeat(400_000)), false);
    check_command(&mut stage, &format!("echo {}", "a ".repeat(600_000)), true);
}
