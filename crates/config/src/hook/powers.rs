//! Whether a fixed handler can do anything at its event.

use tenter_contract::builtin_names::{self, BuiltinName, Does};
use tenter_contract::event_names::{self, Powers};
use tenter_contract::{Handler, HookSpec};

use crate::fields::Fields;
use crate::problem::{Findings, ProblemKind};

/// Refuses `deny`, `ask` and `inject` where they have no meaning: a `deny` at `session:end` looks like a
/// guard and is none. An agent's own event can only be observed. Programs decide at run time what they reply,
/// so nothing is known about them here, nor about events of other programs.
pub(super) fn check(hook: &HookSpec, fields: &Fields<'_>, findings: &mut Findings) {
    let kind = hook.handler.kind();
    let Some(works_at) = made_for(hook).or_else(|| powerful_at(hook)) else { return };
    let handler = row_of(hook).map_or(kind, |row| row.name);
    if let Some(field) = fields.get(kind).or_else(|| fields.get("run")) {
        let event = hook.event.to_string();
        findings.add(field.key_place, ProblemKind::Powerless { handler, event, works_at });
    }
}

/// The events a built-in is made for, if this is none of them.
fn made_for(hook: &HookSpec) -> Option<Vec<&'static str>> {
    let row = row_of(hook)?;
    let elsewhere = !row.events.is_empty() && !row.events.contains(&hook.event);
    let names = row.events.iter().filter_map(event_names::row).map(|row| row.canonical);
    elsewhere.then(|| names.collect())
}

fn row_of(hook: &HookSpec) -> Option<&'static BuiltinName> {
    let Handler::Builtin(builtin) = &hook.handler else { return None };
    builtin_names::find(&builtin.name)
}

/// The events at which the handler could do what it does, if this is none of them.
fn powerful_at(hook: &HookSpec) -> Option<Vec<&'static str>> {
    let needed = power_of(&hook.handler)?;
    let powerful = match event_names::row(&hook.event) {
        Some(row) => needed(&row.powers),
        None => event_names::observed(hook.event.as_str()).is_none(),
    };
    let able = event_names::EVENTS.iter().filter(|row| needed(&row.powers)).map(|row| row.canonical);
    (!powerful).then(|| able.collect())
}

fn power_of(handler: &Handler) -> Option<fn(&Powers) -> bool> {
    match handler {
        Handler::Deny(_) => Some(|powers| powers.block.possible()),
        Handler::Ask(_) => Some(|powers| powers.ask.possible()),
        Handler::Inject(_) => Some(|powers| powers.inject.possible()),
        Handler::Builtin(builtin) => match builtin_names::find(&builtin.name)?.does {
            Does::Guard => Some(|powers| powers.block.possible()),
            Does::Inject => Some(|powers| powers.inject.possible()),
            Does::SideEffect => None,
        },
        Handler::Command(_)
        | Handler::Script(_)
        | Handler::Http(_)
        | Handler::Mcp(_)
        | Handler::Python(_)
        | Handler::Message { .. }
        | Handler::InProcess => None,
    }
}
