//! The context files of hooks, for users who want to see them before an agent does.

use std::path::Path;

use tenter_contract::{Handler, HookSpec};
use tenter_executors::builtin::context_files::load;

use crate::places::absolute;

pub use tenter_executors::builtin::context_files::{ContextFile, LeftOut, LoadedContext, Text};

/// The paths and globs of a hook that injects files; none for other hooks.
pub fn context_paths(hook: &HookSpec) -> Option<Vec<&str>> {
    match &hook.handler {
        Handler::Builtin(builtin) => builtin.context_files(),
        _ => None,
    }
}

/// Loads these files as at the start of a session.
pub fn load_context(hook: &HookSpec, root: Option<&Path>) -> LoadedContext {
    let home = absolute("HOME");
    load(&context_paths(hook).unwrap_or_default(), hook.id.layer, root, home.as_deref())
}
