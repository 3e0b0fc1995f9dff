//! The program that is running.

use std::path::{Path, PathBuf};

use tenter_host::program::{HookProgram, hook_program, own_program, temporary_place};

use crate::commands::doctor::check::{Check, INSTALL};

const ABOUT: &str = "tenter";

pub(crate) fn own() -> Option<PathBuf> {
    own_program().ok()
}

pub(crate) fn check(own: Option<&Path>) -> Vec<Check> {
    let version = env!("CARGO_PKG_VERSION");
    let Some(own) = own else {
        let finding = format!("{version}, but its own file cannot be found");
        return vec![Check::problem(ABOUT, finding, INSTALL)];
    };
    let mut checks = vec![Check::ok(ABOUT, format!("{version}, {}", own.display()))];
    if let Some(why) = temporary_place(own) {
        checks.push(Check::warning(ABOUT, why, INSTALL));
    }
    if let Ok(HookProgram { instead_of: Some(why), .. }) = hook_program() {
        let finding = format!("{why}, so agents wait for the whole tenter to start");
        checks.push(Check::warning(ABOUT, finding, "cargo install --path crates/cli"));
    }
    checks
}
