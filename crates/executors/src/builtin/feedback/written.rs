//! Which files a tool call has written.

use std::path::{Path, PathBuf};

use tenter_contract::{Said, ToolKind};

use super::tool::Subject;
use crate::builtin::call::Call;

/// More files than these are not looked at one by one.
const MOST: usize = 20;

/// The files that are there, each once, with links resolved.
pub(super) fn files(call: &mut Call<'_>) -> Result<Vec<Subject>, Said> {
    let skipped = |why: &str| Err(Said::Skipped { why: why.to_owned() });
    let Some(tool) = &call.event.tool else { return skipped("no tool was called") };
    let writes = match tool.kind {
        ToolKind::Write | ToolKind::Edit | ToolKind::Mcp | ToolKind::Other => true,
        ToolKind::Shell | ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Task => false,
    };
    if !writes || tool.paths.is_empty() {
        return skipped("no file was written");
    }
    let root = call.folder()?;
    let root = root.canonicalize().unwrap_or(root);
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &tool.paths {
        let file = call.base().join(path);
        match file.canonicalize().ok().filter(|file| file.is_file()) {
            Some(file) if !files.contains(&file) => files.push(file),
            Some(_) | None => {}
        }
    }
    if files.is_empty() {
        return skipped("the written file is not there");
    }
    if files.len() > MOST {
        call.note(format!("only the first {MOST} of {} files were looked at", files.len()));
        files.truncate(MOST);
    }
    Ok(files.into_iter().map(|file| Subject { root: root_of(&file, &root), file }).collect())
}

/// The project; a file outside of it is looked at in its own folder.
fn root_of(file: &Path, root: &Path) -> PathBuf {
    if file.starts_with(root) { root.to_owned() } else { file.parent().unwrap_or(root).to_owned() }
}
