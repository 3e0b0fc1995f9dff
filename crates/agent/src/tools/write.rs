//! `Write`: a whole file, new or in the place of another.

use std::fs;

use tenter_contract::ToolKind;

use super::builtin_tool::BuiltinTool;
use super::files;
use super::line_range::counted_lines;
use super::params::{Param, ParamType, ToolInput};
use super::tool_output::{Change, ToolDisplay, ToolOutput};
use super::workspace::{Knowledge, Workspace};

const PARAMS: &[Param] = &[
    Param::required("file_path", ParamType::Name, "The file; a relative path starts at the current folder."),
    Param::required("content", ParamType::Text, "All that is to be in it."),
];

pub(super) const WRITE: BuiltinTool = BuiltinTool {
    name: "Write",
    kind: ToolKind::Write,
    description: "Writes a whole file; folders that are missing are made, and what was in the file is gone. To change a part of \
         a file use `Edit`.",
    params: PARAMS,
    alone: true,
    run: write,
};

fn write(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let path = at.path(input.required("file_path"));
    let shown = at.shown(&path);
    let content = input.required("content").as_bytes();
    let target = files::target(&path).map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    let before = files::writable(at, &target)?;
    // A file too large to compare was not read as a whole.
    let old = before.as_ref().and_then(|_| files::whole(at, &target).ok());
    if let Some(old) = &old
        && at.knowledge(&target, old) == Knowledge::Stale
    {
        return Err(changed_since(&shown));
    }
    let unwritten = |error: std::io::Error| format!("`{shown}` cannot be written: {error}.");
    if let (None, Some(folder)) = (&before, target.parent()) {
        fs::create_dir_all(folder).map_err(unwritten)?;
    }
    files::replace(&target, before.as_ref(), content).map_err(unwritten)?;
    at.remember(&target, content);
    let change = Change::of(&path, &shown, before.as_ref().map(|_| old.as_deref().unwrap_or(b"\0")), content);
    let lines = counted_lines(input.required("content").lines().count() as u64);
    let said = if change.created {
        format!("Created `{shown}` with {lines}.")
    } else if old.as_deref() == Some(content) {
        format!("Wrote `{shown}` with {lines}, which it had before.")
    } else {
        format!("Overwrote `{shown}` with {lines} ({}).", change.counts())
    };
    Ok(ToolOutput::done(said, ToolDisplay::Change(change)))
}

/// The error for a file that another program changed.
pub(super) fn changed_since(shown: &str) -> String {
    format!("`{shown}` was changed since you last read or wrote it. Read it again, then change it.")
}
