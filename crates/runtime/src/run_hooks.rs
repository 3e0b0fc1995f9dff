//! Stop 3: hooks are run, alone or together, and every one of them is reported on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{Effect, Event, HookFailure, HookReport, HookSpec, Level, Message, Once, Said};
use tenter_kernel::Invocation;

use crate::Runtime;
use crate::switched_off::switched_off;

impl Runtime {
    /// Runs the hooks of one step and reports on each, with its number. The kernel puts the reports in the
    /// order of the files, so it does not matter who finishes first.
    pub(crate) fn run_hooks(&self, event: &Event, invocations: &[Invocation]) -> Vec<(usize, HookReport)> {
        match invocations {
            [only] => vec![(0, self.run_hook(&only.hook, event))],
            several => thread::scope(|scope| {
                let running: Vec<_> =
                    several.iter().map(|asked| scope.spawn(|| self.run_hook(&asked.hook, event))).collect();
                let report =
                    |joined: thread::Result<HookReport>| joined.unwrap_or_else(|panic| panicked(&*panic));
                running.into_iter().map(|thread| report(thread.join())).enumerate().collect()
            }),
        }
    }

    fn run_hook(&self, hook: &HookSpec, event: &Event) -> HookReport {
        if let Some(skipped) = switched_off(&*self.sessions, hook, event) {
            return skipped;
        }
        match hook.once {
            Once::Unlimited => self.execute(hook, event),
            Once::Session => self.execute_once(hook, event),
        }
    }

    /// Claims before running, so that of many processes one runs it; gives the claim back on a failure.
    fn execute_once(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let what = format!("once {}", hook.id.address());
        match self.sessions.claim(&event.session, &what) {
            Ok(ClaimOutcome::Taken) => HookReport::of(Said::Skipped {
                why: "it ran before in this session (once: session)".to_owned(),
            }),
            Ok(ClaimOutcome::Granted) => {
                let report = self.execute(hook, event);
                if matches!(report.said, Said::Failure(_)) {
                    let _ = self.sessions.release(&event.session, &what);
                }
                report
            }
            // Better twice than never, and told.
            Err(error) => {
                let mut report = self.execute(hook, event);
                let text = format!("it may run again in this session (once: session): {error}");
                if let Said::Reply(reply) = &mut report.said {
                    reply.effects.push(Effect::Tell(Message { text, level: Level::Warning }));
                }
                report
            }
        }
    }

    fn execute(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let Some(executor) = self.executors.iter().find(|executor| executor.runs(hook)) else {
            let detail = self.no_executor(hook);
            return HookReport::of(Said::Failure(HookFailure::Missing { detail }));
        };
        catch_unwind(AssertUnwindSafe(|| executor.run(hook, event))).unwrap_or_else(|panic| panicked(&*panic))
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> HookReport {
    HookReport::of(Said::Failure(HookFailure::Panicked { detail: crate::stumble::panic_text(panic) }))
}
