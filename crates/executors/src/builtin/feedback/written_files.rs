//! The files that a tool call has written.

use std::path::{Path, PathBuf};

use tenter_contract::{HookOutput, ToolKind};

use super::tool::WrittenFile;
use crate::builtin::builtin_run::{BuiltinRun, skipped};

/// The most files that are checked.
const MOST: usize = 20;

/// The existing files, each once, with links resolved.
pub(super) fn find(call: &mut BuiltinRun<'_>) -> Result<Vec<WrittenFile>, HookOutput> {
    let tool = call.event.tool.as_ref().ok_or_else(|| skipped("no tool was called"))?;
    let writes = match tool.kind {
        ToolKind::Write | ToolKind::Edit | ToolKind::Mcp | ToolKind::Other => true,
        ToolKind::Shell | ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task => false,
    };
    if !writes || tool.paths.is_empty() {
        return Err(skipped("no file was written"));
    }
    let root = call.folder()?;
    let root = root.canonicalize().unwrap_or(root);
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &tool.paths {
        let file = call.base().join(path).canonicalize().ok();
        files.extend(file.filter(|file| file.is_file() && !files.contains(file)));
    }
    if files.is_empty() {
        return Err(skipped("the written file does not exist"));
    }
    if files.len() > MOST {
        call.add_notice(format!("only the first {MOST} of {} files were checked", files.len()));
        files.truncate(MOST);
    }
    Ok(files.into_iter().map(|path| WrittenFile { root: root_of(&path, &root), path }).collect())
}

/// The project; a file outside of it is checked in its own folder.
fn root_of(file: &Path, root: &Path) -> PathBuf {
    if file.starts_with(root) { root.to_owned() } else { file.parent().unwrap_or(root).to_owned() }
}
