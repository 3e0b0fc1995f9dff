//! The plugin for OpenCode as `tenter init` writes it, run by node with recorded arguments of OpenCode. It applies the
//! responses of tenter, and a failing tenter does no harm.

mod carrying;
mod failing;
mod installing;
mod telling;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::needs;
use crate::world::World;

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/plugin/drive.mjs");

/// A plugin in the folder of a world.
struct Plugin<'a> {
    world: &'a World,
    file: PathBuf,
}

impl<'a> Plugin<'a> {
    /// As `tenter init` writes it; nothing where there is no node, which is said.
    fn installed(world: &'a World, options: &[&str]) -> Option<Self> {
        if needs::lacks("the plugin of OpenCode", "<!-- needs: node -->") {
            return None;
        }
        let init = [&["init", "opencode", "--allow-build-path", "--no-protect"], options].concat();
        let ran = world.tenter(&init).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let text = fs::read_to_string(world.config().join("opencode/plugins/tenter.js")).unwrap();
        // Node takes a file for a module by its name.
        let file = world.home().join("tenter.mjs");
        fs::write(&file, text).unwrap();
        Some(Self { world, file })
    }

    /// The same with a shell script in the place of tenter.
    fn calling(self, script: &str) -> Self {
        let program = self.world.home().join("tenter-hook");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let real =
            Value::from(fs::canonicalize(env!("CARGO_BIN_EXE_tenter-hook")).unwrap().to_str().unwrap());
        self.with(&real.to_string(), &Value::from(program.to_str().unwrap()).to_string())
    }

    /// The same with another text at one place.
    fn with(self, what: &str, with: &str) -> Self {
        let text = fs::read_to_string(&self.file).unwrap();
        assert!(text.contains(what), "{what} is not in the plugin");
        fs::write(&self.file, text.replace(what, with)).unwrap();
        self
    }

    /// What came of each step.
    fn play(&self, words: &[&str], world: &Value, steps: &[Value]) -> Vec<Value> {
        let file = self.file.to_str().unwrap();
        let arguments = [&[DRIVER, file], words].concat();
        let play = json!({"world": world, "steps": steps}).to_string();
        let ran = self.world.program(Path::new("node"), &arguments).stdin(play).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stdout.lines().count(), 1, "the plugin writes to the screen: {}", ran.stdout);
        let mut taken: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
        taken.push(Value::from(ran.stderr));
        taken
    }
}

/// What OpenCode 1.18.33 handed to a plugin at a hook.
fn step(hook: &str, recorded: &str) -> Value {
    let mut step = arguments(recorded);
    step["hook"] = json!(hook);
    step
}

/// A recorded event.
fn recorded_event(recorded: &str) -> Value {
    json!({"event": arguments(recorded)["input"]["event"]})
}

fn arguments(recorded: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plugin/arguments");
    serde_json::from_slice(&fs::read(folder.join(format!("{recorded}.json"))).unwrap()).unwrap()
}

/// The result of an MCP server, which has another shape than those of tools.
fn from_server() -> Value {
    json!({"hook": "tool.execute.after",
        "input": {"tool": "my_notes_add", "sessionID": "ses_0001", "callID": "call_0009", "args": {"a": "x"}},
        "output": {"content": [{"type": "text", "text": "SECRET"}], "structuredContent": {"a": "SECRET"}}})
}
