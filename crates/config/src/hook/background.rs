//! Keys that are invalid for a background hook.

use tenter_contract::{ExecutionMode, Handler, HookSpec};

use crate::fields::{Field, Fields};
use crate::problem::{Findings, ProblemKind};
use crate::tree::Value;

/// Refuses keys that have no meaning with `background`: the agent does not wait, so such a guard guards nothing.
pub(super) fn check(hook: &HookSpec, fields: &Fields<'_>, findings: &mut Findings) {
    if hook.execution_mode != ExecutionMode::Background {
        return;
    }
    let handler = fields.get(hook.handler.kind()).or_else(|| fields.get("run"));
    let judges = matches!(&hook.handler, Handler::Ask(_) | Handler::Deny(_))
        || matches!(&hook.handler, Handler::Builtin(builtin) if builtin.guards());
    let is_true = |field: &Field<'_>| field.node.value == Value::Bool(true);
    let conflicts = [
        (handler.clone().filter(|_| judges), InvalidCombination::Verdict),
        (handler.filter(|_| hook.handler.is_fixed() && !judges), InvalidCombination::Text),
        (fields.get("parallel").filter(is_true), InvalidCombination::ExecutionMode),
        (fields.get("on_failure").filter(|_| hook.on_failure.guards()), InvalidCombination::Verdict),
        (fields.get("rejudge").filter(is_true), InvalidCombination::Verdict),
        (fields.get("may_allow").filter(is_true), InvalidCombination::Verdict),
    ];
    for (field, why) in conflicts {
        if let Some(field) = field {
            findings.add(field.key_place, ProblemKind::NotInBackground { key: field.path, why });
        }
    }
}

/// Why a key has no meaning with `background`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidCombination {
    /// The agent has gone on when it comes.
    Verdict,
    /// Its text is in the file and takes no time.
    Text,
    /// A background hook runs in parallel anyway.
    ExecutionMode,
}
