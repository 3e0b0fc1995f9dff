//! Describes records in words.

use tenter_protocol::v1::record::{RecordV1, RecordedDecision, RecordedEffect, RecordedHook};

use crate::listing::counted;
use crate::printer::Tone;

pub(crate) fn describe_reply(hook: &RecordedHook) -> String {
    if let Some(failure) = &hook.failure {
        return format!("it {}", failure.detail);
    }
    if let Some(why) = &hook.skipped {
        return format!("skipped: {why}");
    }
    if hook.background {
        return "started; it continues in the background".to_owned();
    }
    let verdict = hook.verdict.clone().unwrap_or_default();
    let verdict = match &hook.reason {
        Some(reason) => format!("{verdict}: {reason}"),
        None => verdict,
    };
    std::iter::once(verdict).chain(hook.effects.iter().map(describe_effect)).collect::<Vec<_>>().join("; ")
}

fn describe_effect(effect: &RecordedEffect) -> String {
    match effect.effect.as_str() {
        "inject" => {
            let role = effect.role.as_deref().map(|role| format!(" as {role}")).unwrap_or_default();
            let bytes = counted(effect.bytes.unwrap_or_default(), "byte");
            match &effect.status {
                Some(status) => format!("wants to inject {bytes}{role} ({status})"),
                None => format!("injects {bytes}{role}"),
            }
        }
        "rewrite" => {
            let change = effect.change.as_ref().map(|change| format!(": {change}")).unwrap_or_default();
            format!("rewrites {}{change}", effect.target.as_deref().unwrap_or("?"))
        }
        "tell" => format!("notifies the user \"{}\"", effect.text.as_deref().unwrap_or("")),
        other => other.replace('_', " "),
    }
}

pub(crate) fn describe_decision(record: &RecordV1, decision: &RecordedDecision) -> (Tone, String) {
    let by = decision.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let reason = decision.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    match decision.verdict.as_str() {
        "deny" => (Tone::Bad, format!("denied{by}{reason}")),
        "ask" => (Tone::Caution, format!("the user was asked{reason}")),
        "allow" => (Tone::Good, format!("allowed{by}{reason}")),
        _ if record.problem.is_some() => (
            Tone::Caution,
            "no hook could judge it, and none denies on failure: the agent continued".to_owned(),
        ),
        _ => (Tone::Good, "no hook objected".to_owned()),
    }
}

/// Shortens a long text; the record has all of it.
pub(crate) fn shortened(text: &str) -> String {
    match beginning(text) {
        None => text.to_owned(),
        Some(beginning) => format!("{beginning}… ({} bytes)", text.len()),
    }
}

/// `name` of `layer/name`.
pub(crate) fn bare(address: &str) -> &str {
    address.split_once('/').map_or(address, |(_, name)| name)
}

/// The beginning of a text that is too long for a line; `None` for a short text.
pub(crate) fn beginning(text: &str) -> Option<&str> {
    const LONGEST: usize = 300;
    text.char_indices().nth(LONGEST).map(|(end, _)| &text[..end])
}
