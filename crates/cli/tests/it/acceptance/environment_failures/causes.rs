//! Failures around tenter: the rows of the table.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Tool, call, payload, with_folder};
use crate::world::{Ran, World};

/// A failure around tenter.
pub(super) struct Cause {
    pub(super) what: &'static str,
    /// Agents that are not stopped. All others are denied the call.
    pub(super) open_in: &'static [&'static str],
    /// The agents in which it is tested; all if empty.
    pub(super) only: &'static [&'static str],
    /// Causes it and makes the call.
    pub(super) trigger: fn(&World, &str) -> Ran,
}

const GUARD: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: \"/.*/\", deny: \"not here\" }\n";
const LAST: &str = "s-last";
const RM: Tool<'static> = Tool::Shell("rm x");

pub(super) const CAUSES: &[Cause] = &[
    Cause {
        what: "a hook file is broken, and a good version of it was active",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            call(world, agent, "s-first", &RM).run();
            world.write_hooks("yaml", &format!("{GUARD}  tool:post: [ {{ name: Remember: tests\n"));
            last(world, agent)
        },
    },
    Cause {
        what: "a hook file with a guard is broken, and no good version is known",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", &format!("{GUARD}  tool:post: [ {{ name: Remember: tests\n"));
            last(world, agent)
        },
    },
    Cause {
        what: "a hook file changes while the agent is in a turn",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            call(world, agent, LAST, &Tool::Shell("ls")).run();
            fs::write(world.config().join("tenter/hooks.yaml"), "version: 1\nhooks: {}\n").unwrap();
            last(world, agent)
        },
    },
    Cause {
        what: "tenter's folders were removed, and the entry names the installation",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            let hook = env!("CARGO_BIN_EXE_tenter-hook");
            let line = format!("exec {hook} {agent} --installation 0123456789ab");
            world.sh_with(&line, &with_folder(&payload(agent, LAST, &RM), &world.project()))
        },
    },
    Cause {
        what: "the state folder cannot be used",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            fs::write(world.state().join("tenter"), "").unwrap();
            last(world, agent)
        },
    },
    Cause {
        what: "no file may be written (`ulimit -f 0`)",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            call(world, agent, "s-first", &RM).run();
            let line = format!("ulimit -f 0; exec {} {agent}", env!("CARGO_BIN_EXE_tenter-hook"));
            world.sh_with(&line, &with_folder(&payload(agent, LAST, &RM), &world.project()))
        },
    },
    Cause {
        what: "the audit trail is a FIFO",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            fs::create_dir_all(world.trail().parent().unwrap()).unwrap();
            mknodat(CWD, world.trail(), FileType::Fifo, Mode::from(0o600), 0).unwrap();
            last(world, agent)
        },
    },
    Cause {
        what: "standard output is closed, and a hook denies",
        open_in: &["cline"],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            let line = format!("{} {agent} >&-", env!("CARGO_BIN_EXE_tenter-hook"));
            // Cline reads no exit code.
            world.sh_with(&line, &with_folder(&payload(agent, LAST, &RM), &world.project()))
        },
    },
    Cause {
        what: "the payload has no working folder, and a guard has a relative path",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks(
            "yaml",
            "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, when: { path: \"production/**\" }, deny: \"not here\" }\n",
        );
            world.hook(agent, &payload(agent, LAST, &Tool::Write("production/a.txt"))).run()
        },
    },
    Cause {
        what: "the tool is unknown and has a `command`",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks(
            "yaml",
            "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: \"Bash(rm)\", deny: \"not here\" }\n",
        );
            call(world, agent, LAST, &Tool::Unknown("rm x")).run()
        },
    },
    Cause {
        what: "a hook prints 2 MB and then denies",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            call_with_guard(
                world,
                agent,
                "head -c 2000000 /dev/zero | tr '\\0' x; echo; echo '{\"deny\":\"not here\"}'",
            )
        },
    },
    Cause {
        what: "a hook's deny ends in half an emoji",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            call_with_guard(world, agent, "printf '%s' '{\"deny\":\"not here \\ud83d\"}'")
        },
    },
    Cause {
        what: "a hook denies in UTF-16",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            call_with_guard(world, agent, "printf '{\"deny\":\"not here\"}' | iconv -f utf-8 -t utf-16")
        },
    },
    Cause {
        what: "a trusted project's `.git` is renamed",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            trusted(world);
            assert_eq!(world.sh("mv .git .git-old").code, Some(0));
            last(world, agent)
        },
    },
    Cause {
        what: "the record of a project's trust is damaged",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            trusted(world);
            let trust = world.state().join("tenter/trust");
            let line = format!("for f in '{}'/*/*.json; do echo x > \"$f\"; done", trust.display());
            assert_eq!(world.sh(&line).code, Some(0));
            last(world, agent)
        },
    },
    Cause {
        what: "a hook asks with its own options, and no approver runs",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks(
            "yaml",
            "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, ask: { prompt: \"Sure?\", options: [\"Allow always\", \"Deny\"], timeout: 1s } }\n",
        );
            last(world, agent)
        },
    },
    Cause {
        what: "the full program is missing, and a guard was compiled before",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            call(world, agent, "s-first", &RM).run();
            world.write_hooks("yaml", "version: 1\nhooks: {}\n");
            let folder = world.home().join("alone");
            fs::create_dir_all(&folder).unwrap();
            let alone = folder.join("tenter-hook");
            fs::copy(env!("CARGO_BIN_EXE_tenter-hook"), &alone).unwrap();
            let payload = with_folder(&payload(agent, LAST, &RM), &world.project());
            world.program(&alone, &[agent]).stdin(payload).run()
        },
    },
    Cause {
        what: "`PATH` is broken, and a guard of Claude Code is a line for bash",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            let guard = world.home().join("guard.sh");
            fs::write(&guard, "echo 'not here' >&2; exit 2\n").unwrap();
            fs::set_permissions(&guard, fs::Permissions::from_mode(0o755)).unwrap();
            world.write_hooks(
            "yaml",
            &format!(
                "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, dialect: claude, command: \"bash {}\" }}\n",
                guard.display()
            ),
        );
            call(world, agent, LAST, &RM).env("PATH", "/nowhere").run()
        },
    },
    Cause {
        what: "`XDG_CONFIG_HOME` leads to a missing folder",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            call(world, agent, "s-first", &RM).run();
            let missing = world.home().join("missing");
            call(world, agent, LAST, &RM).env("XDG_CONFIG_HOME", missing).run()
        },
    },
    Cause {
        what: "another program changed the file of a saved answer",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks(
                "yaml",
                "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, ask: { prompt: \"Run it?\", options: [\"Allow once\", \"Later\"] } }\n",
            );
            assert_eq!(world.tenter(&["approvals", "allow", "guard", "ls *"]).run().code, Some(0));
            for rule in fs::read_dir(world.state().join("tenter/approvals/rules")).unwrap() {
                let path = rule.unwrap().path();
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, text.replace("ls *", "rm *")).unwrap();
            }
            last(world, agent)
        },
    },
    Cause {
        what: "the hook file and tenter's record of it are removed together",
        open_in: &[],
        only: &[],
        trigger: |world, agent| {
            world.write_hooks("yaml", GUARD);
            let words = ["init", "claude", "--scope", "user", "--allow-build-path", "--no-memory"];
            assert_eq!(world.tenter(&words).run().code, Some(0));
            let names = fs::read_dir(world.config().join("tenter")).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let ids: Vec<String> =
                names.filter_map(|name| Some(name.strip_prefix("installation-")?.to_owned())).collect();
            let line =
                format!("exec {} {agent} --installation {}", env!("CARGO_BIN_EXE_tenter-hook"), ids[0]);
            let call = |session: &str| {
                world.sh_with(&line, &with_folder(&payload(agent, session, &RM), &world.project()))
            };
            call("s-first");
            fs::remove_file(world.config().join("tenter/hooks.yaml")).unwrap();
            fs::remove_dir_all(world.state().join("tenter/hook-files")).unwrap();
            call(LAST)
        },
    },
    Cause {
        what: "an agent that tenter does not know reads Claude Code's settings",
        open_in: &[],
        only: &["claude"],
        trigger: |world, _| {
            world.write_hooks(
                "yaml",
                "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: \"Bash(rm)\", deny: \"not here\" }\n",
            );
            let payload = serde_json::json!({"hookEventName": "PreToolUse", "hook_event_name": "PreToolUse",
                "sessionId": LAST, "session_id": LAST, "cwd": world.project(), "workspaceRoot": world.project(),
                "toolName": "run_terminal_command", "tool_name": "run_terminal_command",
                "toolInput": {"command": "rm x"}, "tool_input": {"command": "rm x"}});
            world.claude(&payload.to_string()).run()
        },
    },
];

fn last(world: &World, agent: &str) -> Ran {
    call(world, agent, LAST, &RM).run()
}

/// A guard that is a command with this reply.
fn call_with_guard(world: &World, agent: &str, script: &str) -> Ran {
    let file = world.home().join("guard.sh");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    world.write_hooks(
        "yaml",
        &format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, command: [\"{}\"], on_failure: deny }}\n",
            file.display()
        ),
    );
    last(world, agent)
}

/// A project whose guard is trusted.
fn trusted(world: &World) {
    fs::create_dir_all(world.project().join(".tenter")).unwrap();
    fs::write(world.project().join(".tenter/hooks.yaml"), GUARD).unwrap();
    assert_eq!(world.sh("git init -q .").code, Some(0));
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
}
