//! Production protection: writes below `/production` need a person's yes.
//! `cargo run -p tenter-coordinator --example production_protection`.

use std::error::Error;
use std::io::{Write, stdout};

use serde_json::json;
use tenter_coordinator::{
    ApprovalAnswer, ApprovalRequest, Event, EventKind, FunctionApprover, HookReply, SessionCoordinator,
    ToolCall, ToolKind,
};

/// A person who denies everything but `notes.md`. A real one shows `request` to a person and waits for the answer.
fn careful(request: &ApprovalRequest) -> ApprovalAnswer {
    let path = request.event.tool.as_ref().and_then(ToolCall::path).unwrap_or_default();
    let option = if path.ends_with("notes.md") { "Allow" } else { "Deny" };
    match request.question.choice(option) {
        Some(choice) => choice.answer(),
        None => ApprovalAnswer::NoApprover { why: format!("there is no option `{option}`") },
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = SessionCoordinator::builder("my-agent").approver(FunctionApprover(careful)).build();
    session.register(EventKind::ToolPre, "production_protection", 0, |event| {
        match event.tool.as_ref().and_then(ToolCall::path) {
            Some(path) if path.starts_with("/production/") => {
                HookReply::ask(format!("Allow write to production file: {path}?"))
            }
            _ => HookReply::default(),
        }
    })?;
    for path in ["/staging/config.py", "/production/config.py", "/production/notes.md"] {
        let input = json!({ "file_path": path, "content": "..." }).as_object().cloned().unwrap_or_default();
        let call = ToolCall::new("Write", ToolKind::Write, input);
        let event = Event { tool: Some(call), ..session.event(EventKind::ToolPre) };
        match session.emit(event) {
            Ok(_) => writeln!(out, "{path}: written")?,
            Err(denied) => writeln!(out, "{path}: {denied}")?,
        }
    }
    Ok(())
}
