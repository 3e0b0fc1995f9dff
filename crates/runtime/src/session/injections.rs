//! Checks which injected texts are new to the context and within the budgets, and writes all of them to the ledger. One
//! process holds the ledger from the first check to the last entry; no hook runs in that time.
//!
//! If the ledger fails, all texts are delivered and the user is notified.

use tenter_contract::ports::{LedgerPage, StateError};
use tenter_contract::{
    BudgetCategory, Capabilities, Cause, Degradation, Diagnostics, Event, Handler, Injection,
    InjectionStatus, LedgerEntry, Level, Limits, Moment, Notice, NoticeLimit, Outcome, Role, Source, Spent,
};
use tenter_kernel::{AdmissionBudget, Admitted, Author, Known, Received, admit, is_read, refusal};

use super::SessionService;
use crate::ActiveHooks;
use crate::adapted::AdaptedOutcome;

/// An outcome within the limits, and the ledger that its injections are written to.
pub(crate) struct LimitedOutcome {
    pub(crate) outcome: Outcome,
    pub(crate) account: LedgerAccount,
}

/// The ledger while an event is handled.
#[derive(Default)]
pub(crate) struct LedgerAccount {
    /// `None` if nothing is injected, or if there is no ledger.
    page: Option<Box<dyn LedgerPage>>,
    spent: Spent,
    pub(crate) limits: Limits,
    /// The hooks that use the budget of memory.
    memory_hooks: Vec<Source>,
    /// Texts that do not reach the agent.
    refused: Vec<LedgerEntry>,
    /// The status of every text, once it is known.
    pub(crate) entries: Vec<LedgerEntry>,
}

impl SessionService {
    /// Keeps injections within the budgets.
    pub(crate) fn limit_injections(
        &self,
        outcome: Outcome,
        hooks: &ActiveHooks,
        capabilities: &Capabilities,
        diagnostics: &mut Diagnostics,
    ) -> LimitedOutcome {
        let refused: Vec<LedgerEntry> = outcome.degraded.iter().filter_map(rejected_entry).collect();
        if outcome.injections().next().is_none() && refused.is_empty() {
            return LimitedOutcome { outcome, account: LedgerAccount::default() };
        }
        self.limit_present(outcome, hooks, capabilities, refused, diagnostics)
    }

    #[inline(never)]
    fn limit_present(
        &self,
        mut outcome: Outcome,
        hooks: &ActiveHooks,
        capabilities: &Capabilities,
        refused: Vec<LedgerEntry>,
        diagnostics: &mut Diagnostics,
    ) -> LimitedOutcome {
        let limits = *hooks.registry.limits();
        let memory_hooks = authors(hooks, |hook| category_of(&hook.handler) == BudgetCategory::Memory);
        let mut account = LedgerAccount { limits, memory_hooks, refused, ..LedgerAccount::default() };
        match self.open_page(&outcome.event) {
            Ok(page) => account.page = page,
            Err(error) => diagnostics.add(ledger_notice(&error)),
        }
        // A deferred text is checked and counted when it is delivered.
        let delivered = is_read(&outcome, capabilities);
        if let (true, Some(page)) = (delivered, &account.page) {
            match known(&outcome, &**page, capabilities) {
                Ok(known) => {
                    account.spent = page.spent();
                    let budget =
                        AdmissionBudget { limits: &limits, spent: account.spent, tokens: self.tokens };
                    let Admitted { outcome: admitted, refused } =
                        admit(outcome, &known, |by| author(hooks, by), &budget);
                    outcome = admitted;
                    account.refused.extend(refused);
                }
                Err(error) => diagnostics.add(ledger_notice(&error)),
            }
        }
        LimitedOutcome { outcome, account }
    }

    /// The tokens spent in the turn and the session of an event, before it.
    pub fn spent(&self, event: &Event) -> Result<Spent, StateError> {
        Ok(self.open_page(event)?.map(|page| page.spent()).unwrap_or_default())
    }

    /// Events without a session have no ledger. Neither has the response to a hook of the same session: that hook
    /// reads it, and the model does not.
    #[inline(never)]
    fn open_page(&self, event: &Event) -> Result<Option<Box<dyn LedgerPage>>, StateError> {
        let outer = self.outer_hook.as_ref().and_then(|hook| hook.session.as_deref());
        let Some(session) = event.session.as_ref().filter(|session| outer != Some(session.as_str())) else {
            return Ok(None);
        };
        let (turn, context) = (self.turn(event)?.to_string(), self.context(event)?);
        let moment = Moment { at: event.at, event: event.kind.clone(), turn, context };
        self.store.open_ledger(session, &moment).map(Some)
    }

    /// Writes the status of every text to the ledger, and notifies the user of a budget that was passed just now.
    pub(crate) fn write_ledger(
        &self,
        mut adapted: AdaptedOutcome,
        diagnostics: &mut Diagnostics,
    ) -> AdaptedOutcome {
        let LedgerAccount { page, memory_hooks, refused, entries, .. } = &mut adapted.account;
        entries.append(refused);
        let received = adapted.outcome.injections().zip(&adapted.received);
        entries.extend(received.map(|((by, injection), received)| {
            let category =
                if memory_hooks.contains(by) { BudgetCategory::Memory } else { BudgetCategory::Hooks };
            let spilled = adapted.spilled.clone().filter(|_| received.status == InjectionStatus::Spilled);
            let entry = self.entry(by, injection, *received, category, &adapted.capabilities);
            let role =
                if is_refused_role(&adapted.outcome, by, injection.role) { Role::System } else { entry.role };
            LedgerEntry { spilled, role, ..entry }
        }));
        if let Some(page) = page.take() {
            write_page(page, &adapted.account, diagnostics);
        }
        adapted
    }

