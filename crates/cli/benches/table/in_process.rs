//! Measures tenter's code in a warm process: no process is started.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use tenter_contract::Diagnostics;
use tenter_contract::ports::{AuditTrail, Surroundings, TrailError};
use tenter_contract::{
    Effect, Event, EventKind, EventRecord, HookReply, Injection, Level, Message, Outcome, RecordBody, Verdict,
};
use tenter_coordinator::{ContextMessage, ContextStore, SessionCoordinator, Shown, StoreError, UserDisplay};
use tenter_kernel::{Registry, adapt};
use tenter_store::{StateFolder, TrailFile};

use crate::Result;
use crate::fifty::{self, Rehearsed};
use crate::hook_files::TWENTY;
use crate::injections;
use crate::recorded;
use crate::samples::warm;
use crate::table::{Amount, Row};
use crate::world::{PAYLOAD, World};

/// Measures every row, with ratios to `/bin/true`.
pub(crate) fn measure(world: &World, bin_true: Duration) -> Result<Vec<Row>> {
    let agent = tenter_adapters::by_name("claude").ok_or("there is no adapter for Claude Code")?;
    let registry = fifty::registry()?;
    let rehearsed = fifty::rehearsed(agent, &registry)?;
    let event = fifty::event(agent, PAYLOAD)?;
    let row = |work: &str, times| Row::times(work, times, bin_true);
    let budget = |micros| Amount::Time(Duration::from_micros(micros));

    let kernel = {
        let mut turns = rehearsed.iter().cycle();
        let next = || turns.next().cloned();
        warm(next, |turn: Option<Rehearsed>| turn.map(|turn| match_fold_adapt(turn, &registry)))
    };
    let session = a_session()?;
    let in_session = warm(|| event.clone(), |event: Event| session.emit(event).is_ok());

    let [bash, _] = rehearsed;
    let capabilities = bash.capabilities;
    let (adapted, _) = adapt(&bash.play(&registry), &capabilities);
    let surroundings = Surroundings::default();
    let codec = warm(
        || (),
        |()| (agent.decode(black_box(PAYLOAD.as_bytes()), &surroundings), agent.encode(black_box(&adapted))),
    );

    if fifty::loaded(TWENTY)?.hooks.len() != 20 {
        return Err("twenty.yaml must have twenty hooks".into());
    }
    let load = warm(|| (), |()| fifty::loaded(black_box(TWENTY)).map(|loaded| loaded.hooks.len()));

    let injections = injections::measure(world, &event, bin_true)?;

    let trail = TrailFile::new(&StateFolder::new(world.home("append")?.path("state/tenter")));
    let record = [record_of(event)];
    trail.append(&record, &mut Diagnostics::default())?;
    let append = warm(|| (), |()| trail.append(black_box(&record), &mut Diagnostics::default()));

    let mut rows = vec![
        row("50 hooks, 25 of them concerned: match, fold, fit", kernel).at_most(budget(50)),
        row("emit with 10 in-process handlers: routed, shown, recorded", in_session).at_most(budget(10)),
        row("decode a recorded payload, encode an answer", codec).at_most(budget(100)),
        recorded::slowest(bin_true)?,
        row("load the hook file with 20 hooks (YAML)", load),
        row("append one record to the trail", append),
    ];
    rows.extend(injections);
    Ok(rows)
}

fn match_fold_adapt(turn: Rehearsed, registry: &Registry) -> impl Sized {
    let capabilities = turn.capabilities;
    let outcome = turn.play(registry);
    adapt(&outcome, &capabilities)
}

/// Ten functions: eight watch, one adds context, one notifies the user. The parts of the session keep nothing, so
/// that an event costs the same at the end as in the beginning.
fn a_session() -> Result<SessionCoordinator> {
    let session =
        SessionCoordinator::builder("claude").context(Nowhere).display(Nowhere).trail(Nowhere).build();
    for number in 0..8 {
        session.register(EventKind::ToolPre, &format!("watcher-{number}"), number, |event| {
            black_box(event.tool.as_ref().map(|tool| tool.name.len()));
            HookReply::default()
        })?;
    }
    session.register(EventKind::ToolPre, "context", 8, |_| {
        reply(Effect::Inject(Injection::text("Tests come before code.")))
    })?;
    session.register(EventKind::ToolPre, "voice", 9, |_| {
        reply(Effect::Notify(Message { text: "a call".to_owned(), level: Level::Info }))
    })?;
    Ok(session)
}

/// Takes everything and keeps nothing.
struct Nowhere;

impl ContextStore for Nowhere {
    fn add(&self, _: ContextMessage) -> std::result::Result<(), StoreError> {
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        Vec::new()
    }
}

impl UserDisplay for Nowhere {
    fn show(&self, _: &Shown) {}
}

impl AuditTrail for Nowhere {
    fn append(&self, _: &[RecordBody], _: &mut Diagnostics) -> std::result::Result<u64, TrailError> {
        Ok(1)
    }
}

fn reply(effect: Effect) -> HookReply {
    HookReply { verdict: Verdict::Abstain, effects: vec![effect] }
}

/// The record of an event that concerns no hook.
fn record_of(event: Event) -> RecordBody {
    let outcome = Outcome::nothing(Arc::new(event));
    let took = Duration::from_micros(100);
    RecordBody::Event(Box::new(EventRecord { outcome, problems: Vec::new(), took }))
}
