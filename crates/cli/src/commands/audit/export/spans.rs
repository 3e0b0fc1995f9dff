//! Records as spans, in the JSON form of OTLP: ids in hex, times in nanoseconds and whole numbers as strings.
//!
//! What was asked of hooks and what came of it is exported; what was in it (prompts, inputs, results, injected texts) is
//! not.

use serde_json::{Value, json};
use tenter_contract::Timestamp;
use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};

use crate::commands::audit::export::ids;

/// Longer texts are cut: an attribute is for looking at, and the record has the whole.
const LONGEST: usize = 1024;
/// `SPAN_KIND_INTERNAL`
const INTERNAL: u8 = 1;
/// `STATUS_CODE_ERROR`
const ERROR: u8 = 2;

pub(crate) fn request(spans: &[Value]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let service = std::env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty());
    let mut resource = Attributes::default();
    resource.text("service.name", service.as_deref().unwrap_or("tenter"));
    resource.text("service.version", version);
    json!({
        "resourceSpans": [{
            "resource": {"attributes": resource.0},
            "scopeSpans": [{"scope": {"name": "tenter", "version": version}, "spans": spans}],
        }],
    })
}

/// The span of an event and those of its hooks; that of a hook that ran in the background; nothing for other records.
pub(crate) fn of(record: &RecordV1) -> Vec<Value> {
    let Some(at) = Timestamp::parse(&record.timestamp) else { return Vec::new() };
    if let (Some(started), Some(hook)) = (&record.started_at, record.hooks.first()) {
        let started = Timestamp::parse(started).unwrap_or(at);
        let mut span = of_hook(record, hook, started, 0);
        span["spanId"] = json!(ids::span(record));
        span["endTimeUnixNano"] = json!(nanoseconds(at, 0.0));
        if let Some(span) = span.as_object_mut() {
            span.remove("parentSpanId");
        }
        return vec![span];
    }
    if record.decision.is_none() {
        return Vec::new();
    }
    let hooks = record.hooks.iter().enumerate().map(|(place, hook)| of_hook(record, hook, at, place));
    std::iter::once(of_event(record, at)).chain(hooks).collect()
}

fn of_event(record: &RecordV1, at: Timestamp) -> Value {
    let mut attributes = Attributes::default();
    attributes.about(record);
    attributes.optional("tenter.turn", record.turn.as_deref());
    attributes.optional("tenter.project", record.project_root.as_deref());
    attributes.optional("tenter.source", record.source.as_deref());
    if let Some(tool) = &record.tool {
        attributes.text("gen_ai.tool.name", &tool.name);
        attributes.optional("gen_ai.tool.call.id", tool.call_id.as_deref());
        attributes.optional("tenter.tool.native_name", tool.native_name.as_deref());
        attributes.number("tenter.tool.exit_code", tool.exit_code);
    }
    if let Some(decision) = &record.decision {
        attributes.text("tenter.decision", &decision.verdict);
        attributes.optional("tenter.decided_by", decision.by.as_deref());
        attributes.optional("tenter.reason", decision.reason.as_deref());
        attributes.optional("tenter.answer", decision.answer.as_deref());
    }
    attributes.list("tenter.degraded", &record.degraded);
    attributes.list("tenter.problems", &record.problems);
    let name = record.tool.as_ref().map(|tool| format!(" {}", tool.name)).unwrap_or_default();
    let mut span = json!({
        "traceId": ids::trace(record),
        "spanId": ids::span(record),
        "name": format!("{}{name}", record.event),
        "kind": INTERNAL,
        "startTimeUnixNano": nanoseconds(at, 0.0),
        "endTimeUnixNano": nanoseconds(at, record.took_ms.unwrap_or_default()),
        "attributes": attributes.0,
    });
    if let Some(problem) = &record.problem {
        span["status"] = json!({"code": ERROR, "message": cut(problem)});
    }
    span
}

