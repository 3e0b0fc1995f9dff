//! Stop 5 and what follows from it: an outcome as the agent can carry it, fitted anew whenever something comes to
//! light on the way to the answer that the user must be told.

use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Abilities, Answer, Effect, Fitted, Message, Outcome, Source, Unfit};
use tenter_kernel::{Fits, Received, fit_spilled};

use crate::injecting::{Account, Admission};
use crate::{Runtime, route};

/// An outcome, and what the agent can carry of it.
pub(crate) struct Fitting {
    /// All replies folded into one.
    pub(crate) outcome: Outcome,
    /// What cannot be carried.
    pub(crate) unfit: Vec<Unfit>,
    pub(crate) abilities: Abilities,
    /// What the agent receives of each injection.
    pub(crate) received: Vec<Received>,
    /// What was injected, and what became of it.
    pub(crate) account: Account,
    /// The file that has all of the context, if there is too much of it.
    pub(crate) spilled: Option<String>,
    fitted: Fitted,
}

impl Runtime {
    /// Fits an outcome. Too much context is kept in one file; where all of it fits, each text that is too long for
    /// itself is kept in one of its own.
    pub(crate) fn fit(&self, admission: Admission, abilities: Abilities) -> Fitting {
        let Admission { outcome, account } = admission;
        let (mut outcome, spilled) = self.spill(outcome, &abilities, &account.limits);
        if spilled.is_none() {
            outcome = self.keep_whole_texts(outcome, &account.limits, &abilities);
        }
        Fitting::of(outcome, account, abilities, spilled)
    }
}

impl Fitting {
    fn of(outcome: Outcome, account: Account, abilities: Abilities, spilled: Option<String>) -> Self {
        let Fits { fitted, unfit, received } = fit_spilled(&outcome, &abilities, spilled.as_deref());
        Self { outcome, unfit, abilities, received, account, spilled, fitted }
    }

    /// With these messages of ours. The hooks have run and the decision stands.
    pub(crate) fn told(self, messages: Vec<Message>) -> Self {
        if messages.is_empty() {
            return self;
        }
        self.told_more(messages)
    }

    #[inline(never)]
    fn told_more(mut self, messages: Vec<Message>) -> Self {
        for message in messages {
            tell(&mut self.outcome, message);
        }
        Self::of(self.outcome, self.account, self.abilities, self.spilled)
    }

    /// The answer, in the agent's words.
    pub(crate) fn encoded_by(&self, agent: &dyn AgentAdapter) -> Answer {
        route::join(agent.encode(&self.fitted), route::beside_the_answer(&self.unfit))
    }
}

/// Adds a message of ours, unless it is there already.
pub(crate) fn tell(outcome: &mut Outcome, message: Message) {
    let told = Effect::Tell(message);
    if !outcome.effects.iter().any(|(_, effect)| *effect == told) {
        outcome.effects.push((Source::Tenter, told));
    }
}
