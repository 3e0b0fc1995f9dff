//! Admits injected texts that are new to the context and within the budgets.
//!
//! | rule | why |
//! |---|---|
//! | a hook's repeated text is left out | it costs tokens and is not new |
//! | an older text is injected again if another one came after it | the context must end with the current state |
//! | of two hooks with the same text, one injects it | the second is not new |
//! | an unchanged report becomes one line | a remaining error must not be hidden |
//! | unless the line is as long as the report | then it saves nothing |
//! | a text with a part that was not kept is always new | that part may have changed |
//! | above a budget, texts of the lowest priority are left out | only with `over_budget: enforce` |

use tenter_contract::{
    BudgetCategory, Degradation, Effect, EventKind, Form, Injection, InjectionStatus, LedgerEntry, Limits,
    Outcome, OverBudget, Repeat, Role, Shortened, Source, Spent, TokenEstimate, WholeText,
};

/// The ledger's facts about an injection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The context has it from this hook.
    pub in_context: bool,
    /// It is among the hook's latest texts; for a hook without texts, among those of another hook.
    pub latest: bool,
}

/// The budget for injections.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionBudget<'a> {
    /// The limits.
    pub limits: &'a Limits,
    /// The tokens spent before.
    pub spent: Spent,
    /// Estimates the tokens of a text.
    pub tokens: TokenEstimate,
}

/// An author of injections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// Lower is more important.
    pub priority: i32,
    /// The budget that is used.
    pub category: BudgetCategory,
}

/// The admitted and the rejected injections.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    /// The outcome with the admitted ones.
    pub outcome: Outcome,
    /// The ledger entries of the others.
    pub refused: Vec<LedgerEntry>,
}

/// Admits injections. `known` has the facts of each, in order; `author` looks up the author.
pub fn admit(
    mut outcome: Outcome,
    known: &[Known],
    author: impl Fn(&Source) -> Author,
    budget: &AdmissionBudget<'_>,
) -> Admitted {
    let mut refused = Vec::new();
    let event = outcome.event.kind.clone();
    let mut known = known.iter().copied();
    let mut asked: Vec<Asked> = Vec::new();
    let mut texts: Vec<(Source, Injection)> = Vec::new();
    let mut degraded = Vec::new();
    let mut kept: Vec<Option<(Source, Effect)>> = Vec::new();
    for (by, effect) in outcome.effects.drain(..) {
        let Effect::Inject(mut injection) = effect else {
            kept.push(Some((by, effect)));
            continue;
        };
        let Author { priority, category } = author(&by);
        let twice = texts.iter().any(|(other, text)| {
            is_same(text, &injection) && (*other == by || serves_both(text, &injection))
        });
        let known = known.next().unwrap_or_default();
        if let Some(line) = repeated(&injection, known, twice, &event)
            && !(line && saves_nothing(&by, &injection))
        {
            degraded.push(Degradation::Repeated { by: by.clone(), bytes: injection.whole_bytes(), line });
            if !line {
                refused.push(refusal(by, injection, category, InjectionStatus::LeftOut));
                continue;
            }
            texts.push((by.clone(), injection.clone()));
            injection.form = unchanged(injection.form);
        } else {
            texts.push((by.clone(), injection.clone()));
        }
        let tokens = (budget.tokens)(&injection.received(&by, usize::MAX));
        asked.push(Asked { place: kept.len(), priority, category, tokens });
        kept.push(Some((by, Effect::Inject(injection))));
    }
    for Unpaid { asked, key, limit, left } in over_budget(asked, budget) {
        let Some((by, Effect::Inject(injection))) = kept[asked.place].take() else { continue };
        degraded.push(Degradation::OverBudget { by: by.clone(), tokens: asked.tokens, key, limit, left });
        refused.push(refusal(by, injection, asked.category, InjectionStatus::OverBudget));
    }
    outcome.effects.extend(kept.into_iter().flatten());
    outcome.degraded.extend(degraded);
    Admitted { outcome, refused }
}

/// A text that does not reach the agent.
pub fn refusal(
    by: Source,
    injection: Injection,
    category: BudgetCategory,
    status: InjectionStatus,
) -> LedgerEntry {
    LedgerEntry { by, injection, role: Role::System, category, status, bytes: 0, tokens: 0, spilled: None }
}

struct Asked {
    place: usize,
    priority: i32,
    category: BudgetCategory,
    tokens: u64,
}

