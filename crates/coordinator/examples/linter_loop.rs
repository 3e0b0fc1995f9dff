//! The linter loop: an agent writes a line that is too long, reads so in the same turn, and mends it without its
//! user. `cargo run -p tenter-coordinator --example linter_loop`.
//!
//! The linter is ruff if it is installed, else a line of our own; the model is a script of two replies.

use std::error::Error;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use serde_json::json;
use tenter_coordinator::{
    Event, EventKind, HookReply, HookSpec, Level, Matcher, Pattern, Role, Selector, SessionCoordinator,
    ToolCall, ToolKind, When, in_process,
};

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("tenter-linter-loop-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let session = SessionCoordinator::builder("my-agent").build();
    let hook = HookSpec {
        matcher: Matcher { selectors: vec![Selector::Name(Pattern::parse("Write")?)] },
        when: When { path: vec![Pattern::parse("**/*.py")?], ..When::default() },
        ..in_process(EventKind::ToolPost, "linter_feedback")
    };
    session.register_hook(hook, linter_feedback)?;

    session.say(Role::User, "Update config.py")?;
    let path = folder.join("config.py");
    // What the model does next, given what it reads last.
    while let Some(content) = reply_of_the_model(&session) {
        fs::write(&path, content)?;
        let input = json!({ "file_path": path, "content": content }).as_object().cloned().unwrap_or_default();
        let call = ToolCall::new("Write", ToolKind::Write, input);
        session.say(Role::Assistant, format!("I write config.py: {} bytes", content.len()))?;
        let emitted = session.emit(Event { tool: Some(call), ..session.event(EventKind::ToolPost) })?;
        for shown in &emitted.shown {
            writeln!(out, "[{}] {}: {}", shown.source, shown.level.as_str(), shown.text)?;
        }
    }
    for message in session.messages() {
        writeln!(out, "{}: {}", message.role.as_str(), message.content)?;
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Runs the linter on the file that was written; what it finds is for the agent.
fn linter_feedback(event: &Event) -> HookReply {
    let Some(path) = event.tool.as_ref().and_then(ToolCall::path).map(PathBuf::from) else {
        return HookReply::default();
    };
    let issues = issues(&path);
    if issues.is_empty() {
        return HookReply::default();
    }
    HookReply::default()
        .inject(format!("Linter found issues in config.py:\n{}", issues.join("\n")))
        .notify(Level::Warning, format!("Found {} linting issue", issues.len()))
}

fn issues(path: &Path) -> Vec<String> {
    let ruff =
        ["check", "--isolated", "--select", "E501", "--line-length", "79", "--output-format", "concise"];
    if let Ok(ran) = Command::new("ruff").args(ruff).arg(path).output() {
        let found = String::from_utf8_lossy(&ran.stdout).into_owned();
        let line = |line: &str| Some(format!("  Line {}: E501 line too long", line.split(':').nth(1)?));
        return found.lines().filter(|line| line.contains("E501")).filter_map(line).collect();
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let long = text.lines().enumerate().filter(|(_, line)| line.chars().count() > 79);
    long.map(|(at, _)| format!("  Line {}: E501 line too long", at + 1)).collect()
}

/// A model that fixes the reported problem and then stops.
fn reply_of_the_model(session: &SessionCoordinator) -> Option<&'static str> {
    let messages = session.messages();
    let last = messages.last()?;
    if last.role == Role::User {
        return Some(
            "DEBUG = True\nALLOWED = [\"alpha.example.com\", \"beta.example.com\", \"gamma.example.com\", \"delta\"]\n",
        );
    }
    last.content.contains("E501 line too long").then_some("DEBUG = True\nALLOWED = [\n    \"delta\",\n]\n")
}
