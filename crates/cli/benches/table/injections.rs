//! Measures injected texts in the kernel and in the growing ledger of a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::limits::quarter_of_bytes;
use tenter_contract::ports::SessionStore;
use tenter_contract::{
    BudgetCategory, Capabilities, ContextId, Event, EventKind, Handler, HookId, HookOutput, HookReply,
    HookReport, HookSpec, Injection, InjectionStatus, Layer, LedgerEntry, Limits, Moment, Outcome, Role,
    SessionId, Source, Spent, Timestamp,
};
use tenter_kernel::{AdmissionBudget, Admitted, Author, Known, adapt, admit, fold_background_run};
use tenter_store::{SessionFolders, StateFolder};

use crate::Result;
use crate::samples::{Samples, Times, warm};
use crate::table::{Amount, Row};
use crate::world::World;

/// So many texts are in the ledger that is compared with one that has a few.
const MANY: usize = 1000;
const ROUNDS: usize = 300;

/// Measures both, with ratios to `/bin/true` and to each other.
pub(crate) fn measure(world: &World, event: &Event, bin_true: Duration) -> Result<Vec<Row>> {
    let text = "src/app.py:42:80: E501 line too long (92 > 79 characters)\n".repeat(200);
    let text = text[..10_240].to_owned();
    let hook = HookSpec::new(HookId::new(Layer::User, "lint"), event.kind.clone(), Handler::InProcess);
    let report = || HookReport::new(HookOutput::Reply(HookReply::default().inject(text.clone())));
    let limits = Limits::default();
    let folded = |(event, report)| fold_background_run(event, &hook, limits, report);
    let ten_kib = warm(
        || (Arc::new(event.clone()), report()),
        |call: (Arc<Event>, HookReport)| limited(folded(call), &limits),
    );
    let session_store = SessionFolders::new(&StateFolder::new(world.home("ledger")?.path("state/tenter")));
    let early = timed(&session_store, |round| format!("early {round}"), 2)?;
    let late = timed(&session_store, |_| "late".to_owned(), MANY)?;
    let ratio = late.p50.as_secs_f64() / early.p50.as_secs_f64();
    Ok(vec![
        Row::times("a 10 KiB injection: validate, budget, batch, tag", ten_kib, bin_true)
            .at_most(Amount::Time(Duration::from_micros(50))),
        Row::times("the third injection of a session, in its ledger", early, bin_true),
        Row::times("… the 1,001st (g)", late, bin_true).with_ratio(ratio).at_most_times(1.1),
    ])
}

fn limited(outcome: Outcome, limits: &Limits) -> impl Sized {
    let budget = AdmissionBudget { limits, spent: Spent::default(), tokens: quarter_of_bytes };
    let Admitted { outcome, .. } = admit(outcome, &[Known::default()], |_| Author::default(), &budget);
    adapt(&outcome, &Capabilities::EVERYTHING)
}

/// The time of one injection into sessions that have so many already.
fn timed(session_store: &SessionFolders, session: impl Fn(usize) -> String, before: usize) -> Result<Times> {
    let mut samples = Samples::default();
    let mut filled: Vec<SessionId> = Vec::new();
    for round in 0..ROUNDS {
        let session = SessionId::parse(&session(round)).ok_or("a session has no name")?;
        if !filled.contains(&session) {
            for number in 0..before {
                inject(session_store, &session, &format!("before {number}"))?;
            }
            filled.push(session.clone());
        }
        let started = Instant::now();
        inject(session_store, &session, &format!("round {round}"))?;
        samples.push(started.elapsed());
    }
    Ok(samples.times())
}

fn inject(session_store: &SessionFolders, session: &SessionId, text: &str) -> Result<()> {
    let moment = Moment {
        at: Timestamp::default(),
        event: EventKind::ToolPost,
        turn: "our 1".to_owned(),
        context: ContextId::default(),
    };
    let by = Source::Hook(HookId::new(Layer::User, "lint"));
    let injection = Injection::text(text);
    let page = session_store.open_ledger(session, &moment)?;
    let known = (page.is_in_context(&by, &injection)?, page.is_latest(&by, &injection)?);
    if known.0 {
        return Err("a text was there before".into());
    }
    let (bytes, tokens) = (text.len(), quarter_of_bytes(text));
    let (role, category, status) = (Role::System, BudgetCategory::Hooks, InjectionStatus::Delivered);
    page.enter(&[LedgerEntry { by, injection, role, category, status, bytes, tokens, spilled: None }])?;
    Ok(())
}
