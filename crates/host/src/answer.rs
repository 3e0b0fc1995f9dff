//! Answers one payload: the hot path.

use std::env;
use std::io::{self, Read};

use tenter_contract::Answer;
use tenter_contract::ports::{AgentAdapter, Scope, Surroundings};

use crate::Host;
use crate::sender::resolve_sender;

/// Larger than any payload of an agent.
pub(crate) const LARGEST_PAYLOAD: u64 = 64 * 1024 * 1024;

/// A hook may start an agent that has hooks; one that does so without end is a mistake.
const DEEPEST: usize = 8;

/// How deep we are inside hooks, if that is too deep. Every hook carries the marks of all hooks around it.
fn too_deep() -> Option<usize> {
    let marks = env::var("TENTER_RUN").ok()?;
    Some(marks.split(':').count()).filter(|depth| *depth >= DEEPEST)
}

impl Host {
    /// Reads a payload and answers it; `scope` is what the command line says about itself, `agent_id` what it says about
    /// the caller.
    pub fn answer(
        &self,
        agent: &dyn AgentAdapter,
        scope: Option<Scope>,
        payload: impl Read,
        agent_id: Option<&str>,
    ) -> io::Result<Answer> {
        if let Some(depth) = too_deep() {
            let problem = format!("hooks that start agents that start hooks, {depth} deep");
            return Ok(self.runtime.refuse_or_pass(agent, &problem, &[]));
        }
        let mut bytes = Vec::new();
        payload.take(LARGEST_PAYLOAD + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_PAYLOAD {
            let problem = format!("the payload is larger than {} MiB", LARGEST_PAYLOAD / (1024 * 1024));
            return Ok(self.runtime.refuse_or_pass(agent, &problem, &bytes));
        }
        let surroundings = self.surroundings(agent);
        let request = || resolve_sender(agent, scope, &bytes, &surroundings).with_agent_id(agent_id);
        Ok(self.runtime.answer_safely(agent, &bytes, request))
    }

    /// The surroundings that an adapter reads.
    pub fn surroundings(&self, agent: &dyn AgentAdapter) -> Surroundings {
        Surroundings { at: self.runtime.clock.now(), environment: environment_of(agent) }
    }
}

/// The variables that an adapter reads, as far as they are set.
pub(crate) fn environment_of(agent: &dyn AgentAdapter) -> Vec<(String, String)> {
    let set = |name: &&str| {
        env::var(name).ok().filter(|value| !value.is_empty()).map(|value| ((*name).to_owned(), value))
    };
    agent.environment().iter().filter_map(set).collect()
}
