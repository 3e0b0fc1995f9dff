//! Around stop 5: what of the injected text is new to the context and within the budgets, and what became of all of
//! it. The ledger is in our hands from the first question to the last entry, and no hook runs meanwhile.
//!
//! A ledger that fails breaks nothing: everything is given, and the user is told.

use tenter_contract::ports::{LedgerPage, ShelfError};
use tenter_contract::{
    Abilities, Effect, Event, Fate, Fund, Handler, Injection, LedgerEntry, Level, Limits, Message, Moment,
    Outcome, OverLimit, Role, SessionId, Source, Spent, Unfit,
};
use tenter_kernel::{
    Admitted, Admitting, Author, Known, Reach, Received, admit, is_long, is_read, kept_in, reach, refusal,
};

use crate::fitting::{Fitting, tell};
use crate::{InForce, Runtime};

/// An outcome whose injections were admitted, and the ledger they are entered into.
pub(crate) struct Admission {
    pub(crate) outcome: Outcome,
    pub(crate) account: Account,
}

/// The ledger while an event is answered.
#[derive(Default)]
pub(crate) struct Account {
    /// None if nothing is injected, or if there is no ledger.
    page: Option<Box<dyn LedgerPage>>,
    spent: Spent,
    pub(crate) limits: Limits,
    /// The authors who pay from another budget than that of hooks.
    of_memory: Vec<Source>,
    /// What does not reach the agent.
    refused: Vec<LedgerEntry>,
    /// What became of every text, once that is known.
    pub(crate) entries: Vec<LedgerEntry>,
}

impl Runtime {
    /// Admits what hooks want to inject. Where nobody injects anything, that costs a look at the effects.
    pub(crate) fn admit(&self, outcome: Outcome, hooks: &InForce, abilities: &Abilities) -> Admission {
        let refused: Vec<LedgerEntry> = outcome.unfit.iter().filter_map(rejected).collect();
        if injections(&outcome).next().is_none() && refused.is_empty() {
            return Admission { outcome, account: Account::default() };
        }
        self.admit_some(outcome, hooks, abilities, refused)
    }

    #[inline(never)]
    fn admit_some(
        &self,
        mut outcome: Outcome,
        hooks: &InForce,
        abilities: &Abilities,
        refused: Vec<LedgerEntry>,
    ) -> Admission {
        let limits = *hooks.registry.limits();
        let of_memory = authors(hooks, |hook| fund_of(&hook.handler) == Fund::Memory);
        let mut account = Account { limits, of_memory, refused, ..Account::default() };
        // What waits for a later event is judged and paid for there.
        let given = is_read(&outcome, abilities);
        match self.page_for(&outcome.event) {
            Ok(page) => account.page = page,
            Err(error) => self.tell_of(&mut outcome, &error, abilities),
        }
        if let (true, Some(page)) = (given, &account.page) {
            match known(&outcome, &**page, abilities) {
                Ok(known) => {
                    account.spent = page.spent();
                    let admitting = Admitting { limits: &limits, spent: account.spent, tokens: self.tokens };
                    let Admitted { outcome: admitted, refused } =
                        admit(outcome, &known, |by| author(hooks, by), &admitting);
                    outcome = admitted;
                    account.refused.extend(refused);
                }
                Err(error) => self.tell_of(&mut outcome, &error, abilities),
            }
        }
        Admission { outcome, account }
    }

    /// What was spent in the turn and the session of an event, before it.
    pub fn spent(&self, event: &Event) -> Result<Spent, ShelfError> {
        Ok(self.page_for(event)?.map(|page| page.spent()).unwrap_or_default())
    }

    /// Payloads without a session share one that never ends, so nothing that one of them has read is known to the
    /// next. What is answered to a hook of the same session is read by that hook, and the model has not got it.
    #[inline(never)]
    fn page_for(&self, event: &Event) -> Result<Option<Box<dyn LedgerPage>>, ShelfError> {
        let session = self.inside.as_ref().and_then(|hook| hook.session.as_deref());
        if event.session == SessionId::unknown() || session == Some(event.session.as_str()) {
            return Ok(None);
        }
        let (turn, context) = (self.turn_of(event)?, self.context_of(event)?);
        let moment = Moment { at: event.at, event: event.kind.clone(), turn, context };
        self.sessions.open_ledger(&event.session, &moment).map(Some)
    }

