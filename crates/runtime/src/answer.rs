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

use tenter_contract::ports::{AgentAdapter, Decoded, Surroundings};
use tenter_contract::{Abilities, Answer, Carry, Event, Outcome};
use tenter_kernel::{Step, begin, fit_spilled};

use crate::locate::{Located, named};
use crate::{Runtime, route};

impl Runtime {
    /// Answers a payload of an agent.
    pub fn answer(&self, agent: &dyn AgentAdapter, payload: &[u8], surroundings: &Surroundings) -> Answer {
        let arrived = Instant::now();

        // 1 decode: their payload becomes our event.
        let Located { event, mut trouble } = match agent.decode(payload, surroundings) {
            Ok(Decoded::Event(event)) => self.locate(named(*event, surroundings)),
            Ok(Decoded::NotForUs) => return agent.silence(),
            Err(problem) => return self.refuse_or_pass(agent, &problem.to_string(), payload.len()),
        };
        self.hand_over(&event, payload);
        let mut abilities = Self::in_session(&event.session, agent.abilities(&event));

        // 2 match, 3 run, 4 fold: hooks are asked and what they say becomes one outcome (`decide`, below).
        let outcome = self.decide(event, &abilities);
        abilities.stop_loop = self.count_stops(&outcome, &mut trouble, &abilities);
        let outcome = self.with_carried(outcome, &mut trouble, &abilities);
        let outcome = self.with_notices(outcome, trouble, &abilities);

        // 5 fit: what this agent cannot carry is made safe and named; too much context is kept in a file.
        let (mut outcome, spilled) = self.spill(outcome, &abilities);
        let fit = |outcome: &Outcome, can: &Abilities| fit_spilled(outcome, can, spilled.as_deref());
        let (mut fitted, mut unfit) = fit(&outcome, &abilities);

        // 6 route: what goes beside the answer, and what waits for the next event; if it cannot, that is told.
        if let Err(trouble) = self.carry(&outcome, &unfit) {
            abilities.later = Carry::No;
            outcome = route::told(outcome, &trouble);
            (fitted, unfit) = fit(&outcome, &abilities);
        }
        let aside = route::beside_the_answer(&unfit);

        // 7 record: no answer leaves before its record is written; if it cannot be, the user is told.
        let recorded = self.record(&outcome, &unfit, arrived.elapsed());
        let (fitted, aside) = if recorded.quietly() {
            (fitted, aside)
        } else {
            let (fitted, unfit) = fit(&recorded.told_in(outcome), &abilities);
            (fitted, route::beside_the_answer(&unfit))
        };

        // 8 encode: our outcome becomes their answer.
        route::join(agent.encode(&fitted), aside)
    }

    /// Takes the kernel's steps until nothing is left to do.
    pub fn decide(&self, event: Event, abilities: &Abilities) -> Outcome {
        let mut step = begin(Arc::new(event), &self.registry, abilities);
        loop {
            step = match step {
                Step::RunHooks { event, invocations, then } => {
                    then.resume(self.run_hooks(&event, &invocations))
                }
                Step::AskHuman { event, question, then } => then.resume(self.desk.ask(&question, &event)),
                Step::Finish(outcome) => {
                    self.executors.iter().for_each(|executor| executor.event_over());
                    return *outcome;
                }
            };
        }
    }
}
