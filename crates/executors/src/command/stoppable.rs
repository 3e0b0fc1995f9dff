//! Programs that somebody may stop before their time: hooks of an agent whose user sits in front of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

use super::call;
use crate::supervise::Household;

/// Runs programs until somebody wants them to end. Those that were ended have failed, so that a guard still denies.
#[derive(Clone, Debug)]
pub struct StoppableCommands {
    stop: Arc<AtomicBool>,
}

impl StoppableCommands {
    /// They end as long as this is true.
    pub fn stopped_by(stop: Arc<AtomicBool>) -> Self {
        Self { stop }
    }
}

impl HookExecutor for StoppableCommands {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Command(_) | Handler::Script(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(hook, event, &ours, Household::Own, Some(&self.stop))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::Duration;

    use tenter_contract::{
        AgentName, Command, EventKind, HookId, Layer, Said, SessionId, Template, Timestamp,
    };

    use super::*;

    #[test]
    fn a_hook_that_is_stopped_ends_at_once_and_has_failed() {
        let line = Template::parse("sleep 600").unwrap();
        let handler = Handler::Command(Command::Shell(line));
        let mut hook = HookSpec::new(HookId::new(Layer::User, "slow"), EventKind::ToolPre, handler);
        hook.timeout = Duration::from_mins(10);
        let session = SessionId::parse("s1").unwrap();
        let event =
            Event::new(EventKind::ToolPre, AgentName::from_static("tenter"), session, Timestamp::default());
        let stop = Arc::new(AtomicBool::new(false));
        let executor = StoppableCommands::stopped_by(Arc::clone(&stop));
        let report = thread::scope(|scope| {
            let running = scope.spawn(|| executor.run(&hook, &event));
            stop.store(true, Ordering::Relaxed);
            running.join().unwrap()
        });
        assert!(matches!(&report.said, Said::Failure(failure) if failure.is_stopped()), "{:?}", report.said);
    }
}
