//! One call may reach us by several routes: entries in two settings files, or an agent that reads the files of
//! another. Its hooks are asked once, and every delivery is answered with what they said.
//!
//! Only a call that has an id and concerns a hook is looked up, so an event that matches nothing pays nothing.
//! Whatever goes wrong with the lookup, the hooks are asked: twice is better than never.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Delivery, ShelfError};
use tenter_contract::{Abilities, Event, EventKind, Outcome, SessionId};
use tenter_kernel::matching::concerns;
use tenter_kernel::{Step, begin, ruled, ruling};

use crate::{InForce, Runtime};

/// How long one waits for another delivery if the command names no time: as long as agents do. The agent that
/// waits for us waits for the other as well.
const PATIENCE: Duration = Duration::from_mins(10);

impl Runtime {
    /// Asks the hooks that are concerned, unless that was done at another delivery of the same call.
    ///
    /// If the time is up while somebody else is at it, the hooks are run all the same; none of them gets any
    /// time, so each fails as its `on_failure` says, and a guard is not silently off.
    pub(crate) fn decide_once(
        &self,
        event: Event,
        hooks: &InForce,
        abilities: &Abilities,
        trouble: &mut Option<ShelfError>,
    ) -> Outcome {
        let event = Arc::new(event);
        if event.kind == EventKind::SessionEnd
            && let Some(outcome) = self.leave_to_background(&event, hooks)
        {
            return outcome;
        }
        let step = begin(event, &hooks.registry, abilities);
        let Step::RunHooks { event, .. } = &step else { return self.take(step, hooks) };
        let Some(call) = self.identity(event, hooks) else { return self.take(step, hooks) };
        let until = self.until.unwrap_or_else(|| Instant::now() + PATIENCE);
        match self.sessions.deliver(&event.session, &call, until) {
            Ok(Delivery::Again(ruling)) => ruled(Arc::clone(event), ruling),
            Ok(Delivery::Unsettled) => self.take(step, hooks),
            Ok(Delivery::First(docket)) => {
                let outcome = self.take(step, hooks);
                if let Err(error) = docket.publish(&ruling(&outcome)) {
                    trouble.get_or_insert(error);
                }
                outcome
            }
            Err(error) => {
                trouble.get_or_insert(error);
                self.take(step, hooks)
            }
        }
    }

    /// Everything that makes two deliveries one call: not its id alone, so that no ruling is ever applied to
    /// another input, another result, or under other hooks. Payloads without a session share one, where ids of
    /// strangers might meet; and what a hook hands on to us is not what it was handed, or both would wait for
    /// each other.
    #[inline(never)]
    fn identity(&self, event: &Event, hooks: &InForce) -> Option<String> {
        let Event { kind, session, agent, agent_id, cwd, project_root, tool, error, facts, .. } = event;
        tool.as_ref()?.call_id.as_ref().filter(|_| *session != SessionId::unknown())?;
        // What those that judge it do; of those that might after a rewrite, where they stand.
        let judges = hooks.of_kind(event).filter(|hook| concerns(hook, event));
        let judges: Vec<_> = judges.map(|hook| (&hook.handler, hook.on_failure)).collect();
        let others: Vec<_> =
            hooks.of_kind(event).map(|hook| (&hook.source.file, hook.source.line, &hook.id.name)).collect();
        let inside = &self.inside;
        Some(format!(
            "{agent} {kind} {agent_id:?} {cwd:?} {project_root:?} {tool:?} {error:?} {facts:?} {judges:?} {others:?} {inside:?}"
        ))
    }
}
