//! How each agent reports a command that has ended, read from the payloads that the adapters are tested with.

use std::fs;
use std::path::Path;

use tenter_adapters as adapters;
use tenter_contract::ports::{Decoded, Surroundings};
use tenter_contract::{Event, EventKind, ToolKind};
use tenter_ghap::outcome::tool_output;

/// Every payload of an agent about a command that has ended, with exit code and text.
#[test]
fn every_recorded_command_that_ended_is_understood() {
    let mut seen = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src");
    for adapter in adapters::all() {
        let name = adapter.name();
        let own = if name.as_str() == "claude" { "claude_code" } else { name.as_str() };
        let mut files: Vec<_> = fs::read_dir(folder.join(own).join("fixtures"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
            let payload = fs::read(file).unwrap();
            let Ok(Decoded::Event(event)) = adapter.decode(&payload, &Surroundings::default()) else {
                continue;
            };
            if let Some(tool_output) = tool_output(&event) {
                let file = file.file_stem().unwrap().to_string_lossy();
                let command = event.tool.as_ref().and_then(|tool| tool.command.clone()).unwrap();
                let code = tool_output.exit_code.map_or("?".to_owned(), |code| code.to_string());
                let more = if tool_output.complete { "" } else { " …" };
                seen.push(format!("{name}/{file}: `{command}` {code} {:?}{more}", tool_output.text));
            } else {
                assert!(!is_ended_command(&event), "{}", file.display());
            }
        }
    }
    insta::assert_snapshot!(seen.join("\n"));
}

fn is_ended_command(event: &Event) -> bool {
    let shell = event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Shell);
    shell && matches!(event.kind, EventKind::ToolPost | EventKind::ToolError)
}
