//! The parts a runtime is made of.

use std::path::Path;
use std::time::Instant;

use tenter_contract::ports::{
    ApprovalRegister, AuditTrail, Background, Clock, FactFinder, FullerBuild, HookExecutor, HookSource,
    Onlooker, ReplyCache, SessionShelf,
};
use tenter_contract::{Abilities, Event, Outcome, TokenEstimate};

use crate::ask::Desks;
use crate::fitting::tell;
use crate::locate::Located;

/// The hook around this process, if a hook started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterHook {
    /// The mark of its run.
    pub run: String,
    /// The session of its event.
    pub session: Option<String>,
}

/// Everything it takes to answer an agent. `host` puts it together.
pub struct Runtime {
    /// Where the hooks come from.
    pub hooks: Box<dyn HookSource>,
    /// Ways to run them; the first that runs a kind is taken.
    pub executors: Vec<Box<dyn HookExecutor>>,
    /// The program that runs what these do not, if this one was built small.
    pub fuller: Option<Box<dyn FullerBuild>>,
    /// What conditions ask of the place where an event happened.
    pub facts: Box<dyn FactFinder>,
    /// What hooks with `cache` said before.
    pub replies: Box<dyn ReplyCache>,
    /// Where questions to a person go.
    pub desks: Desks,
    /// What is kept of them.
    pub approvals: Box<dyn ApprovalRegister>,
    /// Whether anybody still waits for the answer; a question nobody waits with is withdrawn.
    pub still_wanted: fn() -> bool,
    /// Whether a folder is the home of whoever this runs for, or around it.
    pub is_home: fn(&Path) -> bool,
    /// The folder in which the agent started this process, for payloads that name none.
    pub working_folder: fn() -> Option<String>,
    /// Where records go.
    pub trail: Box<dyn AuditTrail>,
    /// What is remembered of sessions.
    pub sessions: Box<dyn SessionShelf>,
    /// The time.
    pub clock: Box<dyn Clock>,
    /// Who runs hooks that nobody waits for; if nobody does, they are waited for.
    pub background: Option<Box<dyn Background>>,
    /// Who watches while hooks run; nobody where an agent owns the terminal.
    pub onlooker: Option<Box<dyn Onlooker>>,
    /// When the agent's patience ends, less what we need for the answer; `None` if it is not known.
    pub until: Option<Instant>,
    /// What a text costs.
    pub tokens: TokenEstimate,
    /// The marks of the hooks around us, if a hook has started us.
    pub inside: Option<OuterHook>,
}

impl Runtime {
    /// Asks the hooks about an event of a program that can do everything itself, and records it. Returns
    /// the outcome and the number of its record, if one could be written.
    pub fn emit(&self, event: Event) -> (Outcome, Option<u64>) {
        self.emit_through(event, Abilities::EVERYTHING, |outcome| outcome)
    }

    /// The same for a program that routes the outcome itself, stop 6, before it is recorded: what could not be
    /// done is to be taken out of the effects and named as unfit, so that the record says what really happened.
    pub fn emit_through(
        &self,
        event: Event,
        abilities: Abilities,
        route: impl FnOnce(Outcome) -> Outcome,
    ) -> (Outcome, Option<u64>) {
        let arrived = Instant::now();
        let Located { mut event, mut trouble } = self.locate(event);
        let hooks = self.hooks_of_host(&mut event);
        self.begin_turn(&event, &hooks, &mut trouble);
        let outcome = self.decide(event, &hooks, &abilities);
        let outcome = self.count_stops(outcome, &mut trouble, &abilities);
        self.end_turn(&outcome, &hooks, &mut trouble);
        self.settle_questions(&outcome.event, &mut trouble);
        let abilities = Self::in_session(&outcome.event.session, abilities);
        let outcome = self.with_carried(outcome, &mut trouble, &abilities);
        let outcome = self.with_notices(outcome, &hooks, trouble, &abilities);
        let mut admission = self.admit(outcome, &hooks, &abilities);
        // What is routed here is given as it stands, so it is cut before.
        admission.outcome =
            route(self.keep_whole_texts(admission.outcome, &admission.account.limits, &abilities));
        let mut fitting = self.enter(self.fit(admission, abilities));
        let recorded = self.record(&mut fitting, &hooks, arrived.elapsed());
        let mut outcome = fitting.outcome;
        outcome.unfit.extend(fitting.unfit);
        for notice in recorded.notices {
            tell(&mut outcome, notice);
        }
        (outcome, recorded.seq)
    }
}
