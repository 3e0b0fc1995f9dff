//! Entries and memories as clients see them; keys are those of the origin's tools.

use serde_json::{Value, json};
use tenter_ghap::Entry;

use crate::questions::{ExperienceHit, Kept, MemoryHit, MemoryItem, Resolved};

/// An entry that is being worked on.
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

/// An entry that is done with, with what was learned. What is not there is left out.
pub(super) fn experience(entry: &Entry) -> Value {
    let mut shown = active(entry);
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
            shown[key] = value;
        }
    }
    shown
}

/// An experience that was found.
pub(super) fn experience_hit(hit: &ExperienceHit) -> Value {
    let mut shown = experience(&hit.entry);
    shown["axis"] = json!(hit.axis);
    shown["score"] = rounded(hit.fit.score);
    shown["relevance"] = rounded(hit.fit.relevance);
    shown
}

pub(super) fn memory(memory: &MemoryItem) -> Value {
    json!(memory)
}

/// A memory that was found.
pub(super) fn memory_hit(hit: &MemoryHit) -> Value {
    let mut shown = memory(&hit.memory);
    shown["score"] = rounded(hit.fit.score);
    shown["relevance"] = rounded(hit.fit.relevance);
    shown
}

/// An entry that was just resolved or abandoned, and where it went.
pub(super) fn resolved(resolved: &Resolved) -> Value {
    let entry = &resolved.entry;
    let mut shown = json!({
        "id": entry.id,
        "status": entry.status(),
        "confidence_tier": entry.confidence_tier,
        "resolved_at": entry.outcome.as_ref().map(|outcome| outcome.captured_at.to_string()),
        "stored": resolved.kept == Kept::Stored,
    });
    if let Some(remark) = entry.remark() {
        shown["remark"] = json!(remark);
    }
    if let Kept::Waiting { why } = &resolved.kept {
        shown["waiting"] = json!(format!("it is safe and will be stored later: {why}"));
    }
    shown
}

/// Three digits say enough, and cost a model less.
fn rounded(number: f32) -> Value {
    json!((f64::from(number) * 1000.0).round() / 1000.0)
}