    /// Texts above the limit of which the agent gets the beginning, and a file of its own each gets the whole. What
    /// waits for a later event is kept there, if it must be.
    pub(crate) fn keep_whole_texts(
        &self,
        outcome: Outcome,
        limits: &Limits,
        abilities: &Abilities,
    ) -> Outcome {
        let arrives = || matches!(reach(&outcome, abilities), Reach::Channel | Reach::Reason);
        let above = |(_, it): (_, &Injection)| is_long(it);
        if limits.over_limit != OverLimit::Spill || !injections(&outcome).any(above) || !arrives() {
            return outcome;
        }
        self.keep_long_texts(outcome, limits)
    }

    #[inline(never)]
    fn keep_long_texts(&self, mut outcome: Outcome, limits: &Limits) -> Outcome {
        let mut trouble = None;
        let session = outcome.event.session.clone();
        for (_, effect) in &mut outcome.effects {
            let Effect::Inject(injection) = effect else { continue };
            if !is_long(injection) {
                continue;
            }
            match self.sessions.keep_context(&session, &injection.whole()) {
                Ok(path) => kept_in(injection, &path, limits),
                Err(error) => trouble = Some(error),
            }
        }
        if let Some(error) = trouble {
            tell(&mut outcome, Message { text: error.to_string(), level: Level::Error });
        }
        outcome
    }

    /// Enters what became of every text, and says so if a budget was passed just now.
    pub(crate) fn enter(&self, mut fitting: Fitting) -> Fitting {
        let Account { page, of_memory, refused, entries, .. } = &mut fitting.account;
        entries.append(refused);
        let received = injections(&fitting.outcome).zip(&fitting.received);
        entries.extend(received.map(|((by, injection), received)| {
            let fund = if of_memory.contains(by) { Fund::Memory } else { Fund::Hooks };
            let spilled = fitting.spilled.clone().filter(|_| received.fate == Fate::Spilled);
            let entry = self.entry(by, injection, *received, fund, &fitting.abilities);
            let role =
                if is_refused_role(&fitting.outcome, by, injection.role) { Role::System } else { entry.role };
            LedgerEntry { spilled, role, ..entry }
        }));
        let Some(page) = page.take() else { return fitting };
        let told = self.entered(page, &fitting);
        fitting.told(told)
    }

    /// What the user must be told once these are in the ledger.
    #[inline(never)]
    fn entered(&self, page: Box<dyn LedgerPage>, fitting: &Fitting) -> Vec<Message> {
        let Account { entries, spent, limits, .. } = &fitting.account;
        let mut told = passed(entries, spent, limits);
        if let Err(error) = page.enter(entries) {
            told.extend(self.of_state(no_ledger(&error), &fitting.outcome, &fitting.abilities));
        }
        told
    }

    /// Once is enough, if it is what has gone wrong before at this event.
    #[cold]
    fn tell_of(&self, outcome: &mut Outcome, error: &ShelfError, abilities: &Abilities) {
        let text = error.to_string();
        let told =
            |(_, effect): &(Source, Effect)| matches!(effect, Effect::Tell(message) if message.text == text);
        if !outcome.effects.iter().any(told)
            && let Some(message) = self.of_state(no_ledger(error), outcome, abilities)
        {
            tell(outcome, message);
        }
    }

    #[inline(never)]
    fn entry(
        &self,
        by: &Source,
        injection: &Injection,
        received: Received,
        fund: Fund,
        abilities: &Abilities,
    ) -> LedgerEntry {
        let Received { fate, bytes } = received;
        let tokens = match (bytes, fate) {
            (0, _) | (_, Fate::Shown) => 0,
            (_, _) => (self.tokens)(&injection.received(by, bytes)),
        };
        let role = if abilities.role.possible() { injection.role } else { Role::System };
        LedgerEntry {
            by: by.clone(),
            injection: injection.clone(),
            role,
            fund,
            fate,
            bytes,
            tokens,
            spilled: None,
        }
    }
}