fn of_hook(record: &RecordV1, hook: &RecordedHook, at: Timestamp, place: usize) -> Value {
    let mut attributes = Attributes::default();
    attributes.about(record);
    attributes.text("tenter.hook", &hook.hook);
    attributes.optional("tenter.verdict", hook.verdict.as_deref());
    attributes.optional("tenter.reason", hook.reason.as_deref());
    attributes.optional("tenter.skipped", hook.skipped.as_deref());
    attributes.flag("tenter.rejudge", hook.rejudge);
    attributes.flag("tenter.background", hook.background);
    attributes.flag("tenter.cached", hook.cache.is_some());
    attributes.number("tenter.exit_code", hook.exit_code);
    attributes.number("tenter.bytes", Some(hook.bytes).filter(|bytes| *bytes > 0));
    let effect = |effect: &RecordedEffect| effect.effect.clone();
    attributes.list("tenter.effects", &hook.effects.iter().map(effect).collect::<Vec<_>>());
    let injected: u64 = hook.effects.iter().filter_map(|effect| effect.bytes).sum();
    attributes.number("tenter.injected_bytes", Some(injected).filter(|bytes| *bytes > 0));
    attributes.optional("tenter.failure", hook.failure.as_ref().map(|failure| failure.class.as_str()));
    let name = hook.hook.split_once('/').map_or(hook.hook.as_str(), |(_, name)| name);
    // The clock of a record counts milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "a hook is asked within hours, not ages")]
    let start = hook.start_ms as f64;
    let mut span = json!({
        "traceId": ids::trace(record),
        "spanId": ids::of_hook(record, place),
        "parentSpanId": ids::span(record),
        "name": format!("hook {name}"),
        "kind": INTERNAL,
        "startTimeUnixNano": nanoseconds(at, start),
        "endTimeUnixNano": nanoseconds(at, start + hook.ms),
        "attributes": attributes.0,
    });
    if let Some(failure) = &hook.failure {
        span["status"] = json!({"code": ERROR, "message": cut(&failure.detail)});
    }
    span
}

/// Nanoseconds since 1970, some milliseconds after a moment, as a string.
fn nanoseconds(at: Timestamp, after_ms: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a time and not negative"
    )]
    let after = (after_ms.max(0.0) * 1_000_000.0).round() as u128;
    (u128::from(at.unix_ms) * 1_000_000 + after).to_string()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Attributes in the form of OTLP.
#[derive(Default)]
struct Attributes(Vec<Value>);

impl Attributes {
    fn about(&mut self, record: &RecordV1) {
        self.optional("session.id", Some(record.session_id.as_str()).filter(|id| !id.is_empty()));
        self.text("tenter.agent", &record.agent);
        self.optional("tenter.agent_id", record.agent_id.as_deref());
        self.text("tenter.event", record.hook_event.as_ref().unwrap_or(&record.event));
        self.number("tenter.seq", Some(record.seq));
    }

    fn text(&mut self, key: &str, text: &str) {
        self.0.push(json!({"key": key, "value": {"stringValue": cut(text)}}));
    }

    fn optional(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// Whole numbers have 64 bits, which JSON does not promise: they are strings.
    fn number(&mut self, key: &str, number: Option<impl ToString>) {
        if let Some(number) = number {
            self.0.push(json!({"key": key, "value": {"intValue": number.to_string()}}));
        }
    }

    /// Only if it is so.
    fn flag(&mut self, key: &str, is: bool) {
        if is {
            self.0.push(json!({"key": key, "value": {"boolValue": true}}));
        }
    }

    fn list(&mut self, key: &str, texts: &[String]) {
        if !texts.is_empty() {
            let values: Vec<Value> = texts.iter().map(|text| json!({"stringValue": cut(text)})).collect();
            self.0.push(json!({"key": key, "value": {"arrayValue": {"values": values}}}));
        }
    }
}
