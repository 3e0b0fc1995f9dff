//! `Glob`: finds files by name, newest first.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use tenter_contract::ToolKind;

use super::file_glob::FileGlob;
use super::files;
use super::tool_output::counted;
use super::walk::{self, WalkEnd};
use super::{BuiltinTool, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

const MOST: usize = 100;

pub(super) const GLOB: BuiltinTool = BuiltinTool {
    name: "Glob",
    kind: ToolKind::Search,
    description: "Finds files by a glob, newest first, at most 100. Skips files that git ignores.",
    params: &[
        Param::required(
            "pattern",
            ParamType::Name,
            "The glob: `*.rs` at any depth, `src/**/*.rs` below a folder.",
        ),
        Param::optional("path", ParamType::Name, "The folder to search [default: the current folder]."),
    ],
    alone: false,
    run: glob,
};

fn glob(input: &ToolInput<'_>, at: &Workspace, stop: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let pattern = input.required("pattern");
    let base = at.path(input.text("path").unwrap_or_default());
    match fs::metadata(&base) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(format!("`{}` is not a folder; set `path` to its folder.", at.shown(&base))),
        Err(_) => return Err(files::missing(at, &base)),
    }
    let (folder, names) = FileGlob::below(&base, pattern)?;
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    let walk_end = if folder.is_dir() {
        walk::files(&folder, None, stop, &mut |path| {
            if names.matches(path.strip_prefix(&folder).unwrap_or(path)) {
                let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
                found.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), path.to_owned()));
            }
            true
        })
    } else {
        WalkEnd::All
    };
    let count = found.len();
    // A stable sort keeps the order by name where the time is the same.
    found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let mut lines: Vec<String> = found.iter().take(MOST).map(|(_, path)| at.shown(path)).collect();
    if count == 0 {
        lines.push(format!("No file matches `{pattern}`."));
    } else if count > MOST {
        lines.push(format!("[{count} files match; these are the {MOST} newest.]"));
    }
    lines.extend(walk_end.note());
    let line = counted(count as u64, "file", "files");
    let output = ToolOutput::done(lines.join("\n"), ToolDisplay::Line(line));
    Ok(ToolOutput { failed: walk_end == WalkEnd::Stopped, ..output })
}
