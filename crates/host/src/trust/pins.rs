//! The files and links that trust must cover, and the commands that cannot be pinned.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::{Handler, HookSpec, McpTransport};

use super::hook_files::HookFiles;

/// Everything that trust covers besides the hook files themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Files, links resolved.
    pub files: BTreeSet<PathBuf>,
    /// Links of the project on the way to a file: their targets are covered.
    pub links: BTreeSet<PathBuf>,
    /// Missing files that a hook names: they would be covered as soon as they exist.
    pub absent: BTreeSet<PathBuf>,
    /// Folders that a hook names: a file in the place of one would be covered.
    pub named_folders: BTreeSet<PathBuf>,
    /// Files outside the project that are named and not covered.
    pub outside: BTreeSet<PathBuf>,
    /// Commands whose behaviour the project decides.
    pub runners: BTreeSet<String>,
    /// Those of them whose files `trust_files` lists.
    pub covered_runners: BTreeSet<String>,
    /// Folders in which a new file would be covered too.
    pub folders: BTreeSet<PathBuf>,
}

impl Pins {
    /// The pins of these hooks.
    pub fn from_hooks<'h>(hooks: impl IntoIterator<Item = &'h HookSpec>, root: &Path) -> Self {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let mut pins = Self::default();
        for hook in hooks {
            let found = HookFiles::find(hook, root, &real);
            if !hook.trust_files.is_empty() {
                pins.covered_runners.extend(found.runners.iter().cloned());
            }
            pins.runners.extend(found.runners);
            // `trust_files` cannot list files beyond the limits.
            pins.runners.extend(found.walk.beyond);
            pins.files.extend(found.files.into_iter().chain(found.walk.files));
            pins.links.extend(found.walk.links);
            pins.absent.extend(found.absent);
            pins.named_folders.extend(found.named_folders);
            pins.outside.extend(found.outside);
            pins.folders.extend(found.walk.folders);
        }
        pins
    }

    /// Commands whose files are unknown: each needs an explicit yes.
    pub fn unpinned(&self) -> impl Iterator<Item = &str> {
        self.runners.difference(&self.covered_runners).map(String::as_str)
    }
}

/// The variables that a hook sets, for itself or for the server it starts.
pub fn variables(hook: &HookSpec) -> impl Iterator<Item = &(String, String)> {
    let of_server: &[(String, String)] = match &hook.handler {
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { env, .. } => env,
            McpTransport::Http { .. } => &[],
        },
        _ => &[],
    };
    hook.env.iter().chain(of_server)
}
