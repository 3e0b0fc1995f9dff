//! Builds the measured programs of tenter, and a program that does nothing.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{IfGone, Scope, Wiring};

use crate::Result;
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
    pub(crate) fn find_in(folder: &Path) -> Option<Self> {
        let candidates = [
            Self { path: folder.join("tenter-hook"), arguments: &["claude"], name: "tenter-hook" },
            Self { path: folder.join("tenter"), arguments: &["hook", "claude"], name: "tenter hook" },
        ];
        candidates.into_iter().find(|program| program.path.is_file())
    }
}

impl HookProgram {
    /// The line that `init` writes for it into Claude Code's settings: what a shell is given at every tool call.
    pub(crate) fn installed(&self) -> Result<String> {
        let installer = tenter_adapters::by_name("claude").and_then(|agent| agent.installer());
        let installer = installer.ok_or("there is no installer for Claude Code")?;
        let program = self.path.to_str().ok_or("the path of tenter is not UTF-8")?.to_owned();
        let settings = installer
            .install(
                None,
                &Wiring { program, if_gone: IfGone::GoOn, scope: Scope::User, installation: None },
            )?
            .text;
        let entries = installer.entries(&settings)?;
        let entry = entries.into_iter().find(|entry| entry.event == "PreToolUse");
        Ok(entry.ok_or("`init` writes nothing for PreToolUse")?.line)
    }
}

impl Build {
    /// The programs that `cargo bench` built, copied into this folder as an installation and `just dist` do: a file
    /// from a linker is fragmented in memory, and calls are slower until it is read again. `just bench` builds
    /// `nothing` before.
    pub(crate) fn default(folder: &Path) -> Result<Self> {
        let built = Path::new(TENTER).parent().ok_or("`cargo bench` has built no tenter")?;
        let copied = folder.join("bin");
        fs::create_dir(&copied)?;
        for program in ["tenter", "tenter-hook", "examples/nothing"] {
            let from = built.join(program);
            if let Some(name) = from.file_name().filter(|_| from.is_file()) {
                fs::copy(&from, copied.join(name))?;
            }
        }
        Ok(Self::open_in(&copied, &copied.join("nothing")).ok_or("`cargo bench` has built no tenter")?)
    }

    /// What `just dist` has built, if it has.
    pub(crate) fn statically() -> Option<Self> {
        let folder = Path::new(TENTER).parent()?.parent()?.join("dist");
        Self::open_in(&folder, &folder.join("bench/nothing"))
    }

    fn open_in(folder: &Path, nothing: &Path) -> Option<Self> {
        let nothing = nothing.is_file().then(|| nothing.to_path_buf());
        Some(Self { hook: HookProgram::find_in(folder)?, nothing })
    }
}
