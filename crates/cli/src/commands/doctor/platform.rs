//! What this machine cannot do.

use crate::commands::doctor::check::Check;
use crate::install::installed::on_path;

const ABOUT: &str = "platform";

pub(crate) fn check() -> Vec<Check> {
    if !cfg!(target_os = "linux") {
        return vec![Check::ok(ABOUT, "hooks are ended with their process group; what leaves it lives on")];
    }
    vec![match on_path("grep") {
        Some(_) => Check::ok(ABOUT, "Linux: nothing outlives its hook"),
        None => Check::warning(
            ABOUT,
            "there is no `grep` on PATH: if tenter is killed, only a hook's process group is ended with it",
            "export PATH=\"$PATH:/usr/bin:/bin\"",
        ),
    }]
}
