//! The programs of ours that are measured: what agents call, and the one that does nothing, in both builds.

use std::path::{Path, PathBuf};

use crate::world::TENTER;

/// One build of ours.
pub(crate) struct Build {
    /// What an agent calls.
    pub(crate) hook: HookProgram,
    /// A program that does nothing, built the same way, if it was built.
    pub(crate) nothing: Option<PathBuf>,
}

/// What an agent calls at every event.
pub(crate) struct HookProgram {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// What it is called with, as Claude Code calls it.
    pub(crate) arguments: &'static [&'static str],
    /// What people call it.
    pub(crate) name: &'static str,
}

impl HookProgram {
    /// The one of this folder: the small binary if it is there, else the command of the large one.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let candidates = [
            Self { path: folder.join("tenter-hook"), arguments: &["claude"], name: "tenter-hook" },
            Self { path: folder.join("tenter"), arguments: &["hook", "claude"], name: "tenter hook" },
        ];
        candidates.into_iter().find(|program| program.path.is_file())
    }
}

impl Build {
    /// What `cargo bench` has built; `just bench` builds `nothing` before.
    pub(crate) fn default() -> Option<Self> {
        let folder = Path::new(TENTER).parent()?;
        Self::of(folder, &folder.join("examples/nothing"))
    }

    /// What `just dist` has built, if it has.
    pub(crate) fn statically() -> Option<Self> {
        let folder = Path::new(TENTER).parent()?.parent()?.join("dist");
        Self::of(&folder, &folder.join("bench/nothing"))
    }

    fn of(folder: &Path, nothing: &Path) -> Option<Self> {
        let nothing = nothing.is_file().then(|| nothing.to_path_buf());
        Some(Self { hook: HookProgram::of(folder)?, nothing })
    }
}
