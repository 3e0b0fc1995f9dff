//! `Write`: writes a whole file, new or existing.

use std::fs;

use tenter_contract::ToolKind;

use super::files;
use super::tool_output::counted;
use super::workspace::Knowledge;
use super::{BuiltinTool, Change, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

pub(super) const WRITE: BuiltinTool = BuiltinTool {
    name: "Write",
    kind: ToolKind::Write,
    description: "Writes a whole file and creates missing folders. The previous content is lost. To change a part of a file, \
         use `Edit`.",
    params: &[Param::FILE_PATH, Param::required("content", ParamType::Text, "The whole content.")],
    alone: true,
    run: write,
};

fn write(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let path = at.path(input.required("file_path"));
    let shown = at.shown(&path);
    let content = input.required("content").as_bytes();
    let unwritten = |error: std::io::Error| format!("`{shown}` cannot be written: {error}.");
    let target = files::target(&path).map_err(unwritten)?;
    let before = files::writable(at, &target)?;
    // A file too large to compare was not read as a whole.
    let old = before.as_ref().and_then(|_| files::whole(at, &target).ok());
    if let Some(old) = &old
        && at.knowledge(&target, old) == Knowledge::Stale
    {
        return Err(changed_since(&shown));
    }
    if let (None, Some(folder)) = (&before, target.parent()) {
        fs::create_dir_all(folder).map_err(unwritten)?;
    }
    files::replace(&target, before.as_ref(), content).map_err(unwritten)?;
    at.remember(&target, content);
    let change =
        Change::new(&path, &shown, before.as_ref().map(|_| old.as_deref().unwrap_or(b"\0")), content);
    let lines = counted(input.required("content").lines().count() as u64, "line", "lines");
    let text = if change.created {
        format!("Created `{shown}` with {lines}.")
    } else if old.as_deref() == Some(content) {
        format!("Wrote `{shown}` with {lines}; it did not change.")
    } else {
        format!("Overwrote `{shown}` with {lines} ({}).", change.counts())
    };
    Ok(ToolOutput::done(text, ToolDisplay::Change(change)))
}

/// The error for a file that another program changed.
pub(super) fn changed_since(shown: &str) -> String {
    format!("`{shown}` was changed since you last read or wrote it. Read it again, then change it.")
}
