//! `protect.config`: an agent does not change the files that say which hooks judge it.
//!
//! ```text
//! paths of a tool ────────────┐
//! words of a shell command ───┼─ places: is it one of ours? ── deny
//! headings of a patch ────────┘
//! ```
//!
//! A path is looked at as it is written and with its links resolved, in any case of letters. A command that
//! names a protected path is denied unless it clearly only reads. What a command does not name (a variable
//! set elsewhere, a path put together or decoded, a script that was written before) nobody can see here;
//! `SECURITY.md` says so.

mod command;
mod paths;
mod places;
mod words;

use serde_json::Value;
use tenter_contract::{HookReply, Said, ToolCall, ToolKind, Verdict};

use self::command::Suspect;
use self::places::Places;
use super::call::{Answer, Call, silence};
use super::wording::on_one_line;

pub use self::places::settings_of;

const LONGEST: usize = 200;
/// A longer command is not read, and denied.
const LONGEST_LINE: usize = 1024 * 1024;
/// Parts of a tool's name that say that it only looks.
const LOOKING: [&str; 9] = ["read", "get", "list", "search", "find", "info", "tree", "stat", "view"];

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let Some(tool) = &call.event.tool else {
        return Err(Said::Skipped { why: "no tool is called".to_owned() });
    };
    let places = Places::of(call);
    let reason =
        of_paths(tool, &places).or_else(|| of_patch(tool, &places)).or_else(|| of_command(tool, &places));
    match reason {
        Some(reason) => Ok(HookReply { verdict: Verdict::Deny { reason }, effects: Vec::new() }),
        None => silence(),
    }
}

/// The paths of a tool that may change them.
fn of_paths(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    let changes = match tool.kind {
        ToolKind::Write | ToolKind::Edit => true,
        ToolKind::Mcp | ToolKind::Other => {
            let name = tool.name.rsplit("__").next().unwrap_or_default().to_ascii_lowercase();
            !LOOKING.iter().any(|word| name.contains(word))
        }
        ToolKind::Shell | ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task => false,
    };
    let destination = tool.input.get("destination").and_then(Value::as_str);
    let mut paths = tool.paths.iter().map(String::as_str).chain(destination).filter(|_| changes);
    paths.find_map(|path| Some(denied(path, &places.whose(path)?)))
}

/// The headings of a patch, wherever in the input it stands: `*** Update File: a.py`.
fn of_patch(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    if matches!(tool.kind, ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task) {
        return None;
    }
    let texts = tool.input.values().filter_map(Value::as_str).filter(|text| text.contains("*** "));
    let headings = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    texts.flat_map(str::lines).find_map(|line| {
        let path = headings.iter().find_map(|heading| line.trim_start().strip_prefix(heading))?.trim();
        Some(denied(path, &places.whose(path)?))
    })
}

fn of_command(tool: &ToolCall, places: &Places<'_>) -> Option<String> {
    let line = tool.command.as_deref()?;
    if line.len() > LONGEST_LINE {
        return Some(format!(
            "The command has {} bytes, and protect.config reads at most {LONGEST_LINE}. Put the data into a file.",
            line.len()
        ));
    }
    // In PowerShell a backslash divides folders.
    let divided = (tool.native_name == "PowerShell").then(|| line.replace('\\', "/"));
    match command::suspect(divided.as_deref().unwrap_or(line), places)? {
        Suspect::Path { path, whose } => Some(denied(&path, &whose)),
        Suspect::OwnCommand(command) => Some(format!(
            "`{command}` decides which hooks run and what they allow, and protect.config keeps agents from that. Ask the user to run it."
        )),
    }
}

fn denied(path: &str, whose: &str) -> String {
    format!(
        "`{}` belongs to {whose}, and protect.config keeps agents from changing it. Ask the user to make this change.",
        on_one_line(path, LONGEST)
    )
}

#[cfg(test)]
mod tests;
