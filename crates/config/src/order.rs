//! `after`: puts hooks that wait behind those they wait for.

use std::collections::HashMap;

use tenter_contract::{ExecutionMode, HookSpec};

use crate::problem::ProblemKind;
use crate::suggest;

/// Hooks in an order in which none waits for a later one, and those for which there is none.
pub(crate) struct Ordered {
    pub(crate) hooks: Vec<HookSpec>,
    /// Name, and what is wrong.
    pub(crate) refused: Vec<(String, ProblemKind)>,
}

/// Moves hooks back as far as they must; all others keep their places. `names` are all names of the file, also
/// of hooks that are off: a hook that waits for one of those need not wait.
pub(crate) fn ordered(hooks: Vec<HookSpec>, names: &HashMap<String, u32>) -> Ordered {
    let mut refused = Vec::new();
    let problems: Vec<Option<ProblemKind>> = hooks.iter().map(|hook| problem(hook, &hooks, names)).collect();
    let mut left = Vec::new();
    for (hook, problem) in hooks.into_iter().zip(problems) {
        match problem {
            Some(kind) => refused.push((hook.id.name.clone(), kind)),
            None => left.push(hook),
        }
    }
    let mut hooks: Vec<HookSpec> = Vec::new();
    while !left.is_empty() {
        let free = |hook: &HookSpec| !left.iter().any(|other| hook.waits_for(&other.id));
        if let Some(place) = left.iter().position(free) {
            hooks.push(left.remove(place));
        } else {
            // All that are left wait for one another, or for one that does.
            let hook = left.remove(in_circle(&left));
            let kind = ProblemKind::WaitsForItself { name: hook.id.name.clone() };
            refused.push((hook.id.name, kind));
        }
    }
    Ordered { hooks, refused }
}

fn problem(hook: &HookSpec, hooks: &[HookSpec], names: &HashMap<String, u32>) -> Option<ProblemKind> {
    hook.after.iter().find_map(|name| {
        let known = hooks.iter().find(|other| other.id.name == *name);
        match known {
            None if names.contains_key(name) => None,
            Some(other) if other.event == hook.event && other.execution_mode == ExecutionMode::Background => {
                Some(ProblemKind::WaitsForBackground { name: name.clone() })
            }
            Some(other) if other.event == hook.event => (other.priority > hook.priority).then(|| {
                ProblemKind::WaitsForLater { name: name.clone(), own: hook.priority, other: other.priority }
            }),
            None | Some(_) => {
                let siblings = hooks.iter().filter(|other| other.event == hook.event && other.id != hook.id);
                let near = suggest::nearest(name, siblings.map(|other| other.id.name.as_str()));
                Some(ProblemKind::WaitsForUnknown { name: name.clone(), suggestion: near.map(str::to_owned) })
            }
        }
    })
}

/// A hook that comes back to itself if one follows what is waited for.
fn in_circle(left: &[HookSpec]) -> usize {
    let mut place = 0;
    for _ in 0..left.len() {
        place = left.iter().position(|other| left[place].waits_for(&other.id)).unwrap_or(place);
    }
    place
}
