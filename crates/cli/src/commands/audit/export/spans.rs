//! Records as spans, in the JSON form of OTLP: ids in hex, times in nanoseconds and whole numbers as strings. Prompts,
//! inputs, results and injected texts are not exported.

use serde_json::{Value, json};
use tenter_contract::Timestamp;
use tenter_protocol::shorten::sha256_hex;
use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};

/// Longer texts are cut; the record has the full text.
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

/// The spans of an event and its hooks, or of a background hook; none for other records.
pub(crate) fn from_record(record: &RecordV1) -> Vec<Value> {
    let Some(at) = Timestamp::parse(&record.timestamp) else { return Vec::new() };
    if let (Some(started), Some(hook)) = (&record.started_at, record.hooks.first()) {
        let started = Timestamp::parse(started).unwrap_or(at);
        let mut span = hook_span(record, hook, started, 0);
        span["spanId"] = json!(span_id(record));
        span["endTimeUnixNano"] = json!(nanoseconds(at, 0.0));
        if let Some(span) = span.as_object_mut() {
            span.remove("parentSpanId");
        }
        return vec![span];
    }
    if record.decision.is_none() {
        return Vec::new();
    }
    let hooks = record.hooks.iter().enumerate().map(|(place, hook)| hook_span(record, hook, at, place));
    std::iter::once(event_span(record, at)).chain(hooks).collect()
}

fn event_span(record: &RecordV1, at: Timestamp) -> Value {
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
        "traceId": trace_id(record),
        "spanId": span_id(record),
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

fn hook_span(record: &RecordV1, hook: &RecordedHook, at: Timestamp, place: usize) -> Value {
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
    #[expect(clippy::cast_precision_loss, reason = "a hook is asked within hours, not ages")]
    let start = hook.start_ms as f64;
    let mut span = json!({
        "traceId": trace_id(record),
        "spanId": hook_span_id(record, place),
        "parentSpanId": span_id(record),
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

/// Nanoseconds since 1970, as a string.
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

    /// Whole numbers are strings, because JSON does not guarantee 64 bits.
    fn number(&mut self, key: &str, number: Option<impl ToString>) {
        if let Some(number) = number {
            self.0.push(json!({"key": key, "value": {"intValue": number.to_string()}}));
        }
    }

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

/// Ids derive from the record, so that a second export gives the same span. One trace per session, and one per record without a session.
fn trace_id(record: &RecordV1) -> String {
    if record.session_id.is_empty() {
        return digits(32, &format!("tenter record {} {}", record.seq, record.prev));
    }
    digits(32, &format!("tenter session {}", record.session_id))
}

/// A quarantined trail may have the same number, but not the same link.
fn span_id(record: &RecordV1) -> String {
    digits(16, &format!("tenter span {} {}", record.seq, record.prev))
}

fn hook_span_id(record: &RecordV1, place: usize) -> String {
    digits(16, &format!("tenter span {} {} hook {place}", record.seq, record.prev))
}

fn digits(count: usize, what: &str) -> String {
    sha256_hex(what.as_bytes()).chars().take(count).collect()
}