/// An injection above a budget.
struct Unpaid {
    asked: Asked,
    key: &'static str,
    limit: u64,
    left: u64,
}

/// Whether a text is a repeat that is left out, and if so, whether a line replaces it. A line requires that it is
/// the hook's latest text.
fn repeated(injection: &Injection, known: Known, twice: bool, event: &EventKind) -> Option<bool> {
    let reports =
        matches!(event, EventKind::ToolPost | EventKind::ToolError | EventKind::OrchestratorComplete);
    let line = match injection.repeat {
        Repeat::Always => return None,
        Repeat::Line => true,
        Repeat::Never => false,
        Repeat::Auto => reports,
    };
    if injection.missing() > 0 && injection.key.is_none() {
        return None;
    }
    // A text that occurs twice at one event needs no line.
    if twice {
        return Some(false);
    }
    let known = known.latest || injection.repeat == Repeat::Never && known.in_context;
    known.then_some(line)
}

/// Whether the text of one hook at this event also serves another hook. Keys belong to one hook, and a text for the
/// next call alone does not replace one that stays.
fn serves_both(earlier: &Injection, again: &Injection) -> bool {
    earlier.key.is_none() && (again.ephemeral || !earlier.ephemeral)
}

/// The line in place of a text. It keeps the identity of the text, or that would be new at the next event.
fn unchanged(form: Form) -> Form {
    match form {
        Form::Beginning(it) => Form::Unchanged(Some(Shortened { all: WholeText::Lost, ..it })),
        Form::Whole => Form::Unchanged(None),
        Form::Unchanged(_) => form,
    }
}

/// Whether the line is as long as the text that it replaces.
fn saves_nothing(by: &Source, injection: &Injection) -> bool {
    let line = Injection { form: Form::Unchanged(None), ..Injection::text("") };
    line.given(by).len() >= injection.given(by).len()
}

