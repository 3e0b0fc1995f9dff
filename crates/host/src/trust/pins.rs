//! What hooks run: the files and links that trust must cover, and the commands that nobody can pin.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::{Handler, HookSpec, McpTransport};

use super::look::Look;

/// What trust covers beside the hook files themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Files, links resolved, in order.
    pub files: Vec<PathBuf>,
    /// Links of the project on the way to what runs: where they lead is covered.
    pub links: Vec<PathBuf>,
    /// What a hook names and is not there: it would be covered as soon as it is.
    pub absent: Vec<PathBuf>,
    /// Folders that a hook names: in the place of one a file would be covered.
    pub named_folders: Vec<PathBuf>,
    /// Files outside the project that are named and not covered.
    pub outside: Vec<PathBuf>,
    /// Commands that do what the project says at the time.
    pub runners: Vec<String>,
    /// Those of them for which `trust_files` says what decides.
    pub covered_runners: Vec<String>,
    /// Folders in which a new file would be covered too.
    pub folders: Vec<PathBuf>,
}

impl Pins {
    /// What these hooks run.
    pub fn of<'h>(hooks: impl IntoIterator<Item = &'h HookSpec>, root: &Path) -> Self {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let (mut runners, mut covered_runners) = (BTreeSet::new(), BTreeSet::new());
        let (mut files, mut links) = (BTreeSet::new(), BTreeSet::new());
        let (mut absent, mut named_folders) = (BTreeSet::new(), BTreeSet::new());
        let (mut outside, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for hook in hooks {
            let look = Look::at(hook, root, &real);
            if !hook.trust_files.is_empty() {
                covered_runners.extend(look.runners.iter().cloned());
            }
            runners.extend(look.runners);
            // No `trust_files` says what lies beyond the limits.
            runners.extend(look.walk.beyond);
            files.extend(look.files);
            files.extend(look.walk.files);
            links.extend(look.walk.links);
            absent.extend(look.absent);
            named_folders.extend(look.named_folders);
            outside.extend(look.outside);
            folders.extend(look.walk.folders);
        }
        Self {
            files: files.into_iter().collect(),
            links: links.into_iter().collect(),
            absent: absent.into_iter().collect(),
            named_folders: named_folders.into_iter().collect(),
            outside: outside.into_iter().collect(),
            runners: runners.into_iter().collect(),
            covered_runners: covered_runners.into_iter().collect(),
            folders: folders.into_iter().collect(),
        }
    }

    /// Commands that nothing says anything about: each needs an explicit yes.
    pub fn unpinned(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().filter(|runner| !self.covered_runners.contains(runner)).map(String::as_str)
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
