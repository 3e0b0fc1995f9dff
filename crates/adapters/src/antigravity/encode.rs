//! Our fitted outcome becomes Antigravity's answer. Before a tool it must have a decision: `{}` is taken for a deny.

use serde_json::{Value, json};
use tenter_contract::{Answer, EventKind, Fitted, FittedVerdict};

use crate::answer::{self, never_blank, said};

/// What leaves it alone, as far as anything does: there is no answer without a decision. Its documents say that this one
/// runs the tool unasked; others saw its own question come all the same, in 1.1.2 and in 1.2.7. A plain `ask` would deny
/// every call where nobody sits in front of it.
pub(super) const GO_ON: &str = r#"{"decision":"allow"}"#;

/// What it makes of an exit code is not known.
pub(super) fn refusal(reason: &str) -> Answer {
    answer::json(&deny(reason))
}

pub(super) fn deny(reason: &str) -> Value {
    json!({"decision": "deny", "reason": never_blank(reason)})
}

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let parts = fitted.parts();
    let decided: Value = match (&fitted.event().kind, &parts.verdict) {
        (EventKind::ToolPre, FittedVerdict::Deny { reason }) => deny(reason),
        // A plain `ask` is answered by what the user has allowed for good before.
        (EventKind::ToolPre, FittedVerdict::Ask { prompt }) => {
            json!({"decision": "force_ask", "reason": prompt})
        }
        (EventKind::ToolPre, FittedVerdict::Silent | FittedVerdict::Allow { .. }) => {
            return answer::text(GO_ON.to_owned());
        }
        (_, _) => match said(parts.context.as_ref()) {
            Some(context) => json!({"injectSteps": [{"ephemeralMessage": context}]}),
            None => json!({}),
        },
    };
    answer::json(&decided)
}