/// What is injected, in order.
pub(crate) fn injections(outcome: &Outcome) -> impl Iterator<Item = (&Source, &Injection)> {
    outcome.effects.iter().filter_map(|(by, effect)| match effect {
        Effect::Inject(injection) => Some((by, injection)),
        Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => None,
    })
}

/// What the ledger says about each injection. A text that the agent does not keep is never in its context.
fn known(outcome: &Outcome, page: &dyn LedgerPage, abilities: &Abilities) -> Result<Vec<Known>, ShelfError> {
    let one = |(by, injection): (&Source, &Injection)| {
        if injection.ephemeral && abilities.role.possible() {
            return Ok(Known::default());
        }
        Ok(Known {
            in_context: page.is_in_context(by, injection)?,
            said_last: page.was_said_last(by, injection)?,
        })
    };
    injections(outcome).map(one).collect()
}

/// Whether the program that routes its outcome itself has no such role.
fn is_refused_role(outcome: &Outcome, by: &Source, role: Role) -> bool {
    let wanted = |unfit: &Unfit| {
        matches!(unfit, Unfit::OneChannel { by: other, wanted }
            if other == by && wanted.strip_prefix("role ") == Some(role.as_str()))
    };
    outcome.unfit.iter().any(wanted)
}

fn rejected(unfit: &Unfit) -> Option<LedgerEntry> {
    match unfit {
        Unfit::InjectionTooLarge { by, injection, .. } => {
            Some(refusal(Source::Hook(by.clone()), (**injection).clone(), Fund::Hooks, Fate::Rejected))
        }
        _ => None,
    }
}

fn author(hooks: &InForce, by: &Source) -> Author {
    let of =
        |hook: &tenter_contract::HookSpec| Author { priority: hook.priority, fund: fund_of(&hook.handler) };
    let hook = hooks.registry.list().find(|(_, hook)| matches!(by, Source::Hook(id) if *id == hook.id));
    hook.map(|(_, hook)| of(hook)).unwrap_or_default()
}

fn authors(hooks: &InForce, which: impl Fn(&tenter_contract::HookSpec) -> bool) -> Vec<Source> {
    hooks
        .registry
        .list()
        .filter(|(_, hook)| which(hook))
        .map(|(_, hook)| Source::Hook(hook.id.clone()))
        .collect()
}

/// What is remembered has a budget of its own.
fn fund_of(handler: &Handler) -> Fund {
    match handler {
        Handler::Builtin(builtin) if builtin.name.starts_with("memory.") => Fund::Memory,
        _ => Fund::Hooks,
    }
}

/// The budgets that these entries are the first to pass.
fn passed(entries: &[LedgerEntry], spent: &Spent, limits: &Limits) -> Vec<Message> {
    let paid = |fund: Option<Fund>| -> u64 {
        let from = entries.iter().filter(|entry| fund.is_none_or(|fund| entry.fund == fund));
        from.map(|entry| entry.tokens).sum()
    };
    let turn = Fund::ALL
        .map(|fund| (spent.in_turn(fund), paid(Some(fund)), limits.of_turn(fund), fund.limit_key(), "turn"));
    let session = (spent.session, paid(None), limits.session_tokens, "session_tokens", "session");
    let over =
        |(before, now, limit, ..): &(u64, u64, u64, &str, &str)| *before <= *limit && before + now > *limit;
    let message = |(before, now, limit, key, period): (u64, u64, u64, &str, &str)| Message {
        text: format!(
            "hooks have injected about {} tokens in this {period}; the budget is {limit} (`limits: {{ {key}: {limit} }}`)",
            before + now
        ),
        level: Level::Warning,
    };
    turn.into_iter().chain([session]).filter(over).map(message).collect()
}

fn no_ledger(error: &ShelfError) -> String {
    format!("what hooks inject is neither counted nor compared with earlier texts: {error}")
}
