//! The agent's time. It waits so long for us and then goes on as if we had said nothing, so we are done
//! before that, with whatever the hooks that had time have said.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookFailure, HookOutput, HookReport, HookSpec};

use crate::Host;

impl Host {
    /// Lets no hook run into the time at which the agent gives up on us, counted from the start of the call.
    #[must_use]
    pub fn within(mut self, agents_patience: Duration) -> Self {
        let ours = agents_patience.saturating_sub(reserve(agents_patience));
        // A patience that no clock can count is one that nobody can wear out.
        let Some(until) = self.started.checked_add(ours) else { return self };
        let timed = |inner| Box::new(Timed { inner, until, agents_patience }) as Box<dyn HookExecutor>;
        self.runtime.deadline = Some(until);
        self.runtime.runner.executors = self.runtime.runner.executors.into_iter().map(timed).collect();
        self
    }
}

/// What we keep for ending a hook, recording and answering: a second, or half of very little.
fn reserve(agents_patience: Duration) -> Duration {
    Duration::from_secs(1).min(agents_patience / 2)
}

/// An executor that knows when it must be done.
struct Timed {
    inner: Box<dyn HookExecutor>,
    until: Instant,
    agents_patience: Duration,
}

impl HookExecutor for Timed {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.inner.runs(hook)
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        self.inner.runs_at(hook, event)
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let left = self.until.saturating_duration_since(Instant::now());
        // What is fixed takes no time, so it is never too late for it.
        if left.is_zero() && !hook.handler.is_fixed() {
            let within = self.agents_patience;
            return HookReport::new(HookOutput::Failure(HookFailure::NotReached { within }));
        }
        if hook.timeout <= left || left.is_zero() {
            return self.inner.run(hook, event);
        }
        self.inner.run(&HookSpec { timeout: left, ..hook.clone() }, event)
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.inner.set_stop_flag(stop);
    }

    fn end_event(&self) {
        self.inner.end_event();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{AgentName, EventKind, Handler, HookId, Layer, Timestamp};
    use tenter_runtime::kit::FunctionExecutor;

    fn run(left: Duration, timeout: Duration) -> HookOutput {
        let inner = FunctionExecutor(|hook: &HookSpec, _: &Event| {
            HookReport::new(HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }))
        });
        let agents_patience = Duration::from_mins(1);
        let timed = Timed { inner: Box::new(inner), until: Instant::now() + left, agents_patience };
        let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::InProcess);
        hook.timeout = timeout;
        let agent = AgentName::from_static("claude");
        timed.run(&hook, &Event::new(EventKind::ToolPre, agent, None, Timestamp::default())).output
    }

    #[test]
    fn a_hook_gets_its_own_time_or_what_is_left_of_the_agents() {
        let given = |said| match said {
            HookOutput::Failure(HookFailure::TimedOut { after }) => after,
            other => panic!("{other:?}"),
        };
        let (second, hour) = (Duration::from_secs(1), Duration::from_hours(1));
        assert_eq!(given(run(hour, second)), second);
        assert!(given(run(second, hour)) <= second);
    }

    #[test]
    fn a_hook_that_is_not_reached_in_time_fails_as_timed_out() {
        let said = run(Duration::ZERO, Duration::from_secs(1));
        assert_eq!(said, HookOutput::Failure(HookFailure::NotReached { within: Duration::from_mins(1) }));
    }

    #[test]
    fn what_is_fixed_is_said_however_late_it_is() {
        let agents_patience = Duration::from_mins(1);
        let until = Instant::now();
        let timed = Timed { inner: Box::new(tenter_executors::FixedExecutor), until, agents_patience };
        let deny = Handler::Deny(tenter_contract::Template::parse("no").unwrap());
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, deny);
        let agent = AgentName::from_static("claude");
        let event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
        let HookOutput::Reply(reply) = timed.run(&hook, &event).output else { panic!("it was not asked") };
        assert_eq!(reply.verdict, tenter_contract::Verdict::Deny { reason: "no".to_owned() });
    }

    #[test]
    fn a_second_is_kept_for_the_answer_or_half_of_very_little() {
        for (patience, kept) in [(600_000, 1000), (5_000, 1000), (1_500, 750), (2, 1)] {
            assert_eq!(reserve(Duration::from_millis(patience)), Duration::from_millis(kept));
        }
    }
}
