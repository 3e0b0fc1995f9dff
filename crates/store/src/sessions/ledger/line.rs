//! A line of the ledger.

use serde::{Deserialize, Serialize};
use tenter_contract::{LedgerEntry, Moment, Source};

use super::page::digest_of;
use crate::hex;

/// One injected text and its status. Fields of later versions are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerLine {
    /// Version of this form: 1.
    pub v: u8,
    /// When, in RFC 3339.
    pub timestamp: String,
    /// The turn: the agent's own id, or a number that tenter counts.
    pub turn: String,
    /// The context of the session: 0, and one more after each compaction and clear.
    pub context: u64,
    /// The sub-agent of the context, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The event.
    pub event: String,
    /// The author: `layer/name` of a hook, or `tenter`.
    pub hook: String,
    /// The role it has in the context.
    pub role: String,
    /// The requested role, if the agent has no channel for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_role: Option<String>,
    /// `auto`, `tool_result` or `user_message`.
    pub strategy: String,
    /// Only for the next model call.
    pub ephemeral: bool,
    /// The budget: `hooks` or `memory`.
    pub category: String,
    /// The status, as `InjectionStatus` spells it: `given`, `one line`, `left out`, …
    pub status: String,
    /// The bytes that its hook wanted to inject.
    pub said: u64,
    /// The bytes that the agent received.
    pub bytes: u64,
    /// Their estimated tokens.
    pub tokens: u64,
    /// SHA-256 of the key of the text, or of its content, in hex. Texts with the same hash count as the same.
    pub sha256: String,
    /// Its key, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The file with all of it, if the agent received only the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl LedgerLine {
    pub(super) fn new(entry: &LedgerEntry, moment: &Moment) -> Self {
        let LedgerEntry { by, injection, role, category, status, bytes, tokens, spilled } = entry;
        Self {
            v: 1,
            timestamp: moment.at.to_string(),
            turn: moment.turn.clone(),
            context: moment.context.generation,
            agent_id: moment.context.agent_id.clone(),
            event: moment.event.to_string(),
            hook: address(by),
            role: role.as_str().to_owned(),
            requested_role: (injection.role != *role).then(|| injection.role.as_str().to_owned()),
            strategy: injection.strategy.as_str().to_owned(),
            ephemeral: injection.ephemeral,
            category: category.as_str().to_owned(),
            status: status.as_str().to_owned(),
            said: injection.whole_bytes() as u64,
            bytes: *bytes as u64,
            tokens: *tokens,
            sha256: hex::encode(&digest_of(injection)),
            key: injection.key.clone(),
            path: injection.form.path().map(str::to_owned).or_else(|| spilled.clone()),
        }
    }
}

/// The unique name of an author.
pub(super) fn address(by: &Source) -> String {
    match by {
        Source::Hook(hook) => hook.address(),
        Source::Approver | Source::Tenter => by.to_string(),
    }
}