fn is_same(one: &Injection, other: &Injection) -> bool {
    match (&one.key, &other.key) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.content == other.content && one.form == other.form,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The injections above a budget, with the limit. Higher priorities come first; a text that is too large leaves room
/// for later ones.
fn over_budget(mut asked: Vec<Asked>, budget: &AdmissionBudget<'_>) -> Vec<Unpaid> {
    let AdmissionBudget { limits, mut spent, .. } = *budget;
    if limits.over_budget == OverBudget::Warn {
        return Vec::new();
    }
    asked.sort_by_key(|asked| asked.priority);
    let mut unpaid = Vec::new();
    for asked in asked {
        let in_turn = match asked.category {
            BudgetCategory::Hooks => &mut spent.turn,
            BudgetCategory::Memory => &mut spent.memory,
        };
        let (turn, session) = (*in_turn + asked.tokens, spent.session + asked.tokens);
        if turn > limits.turn_limit(asked.category) {
            let (key, limit) = (asked.category.limit_key(), limits.turn_limit(asked.category));
            unpaid.push(Unpaid { asked, key, limit, left: limit.saturating_sub(*in_turn) });
        } else if session > limits.session_tokens {
            let (key, limit) = ("session_tokens", limits.session_tokens);
            unpaid.push(Unpaid { asked, key, limit, left: limit.saturating_sub(spent.session) });
        } else {
            *in_turn = turn;
            spent.session = session;
        }
    }
    unpaid
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tenter_contract::limits::quarter_of_bytes;
    use tenter_contract::{AgentName, Event, HookId, Layer, Timestamp};

    use super::*;

    fn outcome(event: EventKind, texts: &[(&str, Injection)]) -> Outcome {
        let agent = AgentName::from_static("claude");
        let event = Event::new(event, agent, None, Timestamp::default());
        let effect = |(by, text): &(&str, Injection)| (hook(by), Effect::Inject(text.clone()));
        Outcome { effects: texts.iter().map(effect).collect(), ..Outcome::nothing(Arc::new(event)) }
    }

    fn hook(name: &str) -> Source {
        Source::Hook(HookId::new(Layer::User, name))
    }

    fn text(repeat: Repeat) -> Injection {
        Injection { repeat, ..Injection::text("src/app.py:2:80: E501 line too long (92 > 79 characters)") }
    }

    /// The admitted texts (`whole`, `line`) and the status of the others, in order.
    fn statuses(admitted: &Admitted) -> Vec<&'static str> {
        let given = admitted.outcome.effects.iter().map(|(_, effect)| match effect {
            Effect::Inject(Injection { form: Form::Unchanged(_), .. }) => "line",
            Effect::Inject(_)
            | Effect::Rewrite(_)
            | Effect::Notify(_)
            | Effect::SuppressOutput
            | Effect::StopAgent { .. } => "whole",
        });
        given.chain(admitted.refused.iter().map(|entry| entry.status.as_str())).collect()
    }

    fn unlimited() -> AdmissionBudget<'static> {
        const LIMITS: Limits = Limits {
            injection_bytes: 10_240,
            turn_tokens: 0,
            memory_tokens: 0,
            session_tokens: 0,
            over_limit: tenter_contract::OverLimit::Reject,
            over_budget: OverBudget::Warn,
        };
        AdmissionBudget { limits: &LIMITS, spent: Spent::default(), tokens: quarter_of_bytes }
    }

    #[test]
    fn repeat_becomes_line_or_is_left_out() {
        use EventKind::{OrchestratorComplete, PromptSubmit, ToolError, ToolPost, ToolPre};
        let new = Known::default();
        let earlier = Known { in_context: true, latest: false };
        let last = Known { in_context: true, latest: true };
        for (event, repeat, known, expected) in [
            (ToolPost, Repeat::Auto, new, "whole"),
            (ToolPost, Repeat::Auto, last, "line"),
            // The hook's latest text is another one, so a line would be wrong.
            (ToolPost, Repeat::Auto, earlier, "whole"),
            (ToolError, Repeat::Auto, last, "line"),
            (OrchestratorComplete, Repeat::Auto, last, "line"),
            (ToolPre, Repeat::Auto, last, "left out"),
            (PromptSubmit, Repeat::Auto, last, "left out"),
            // Clean, dirty, clean: the state has changed twice.
            (PromptSubmit, Repeat::Auto, earlier, "whole"),
            (PromptSubmit, Repeat::Line, earlier, "whole"),
            (PromptSubmit, Repeat::Never, earlier, "left out"),
            (PromptSubmit, Repeat::Never, last, "left out"),
            (PromptSubmit, Repeat::Auto, new, "whole"),
            (PromptSubmit, Repeat::Line, last, "line"),
            (ToolPost, Repeat::Never, earlier, "left out"),
            (ToolPost, Repeat::Always, last, "whole"),
        ] {
            let admitted = admit(
                outcome(event.clone(), &[("a", text(repeat))]),
                &[known],
                |_| Author::default(),
                &unlimited(),
            );
            assert_eq!(statuses(&admitted), [expected], "{event} {repeat:?} {known:?}");
            let named = admitted.outcome.degraded.iter().any(|it| matches!(it, Degradation::Repeated { .. }));
            assert_eq!(named, expected != "whole", "{event} {repeat:?} {known:?}");
        }
    }

    #[test]
    fn line_must_be_shorter_than_its_text() {
        let line = "From a: unchanged since the last report".len();
        let last = Known { in_context: true, latest: true };
        for (bytes, expected) in [(line + 1, "line"), (line, "whole"), (1, "whole")] {
            let texts = [("a", Injection::text("x".repeat(bytes)))];
            let admitted =
                admit(outcome(EventKind::ToolPost, &texts), &[last], |_| Author::default(), &unlimited());
            assert_eq!(statuses(&admitted), [expected], "{bytes}");
        }
    }

    #[test]
    fn incomplete_text_is_never_unchanged() {
        let last = Known { in_context: true, latest: true };
        for (missing, repeat, expected) in [
            (0, Repeat::Auto, "line"),
            (1, Repeat::Auto, "whole"),
            (1, Repeat::Line, "whole"),
            (1, Repeat::Never, "whole"),
        ] {
            let it = Injection { origin: tenter_contract::Origin::Printed { missing }, ..text(repeat) };
            let event = outcome(EventKind::ToolPost, &[("a", it)]);
            let admitted = admit(event, &[last], |_| Author::default(), &unlimited());
            assert_eq!(statuses(&admitted), [expected], "{missing} {repeat:?}");
        }
    }

    #[test]
    fn line_keeps_the_identity_of_its_text() {
        let whole = Shortened { bytes: 20_000, digest: 7, all: WholeText::Here("x".repeat(20_000).into()) };
        let long = Injection { form: Form::Beginning(whole), ..text(Repeat::Auto) };
        let last = Known { in_context: true, latest: true };
        let event = outcome(EventKind::ToolPost, &[("a", long.clone())]);
        let admitted = admit(event, &[last], |_| Author::default(), &unlimited());
        let [(_, Effect::Inject(line))] = &admitted.outcome.effects[..] else { panic!("no line") };
        assert_eq!(line.form.shortened().map(|it| (it.bytes, it.digest)), Some((20_000, 7)));
        assert_eq!(line.whole_bytes(), long.whole_bytes());
    }

    #[test]
    fn same_text_is_injected_once_per_event() {
        let keyed = || Injection { key: Some("k".to_owned()), ..text(Repeat::Auto) };
        let fleeting = || Injection { ephemeral: true, ..text(Repeat::Auto) };
        let other = || Injection::text("something else that is long enough to be worth a line of its own");
        for (texts, expected) in [
            (vec![("a", text(Repeat::Auto)), ("a", text(Repeat::Auto))], &["whole", "left out"][..]),
            (vec![("a", text(Repeat::Auto)), ("b", text(Repeat::Auto))], &["whole", "left out"]),
            (vec![("a", text(Repeat::Auto)), ("b", other())], &["whole", "whole"]),
            (vec![("a", text(Repeat::Auto)), ("b", text(Repeat::Always))], &["whole", "whole"]),
            (vec![("a", text(Repeat::Always)), ("b", text(Repeat::Never))], &["whole", "left out"]),
            // A key is known to its own hook alone.
            (vec![("a", keyed()), ("b", keyed())], &["whole", "whole"]),
            (vec![("a", keyed()), ("a", keyed())], &["whole", "left out"]),
            (vec![("a", keyed()), ("b", text(Repeat::Auto))], &["whole", "whole"]),
            // A text that is gone after the next call does not replace one that stays.
            (vec![("a", fleeting()), ("b", text(Repeat::Auto))], &["whole", "whole"]),
            (vec![("a", text(Repeat::Auto)), ("b", fleeting())], &["whole", "left out"]),
        ] {
            for event in [EventKind::ToolPost, EventKind::PromptSubmit] {
                let known = vec![Known::default(); texts.len()];
                let admitted = admit(outcome(event, &texts), &known, |_| Author::default(), &unlimited());
                assert_eq!(statuses(&admitted), expected, "{texts:?}");
            }
        }
    }

    /// Security case I5: each is small, and together they are too much.
    #[test]
    fn enforced_budget_admits_high_priority_first() {
        let limits = Limits { turn_tokens: 10, over_budget: OverBudget::Enforce, ..Limits::default() };
        let long = |tokens: usize| Injection::text("x".repeat(4 * tokens));
        let texts =
            [("low", long(1)), ("high", long(3)), ("dear", long(9)), ("memory", long(50)), ("mid", long(2))];
        let author = |by: &Source| {
            let priority = match by.to_string().as_str() {
                "high" => -5,
                "dear" => 0,
                "mid" => 1,
                _ => 9,
            };
            let category =
                if by.to_string() == "memory" { BudgetCategory::Memory } else { BudgetCategory::Hooks };
            Author { priority, category }
        };
        let spent = Spent { turn: 4, memory: 0, session: 4 };
        let budget = AdmissionBudget { limits: &limits, spent, tokens: quarter_of_bytes };
        let admitted =
            admit(outcome(EventKind::PromptSubmit, &texts), &[Known::default(); 5], author, &budget);
        let given: Vec<String> = admitted.outcome.effects.iter().map(|(by, _)| by.to_string()).collect();
        assert_eq!(given, ["low", "high", "memory", "mid"]);
        let named =
            Degradation::OverBudget { by: hook("dear"), tokens: 9, key: "turn_tokens", limit: 10, left: 3 };
        assert_eq!(admitted.outcome.degraded, [named]);
        assert_eq!(admitted.refused[0].status, InjectionStatus::OverBudget);
    }

    #[test]
    fn session_budget_is_enforced() {
        let limits = Limits { session_tokens: 5, over_budget: OverBudget::Enforce, ..Limits::default() };
        let spent = Spent { turn: 0, memory: 0, session: 4 };
        let budget = AdmissionBudget { limits: &limits, spent, tokens: quarter_of_bytes };
        let texts = [("a", Injection::text("12345678"))];
        let admitted = admit(
            outcome(EventKind::PromptSubmit, &texts),
            &[Known::default()],
            |_| Author::default(),
            &budget,
        );
        assert_eq!(statuses(&admitted), ["over budget"]);
        assert!(matches!(
            admitted.outcome.degraded[0],
            Degradation::OverBudget { key: "session_tokens", limit: 5, .. }
        ));
    }
}
