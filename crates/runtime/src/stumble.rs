//! When tenter itself cannot go on: a payload nobody understands, or a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tenter_contract::event_names;
use tenter_contract::ports::{AgentAdapter, Surroundings};
use tenter_contract::{Answer, Decision, RecordBody, Source};

use crate::Runtime;

impl Runtime {
    /// Answers a payload even if our own code panics on it.
    pub fn answer_whatever_happens(
        &self,
        agent: &dyn AgentAdapter,
        payload: &[u8],
        surroundings: &Surroundings,
    ) -> Answer {
        catch_unwind(AssertUnwindSafe(|| self.answer(agent, payload, surroundings))).unwrap_or_else(|panic| {
            let problem = format!("a bug in tenter: {}", panic_text(&*panic));
            self.refuse_or_pass(agent, &problem, payload)
        })
    }

    /// Closed if there is a guard that could have stopped something; open otherwise, so that a stumble of ours
    /// does not freeze an agent nobody wanted guarded. Recorded either way.
    #[cold]
    pub fn refuse_or_pass(&self, agent: &dyn AgentAdapter, problem: &str, payload: &[u8]) -> Answer {
        let hooks = self.hooks_anywhere(payload);
        let guard = hooks.iter().find(|hook| {
            let blocks = event_names::row(&hook.event).is_some_and(|row| row.powers.block.granted());
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
        let loss = self.trail.append(&[record]).err().map(|loss| loss.to_string());
        let notices: Vec<String> = self.trail.take_notices().into_iter().chain(loss).collect();
        if notices.is_empty() {
            return answer;
        }
        crate::route::join(answer, format!("tenter: {problem}\ntenter: {}\n", notices.join("\ntenter: ")))
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
