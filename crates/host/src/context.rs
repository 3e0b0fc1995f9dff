//! Files for the context as they lie now, for people who want to see them before an agent does.

use std::path::{Path, PathBuf};

use tenter_contract::{Handler, HookSpec};
use tenter_executors::builtin::context_files::load;

pub use tenter_executors::builtin::context_files::{ContextFile, LeftOut, LoadedContext, Text};

/// The paths and globs of a hook that gives files; none if it gives none.
pub fn wanted(hook: &HookSpec) -> Option<Vec<&str>> {
    match &hook.handler {
        Handler::Builtin(builtin) => builtin.context_files(),
        _ => None,
    }
}

/// What they come to here, found and read as when a session begins.
pub fn given(hook: &HookSpec, root: Option<&Path>) -> LoadedContext {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    load(&wanted(hook).unwrap_or_default(), hook.id.layer, root, home.as_deref())
}
