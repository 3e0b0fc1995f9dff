//! Uses the cached reply of a hook with `cache` again for the same event.
//!
//! "The same" is everything that the reply may depend on: the hook as it is written and the event that it receives,
//! without the ids that differ from call to call; or the key that the hook file names. Failures are not cached.

use std::time::Duration;

use tenter_contract::{
    Cache, Effect, Event, ExecutionMode, Handler, HookOutput, HookReport, HookSpec, Once, SessionClaim,
    Transcript,
};
use tenter_kernel::Invocation;
use tenter_kernel::matching::concerns;

use super::RunContext;
use crate::ActiveHooks;

/// A reply that is found while the process decides whether to become the full binary must still be valid when the hook
/// runs.
const EXPIRY_MARGIN: Duration = Duration::from_secs(2);

impl RunContext<'_> {
    /// Runs a hook, here or in the background, unless its reply is cached. `claim` is the claim for this run.
    pub(crate) fn execute_or_recall(
        self,
        invocation: &Invocation,
        event: &Event,
        claim: Option<&SessionClaim>,
    ) -> HookReport {
        let hook = &*invocation.hook;
        let key = self.key_of(hook, event);
        if let Some((cache, key)) = &key
            && let Some(reply) = self.runner.replies.find(key, cache.ttl, self.clock.now())
        {
            let transcript = Transcript { cached: true, ..Transcript::default() };
            return HookReport { output: HookOutput::Reply(reply), transcript };
        }
        let key = key.map(|(_, key)| key);
        if hook.execution_mode == ExecutionMode::Background {
            return self.execute_in_background(invocation, event, claim, key);
        }
        let report = self.execute(hook, event);
        if let (Some(key), HookOutput::Reply(reply)) = (&key, &report.output) {
            self.runner.replies.keep(key, reply, self.clock.now());
        }
        report
    }

    /// Whether all replies to this event are cached or fixed, so that no executor is needed. A rewrite would make
    /// another event, so there must be none.
    pub(crate) fn all_cached(self, hooks: &ActiveHooks, event: &Event) -> bool {
        hooks.for_event(event).filter(|hook| concerns(hook, event)).all(|hook| {
            is_fixed(hook)
                || (hook.once == Once::Unlimited && hook.every.is_none() && self.is_cached(hook, event))
        })
    }

    pub(crate) fn is_cached(self, hook: &HookSpec, event: &Event) -> bool {
        let Some((cache, key)) = self.key_of(hook, event) else { return false };
        let kept = self.runner.replies.find(&key, cache.ttl.saturating_sub(EXPIRY_MARGIN), self.clock.now());
        kept.is_some_and(|reply| !reply.effects.iter().any(|effect| matches!(effect, Effect::Rewrite(_))))
    }

    /// The key of a hook's reply; `None` if it is not cached, or if its files cannot be read.
    fn key_of<'h>(self, hook: &'h HookSpec, event: &Event) -> Option<(&'h Cache, String)> {
        let cache = hook.cache.as_ref().filter(|_| !is_fixed(hook))?;
        let files = if cache.files.is_empty() {
            String::new()
        } else {
            let root = event.project_root.as_deref().or(event.cwd.as_deref());
            self.facts.fingerprint(&cache.files, root)?
        };
        let depends_on = if cache.key.is_empty() {
            event_without_ids(event)
        } else {
            let parts: Result<Vec<String>, _> =
                cache.key.iter().map(|part| part.argument(event, None)).collect();
            format!("{:?}", parts.ok()?)
        };
        let hook = hook.definition_with_conditions();
        Some((cache, format!("{hook} {} {depends_on} {files}", event.kind)))
    }
}

/// The event as a hook receives it, without ids, times and the agent's own payload, which differ at every call.
fn event_without_ids(event: &Event) -> String {
    let mut seen = event.clone();
    seen.session = None;
    seen.parent = None;
    seen.at = tenter_contract::Timestamp::default();
    seen.turn = None;
    seen.turn_count = None;
    seen.duration_ms = None;
    drop(std::mem::take(&mut seen.raw));
    if let Some(tool) = &mut seen.tool {
        tool.call_id = None;
    }
    for run in &mut seen.previous {
        (run.transcript.began, run.transcript.took) = (None, Duration::ZERO);
    }
    format!("{seen:?}")
}

/// A fixed text needs no cache.
fn is_fixed(hook: &HookSpec) -> bool {
    matches!(hook.handler, Handler::Deny(_) | Handler::Ask(_) | Handler::Inject(_) | Handler::Message { .. })
}
