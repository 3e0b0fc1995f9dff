//! When a hook is asked: matcher, further conditions, agents.

use tenter_contract::{EventKind, HookSpec, When};

use super::{matcher, suspicion};
use crate::fields::{Field, Fields, Keys};
use crate::problem::{Findings, ProblemKind};
use crate::values;

pub(super) const WHEN_KEYS: Keys = Keys {
    known: &["path", "command", "prompt", "cwd", "agent", "exit_code"],
    not_yet: &["branch", "env", "file_exists", "layer"],
};

/// Reads the conditions into the hook.
pub(super) fn read(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    if let Some(field) = fields.get("matcher")
        && let Some(matcher) = findings.keep(matcher::read(&field))
    {
        if is_about_a_tool(&hook.event) {
            for (piece, suspicion) in suspicion::of(&matcher) {
                findings.add(field.node.place, ProblemKind::SuspiciousMatcher { piece, suspicion });
            }
        }
        hook.matcher = matcher;
    }
    if let Some(field) = fields.get("when") {
        hook.when = when(&field, findings);
    }
    hook.agents = fields.read("agents", findings, values::patterns).unwrap_or_default();
}

/// On other events a matcher is compared with the event's subject, which can be anything.
pub(super) fn is_about_a_tool(event: &EventKind) -> bool {
    matches!(
        event,
        EventKind::ToolPre | EventKind::ToolPost | EventKind::ToolError | EventKind::PermissionRequest
    )
}

fn when(field: &Field<'_>, findings: &mut Findings) -> When {
    let Some(fields) = findings.keep(Fields::of(field, "when")) else { return When::default() };
    fields.check(&WHEN_KEYS, findings);
    let mut patterns = |key: &str| fields.read(key, findings, values::patterns).unwrap_or_default();
    When {
        path: patterns("path"),
        command: patterns("command"),
        prompt: patterns("prompt"),
        cwd: patterns("cwd"),
        agent: patterns("agent"),
        exit_code: fields.read("exit_code", findings, values::number_patterns).unwrap_or_default(),
    }
}
