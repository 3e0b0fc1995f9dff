//! Whether a hook file is broken, compared with its last good version.

use std::collections::HashSet;

use tenter_config::{Loaded, Problem, ProblemKind, Severity};
use tenter_contract::event_names;
use tenter_contract::{EventKind, ExecutionMode, Handler, HookSpec};
use tenter_store::{GoodVersion, LostGuard};

/// A hook that can stop something: a declared guard, or a program that is asked before something happens.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) name: String,
    pub(super) event: EventKind,
    section: Option<String>,
    /// Whether its failure denies, or it denies or asks by itself.
    pub(super) declared: bool,
}

impl Guard {
    /// Whether it is among these, and guards no less.
    pub(super) fn is_among(&self, others: &[Self]) -> bool {
        let same =
            |it: &&Self| (&it.name, &it.event, &it.section) == (&self.name, &self.event, &self.section);
        others.iter().filter(same).any(|it| it.declared >= self.declared)
    }

    /// Whether a person would call it a guard. A program at `prompt:submit` mostly gives context.
    pub(super) fn is_notable(&self) -> bool {
        self.declared || matches!(self.event, EventKind::ToolPre | EventKind::PermissionRequest)
    }

    pub(super) fn is(&self, lost: &LostGuard) -> bool {
        self.name == lost.name && self.event.as_str() == lost.event
    }
}

pub(super) fn guards_of(loaded: &Loaded) -> Vec<Guard> {
    let guards = loaded.hooks.iter().filter(|hook| can_stop(hook));
    guards
        .map(|hook| Guard {
            name: hook.id.name.clone(),
            event: hook.event.clone(),
            section: hook.section.clone(),
            declared: hook.is_guard(),
        })
        .collect()
}

fn can_stop(hook: &HookSpec) -> bool {
    let runs = matches!(
        hook.handler,
        Handler::Command(_) | Handler::Script(_) | Handler::Http(_) | Handler::Mcp(_) | Handler::Python(_)
    );
    hook.is_guard() || (runs && stops_at(&hook.event) && hook.execution_mode != ExecutionMode::Background)
}

/// Why a file that can be read as text is broken.
pub(super) fn breakage_of(
    text: &str,
    loaded: &Loaded,
    good: Option<&GoodVersion>,
    before: &Loaded,
) -> Option<String> {
    if loaded.refused {
        return Some("it has a mistake".to_owned());
    }
    if loses_lists(loaded) {
        return Some("a list of hooks in it is not read".to_owned());
    }
    let Some(good) = good else {
        let lost = loaded.lost_guards.iter().any(stops_at);
        return lost.then(|| "a guard in it has a mistake".to_owned());
    };
    if good.has_text(text) {
        return None;
    }
    if ends_early(text, &good.text, loaded, before) {
        return Some("it ends early".to_owned());
    }
    if has_conflict_markers(text) {
        return Some("it has conflict markers".to_owned());
    }
    let (guards, now) = (guards_of(before), guards_of(loaded));
    let errors = || loaded.problems.iter().filter(|it| it.severity() == Severity::Error);
    let misses_agent =
        |it: &Problem| it.hook.is_none() && matches!(it.kind, ProblemKind::SuspiciousAgent { .. });
    let has_errors = errors().next().is_some()
        || (loaded.problems.iter().any(misses_agent) && !before.problems.iter().any(misses_agent));
    let mistaken: HashSet<&str> =
        errors().filter_map(|it| it.hook.as_deref()).chain(doubtful(loaded)).collect();
    let doubtful_before: HashSet<&str> = doubtful(before).collect();
    let lost = |guard: &&Guard| {
        let name = guard.name.as_str();
        (has_errors && !guard.is_among(&now)) || (mistaken.contains(name) && !doubtful_before.contains(name))
    };
    let lost: Vec<String> = guards
        .iter()
        .filter(lost)
        .map(|guard| format!("its guard `{}` has a mistake or does not load", guard.name))
        .chain(guards.iter().filter(|guard| !guard.is_among(&now)).filter_map(|guard| moved(guard, loaded)))
        .collect();
    (!lost.is_empty()).then(|| lost.join(", "))
}

/// A guard that is at another event now, where it stops nothing.
fn moved(guard: &Guard, loaded: &Loaded) -> Option<String> {
    let is_it = |hook: &&HookSpec| hook.id.name == guard.name && hook.section == guard.section;
    let hook = loaded.hooks.iter().find(is_it).filter(|hook| !stops_at(&hook.event))?;
    Some(format!("its guard `{}` is at `{}` now, where it stops nothing", guard.name, hook.event))
}

/// Whether a hook can stop something at this event before it happens.
pub(super) fn stops_at(event: &EventKind) -> bool {
    // At tool:post the tool has run already.
    event_names::row(event).is_some_and(|row| row.powers.block.possible() && row.kind != EventKind::ToolPost)
}

/// Whether hooks are written where no hook was loaded, so that nothing is known of any of them. A single hook with a
/// mistake is different: it has a name, and the user is notified of it.
fn loses_lists(loaded: &Loaded) -> bool {
    let loses = |it: &Problem| {
        matches!(it.kind, ProblemKind::HooksWithoutEvents { .. } | ProblemKind::HooksNotListed { .. })
    };
    loaded.problems.iter().any(loses)
}

/// Hooks whose matcher or condition hardly matches anything.
fn doubtful(loaded: &Loaded) -> impl Iterator<Item = &str> {
    loaded.problems.iter().filter(|it| it.kind.is_suspicion()).filter_map(|it| it.hook.as_deref())
}

/// Whether a text is the beginning of another one and ends where no person ends a hook file: within a line, behind a
/// key without its value, before the first hook, or before a guard and other hooks. It was not written to its end. A
/// person who deletes the last guard of a file deletes nothing else.
fn ends_early(text: &str, whole: &str, loaded: &Loaded, before: &Loaded) -> bool {
    let Some(rest) = whole.strip_prefix(text) else { return false };
    let within_line = !text.ends_with('\n') && !rest.starts_with(['\n', '\r']) && !rest.is_empty();
    let without_value = text.trim_end().ends_with(':');
    let without_hooks = loaded.hooks.is_empty() && loaded.disabled.is_empty();
    let is_lost =
        |hook: &&HookSpec| !loaded.hooks.iter().any(|it| it.id == hook.id && it.event == hook.event);
    let lost: Vec<&HookSpec> = before.hooks.iter().filter(is_lost).collect();
    let without_several = lost.len() > 1 && lost.iter().any(|hook| can_stop(hook));
    within_line || (!rest.trim().is_empty() && (without_value || without_hooks || without_several))
}

fn has_conflict_markers(text: &str) -> bool {
    let has = |marker: &str| text.lines().any(|line| line.starts_with(marker));
    has("<<<<<<< ") && has("=======") && has(">>>>>>> ")
}
