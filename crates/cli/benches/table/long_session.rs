//! Measures a session of a thousand turns in tenter's agent: the last hundred turns cost as much as the first.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_agent::observer::NoObserver;
use tenter_agent::tools::{self, Workspace};
use tenter_agent::{Agent, AgentParts, Journal, Permission, SharedConversation};
use tenter_contract::{Event, EventKind, HookReply};
use tenter_coordinator::SessionCoordinator;
use tenter_models::client::{RetryPolicy, ScriptedModel, StopFlag};
use tenter_models::{Script, ServerOptions};
use tenter_store::{SessionFolders, StateFolder, TrailFile};

use crate::Result;
use crate::samples::Samples;
use crate::table::{Amount, Row};
use crate::world::World;

const TURNS: usize = 1_000;
/// How many turns are compared.
const PART: usize = 100;
/// So many tokens until the conversation is put into fewer words.
const WINDOW: u64 = 6_000;
/// How much more the last turns may take: what two runs of the same differ by.
const DRIFT: f64 = 1.25;
/// How much more memory there may be at the end.
const GROWTH: Amount = Amount::Kibibytes(4_000_000 / 1024);

/// Measures the rows, with ratios to `/bin/true`.
pub(crate) fn measure(world: &World, bin_true: Duration) -> Result<Vec<Row>> {
    let home = world.home("long-session")?;
    let place = Workspace::new(home.path(""), Vec::new(), home.path("spills"));
    let model = ScriptedModel::start("long", script()?, ServerOptions::default(), RetryPolicy::default())?;
    let parts = AgentParts {
        sessions: Arc::new(sessions(StateFolder::new(home.path("state/tenter")))),
        model: Arc::new(model),
        tools: Arc::new(tools::Toolbox::new(tools::own())),
        place: Arc::new(place),
        observer: Arc::new(NoObserver),
        instructions: String::new(),
        permission: Permission::All,
        attended: false,
        window: WINDOW,
    };
    let mut agent =
        Agent::new(parts, "long", Journal::begin(&home.path("chats"), "long", "bench", "scripted", 0)?);
    let (mut first, mut last) = (Samples::default(), Samples::default());
    let mut early = None;
    for turn in 0..TURNS {
        let started = Instant::now();
        agent
            .prompt(&format!("Prompt {turn}. {}", "Please look once more. ".repeat(10)), &StopFlag::new())?;
        if turn < PART {
            first.push(started.elapsed());
        } else if turn >= TURNS - PART {
            last.push(started.elapsed());
        }
        if turn + 1 == PART {
            early = resident();
        }
    }
    let (first, last) = (first.times(), last.times());
    let ratio = last.p50.as_secs_f64() / first.p50.as_secs_f64();
    let budget = format!("≤ {DRIFT} × of 1 to {PART}");
    let mut rows = vec![
        Row::times(format!("own agent: a turn over HTTP, 1 to {PART} of {TURNS}"), first, bin_true),
        Row::times(format!("… {} to {TURNS}", TURNS - PART + 1), last, bin_true)
            .judged(&budget, ratio <= DRIFT),
    ];
    let growth = "… memory at the end, beyond that after the first hundred";
    rows.push(match (early, resident()) {
        (Some(early), Some(late)) => {
            Row::figure(growth, Amount::Kibibytes(late.saturating_sub(early))).at_most(GROWTH)
        }
        _ => Row::skipped(growth, "this system has no /proc"),
    });
    Ok(rows)
}

/// A model that looks once in every turn.
fn script() -> Result<Script> {
    let turn = |number: usize| {
        let look = json!({"tool": "Glob", "input": {"pattern": format!("no-such-file-{number}")}});
        [json!({"say": "I look.", "call": look}), json!({"say": format!("Nothing is there, time {number}.")})]
    };
    let turns: Vec<_> = (0..TURNS).flat_map(turn).collect();
    let text = json!({"version": 1, "turns": turns}).to_string();
    Ok(Script::read(&text, "").map_err(|error| error.to_string())?)
}

/// Sessions on disk, with hooks that say something else each time.
fn sessions(
    state: StateFolder,
) -> impl Fn(&str, Arc<SharedConversation>) -> Arc<SessionCoordinator> + Send + Sync {
    move |id, talk| {
        let session = SessionCoordinator::builder("tenter")
            .session(id)
            .context(talk)
            .trail(TrailFile::new(&state))
            .sessions(SessionFolders::new(&state))
            .build();
        for kind in [EventKind::PromptSubmit, EventKind::ToolPost, EventKind::OrchestratorComplete] {
            let said = |event: &Event| {
                let turn = event.turn.as_deref().unwrap_or_default();
                HookReply::default().inject(format!("{} in turn {turn}", event.kind))
            };
            // The names differ, so it is registered.
            let _ = session.register(kind.clone(), &kind.to_string(), 0, said);
        }
        Arc::new(session)
    }
}

/// What this process has in memory now, in kibibytes.
fn resident() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
