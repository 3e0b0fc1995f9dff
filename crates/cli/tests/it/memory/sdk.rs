//! The official Python SDK as a client. `scripts/test` installs it; without it the test prints a note and is skipped.

use std::path::PathBuf;
use std::process::Command;

use crate::world::{World, skipped};

const CLIENT: &str = include_str!("client.py");

/// A Python that has the SDK.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("HOME")?).join(".cache/tenter/mcp-python/bin/python");
    let output = Command::new(&python).args(["-c", "import mcp.client.stdio"]).output();
    output.is_ok_and(|output| output.status.success()).then_some(python)
}

#[test]
fn official_sdk_calls_every_tool() {
    let Some(python) = python() else {
        skipped("the Python package `mcp` is not installed; see `scripts/test`");
        return;
    };
    let world = World::new();
    let file = world.home().join("client.py");
    std::fs::write(&file, CLIENT).unwrap();
    let state = format!("XDG_STATE_HOME={}", world.state().display());
    let home = format!("HOME={}", world.home().display());
    let client = file.to_str().unwrap();
    let ran = world.run(&python, &[client, env!("CARGO_BIN_EXE_tenter"), &state, &home]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
}
