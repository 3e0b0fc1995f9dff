//! An effect in a record: what a hook wanted, and why no model has read a text of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with_macros::skip_serializing_none;
use tenter_contract::{Degradation, Effect, InjectionStatus, Source};

use super::record::RecordedHook;
use crate::shorten;

/// An effect a hook wanted.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedEffect {
    /// `inject`, `rewrite`, `tell`, `suppress_output` or `stop_agent`.
    pub effect: String,
    /// Bytes of all of an injected text, made safe: those that `injection_size` counts if the agent received all of it,
    /// `whole_size` if not.
    pub bytes: Option<u64>,
    /// Role of an injected text.
    pub role: Option<String>,
    /// Why no model has read an injected text at this event: `rejected`, `left out`, `over budget`, `carried`, `unheard`
    /// or `not kept`; missing if one has.
    pub status: Option<String>,
    /// What was rewritten.
    pub target: Option<String>,
    /// What a rewrite changes: the keys it sets, `null` for those it removes, or the whole new value.
    pub change: Option<Value>,
    /// The message to the user, or why the agent's run ends.
    pub text: Option<String>,
    /// How loud.
    pub level: Option<String>,
}

/// What tenter reported to the user itself, unless it is among the problems. A hook that failed has a record of its own.
pub(super) fn notice((by, effect): &(Source, Effect), problems: &[String]) -> Option<String> {
    match effect {
        Effect::Notify(message) if *by == Source::Tenter => {
            let is_problem = problems.iter().any(|problem| message.text.contains(problem.as_str()));
            let is_failure = message.text.starts_with("hook `");
            (!is_problem && !is_failure).then(|| shorten::text(&message.text))
        }
        _ => None,
    }
}

/// Notes at the text of a hook why no model has read it.
#[inline(never)]
pub(super) fn mark_unread(hooks: &mut [RecordedHook], degraded: &Degradation) {
    let (by, bytes, status) = match degraded {
        Degradation::InjectionTooLarge { by, injection, .. } => {
            (Source::Hook(by.clone()), Some(injection.whole_bytes()), InjectionStatus::Rejected.as_str())
        }
        Degradation::Repeated { by, bytes, line: false } => {
            (by.clone(), Some(*bytes), InjectionStatus::LeftOut.as_str())
        }
        Degradation::OverBudget { by, .. } => (by.clone(), None, InjectionStatus::OverBudget.as_str()),
        Degradation::Deferred { by, bytes } => (by.clone(), Some(*bytes), InjectionStatus::Deferred.as_str()),
        Degradation::NoContextChannel { by, bytes } => {
            (by.clone(), Some(*bytes), InjectionStatus::Undelivered.as_str())
        }
        Degradation::NotKept { by, bytes, .. } => (by.clone(), Some(*bytes), "not kept"),
        _ => return,
    };
    let Source::Hook(by) = by else { return };
    let address = by.address();
    let texts = hooks.iter_mut().filter(|hook| hook.hook == address).flat_map(|hook| &mut hook.effects);
    let mut texts: Vec<&mut RecordedEffect> =
        texts.filter(|effect| effect.effect == "inject" && effect.status.is_none()).collect();
    // What was framed or made safe may have another length.
    let same = texts.iter().position(|effect| effect.bytes == bytes.map(|bytes| bytes as u64));
    if let Some(at) = same.or(texts.len().checked_sub(1)) {
        texts[at].status = Some(status.to_owned());
    }
}
