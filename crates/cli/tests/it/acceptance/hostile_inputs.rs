//! Hostile inputs: links, names that are not UTF-8, excessive output, the environment and files that appear
//! later.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::records;
use crate::world::{MESSAGE, REASON, World, bash};

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";

fn trust(world: &World) {
    let trusted = world.tenter(&["trust", "--yes"]).run();
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const GUARD: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, script: guard.sh, on_failure: deny }\n";

/// Security case C6: trust of a link covers its target, and a changed target revokes it.
#[test]
fn trust_of_linked_script_covers_its_target() {
    let edits: [fn(&Path); 2] = [
        |project| fs::write(project.join("tools/real.sh"), "exit 0 # changed\n").unwrap(),
        |project| {
            fs::remove_file(project.join(".tenter/guard.sh")).unwrap();
            symlink("../tools/other.sh", project.join(".tenter/guard.sh")).unwrap();
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let world = World::new();
        let project = world.project();
        write(&project.join(".tenter/hooks.yaml"), GUARD);
        write(&project.join("tools/real.sh"), "exit 0\n");
        write(&project.join("tools/other.sh"), "touch ran; exit 0\n");
        symlink("../tools/real.sh", project.join(".tenter/guard.sh")).unwrap();
        trust(&world);
        assert_eq!(world.claude(&bash("ls")).run().stdout, "", "{number}");
        edit(&project);
        let denied = world.claude(&bash("ls -l")).run();
        assert!(denied.field(REASON).contains("changed since you trusted them"), "{number}: {denied:?}");
        assert!(!project.join("ran").exists(), "{number}");
    }
}

/// A circular or dangling link causes a notice and stops no other hooks.
#[test]
fn circular_hook_file_link_is_notified() {
    for target in ["hooks.d/round.yaml", "nowhere.yaml"] {
        let world =
            World::with_hooks("version: 1\nhooks:\n  tool:pre:\n    - { name: mine, inject: Mine. }\n");
        let folder = world.project().join(".tenter/hooks.d");
        fs::create_dir_all(&folder).unwrap();
        symlink(format!("../{target}"), folder.join("round.yaml")).unwrap();
        let ran = world.claude(&bash("ls")).run();
        assert_eq!(ran.field(CONTEXT), "Mine.", "{target}");
        assert!(ran.field(MESSAGE).contains("the hook file cannot be read"), "{target}: {ran:?}");
        trust(&world);
        let ran = world.claude(&bash("ls -l").replace("s1", "s2")).run();
        assert!(ran.field(MESSAGE).contains("round.yaml"), "{target}: {ran:?}");
    }
}

/// Folders with non-UTF-8 names: the working directory, the project, the configuration.
#[test]
fn guard_denies_in_non_utf8_folders() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, command: \"echo no >&2; exit 2\", on_failure: deny }\n";
    let world = World::new();
    let odd = world.home().join(OsStr::from_bytes(b"caf\xe9"));
    write(&odd.join("tenter/hooks.yaml"), hooks);
    let denied = world.claude(&bash("ls")).env("XDG_CONFIG_HOME", &odd).run();
    assert_eq!(denied.field(REASON), "Operation denied by guard: no");
    world.write_hooks("yaml", hooks);
    let denied = world.claude(&bash("ls -l")).env("CLAUDE_PROJECT_DIR", &odd).run();
    assert!(denied.field(REASON).starts_with("Operation denied by guard: "), "{denied:?}");
    let mut payload = bash("ls -a").into_bytes();
    let at = payload.windows(9).position(|bytes| bytes == b"\"cwd\":\"/\"").unwrap();
    payload.splice(at + 7..at + 7, [b'c', 0xe9, b'/']);
    let denied = world.claude("").stdin(payload).run();
    assert!(denied.field(REASON).starts_with("Operation denied by guard: "), "{denied:?}");
}

/// Security case P2: the reply stays within the agent's limits for any amount of output.
#[test]
fn excessive_output_is_truncated_and_recorded() {
    let flood = "head -c 30000000 /dev/zero | tr '\\\\0' x";
    for (line, kept) in [
        (flood.to_owned(), true),
        (format!("{{ {flood}; }} >&2"), false),
        (format!("{flood}; {{ {flood}; }} >&2"), true),
    ] {
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  prompt:submit:\n    - {{ name: flood, command: \"{line}\" }}\n"
        ));
        let prompt =
            json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "Go."});
        let ran = world.claude(&prompt.to_string()).run();
        assert_eq!(ran.code, Some(0), "{line}");
        assert!(ran.stdout.len() < 40_000, "{line}: {} bytes", ran.stdout.len());
        assert_eq!(ran.stdout.contains("xxx"), kept, "{line}");
        let trail = fs::metadata(world.trail()).unwrap().len();
        assert!(trail < 200_000, "{line}: {trail} bytes of trail");
    }
}

