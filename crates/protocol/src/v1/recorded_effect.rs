//! An effect in a record: what a hook wanted, and why no model has read a text of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenter_contract::{Effect, Fate, Source, Unfit};

use super::record::RecordedHook;
use crate::shorten;

/// An effect a hook wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedEffect {
    /// `inject`, `rewrite`, `tell`, `suppress_output` or `stop_agent`.
    pub effect: String,
    /// Bytes of all of an injected text, made safe: those that `injection_size` counts if the agent received all of it,
    /// `whole_size` if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Role of an injected text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Why no model has read an injected text at this event: `rejected`, `left out`, `over budget`, `carried`, `unheard`
    /// or `not kept`; missing if one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<String>,
    /// What was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What a rewrite changes: the keys it sets, `null` for those it removes, or the whole new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Value>,
    /// The message to the user, or why the agent's run ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How loud.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// What tenter told the user itself, unless it stands among the problems. A hook that failed has a record of its own.
pub(super) fn notice((by, effect): &(Source, Effect), problems: &[String]) -> Option<String> {
    match effect {
        Effect::Tell(message) if *by == Source::Tenter => {
            let is_problem = problems.iter().any(|problem| message.text.contains(problem.as_str()));
            let is_failure = message.text.starts_with("hook `");
            (!is_problem && !is_failure).then(|| shorten::text(&message.text))
        }
        _ => None,
    }
}

/// Notes at the text of a hook why no model has read it.
#[inline(never)]
pub(super) fn mark_unread(hooks: &mut [RecordedHook], unfit: &Unfit) {
    let (by, bytes, fate) = match unfit {
        Unfit::InjectionTooLarge { by, injection, .. } => {
            (Source::Hook(by.clone()), Some(injection.whole_bytes()), Fate::Rejected.as_str())
        }
        Unfit::Repeated { by, bytes, line: false } => (by.clone(), Some(*bytes), Fate::LeftOut.as_str()),
        Unfit::OverBudget { by, .. } => (by.clone(), None, Fate::OverBudget.as_str()),
        Unfit::Carried { by, bytes } => (by.clone(), Some(*bytes), Fate::Carried.as_str()),
        Unfit::NoContextChannel { by, bytes } => (by.clone(), Some(*bytes), Fate::Unheard.as_str()),
        Unfit::NotKept { by, bytes, .. } => (by.clone(), Some(*bytes), "not kept"),
        _ => return,
    };
    let Source::Hook(by) = by else { return };
    let address = by.address();
    let texts = hooks.iter_mut().filter(|hook| hook.hook == address).flat_map(|hook| &mut hook.effects);
    let mut texts: Vec<&mut RecordedEffect> =
        texts.filter(|effect| effect.effect == "inject" && effect.fate.is_none()).collect();
    // What was framed or made safe may have another length.
    let same = texts.iter().position(|effect| effect.bytes == bytes.map(|bytes| bytes as u64));
    if let Some(at) = same.or(texts.len().checked_sub(1)) {
        texts[at].fate = Some(fate.to_owned());
    }
}
