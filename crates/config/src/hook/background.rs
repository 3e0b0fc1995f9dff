//! What cannot be said of a hook that nobody waits for.

use tenter_contract::{Company, Handler, HookSpec};

use crate::fields::{Field, Fields};
use crate::problem::{Findings, ProblemKind};
use crate::tree::Value;

/// Refuses what makes no sense beside `background`: a guard nobody waits for looks like one and is none.
pub(super) fn check(hook: &HookSpec, fields: &Fields<'_>, findings: &mut Findings) {
    if hook.company != Company::Background {
        return;
    }
    let handler = fields.get(hook.handler.kind()).or_else(|| fields.get("run"));
    let judges = matches!(&hook.handler, Handler::Ask(_) | Handler::Deny(_))
        || matches!(&hook.handler, Handler::Builtin(builtin) if builtin.guards());
    let is_true = |field: &Field<'_>| field.node.value == Value::Bool(true);
    let beside = [
        (handler.clone().filter(|_| judges), Senseless::Verdict),
        (handler.filter(|_| hook.handler.is_fixed() && !judges), Senseless::Text),
        (fields.get("parallel").filter(is_true), Senseless::Company),
        (fields.get("on_failure").filter(|_| hook.on_failure.guards()), Senseless::Verdict),
        (fields.get("rejudge").filter(is_true), Senseless::Verdict),
        (fields.get("may_allow").filter(is_true), Senseless::Verdict),
    ];
    for (field, why) in beside {
        if let Some(field) = field {
            findings.add(field.key_place, ProblemKind::NotInBackground { key: field.path, why });
        }
    }
}

/// Why something makes no sense beside `background`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senseless {
    /// The agent has gone on when it comes.
    Verdict,
    /// It stands in the file, so that nobody has to wait for it.
    Text,
    /// Whoever is in the background runs beside everybody anyway.
    Company,
}
