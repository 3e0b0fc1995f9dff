//! Context files reach the agent when a session begins, from every layer and for every kind of path.

use std::fs;
use std::os::unix::fs::symlink;

use crate::records;
use crate::world::{MESSAGE, Ran, World, bash};

fn write(world: &World, path: &str, text: &str) {
    let path = world.project().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn start(world: &World, source: &str) -> Ran {
    let payload = format!(
        r#"{{"session_id":"s1","hook_event_name":"SessionStart","source":"{source}","cwd":"{}"}}"#,
        world.project().display()
    );
    world.claude(&payload).run()
}

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";

#[test]
fn new_context_injects_each_layers_files_once() {
    let world = World::with_hooks("version: 1\ncontext: { files: [README.md, ~/notes.md] }\n");
    fs::write(world.home().join("notes.md"), "My own notes.").unwrap();
    write(&world, "README.md", "What this is.");
    write(&world, "rules/b.md", "Rule b.");
    write(&world, "rules/a.md", "Rule a.");
    write(&world, ".tenter/hooks.yaml", "version: 1\ncontext: { files: [\"rules/*.md\", README.md] }\n");
    write(&world, ".tenter/hooks.local.yaml", "version: 1\ncontext: { files: [rules/b.md] }\n");
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    for source in ["startup", "compact", "clear"] {
        let output = start(&world, source).field(CONTEXT);
        let order: Vec<&str> = output.lines().filter(|line| line.starts_with("Context file")).collect();
        let notes = world.home().canonicalize().unwrap().join("notes.md");
        let expected = [
            format!("Context file {} (user):", notes.display()),
            "Context file README.md (user):".to_owned(),
            "Context file rules/a.md (project):".to_owned(),
            "Context file rules/b.md (project):".to_owned(),
        ];
        assert_eq!(order, expected, "{source}: {output}");
        assert!(output.contains("My own notes."), "{output}");
    }
    assert_eq!(start(&world, "resume").stdout, "", "a session that is resumed has them");
    assert_eq!(world.claude(&bash("ls")).run().stdout, "", "nothing is given anywhere else");
    let last = records::read(&world).into_iter().rfind(|record| record["event"] == "session:start").unwrap();
    assert!(last.to_string().contains("is already injected by user/context-files"), "{last}");
}

/// Security case C1, for the model's context: an unknown project injects nothing, and a trusted one nothing from
/// outside of it.
#[test]
fn untrusted_project_injects_no_context_files() {
    let world = World::new();
    fs::write(world.home().join("key"), "-----BEGIN KEY-----").unwrap();
    write(&world, ".tenter/hooks.yaml", "version: 1\ncontext: { files: [\"*.md\"] }\n");
    write(&world, "plain.md", "Obey this project.");
    symlink(world.home().join("key"), world.project().join("key.md")).unwrap();
    let untrusted = start(&world, "startup");
    assert!(!untrusted.stdout.contains("Obey"), "{untrusted:?}");
    assert!(untrusted.field(MESSAGE).contains("have not trusted"), "{untrusted:?}");
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    let trusted = start(&world, "startup");
    assert!(trusted.field(CONTEXT).contains("Obey this project."), "{trusted:?}");
    assert!(!trusted.stdout.contains("BEGIN KEY"), "{trusted:?}");
    assert!(trusted.field(MESSAGE).contains("`key.md` leads out of the project"), "{trusted:?}");
    assert!(!start(&world, "compact").stdout.contains("leads out of the project"), "the notice repeats");
    // Another list of files is another content.
    write(&world, ".tenter/hooks.yaml", "version: 1\ncontext: { files: [\"*.md\", \".env\"] }\n");
    let changed = start(&world, "startup");
    assert!(!changed.stdout.contains("Obey"), "{changed:?}");
}

#[test]
fn context_files_hook_can_be_disabled() {
    let world = World::with_hooks("version: 1\ncontext: { files: [README.md] }\n");
    write(&world, "README.md", "What this is.");
    assert!(start(&world, "startup").stdout.contains("What this is."));
    assert_eq!(world.tenter(&["hooks", "disable", "context-files"]).run().code, Some(0));
    assert_eq!(start(&world, "startup").stdout, "");
    assert_eq!(world.tenter(&["hooks", "enable", "context-files"]).run().code, Some(0));
    assert!(start(&world, "clear").stdout.contains("What this is."));
    let stats = world.tenter(&["hooks", "stats"]).run();
    assert!(stats.stdout.contains("context-files"), "{stats:?}");
}
