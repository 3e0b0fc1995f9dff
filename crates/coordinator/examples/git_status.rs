//! Git status injection: an agent knows from the first turn on what is not committed.
//! `cargo run -p tenter-coordinator --example git_status`.

use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use std::{env, fs, process};

use tenter_coordinator::{Effect, Event, EventKind, HookReply, SessionCoordinator};

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("tenter-git-status-{}", process::id()));
    fs::create_dir_all(&folder)?;
    if git(&folder, &["init", "--quiet", "--initial-branch", "main"]).is_none() {
        writeln!(out, "skipped: git is not installed")?;
        return Ok(());
    }
    for file in ["config.py", "models.py"] {
        fs::write(folder.join(file), "")?;
    }

    let session = SessionCoordinator::builder("my-agent").build();
    session.register(EventKind::SessionStart, "git_status_injector", 0, |event| {
        let folder = event.cwd.clone().unwrap_or_default();
        match git(Path::new(&folder), &["status", "--short", "--branch"]) {
            Some(status) => HookReply::default()
                .inject(format!("Git status:\n{}", status.trim_end()))
                .and(Effect::SuppressOutput),
            None => HookReply::default(),
        }
    })?;
    let cwd = folder.to_str().map(str::to_owned);
    session.emit(Event { cwd, ..session.event(EventKind::SessionStart) })?;
    for message in session.messages() {
        writeln!(out, "{}: {}", message.role.as_str(), message.content)?;
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let ran = Command::new("git").args(arguments).current_dir(folder).output().ok()?;
    ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).into_owned())
}
