//! Hooks with `cache`: what one said about the same event a while ago, it need not be asked again.
//!
//! "The same" is everything that the answer may depend on: the hook as it is written and what it is told of the
//! event, short of the ids that differ from call to call; or what the hook file names in its place. Only replies
//! are kept, never failures.

use std::time::Duration;

use tenter_contract::{Cache, Company, Effect, Event, Handler, HookReport, HookSpec, Once, Said, Transcript};
use tenter_kernel::Invocation;
use tenter_kernel::matching::concerns;

use crate::{InForce, Runtime};

/// What is found before a process decides to stay small must still be there when the hook is asked.
const SAFE: Duration = Duration::from_secs(2);

impl Runtime {
    /// Runs a hook, here or in the background, unless what it would say is known. `claim` is what was claimed
    /// for this run.
    pub(crate) fn execute_or_recall(
        &self,
        asked: &Invocation,
        event: &Event,
        claim: Option<&str>,
    ) -> HookReport {
        let hook = &*asked.hook;
        let key = self.key_of(hook, event);
        if let Some((cache, key)) = &key
            && let Some(reply) = self.replies.find(key, cache.ttl, self.clock.now())
        {
            let transcript = Transcript { cached: true, ..Transcript::default() };
            return HookReport { said: Said::Reply(reply), transcript };
        }
        let key = key.map(|(_, key)| key);
        if hook.company == Company::Background {
            return self.execute_in_background(asked, event, claim, key);
        }
        let report = self.execute(hook, event);
        if let (Some(key), Said::Reply(reply)) = (&key, &report.said) {
            self.replies.keep(key, reply, self.clock.now());
        }
        report
    }

    /// Whether nothing but what is kept, and fixed texts, will be said about this event: then no executor is
    /// needed. A rewrite would bring about another event, so there must be none.
    pub(crate) fn all_is_known(&self, hooks: &InForce, event: &Event) -> bool {
        hooks.of_kind(event).filter(|hook| concerns(hook, event)).all(|hook| {
            is_fixed(hook)
                || (hook.once == Once::Unlimited && hook.every.is_none() && self.is_kept(hook, event))
        })
    }

    pub(crate) fn is_kept(&self, hook: &HookSpec, event: &Event) -> bool {
        let Some((cache, key)) = self.key_of(hook, event) else { return false };
        let kept = self.replies.find(&key, cache.ttl.saturating_sub(SAFE), self.clock.now());
        kept.is_some_and(|reply| !reply.effects.iter().any(|effect| matches!(effect, Effect::Rewrite(_))))
    }

    /// The key of a hook's answer; none if it is not to be kept, or if nobody can say what it depends on.
    fn key_of<'h>(&self, hook: &'h HookSpec, event: &Event) -> Option<(&'h Cache, String)> {
        let cache = hook.cache.as_ref().filter(|_| !is_fixed(hook))?;
        let files = if cache.files.is_empty() {
            String::new()
        } else {
            let root = event.project_root.as_deref().or(event.cwd.as_deref());
            self.facts.fingerprint(&cache.files, root)?
        };
        let depends_on = if cache.key.is_empty() {
            everything(event)
        } else {
            let parts: Result<Vec<String>, _> =
                cache.key.iter().map(|part| part.argument(event, None)).collect();
            format!("{:?}", parts.ok()?)
        };
        Some((cache, format!("{hook:?} {:?} {depends_on} {files}", event.kind)))
    }
}

/// All that a hook is told, but for what is another text at every call: ids, times, the agent's own payload.
fn everything(event: &Event) -> String {
    let mut told = event.clone();
    told.session = tenter_contract::SessionId::unknown();
    told.parent = None;
    told.at = tenter_contract::Timestamp::default();
    told.turn = None;
    told.turn_count = None;
    told.duration_ms = None;
    drop(std::mem::take(&mut told.raw));
    if let Some(tool) = &mut told.tool {
        tool.call_id = None;
    }
    for run in &mut told.previous {
        run.transcript.took = Duration::ZERO;
    }
    format!("{told:?}")
}

/// A text costs nothing to say again.
fn is_fixed(hook: &HookSpec) -> bool {
    matches!(hook.handler, Handler::Deny(_) | Handler::Ask(_) | Handler::Inject(_) | Handler::Message { .. })
}
