//! Checks whether a hook prevents agents from changing tenter's files.

use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use crate::commands::doctor::agents::AgentEntry;
use crate::commands::doctor::check::Check;
use crate::install::user_hooks::{ProtectionState, protection_state};

const ABOUT: &str = "protection";

pub(crate) fn check(places: &Places, entries: &[AgentEntry]) -> Vec<Check> {
    let Some(agent) = entries.first() else { return Vec::new() };
    vec![match protection_state(&Layers::read(places, here().as_deref())) {
        ProtectionState::On(hook) => {
            Check::ok(ABOUT, format!("{hook} guards tenter's own files and hook settings"))
        }
        ProtectionState::Off(hook, why) => {
            Check::warning(ABOUT, format!("{hook} is off: {why}"), format!("tenter hooks explain {hook}"))
        }
        ProtectionState::Absent => Check::warning(
            ABOUT,
            "no hook prevents agents from changing tenter's own files and their hook settings",
            format!("tenter init {}", agent.name),
        ),
    }]
}
