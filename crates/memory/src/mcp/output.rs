//! Entries and memories as clients see them; keys are those of the origin's tools.

use serde_json::{Value, json};
use tenter_ghap::Entry;

use crate::types::{ExperienceHit, MemoryHit, MemoryItem, Resolved, StoreStatus};

pub(super) fn active(entry: &Entry) -> Value {
    json!({
        "id": entry.id,
        "session_id": entry.session_id,
        "domain": entry.domain,
        "strategy": entry.strategy,
        "goal": entry.goal,
        "hypothesis": entry.hypothesis,
        "action": entry.action,
        "prediction": entry.prediction,
        "iteration_count": entry.iteration_count,
        "created_at": entry.created_at.to_string(),
    })
}

pub(super) fn experience(entry: &Entry) -> Value {
    let mut output = active(entry);
    let fields = [
        ("outcome_status", entry.outcome.as_ref().map(|outcome| json!(outcome.status))),
        ("outcome_result", entry.outcome.as_ref().map(|outcome| json!(outcome.result))),
        ("captured_at", entry.outcome.as_ref().map(|outcome| json!(outcome.captured_at.to_string()))),
        ("auto_captured", entry.outcome.as_ref().map(|outcome| json!(outcome.auto_captured))),
        ("confidence_tier", entry.confidence_tier.map(|tier| json!(tier))),
        ("surprise", entry.surprise.as_ref().map(|text| json!(text))),
        ("root_cause", entry.root_cause.as_ref().map(|cause| json!(cause))),
        ("lesson", entry.lesson.as_ref().map(|lesson| json!(lesson))),
        ("notes", (!entry.notes.is_empty()).then(|| json!(entry.notes))),
        ("project", entry.project.as_ref().map(|project| json!(project))),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            output[key] = value;
        }
    }
    output
}

pub(super) fn experience_hit(hit: &ExperienceHit) -> Value {
    let mut output = experience(&hit.entry);
    output["axis"] = json!(hit.axis);
    output["score"] = rounded(hit.fit.score);
    output["relevance"] = rounded(hit.fit.relevance);
    output
}

pub(super) fn memory(memory: &MemoryItem) -> Value {
    json!(memory)
}

pub(super) fn memory_hit(hit: &MemoryHit) -> Value {
    let mut output = memory(&hit.memory);
    output["score"] = rounded(hit.fit.score);
    output["relevance"] = rounded(hit.fit.relevance);
    output
}

/// An entry that was just resolved or abandoned, and where it went.
pub(super) fn resolved(resolved: &Resolved) -> Value {
    let entry = &resolved.entry;
    let mut output = json!({
        "id": entry.id,
        "status": entry.status(),
        "confidence_tier": entry.confidence_tier,
        "resolved_at": entry.outcome.as_ref().map(|outcome| outcome.captured_at.to_string()),
        "stored": resolved.store_status == StoreStatus::Stored,
    });
    if let Some(remark) = entry.remark() {
        output["remark"] = json!(remark);
    }
    if let StoreStatus::Waiting { why } = &resolved.store_status {
        output["waiting"] = json!(format!("it is safe and will be stored later: {why}"));
    }
    output
}

fn rounded(number: f32) -> Value {
    json!((f64::from(number) * 1000.0).round() / 1000.0)
}
