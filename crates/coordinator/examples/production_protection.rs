//! Production protection: writes below `/production` need a person's yes.
//! `cargo run -p tenter-coordinator --example production_protection`.

use std::error::Error;
use std::io::{Write, stdout};

use serde_json::json;
use tenter_coordinator::{
    ApprovalDesk, Event, EventKind, HookReply, HumanAnswer, Question, SessionCoordinator, ToolCall, ToolKind,
};

/// A desk at which somebody reads the question and says no to everything but `notes.md`. A real one waits for a
/// person, no longer than `question.timeout`.
struct Careful;

impl ApprovalDesk for Careful {
    fn ask(&self, question: &Question, event: &Event) -> HumanAnswer {
        let path = event.tool.as_ref().and_then(ToolCall::path).unwrap_or_default();
        match question.options.first() {
            Some(option) if path.ends_with("notes.md") => HumanAnswer::Granted { option: option.clone() },
            _ => HumanAnswer::Denied,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = SessionCoordinator::builder("my-agent").desk(Careful).build();
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
