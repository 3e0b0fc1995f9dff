//! Checks the running program and this machine.

use std::path::{Path, PathBuf};

use tenter_host::program::{HookProgram, hook_program, own_program, temporary_place};

use crate::commands::doctor::check::{Check, INSTALL};
use crate::install::installed::on_path;

const ABOUT: &str = "tenter";
const PLATFORM: &str = "platform";

pub(crate) fn own() -> Option<PathBuf> {
    own_program().ok()
}

pub(crate) fn check(own: Option<&Path>) -> Vec<Check> {
    let version = env!("CARGO_PKG_VERSION");
    let Some(own) = own else {
        let finding = format!("{version}, but tenter cannot find its own binary");
        return vec![Check::problem(ABOUT, finding, INSTALL)];
    };
    let mut checks = vec![Check::ok(ABOUT, format!("{version}, {}", own.display()))];
    if let Some(why) = temporary_place(own) {
        checks.push(Check::warning(ABOUT, why, INSTALL));
    }
    if let Ok(HookProgram { instead_of: Some(why), .. }) = hook_program() {
        let finding = format!("{why}, so agents wait for the full binary to start");
        checks.push(Check::warning(ABOUT, finding, INSTALL));
    }
    checks
}

pub(crate) fn check_platform() -> Vec<Check> {
    if !cfg!(target_os = "linux") {
        return vec![Check::ok(
            PLATFORM,
            "hooks end with their process group; processes that leave it remain",
        )];
    }
    vec![match on_path("grep") {
        Some(_) => Check::ok(PLATFORM, "Linux: no process outlives its hook"),
        None => Check::warning(
            PLATFORM,
            "`grep` is not on PATH: if tenter is killed, only the process group of a hook ends with it",
            "export PATH=\"$PATH:/usr/bin:/bin\"",
        ),
    }]
}
