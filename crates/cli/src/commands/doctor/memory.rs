//! Whether what sessions learn is kept and recalled.

use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use super::agents::AgentEntry;
use super::check::Check;
use crate::commands::memory_hooks::{Standing, standing};

const ABOUT: &str = "memory";

/// Looks for the hooks of memory, if there is an agent to remember something for. To do without is nobody's mistake.
pub(super) fn check(places: &Places, entries: &[AgentEntry]) -> Vec<Check> {
    let Some(agent) = entries.first() else { return Vec::new() };
    vec![match standing(&Layers::read(places, here().as_deref())) {
        Standing::On => Check::ok(ABOUT, "on: what sessions learn is kept, and recalled when it matters"),
        Standing::Partly(lacking) => {
            let lacking = lacking.join(", ");
            Check::ok(ABOUT, format!("partly on, without {lacking}; `tenter hooks list` says why"))
        }
        Standing::Absent => Check::ok(ABOUT, format!("off; `tenter init {}` turns it on", agent.name)),
    }]
}
