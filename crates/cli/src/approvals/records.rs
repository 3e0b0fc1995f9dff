//! Describes records of questions, grants and rules.

use tenter_contract::ApprovalAnswer;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::{RecordV1, RecordedDecision};

/// A record of a question, a grant or a rule on one line; `None` for other records.
pub(crate) fn summary(record: &RecordV1) -> Option<String> {
    let hook = record.hook_name.as_deref().unwrap_or("?");
    if let Some(rule) = &record.rule {
        let state = if record.event == "approval:rule_revoked" { "revoked" } else { "from now on" };
        return Some(format!("{} what {hook} asks about `{}`: {state}", rule.policy, rule.pattern));
    }
    if let Some(grant) = &record.grant {
        return Some(format!("{hook} asks again in session {}", grant.session_id));
    }
    let approval = record.approval.as_ref()?;
    let asks = format!("{hook} asks \"{}\"", approval.prompt);
    Some(match (&approval.decision, approval.approver.as_str()) {
        (None, "host") => format!("{asks} → the agent's own prompt"),
        (None, approver) => format!("{asks} → {approver}"),
        (Some(decision), approver) => format!("{asks} → {decision} ({approver}{})", took(approval.ms)),
    })
}

pub(crate) fn step(approval: &RecordedApproval) -> String {
    match (&approval.decision, approval.approver.as_str()) {
        (None, "host") => "asked at the agent's own prompt".to_owned(),
        (None, approver) => format!("asked at the approver `{approver}`"),
        // The deny below has the reason.
        (Some(decision), _) if decision.starts_with(ApprovalAnswer::NO_APPROVER) => {
            "no approver was available".to_owned()
        }
        (Some(decision), _) => format!("{decision}{}", took(approval.ms)),
    }
}

/// The answer to the question, unless the reason of the decision contains it.
pub(crate) fn answer(decision: &RecordedDecision) -> Option<&str> {
    let reason = decision.reason.as_deref().unwrap_or_default();
    let answer = decision.answer.as_deref()?;
    let why = answer.strip_prefix(ApprovalAnswer::NO_APPROVER);
    (!why.is_some_and(|why| reason.contains(why))).then_some(answer)
}

pub(crate) fn facts(record: &RecordV1) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(approval) = &record.approval {
        facts.push(("question", approval.prompt.clone()));
        let options = approval.options.iter().map(|option| match &option.grant {
            Some(grant) => format!("{} (grants: {grant})", option.label),
            None => option.label.clone(),
        });
        facts.push(("options", options.collect::<Vec<_>>().join(", ")));
        facts.push(("silence", format!("means {}", approval.default)));
        facts.push(("approver", approval.approver.clone()));
        facts.extend(approval.id.clone().map(|id| ("id", id)));
        facts.extend(approval.decision.clone().map(|decision| ("answer", decision)));
        facts.extend(approval.ms.map(|ms| ("after", format!("{ms} ms"))));
    } else if let Some(summary) = summary(record) {
        facts.push(("so", summary));
    }
    facts
}

fn took(ms: Option<f64>) -> String {
    match ms {
        Some(ms) if ms >= 1000.0 => format!(", {:.1} s", ms / 1000.0),
        Some(_) | None => String::new(),
    }
}
