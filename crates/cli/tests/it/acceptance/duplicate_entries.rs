//! Agents run the entries of every file that they read. One entry answers an event, and no foreign file can
//! silence the user's own entry.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::sender_resolution::{GUARD, agents};
use crate::world::World;

/// Our lines in a settings file, for the events that an agent calls so.
pub(super) fn lines(agent: &str, file: &Path, event: &str) -> Vec<String> {
    let installer = tenter_adapters::by_name(agent).unwrap().installer().unwrap();
    let text = fs::read_to_string(file).unwrap_or_default();
    let entries = installer.entries(&text).unwrap_or_default().into_iter();
    entries.filter(|entry| entry.event.eq_ignore_ascii_case(event)).map(|entry| entry.line).collect()
}

/// A payload from the documents of an agent, about `ls`.
fn written(world: &World, agent: &str, name: &str) -> String {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src");
    let text = fs::read_to_string(sources.join(agent).join("fixtures").join(name)).unwrap();
    let project = world.project().display().to_string();
    text.replace("git push --force", "ls")
        .replace("echo passing", "ls")
        .replace("/home/user/project", &project)
}

/// Issue: Claude Code, Cursor and VS Code on one project. Each runs the entries of every file that it reads; one of
/// these entries answers in the format of that agent, and the others stay silent.
#[test]
fn agents_sharing_settings_run_each_hook_once() {
    let world = World::with_hooks(GUARD);
    for agent in ["claude", "cursor", "vscode", "copilot"] {
        let ran = world.tenter(&["init", agent, "--allow-build-path", "--no-protect"]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let claude = world.home().join(".claude/settings.json");
    let cursor = world.home().join(".cursor/hooks.json");
    let copilot = world.home().join(".copilot/hooks/tenter.json");
    let cases = [
        ("cursor", "preToolUse.json", vec![("cursor", &cursor), ("claude", &claude)], "/permission"),
        (
            "vscode",
            "PreToolUse.json",
            vec![("copilot", &copilot), ("claude", &claude)],
            "/hookSpecificOutput/permissionDecision",
        ),
    ];
    for (number, (agent, payload, files, verdict)) in cases.into_iter().enumerate() {
        let payload = written(&world, agent, payload);
        let lines: Vec<String> =
            files.iter().flat_map(|(named, file)| lines(named, file, "PreToolUse")).collect();
        assert_eq!(lines.len(), 2, "{agent} is called by both: {lines:?}");
        let mut denied = 0;
        for line in &lines {
            let ran = world.sh_with(line, &payload);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
            denied += usize::from(answer.pointer(verdict) == Some(&json!("deny")));
        }
        assert_eq!(denied, 1, "{agent}");
        let agents = agents(&world);
        assert_eq!(agents.len(), number + 1, "{agents:?}");
        assert_eq!(agents.last(), Some(&json!(agent)));
    }
    for agent in ["cursor", "copilot", "claude"] {
        assert_eq!(world.tenter(&["uninstall", agent]).run().code, Some(0));
    }
    assert!(![claude, cursor, copilot].iter().any(|file| file.exists()), "all of it is gone again");
}

fn init(world: &World, agent: &str, options: &[&str]) {
    let ran = world.tenter(&[&["init", agent, "--allow-build-path", "--no-protect"], options].concat()).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// An agent that reads the settings of Claude Code: a call of it, where it finds its own entries in the home folder and
/// in a project, and where its answer has the verdict.
struct Reader {
    agent: &'static str,
    /// The agent that its own entries name.
    names: &'static str,
    call: &'static str,
    home: &'static str,
    project: &'static str,
    verdict: &'static str,
}

const READERS: [Reader; 3] = [
    Reader {
        agent: "cursor",
        names: "cursor",
        call: "preToolUse.json",
        home: ".cursor/hooks.json",
        project: ".cursor/hooks.json",
        verdict: "/permission",
    },
    Reader {
        agent: "vscode",
        names: "copilot",
        call: "PreToolUse.json",
        home: ".copilot/hooks/tenter.json",
        project: ".github/hooks/tenter.json",
        verdict: "/hookSpecificOutput/permissionDecision",
    },
    Reader {
        agent: "copilot",
        names: "copilot",
        call: "preToolUse.bash.json",
        home: ".copilot/hooks/tenter.json",
        project: ".github/hooks/tenter.json",
        verdict: "/permissionDecision",
    },
];

impl Reader {
    fn denied(&self, world: &World, line: &str) -> bool {
        let ran = world.sh_with(line, &written(world, self.agent, self.call));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        answer.pointer(self.verdict) == Some(&json!("deny"))
    }
}

/// Manipulated settings whose entries still look like tenter's and judge nothing.
fn hostile(form: &str, text: &str, world: &World) -> String {
    if form == "as it should be" {
        return text.to_owned();
    }
    let fake = world.project().join("tenter-hook");
    fs::write(&fake, "#!/bin/sh\nexit 0\n").unwrap();
    let mut settings: Value = serde_json::from_str(text).unwrap();
    let events = settings["hooks"].as_object_mut().unwrap();
    for group in events.values_mut().flat_map(|groups| groups.as_array_mut().unwrap()) {
        if form == "a matcher of no tool" {
            group["matcher"] = json!("NoSuchTool");
        }
        let handler = if group.get("hooks").is_some() { &mut group["hooks"][0] } else { group };
        let line = handler["command"].as_str().unwrap();
        match form {
            "a matcher of no tool" => {}
            "no time" => handler["timeout"] = json!(0),
            "not run at all" => handler["type"] = json!("prompt"),
            _ => {
                handler["command"] = json!(match form {
                    "an end before the call" => format!("exit 0; {line}"),
                    "the answer thrown away" => format!("{line} > /dev/null"),
                    "another home" => line.replace("exec ", "exec env HOME=/nonexistent "),
                    "a program of its own" => {
                        line.replace(env!("CARGO_BIN_EXE_tenter-hook"), fake.to_str().unwrap())
                    }
                    "another hook file" => format!("{line} --config /nowhere.yaml"),
                    _ => unreachable!("{form}"),
                });
            }
        }
    }
    settings.to_string()
}

const FORMS: [&str; 9] = [
    "as it should be",
    "a matcher of no tool",
    "an end before the call",
    "the answer thrown away",
    "another home",
    "no time",
    "a program of its own",
    "another hook file",
    "not run at all",
];

/// Project files silence nothing, even with the exact text that tenter writes.
#[test]
fn project_files_silence_no_user_entry() {
    for reader in &READERS[..2] {
        for form in FORMS {
            let world = World::with_hooks(GUARD);
            init(&world, "claude", &[]);
            init(&world, reader.names, &["--scope", "project"]);
            let file = world.project().join(reader.project);
            fs::write(&file, hostile(form, &fs::read_to_string(&file).unwrap(), &world)).unwrap();
            let line = &lines("claude", &world.settings(), "PreToolUse")[0];
            assert!(reader.denied(&world, line), "{}: {form}", reader.agent);
        }
    }
}

/// Within one scope, entries that differ from tenter's silence no real entry.
#[test]
fn entry_yields_only_to_init_entry() {
    for scope in ["user", "project"] {
        for reader in READERS.iter().filter(|reader| scope == "project" || reader.agent != "copilot") {
            for form in FORMS {
                let world = World::with_hooks(GUARD);
                init(&world, "claude", &["--scope", scope]);
                init(&world, reader.names, &["--scope", scope]);
                let (file, claude) = match scope {
                    "user" => (world.home().join(reader.home), world.settings()),
                    _ => {
                        (world.project().join(reader.project), world.project().join(".claude/settings.json"))
                    }
                };
                fs::write(&file, hostile(form, &fs::read_to_string(&file).unwrap(), &world)).unwrap();
                let line = &lines("claude", &claude, "PreToolUse")[0];
                let judged = reader.denied(&world, line);
                assert_eq!(judged, form != "as it should be", "{} of the {scope}: {form}", reader.agent);
            }
        }
    }
}

/// The user has entries of Claude Code, the project those of the reader itself. VS Code certainly runs both, so the
/// project's leave it to the user's; Cursor may not, so both answer, and the call's id keeps hooks from running twice.
#[test]
fn user_and_project_entries_run_hooks_once() {
    for reader in &READERS[..2] {
        let world = World::with_hooks(
            "version: 1\nhooks: { tool:pre: [ { name: counted, command: 'echo ran >> counter' } ] }\n",
        );
        init(&world, "claude", &[]);
        init(&world, reader.names, &["--scope", "project"]);
        let users = lines("claude", &world.settings(), "PreToolUse");
        let projects = lines(reader.names, &world.project().join(reader.project), "PreToolUse");
        for line in users.iter().chain(&projects) {
            world.sh_with(line, &written(&world, reader.agent, reader.call));
        }
        assert_eq!(fs::read_to_string(world.project().join("counter")).unwrap(), "ran\n", "{}", reader.agent);
    }
}

/// With entries in both places the project's leave everything to the user's.
#[test]
fn cursor_prompt_from_two_scopes_runs_once() {
    let world = World::with_hooks(
        "version: 1\nhooks: { prompt:submit: [ { name: counted, command: 'echo ran >> counter' } ] }\n",
    );
    init(&world, "cursor", &[]);
    init(&world, "cursor", &["--scope", "project"]);
    for file in [world.home().join(".cursor/hooks.json"), world.project().join(".cursor/hooks.json")] {
        let line = &lines("cursor", &file, "beforeSubmitPrompt")[0];
        world.sh_with(line, &written(&world, "cursor", "beforeSubmitPrompt.json"));
    }
    assert_eq!(fs::read_to_string(world.project().join("counter")).unwrap(), "ran\n");
}

/// A variable that names a user folder does not turn a project file into a user file.
#[test]
fn home_inside_project_belongs_to_project() {
    let reader = &READERS[1];
    let world = World::with_hooks(GUARD);
    init(&world, "claude", &[]);
    let inside = world.project().join("copilot");
    let ran = world
        .tenter(&["init", "copilot", "--allow-build-path", "--no-protect"])
        .env("COPILOT_HOME", &inside)
        .run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let line = &lines("claude", &world.settings(), "PreToolUse")[0];
    let line = format!("export COPILOT_HOME='{}'; {line}", inside.display());
    assert!(reader.denied(&world, &line));
}