/// Security case C2: every kind of hook gets only the variables that it inherits.
#[test]
fn environment_secret_reaches_only_inheriting_hooks() {
    let server = "import os, sys\nopen('seen', 'w').write(os.environ.get('API_TOKEN', 'nothing'))\n";
    let module =
        "import os\ndef look(event): open('seen', 'w').write(os.environ.get('API_TOKEN', 'nothing'))\n";
    let look = "printf %s \"${API_TOKEN:-nothing}\" > seen\n";
    for (handler, minimal) in [
        ("command: 'sh look.sh'", true),
        ("script: look.sh", true),
        ("python: look.look", true),
        ("mcp: { server: look, tool: x }", true),
        ("builtin: { name: tests.feedback, command: 'sh look.sh' }", true),
        ("script: look.sh", false),
    ] {
        let world = World::new();
        for folder in [world.project(), world.config().join("tenter")] {
            for (name, text) in [("look.sh", look), ("look.py", module), ("server.py", server)] {
                write(&folder.join(name), text);
            }
        }
        let inherit = if minimal { "minimal" } else { "[API_TOKEN, PATH]" };
        world.write_hooks(
            "yaml",
            &format!("version: 1\nmcp_servers:\n  look: {{ command: [python3, server.py] }}\nhooks:\n  tool:post:\n    - {{ name: h, {handler}, inherit_env: {inherit} }}\n"),
        );
        write(&world.project().join("a.txt"), "");
        let written = json!({
            "session_id": "s1", "hook_event_name": "PostToolUse", "cwd": world.project(), "tool_name": "Write",
            "tool_input": { "file_path": world.project().join("a.txt") }, "tool_response": {},
        });
        world.claude(&written.to_string()).env("API_TOKEN", "secret-of-the-user").run();
        let seen =
            fs::read_to_string(world.project().join("seen")).unwrap_or_else(|_| panic!("{handler} ran"));
        assert_eq!(seen, if minimal { "nothing" } else { "secret-of-the-user" }, "{handler}");
    }
}

/// Security case C4: the file does not exist yet, is disabled by a key, or is replaced together with the program.
#[test]
fn hook_configuration_is_protected_before_creation() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: protect, builtin: protect.config }\n",
    );
    let program = env!("CARGO_BIN_EXE_tenter-hook");
    let call = |tool: &str, input: serde_json::Value| {
        let payload = json!({
            "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": world.project(), "tool_name": tool,
            "tool_input": input,
        });
        world.claude(&payload.to_string()).run()
    };
    let shell = |command: &str| call("Bash", json!({ "command": command }));
    for ran in [
        call(
            "Write",
            json!({ "file_path": ".claude/settings.json", "content": "{\"disableAllHooks\": true}" }),
        ),
        call("Write", json!({ "file_path": ".claude/settings.local.json", "content": "{}" })),
        call("Write", json!({ "file_path": ".tenter/hooks.yaml", "content": "version: 1" })),
        call(
            "Edit",
            json!({ "file_path": "sub/../.gemini/settings.json", "old_string": "a", "new_string": "b" }),
        ),
        shell("cat >> ~/.claude/settings.json <<'END'\n{\"disableAllHooks\": true}\nEND"),
        shell("mkdir -p .claude && echo '{}' > .claude/settings.json"),
        shell(&format!("cp /bin/true {program}")),
        shell(&format!("rm -rf {}", world.state().join("tenter").display())),
        shell("tenter uninstall claude"),
    ] {
        assert!(ran.field(REASON).starts_with("Operation denied by protect: "), "{ran:?}");
    }
    let reads = shell("cat .claude/settings.json");
    assert_eq!(reads.stdout, "", "{reads:?}");
}

/// Events without a session are independent: the hooks of one project never judge an event of another.
#[test]
fn sessionless_event_uses_its_own_project() {
    let world = World::new();
    let made = world.sh("git init -q one; git init -q two; mkdir two/.tenter");
    assert_eq!(made.code, Some(0), "{made:?}");
    let (one, two) = (world.project().join("one"), world.project().join("two"));
    write(
        &two.join(".tenter/hooks.yaml"),
        "version: 1\nhooks:\n  tool:pre:\n    - { name: two, deny: No. }\n",
    );
    let trusted = world.sh(&format!("cd two && {} trust --yes", env!("CARGO_BIN_EXE_tenter")));
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let decided = |cwd: &Path| {
        let data = json!({ "cwd": cwd, "tool": { "name": "Bash", "input": { "command": "ls" } } });
        let call = world.tenter(&["emit", "tool:pre"]).without("CLAUDE_PROJECT_DIR");
        call.stdin(data.to_string()).run().field("/decision/verdict")
    };
    assert_eq!([&one, &two, &one].map(|cwd| decided(cwd)), ["abstain", "deny", "abstain"]);
    assert_eq!(records::read(&world).len(), 4, "three events and the trust");
}
