//! What the trail says about questions and standing answers, in words.

use tenter_contract::HumanAnswer;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::{RecordV1, RecordedDecision};

/// A record of a question or a standing answer, on one line; `None` if it is about something else.
pub(crate) fn told(record: &RecordV1) -> Option<String> {
    let hook = record.hook_name.as_deref().unwrap_or("?");
    if let Some(rule) = &record.rule {
        let stands = if record.event == "approval:rule_revoked" { "not any more" } else { "from now on" };
        return Some(format!("{} what {hook} asks about `{}`: {stands}", rule.policy, rule.pattern));
    }
    if let Some(grant) = &record.grant {
        return Some(format!("{hook} asks again in session {}", grant.session_id));
    }
    let approval = record.approval.as_ref()?;
    let asks = format!("{hook} asks \"{}\"", approval.prompt);
    Some(match (&approval.decision, approval.desk.as_str()) {
        (None, "host") => format!("{asks} → the agent's own prompt"),
        (None, desk) => format!("{asks} → {desk}"),
        (Some(decision), desk) => format!("{asks} → {decision} ({desk}{})", took(approval.ms)),
    })
}

/// A step of a question, for somebody who knows what was asked.
pub(crate) fn step(approval: &RecordedApproval) -> String {
    match (&approval.decision, approval.desk.as_str()) {
        (None, "host") => "asked at the agent's own prompt".to_owned(),
        (None, desk) => format!("asked at the desk `{desk}`"),
        // Why not is the reason of the deny that comes of it, which stands below.
        (Some(decision), _) if decision.starts_with(HumanAnswer::NO_DESK) => {
            "nobody could be asked".to_owned()
        }
        (Some(decision), _) => format!("{decision}{}", took(approval.ms)),
    }
}

/// What came of the question, unless the decision gives it as its reason.
pub(crate) fn answer(decision: &RecordedDecision) -> Option<&str> {
    let reason = decision.reason.as_deref().unwrap_or_default();
    let said = |why: &str| reason.contains(why);
    let answer = decision.answer.as_deref()?;
    (!answer.strip_prefix(HumanAnswer::NO_DESK).is_some_and(said)).then_some(answer)
}

/// The same as facts, each with its name.
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
        facts.push(("desk", approval.desk.clone()));
        facts.extend(approval.id.clone().map(|id| ("id", id)));
        facts.extend(approval.decision.clone().map(|decision| ("answer", decision)));
        facts.extend(approval.ms.map(|ms| ("after", format!("{ms} ms"))));
    } else if let Some(told) = told(record) {
        facts.push(("so", told));
    }
    facts
}

fn took(ms: Option<f64>) -> String {
    match ms {
        Some(ms) if ms >= 1000.0 => format!(", {:.1} s", ms / 1000.0),
        Some(_) | None => String::new(),
    }
}
