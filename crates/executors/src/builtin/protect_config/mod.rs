//! `protect.config`: an agent does not change the files that decide which hooks run.
//!
//! ```text
//! paths of a tool ────────────┐
//! words of a shell command ───┼─ places: is it protected? ── deny
//! headings of a patch ────────┘
//! ```
//!
//! A path is compared as it is written and with its links resolved, without regard to case. A command that names a
//! protected path is denied unless it clearly only reads. Limit: a path that the command does not name (a variable set
//! elsewhere, a path that is put together or decoded, a script that was written before) is not seen. `SECURITY.md`
//! lists these.

mod command;
mod paths;
mod places;

use serde_json::Value;
use tenter_contract::{HookOutput, HookReply, ToolCall, ToolKind, Verdict};

use self::command::Suspicion;
use self::places::Places;
use super::builtin_run::{BuiltinResult, BuiltinRun, no_reply};
use super::display::on_one_line;

pub use self::places::settings_of;

const LONGEST: usize = 200;
/// A longer command is not read, and denied.
const LONGEST_LINE: usize = 1024 * 1024;
/// Parts of the names of tools that only read.
const READING: [&str; 9] = ["read", "get", "list", "search", "find", "info", "tree", "stat", "view"];

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let Some(tool) = &call.event.tool else {
        return Err(HookOutput::Skipped { why: "no tool is called".to_owned() });
    };
    let places = Places::new(call);
    let reason = check_paths(tool, &places)
        .or_else(|| check_patch(tool, &places))
        .or_else(|| check_command(tool, &places));
    match reason {
        Some(reason) => Ok(HookReply { verdict: Verdict::Deny { reason }, effects: Vec::new() }),
        None => no_reply(),
    }
}

/// The paths of a tool that may change them.
fn check_paths(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    let changes = match tool.kind {
        ToolKind::Write | ToolKind::Edit => true,
        ToolKind::Mcp | ToolKind::Other => {
            let name = tool.name.rsplit("__").next().unwrap_or_default().to_ascii_lowercase();
            !READING.iter().any(|word| name.contains(word))
        }
        ToolKind::Shell | ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task => false,
    };
    let destination = tool.input.get("destination").and_then(Value::as_str);
    let mut paths = tool.paths.iter().map(String::as_str).chain(destination).filter(|_| changes);
    paths.find_map(|path| Some(denied(path, &places.owner(path)?)))
}

/// The headings of a patch, in any key of the input: `*** Update File: a.py`.
fn check_patch(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    if matches!(tool.kind, ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task) {
        return None;
    }
    let texts = tool.input.values().filter_map(Value::as_str).filter(|text| text.contains("*** "));
    let headings = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    texts.flat_map(str::lines).find_map(|line| {
        let path = headings.iter().find_map(|heading| line.trim_start().strip_prefix(heading))?.trim();
        Some(denied(path, &places.owner(path)?))
    })
}

fn check_command(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    let line = tool.command.as_deref()?;
    if line.len() > LONGEST_LINE {
        return Some(format!(
            "The command has {} bytes, and protect.config reads at most {LONGEST_LINE}. Put the data into a file.",
            line.len()
        ));
    }
    // PowerShell separates folders by backslashes.
    let divided = (tool.native_name == "PowerShell").then(|| line.replace('\\', "/"));
    match command::find_suspicion(divided.as_deref().unwrap_or(line), places)? {
        Suspicion::Path { path, owner } => Some(denied(&path, &owner)),
        Suspicion::OwnCommand(command) => Some(format!(
            "`{command}` decides which hooks run and what they allow, and protect.config keeps agents from that. Ask the user to run it."
        )),
    }
}

fn denied(path: &str, owner: &str) -> String {
    format!(
        "`{}` belongs to {owner}, and protect.config keeps agents from changing it. Ask the user to make this change.",
        on_one_line(path, LONGEST)
    )
}

#[cfg(test)]
mod tests;
