//! The agent's time limit. After it the agent continues without an answer, so tenter answers earlier, with the replies of
//! the hooks that had time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookFailure, HookOutput, HookReport, HookSpec};

use crate::Host;

impl Host {
    /// Ends hooks before the agent's time limit, counted from the start of the call.
    #[must_use]
    pub fn within(mut self, time_limit: Duration) -> Self {
        let ours = time_limit.saturating_sub(reserve(time_limit));
        // A limit that no clock can count is no limit.
        let Some(until) = self.started.checked_add(ours) else { return self };
        let timed = |inner| Box::new(Timed { inner, until, time_limit }) as Box<dyn HookExecutor>;
        self.runtime.deadline = Some(until);
        self.runtime.runner.executors = self.runtime.runner.executors.into_iter().map(timed).collect();
        self
    }
}

/// The time for ending a hook, recording and answering: a second, or half of a short limit.
fn reserve(time_limit: Duration) -> Duration {
    Duration::from_secs(1).min(time_limit / 2)
}

/// An executor that knows when it must be done.
struct Timed {
    inner: Box<dyn HookExecutor>,
    until: Instant,
    time_limit: Duration,
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
        // A fixed reply takes no time.
        if left.is_zero() && !hook.handler.is_fixed() {
            let within = self.time_limit;
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
        let time_limit = Duration::from_mins(1);
        let timed = Timed { inner: Box::new(inner), until: Instant::now() + left, time_limit };
        let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::InProcess);
        hook.timeout = timeout;
        let agent = AgentName::from_static("claude");
        timed.run(&hook, &Event::new(EventKind::ToolPre, agent, None, Timestamp::default())).output
    }

    #[test]
    fn hook_gets_own_time_or_the_rest() {
        let limit = |output| match output {
            HookOutput::Failure(HookFailure::TimedOut { after }) => after,
            other => panic!("{other:?}"),
        };
        let (second, hour) = (Duration::from_secs(1), Duration::from_hours(1));
        assert_eq!(limit(run(hour, second)), second);
        assert!(limit(run(second, hour)) <= second);
    }

    #[test]
    fn late_hook_is_not_reached() {
        let output = run(Duration::ZERO, Duration::from_secs(1));
        assert_eq!(output, HookOutput::Failure(HookFailure::NotReached { within: Duration::from_mins(1) }));
    }

    #[test]
    fn fixed_reply_is_never_late() {
        let time_limit = Duration::from_mins(1);
        let until = Instant::now();
        let timed = Timed { inner: Box::new(tenter_executors::FixedExecutor), until, time_limit };
        let deny = Handler::Deny(tenter_contract::Template::parse("no").unwrap());
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, deny);
        let agent = AgentName::from_static("claude");
        let event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
        let HookOutput::Reply(reply) = timed.run(&hook, &event).output else { panic!("it was not asked") };
        assert_eq!(reply.verdict, tenter_contract::Verdict::Deny { reason: "no".to_owned() });
    }

    #[test]
    fn reserve_is_a_second_or_half() {
        for (limit, kept) in [(600_000, 1000), (5_000, 1000), (1_500, 750), (2, 1)] {
            assert_eq!(reserve(Duration::from_millis(limit)), Duration::from_millis(kept));
        }
    }
}
