//! Errors of tenter itself: a payload that cannot be decoded, or a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tenter_contract::event_names;
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Decision, Diagnostics, Notice, RecordBody, Source};

use crate::Runtime;
use crate::receive::Request;
use crate::respond::with_stderr;

impl Runtime {
    /// Answers a request, also if tenter itself panics on it. `agent` gets the response if its sender is not known.
    pub fn answer_safely<'a>(
        &self,
        agent: &dyn AgentAdapter,
        payload: &[u8],
        request: impl FnOnce() -> Request<'a>,
    ) -> Answer {
        catch_unwind(AssertUnwindSafe(|| self.answer(request()))).unwrap_or_else(|panic| {
            let problem = format!("a bug in tenter: {}", panic_text(&*panic));
            self.refuse_or_pass(agent, &problem, payload)
        })
    }

    /// Denies if a guard could have stopped something, and passes otherwise, so that a bug in tenter does not block an
    /// agent without guards. Both are recorded.
    #[cold]
    pub fn refuse_or_pass(&self, agent: &dyn AgentAdapter, problem: &str, payload: &[u8]) -> Answer {
        let hooks = self.catalog.hooks_anywhere(payload);
        let guard = hooks.iter().find(|hook| {
            let blocks = event_names::row(&hook.event).is_some_and(|row| row.powers.block.possible());
            blocks && hook.is_guard()
        });
        let (decision, answer) = match guard {
            Some(hook) => {
                let reason = format!("{problem}; hook `{}` is a guard and could not judge it", hook.id);
                let answer = agent.refusal(&Decision::denied_call(&Source::Tenter, &reason));
                (Decision::Deny { by: Source::Tenter, reason }, answer)
            }
            None => (Decision::Abstain, agent.silence()),
        };
        let record = RecordBody::Undecodable {
            agent: agent.name().to_string(),
            at: self.clock.now(),
            problem: problem.to_owned(),
            bytes: payload.len(),
            decision,
        };
        let mut diagnostics = Diagnostics::default();
        if let Err(error) = self.audit.trail.append(&[record], &mut diagnostics) {
            diagnostics.add(Notice::error(error.cause(), error.to_string()));
        }
        if diagnostics.is_empty() {
            return answer;
        }
        let mut stderr = format!("tenter: {problem}\n");
        for notice in diagnostics.take() {
            stderr.extend(["tenter: ", &notice.text, "\n"]);
        }
        with_stderr(answer, stderr)
    }
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
