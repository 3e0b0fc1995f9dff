//! Describes the texts that reached the agent at an event.

use tenter_protocol::v1::record::RecordV1;

use crate::commands::explain::Evidence;
use crate::listing::counted;
use crate::trail::words::{bare, beginning};

/// Describes a text: its size, status, record and beginning.
pub(crate) fn in_words(record: &RecordV1) -> String {
    let text = record.content.as_deref().unwrap_or_default().trim_end();
    let (text, more) = beginning(text).map_or((text, ""), |beginning| (beginning, "…"));
    format!("{} (record {}): {text}{more}", amount(record), record.seq)
}

pub(crate) fn facts(record: &RecordV1) -> Vec<(&'static str, String)> {
    let Some(injection) = &record.injection else { return Vec::new() };
    let tokens = record.tokens.map(|tokens| format!(", about {}", counted(tokens, "token")));
    let role = injection.requested_role.clone().or_else(|| record.injection_role.clone());
    let mut facts = vec![("received", format!("{}{}", amount(record), tokens.unwrap_or_default()))];
    facts.extend(role.map(|role| ("wanted as", role)));
    facts.extend(injection.path.clone().map(|path| ("all of it", format!("is in {path}"))));
    facts
}

fn amount(record: &RecordV1) -> String {
    let bytes = record.injection_size.unwrap_or_default();
    let injection = record.injection.as_ref();
    let size = match injection.and_then(|it| it.whole_size).filter(|whole| *whole != bytes) {
        Some(whole) => format!("{bytes} of {}", counted(whole, "byte")),
        None => counted(bytes, "byte"),
    };
    let status = injection.map(|it| it.status.as_str()).filter(|status| *status != "delivered");
    let status = status.map(|status| format!(", {status}")).unwrap_or_default();
    format!("{size}{status}")
}

/// Texts of hooks that did not reply at this event, by hook: deferred texts and those of background hooks.
pub(crate) fn of_others(evidence: &Evidence) -> Vec<(&str, String)> {
    let hooks = &evidence.record.hooks;
    let of_one_here = |record: &&RecordV1| {
        let name = record.hook_name.as_deref();
        let by_name = hooks.iter().filter(|hook| Some(bare(&hook.hook)) == name);
        by_name.flat_map(|hook| evidence.injections(hook)).any(|(seq, _)| seq == record.seq)
    };
    let arrived = evidence.related.iter().filter(|record| record.event == "hook:context_injection");
    arrived
        .filter(|record| !of_one_here(record))
        .map(|record| (record.hook_name.as_deref().unwrap_or("?"), in_words(record)))
        .collect()
}
