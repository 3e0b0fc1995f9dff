//! What failures of a hook mean, as its author declares beforehand.

use tenter_contract::{OnFailure, Policy};

use crate::fields::{Field, Fields};
use crate::problem::{Findings, ProblemKind};
use crate::tree::Value;
use crate::values;

pub(super) const POLICIES: [(&str, Policy); 2] = [("allow", Policy::Allow), ("deny", Policy::Deny)];

const KEYS: &str = "timeout error missing";

/// One policy for all classes of failure, or one for each; a class that is not named keeps its default.
pub(super) fn read(field: &Field<'_>, default: OnFailure, findings: &mut Findings) -> OnFailure {
    match &field.node.value {
        Value::Table(_) => each(field, default, findings),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) => {
            let policy = findings.keep(values::word(field, &POLICIES));
            policy.map_or(default, OnFailure::always)
        }
    }
}

fn each(field: &Field<'_>, default: OnFailure, findings: &mut Findings) -> OnFailure {
    let Some(fields) = findings.keep(Fields::from_field(field, "on_failure")) else { return default };
    fields.check(KEYS, findings);
    if fields.all().next().is_none() {
        findings.add(field.node.place, ProblemKind::EmptyValue { key: field.path.clone() });
    }
    let mut policy = |class: &str, default: Policy| {
        fields.read(class, findings, |field| values::word(field, &POLICIES)).unwrap_or(default)
    };
    OnFailure {
        timeout: policy("timeout", default.timeout),
        error: policy("error", default.error),
        missing: policy("missing", default.missing),
    }
}
