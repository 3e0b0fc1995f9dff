//! Optional programs: a document or a scenario names them, `<!-- needs: ruff -->`, and is
//! skipped with a message if one is missing.

use std::path::{Path, PathBuf};

use crate::world::skipped;

/// Whether a program that this text needs is missing.
pub(crate) fn lacks(name: &str, text: &str) -> bool {
    let mut needed = text.split("<!-- needs: ").skip(1).filter_map(|rest| Some(rest.split_once(" -->")?.0));
    let missing = needed.find(|program| !path().iter().any(|folder| folder.join(program).is_file()));
    if let Some(program) = missing {
        skipped(&format!("{name}: {program} is not installed; see `scripts/test`"));
    }
    missing.is_some()
}

/// Folders with programs: the build folder, `PATH`, and the tools of `scripts/test`.
pub(crate) fn path() -> Vec<PathBuf> {
    let ours = Path::new(env!("CARGO_BIN_EXE_tenter")).parent().unwrap().to_owned();
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let tools = cache.map(|cache| cache.join("tenter/tools/venv/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    [ours].into_iter().chain(std::env::split_paths(&path)).chain(tools).collect()
}
