//! Several hooks have something to say about one write: the agent reads one message, with a section for each.
//! `cargo run -p tenter-coordinator --example multi_hook_batch`.

use std::error::Error;
use std::io::{Write, stdout};

use serde_json::json;
use tenter_coordinator::{EventKind, HookReply, SessionCoordinator};

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = SessionCoordinator::builder("my-agent").build();
    for (name, found) in [
        ("linter_feedback", "Linter found issues in config.py:\n  Line 42: E501 line too long"),
        ("type_checker", "Type errors in models.py:\n  Line 15: Missing return type annotation"),
        ("test_runner", "Tests failed: 2 failures, 0 errors"),
    ] {
        session.register(EventKind::ToolPost, name, 0, move |_| HookReply::default().inject(found))?;
    }
    session.emit(session.event(EventKind::ToolPost))?;
    for message in session.messages() {
        let names = message.hook.iter().flat_map(|hook| &hook.parts).map(|part| part.hook_name.as_str());
        let summary = json!({ "hooks": names.collect::<Vec<_>>(), "source": message.metadata()["source"] });
        writeln!(out, "{}: {}\n{summary}", message.role.as_str(), message.content)?;
    }
    Ok(())
}
