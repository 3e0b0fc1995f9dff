//! An agent with hooks of its own, in thirty lines: `cargo run -p tenter-coordinator --example embed`.

use std::error::Error;
use std::io::{Write, stdout};

use serde_json::json;
use tenter_coordinator::{Event, EventKind, HookReply, Level, SessionCoordinator, ToolCall, ToolKind};

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = SessionCoordinator::builder("my-agent").build();

    session.register(EventKind::ToolPre, "no-secrets", -10, |event| {
        match event.tool.as_ref().and_then(ToolCall::path) {
            Some(path) if path.contains("secret") => HookReply::deny("Secrets stay where they are."),
            _ => HookReply::default(),
        }
    })?;
    session.register(EventKind::ToolPost, "size", 0, |event| {
        let content = event.tool.as_ref().and_then(|tool| tool.input.get("content")?.as_str());
        let bytes = content.map_or(0, str::len);
        HookReply::default().inject(format!("You wrote {bytes} bytes.")).notify(Level::Info, "measured")
    })?;

    for path in ["src/main.rs", "secrets.toml"] {
        let input = json!({ "file_path": path, "content": "fn main() {}" });
        let call = ToolCall::new("Write", ToolKind::Write, input.as_object().cloned().unwrap_or_default());
        match session.emit(Event { tool: Some(call.clone()), ..session.event(EventKind::ToolPre) }) {
            // Here the agent runs the tool, with the input after all rewrites, and reports the result.
            Ok(before) => {
                let after = Event { tool: before.event().tool.clone(), ..session.event(EventKind::ToolPost) };
                session.emit(after)?;
            }
            Err(denied) => writeln!(out, "the model reads: {denied}")?,
        }
    }
    for message in session.messages() {
        writeln!(out, "{}: {}", message.role.as_str(), message.content)?;
    }
    Ok(())
}
