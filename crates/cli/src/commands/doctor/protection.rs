//! Whether agents are kept from the files that say which hooks judge them.

use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use super::agents::AgentEntry;
use super::check::Check;
use crate::commands::protection::{Standing, standing};

const ABOUT: &str = "protection";

/// Looks for `protect.config`, if there is an agent to protect from.
pub(super) fn check(places: &Places, entries: &[AgentEntry]) -> Vec<Check> {
    let Some(agent) = entries.first() else { return Vec::new() };
    vec![match standing(&Layers::read(places, here().as_deref())) {
        Standing::On(hook) => Check::ok(ABOUT, format!("{hook} guards tenter's own files and hook settings")),
        Standing::Off(hook, why) => {
            Check::warning(ABOUT, format!("{hook} is off: {why}"), format!("tenter hooks explain {hook}"))
        }
        Standing::Absent => Check::warning(
            ABOUT,
            "nothing keeps agents from changing tenter's own files and their hook settings",
            format!("tenter init {}", agent.name),
        ),
    }]
}
