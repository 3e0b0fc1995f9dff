//! Whether a fixed handler can do anything at its event.

use tenter_contract::event_names::{self, Powers};
use tenter_contract::{Handler, HookSpec};

use crate::fields::Fields;
use crate::problem::{Findings, ProblemKind};

/// Refuses `deny`, `ask` and `inject` where they have no meaning: a `deny` at `session:end` looks like a
/// guard and is none. An agent's own event can only be observed. Programs decide at run time what they reply,
/// so nothing can be said about them here, and about events of other programs nothing is known.
pub(super) fn check(hook: &HookSpec, fields: &Fields<'_>, findings: &mut Findings) {
    let Some(needed) = power_of(&hook.handler) else { return };
    let powerful = match event_names::row(&hook.event) {
        Some(row) => needed(&row.powers),
        None => event_names::observed(hook.event.as_str()).is_none(),
    };
    let handler = hook.handler.kind();
    if powerful {
        return;
    }
    let works_at =
        event_names::EVENTS.iter().filter(|row| needed(&row.powers)).map(|row| row.canonical).collect();
    if let Some(field) = fields.get(handler) {
        let event = hook.event.to_string();
        findings.add(field.key_place, ProblemKind::Powerless { handler, event, works_at });
    }
}

fn power_of(handler: &Handler) -> Option<fn(&Powers) -> bool> {
    match handler {
        Handler::Deny(_) => Some(|powers| powers.block.granted()),
        Handler::Ask(_) => Some(|powers| powers.ask.granted()),
        Handler::Inject(_) => Some(|powers| powers.inject.granted()),
        Handler::Command(_)
        | Handler::Script(_)
        | Handler::Http(_)
        | Handler::Mcp(_)
        | Handler::Python(_)
        | Handler::Builtin(_)
        | Handler::Message { .. }
        | Handler::InProcess => None,
    }
}