    #[inline(never)]
    fn entry(
        &self,
        by: &Source,
        injection: &Injection,
        received: Received,
        category: BudgetCategory,
        capabilities: &Capabilities,
    ) -> LedgerEntry {
        let Received { status, bytes } = received;
        let tokens = match (bytes, status) {
            (0, _) | (_, InjectionStatus::Shown) => 0,
            (_, _) => (self.tokens)(&injection.received(by, bytes)),
        };
        let role = if capabilities.role.possible() { injection.role } else { Role::System };
        let (by, injection) = (by.clone(), injection.clone());
        LedgerEntry { by, injection, role, category, status, bytes, tokens, spilled: None }
    }
}

#[inline(never)]
fn write_page(page: Box<dyn LedgerPage>, account: &LedgerAccount, diagnostics: &mut Diagnostics) {
    let LedgerAccount { entries, spent, limits, .. } = account;
    for notice in passed_budgets(entries, spent, limits) {
        diagnostics.add(notice);
    }
    if let Err(error) = page.enter(entries) {
        diagnostics.add(ledger_notice(&error));
    }
}

/// What the ledger says about each injection. A text that the agent does not keep is never in its context.
fn known(
    outcome: &Outcome,
    page: &dyn LedgerPage,
    capabilities: &Capabilities,
) -> Result<Vec<Known>, StateError> {
    let one = |(by, injection): (&Source, &Injection)| {
        if injection.ephemeral && capabilities.role.possible() {
            return Ok(Known::default());
        }
        Ok(Known { in_context: page.is_in_context(by, injection)?, latest: page.is_latest(by, injection)? })
    };
    outcome.injections().map(one).collect()
}

/// Whether the program that embeds tenter has no such role.
fn is_refused_role(outcome: &Outcome, by: &Source, role: Role) -> bool {
    let wanted = |degraded: &Degradation| {
        matches!(degraded, Degradation::OneChannel { by: other, wanted }
            if other == by && wanted.strip_prefix("role ") == Some(role.as_str()))
    };
    outcome.degraded.iter().any(wanted)
}

fn rejected_entry(degraded: &Degradation) -> Option<LedgerEntry> {
    match degraded {
        Degradation::InjectionTooLarge { by, injection, .. } => Some(refusal(
            Source::Hook(by.clone()),
            (**injection).clone(),
            BudgetCategory::Hooks,
            InjectionStatus::Rejected,
        )),
        _ => None,
    }
}

fn author(hooks: &ActiveHooks, by: &Source) -> Author {
    let of = |hook: &tenter_contract::HookSpec| Author {
        priority: hook.priority,
        category: category_of(&hook.handler),
    };
    let hook = hooks.registry.list().find(|(_, hook)| matches!(by, Source::Hook(id) if *id == hook.id));
    hook.map(|(_, hook)| of(hook)).unwrap_or_default()
}

fn authors(hooks: &ActiveHooks, which: impl Fn(&tenter_contract::HookSpec) -> bool) -> Vec<Source> {
    hooks
        .registry
        .list()
        .filter(|(_, hook)| which(hook))
        .map(|(_, hook)| Source::Hook(hook.id.clone()))
        .collect()
}

/// Memory has a budget of its own.
fn category_of(handler: &Handler) -> BudgetCategory {
    match handler {
        Handler::Builtin(builtin) if builtin.name.starts_with("memory.") => BudgetCategory::Memory,
        _ => BudgetCategory::Hooks,
    }
}

/// Notices about the budgets that these entries exceed first.
fn passed_budgets(entries: &[LedgerEntry], spent: &Spent, limits: &Limits) -> Vec<Notice> {
    let paid = |category: Option<BudgetCategory>| -> u64 {
        let from = entries.iter().filter(|entry| category.is_none_or(|category| entry.category == category));
        from.map(|entry| entry.tokens).sum()
    };
    let turn = BudgetCategory::ALL.map(|category| {
        (
            spent.in_turn(category),
            paid(Some(category)),
            limits.turn_limit(category),
            category.limit_key(),
            "turn",
        )
    });
    let session = (spent.session, paid(None), limits.session_tokens, "session_tokens", "session");
    let over = |(before, now, limit, ..): &(u64, u64, u64, &'static str, &str)| {
        *before <= *limit && before + now > *limit
    };
    let notice = |(before, now, limit, key, period): (u64, u64, u64, &'static str, &str)| {
        let text = format!(
            "hooks have injected about {} tokens in this {period}; the budget is {limit} (`limits: {{ {key}: {limit} }}`)",
            before + now
        );
        Notice {
            cause: Cause::Budget(key.to_owned()),
            text,
            level: Level::Warning,
            once: NoticeLimit::EveryEvent,
        }
    };
    turn.into_iter().chain([session]).filter(over).map(notice).collect()
}

fn ledger_notice(error: &StateError) -> Notice {
    let text = format!("injected texts are neither counted nor compared with earlier ones: {error}");
    Notice::unusable(Cause::State(error.cause.to_string()), text)
}
