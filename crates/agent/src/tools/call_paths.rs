//! The files and folders that a call reads or changes, and whether they need an approval.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use super::file_glob::FileGlob;
use super::workspace::Workspace;
use super::{Tool, glob};

/// The paths of a call; empty for a tool without paths.
pub(crate) fn call_paths(tool: &dyn Tool, input: &Map<String, Value>, at: &Workspace) -> Vec<PathBuf> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    match tool.kind() {
        ToolKind::Read | ToolKind::Write | ToolKind::Edit => {
            text("file_path").map(|path| at.path(path)).into_iter().collect()
        }
        ToolKind::Search => {
            let base = at.path(text("path").unwrap_or_default());
            // A glob may start elsewhere: `/etc/*`, `../*`.
            let names = text(if tool.name() == glob::GLOB.name { "pattern" } else { "glob" });
            let start = names.and_then(|names| FileGlob::below(&base, names).ok());
            [base].into_iter().chain(start.map(|(folder, _)| folder)).collect()
        }
        ToolKind::Shell | ToolKind::Fetch | ToolKind::Task | ToolKind::Mcp | ToolKind::Other => Vec::new(),
    }
}

impl Workspace {
    pub(crate) fn is_in_project(&self, path: &Path) -> bool {
        leads_into(&self.root, path)
    }

    /// Whether a path may be read without approval: the project, and spilled output.
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        self.is_in_project(path) || leads_into(&self.spills, path)
    }
}

/// Whether a path leads into a folder, links followed as far as the path exists.
pub(super) fn leads_into(folder: &Path, path: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    real_path(path).is_some_and(|real| real.starts_with(folder))
}

/// The real path, links followed as far as it exists; `None` if it cannot be resolved.
pub(super) fn real_path(path: &Path) -> Option<PathBuf> {
    let (part, real) = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)))?;
    let rest = path.strip_prefix(part).unwrap_or(Path::new(""));
    let plain = rest.components().all(|it| matches!(it, Component::Normal(_)));
    // A dangling link, at whose end a file could be created.
    let dangles = rest.iter().next().is_some_and(|next| fs::symlink_metadata(part.join(next)).is_ok());
    (plain && !dangles).then(|| if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) })
}
