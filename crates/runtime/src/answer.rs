//! An event's whole way, on one screen.
//!
//! ```text
//! payload ─▶ 1 decode ─▶ 2 match ─▶ 3 run ─▶ 4 fold ─▶ 5 fit ─▶ 6 route ─▶ 7 record ─▶ 8 encode ─▶ answer
//!            adapters    kernel   executors   kernel   kernel    runtime     store      adapters
//!                           ▲                    │
//!                           └── hooks or a person┘
//!                               still to be asked
//! ```

use std::sync::Arc;
use std::time::Instant;

use tenter_contract::json_text::with_lone_surrogates_of;
use tenter_contract::ports::{AgentAdapter, Decoded, Surroundings};
use tenter_contract::{Abilities, Answer, Event, Outcome};
use tenter_kernel::{Step, begin};

use crate::locate::{Located, named};
use crate::{InForce, Runtime};

/// Puts halves of emojis back that were taken out of the payload to read it.
fn in_their_spelling(answer: Answer, payload: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(&answer.stdout) else { return answer };
    if !text.contains('\u{fffd}') {
        return answer;
    }
    match with_lone_surrogates_of(&String::from_utf8_lossy(payload), text) {
        Some(restored) => Answer { stdout: restored.into_bytes(), ..answer },
        None => answer,
    }
}

impl Runtime {
    /// Answers a payload of an agent.
    pub fn answer(&self, agent: &dyn AgentAdapter, payload: &[u8], surroundings: &Surroundings) -> Answer {
        let arrived = Instant::now();

        // 1 decode: their payload becomes our event.
        let Located { mut event, mut trouble } = match agent.decode(payload, surroundings) {
            Ok(Decoded::Event(event)) => self.locate(named(*event, surroundings)),
            Ok(Decoded::NotForUs) => return agent.silence(),
            Err(problem) => return self.refuse_or_pass(agent, &problem.to_string(), payload),
        };
        let abilities = Self::in_session(&event.session, agent.abilities(&event));

        // 2 match, 3 run, 4 fold: the hooks of this place are asked once, by whatever routes a call comes, and
        // what they say becomes one outcome (`take`, below).
        let hooks = self.hooks_for(&mut event, payload);
        self.begin_turn(&event, &hooks, &mut trouble);
        let outcome = self.decide_once(event, &hooks, &abilities, &mut trouble);
        let outcome = self.count_stops(outcome, &mut trouble, &abilities);
        self.end_turn(&outcome, &hooks, &mut trouble);
        self.settle_questions(&outcome.event, &mut trouble);
        let outcome = self.with_carried(outcome, &mut trouble, &abilities);
        let outcome = self.with_notices(outcome, &hooks, trouble, &abilities);

        // 5 fit: what is injected must be new to the context and within the budgets; what this agent cannot carry
        // is made safe and named; too much context is kept in a file.
        let admission = self.admit(outcome, &hooks, &abilities);
        let fitting = self.fit(admission, abilities);

        // 6 route: what waits for the next event is kept, and what was injected is entered into the ledger.
        let mut fitting = self.enter(self.carry(fitting));

        // 7 record: no answer leaves before its record is written; if it cannot be, the user is told.
        let recorded = self.record(&mut fitting, &hooks, arrived.elapsed());
        let fitting = fitting.told(recorded.notices);

        // 8 encode: our outcome becomes their answer, with what the agent does not show beside it. What no hook changed
        // goes back as it came.
        in_their_spelling(fitting.encoded_by(agent), payload)
    }

    /// Asks every hook that is concerned.
    pub fn decide(&self, event: Event, hooks: &InForce, abilities: &Abilities) -> Outcome {
        let _watched = self.watched(&event, hooks);
        self.take(begin(Arc::new(event), &hooks.registry, abilities), hooks)
    }

    /// Takes the kernel's steps until nothing is left to do.
    pub(crate) fn take(&self, mut step: Step, hooks: &InForce) -> Outcome {
        loop {
            step = match step {
                Step::RunHooks { event, invocations, then } => {
                    then.resume(self.run_hooks(&event, &invocations))
                }
                Step::GatherFacts { event, then } => {
                    then.resume(self.facts_of(hooks.of_kind(&event), &event))
                }
                Step::AskHuman { event, question, host, then } => {
                    then.resume(self.ask(&event, question, host, hooks))
                }
                Step::Finish(outcome) => {
                    self.executors.iter().for_each(|executor| executor.event_over());
                    return *outcome;
                }
            };
        }
    }
}
