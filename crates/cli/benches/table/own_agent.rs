//! Measures hooks in tenter's agent: the time from a tool's end to the next request, and a whole `tenter chat`.

use std::ffi::OsStr;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenter_agent::observer::NoObserver;
use tenter_agent::tools::{Tool, ToolDisplay, ToolOutput, Toolbox, Workspace};
use tenter_agent::{Agent, AgentParts, Journal, Permission, SharedConversation};
use tenter_contract::{EventKind, HookReply, ToolKind};
use tenter_coordinator::SessionCoordinator;
use tenter_models::client::{
    Block, Model, ModelError, Reply, ReplyPiece, Request, StopFlag, StopReason, ToolUse, Usage,
};
use tenter_store::{SessionFolders, StateFolder, TrailFile};

use crate::Result;
use crate::samples::{Samples, Times};
use crate::table::{Amount, Row};
use crate::world::{TENTER, World};

/// How many calls the model makes in the one turn that is measured.
const CALLS: usize = 300;
/// How often `tenter chat` is started.
const STARTS: usize = 20;

/// Measures the rows, with ratios to `/bin/true`.
pub(crate) fn measure(world: &World, bin_true: Duration) -> Result<Vec<Row>> {
    let without = gap(world, 0)?;
    let with = gap(world, 3)?;
    let over = without.p50 + Duration::from_millis(1);
    Ok(vec![
        Row::times("own agent: from a tool's end to the next request", without, bin_true),
        Row::times("… with three hooks that do nothing (h)", with, bin_true).at_most(Amount::Time(over)),
        Row::times("`tenter chat -p` from its start to its end, one reply", chat(world)?, bin_true)
            .at_most(Amount::Time(Duration::from_millis(100))),
    ])
}

/// What lies between the end of each tool and the next time the model is asked.
fn gap(world: &World, hooks: usize) -> Result<Times> {
    let home = world.home(&format!("own-agent-{hooks}"))?;
    let state = StateFolder::new(home.path("state/tenter"));
    let sessions = move |id: &str, talk: Arc<SharedConversation>| {
        let session = SessionCoordinator::builder("tenter")
            .session(id)
            .context(talk)
            .trail(TrailFile::new(&state))
            .sessions(SessionFolders::new(&state))
            .build();
        for number in 0..hooks {
            // The names differ, so it is registered.
            let _ =
                session.register(EventKind::ToolPost, &format!("hook-{number}"), 0, |_| HookReply::default());
        }
        Arc::new(session)
    };
    let clock = Arc::new(Clock::default());
    let place = Workspace::new(home.path(""), Vec::new(), home.path("spills"));
    let parts = AgentParts {
        sessions: Arc::new(sessions),
        model: Arc::new(Caller(Arc::clone(&clock))),
        tools: Arc::new(Toolbox::new(vec![Box::new(Quick(Arc::clone(&clock)))])),
        place: Arc::new(place),
        observer: Arc::new(NoObserver),
        instructions: String::new(),
        permission: Permission::All,
        attended: false,
        window: u64::MAX,
    };
    Agent::new(parts, "bench", Journal::none()).prompt("Go", &StopFlag::new())?;
    let mut samples = Samples::default();
    for gap in clock.lock().gaps.drain(..) {
        samples.push(gap);
    }
    Ok(samples.times())
}

#[derive(Default)]
struct Clock(Mutex<Gaps>);

#[derive(Default)]
struct Gaps {
    ended: Option<Instant>,
    gaps: Vec<Duration>,
}

impl Clock {
    fn lock(&self) -> std::sync::MutexGuard<'_, Gaps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tool that says when it ended.
struct Quick(Arc<Clock>);

impl Tool for Quick {
    fn name(&self) -> &'static str {
        "Quick"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn description(&self) -> &'static str {
        "Does nothing."
    }

    fn schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn alone(&self) -> bool {
        true
    }

    fn run(&self, _: &Map<String, Value>, _: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        let ran = ToolOutput::done("done", ToolDisplay::Nothing);
        self.0.lock().ended = Some(Instant::now());
        ran
    }
}

/// A model that calls it, again and again.
struct Caller(Arc<Clock>);

impl Model for Caller {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn ask(
        &self,
        _: &Request<'_>,
        _: &mut dyn FnMut(ReplyPiece<'_>),
        _: &StopFlag,
    ) -> std::result::Result<Reply, ModelError> {
        let mut clock = self.0.lock();
        if let Some(ended) = clock.ended.take() {
            clock.gaps.push(ended.elapsed());
        }
        let number = clock.gaps.len();
        let block = if number < CALLS {
            let input = Map::from_iter([("number".to_owned(), json!(number))]);
            Block::Call(ToolUse::new(format!("call-{number}"), "Quick", input))
        } else {
            Block::Text("Done.".to_owned())
        };
        Ok(Reply { blocks: vec![block], stop: StopReason::End, usage: Usage::default() })
    }
}

/// A whole chat over real HTTP: hooks are read, a model on loopback is asked once, the session is kept.
fn chat(world: &World) -> Result<Times> {
    let home = world.home("own-agent-chat")?;
    let script = home.path("script.yaml");
    fs::create_dir_all(home.path("project"))?;
    fs::write(&script, "version: 1\nturns:\n  - say: Hello.\n")?;
    let mut samples = Samples::default();
    for _ in 0..STARTS {
        let mut model = OsStr::new("scripted:").to_owned();
        model.push(&script);
        let started = Instant::now();
        let ended = Command::new(TENTER)
            .args(["chat", "-p", "Say hello", "--model"])
            .arg(model)
            .current_dir(home.path("project"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        samples.push(started.elapsed());
        if !ended.success() {
            return Err(format!("`tenter chat` ended with {ended}").into());
        }
    }
    Ok(samples.times())
}
