//! The only place that names concrete parts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tenter_contract::ports::{AuditTrail, FullBinary, HookExecutor, HookSource, SessionStore};
use tenter_contract::{Event, HookSet, Level, Message};
use tenter_executors::{Caller, HookState};
use tenter_runtime::{
    ApprovalService, AuditLog, HookCatalog, HookRunner, OuterHook, Runtime, SessionService,
};
use tenter_store::audit::redact;
use tenter_store::{ApprovalFolder, ReplyFolder, SessionFolders, StateFolder, TrailFile};

use crate::approvers;
use crate::beside::{Beside, HandedOver, OtherBuild};
use crate::clock::SystemClock;
use crate::facts::PlaceFacts;
use crate::layers;
use crate::meanwhile;
use crate::places::{self, Places, ResolvedPaths};
use crate::recall::RememberedHooks;
use crate::stateless::Stateless;
use crate::trust::{Pinned, copies_folder};

/// A runtime, and what it was made from.
pub struct Host {
    /// The runtime.
    pub runtime: Runtime,
    /// When the agent's patience began.
    pub started: Instant,
}

/// Puts a runtime together that can do everything. A call that `tenter-hook` left to us is gone on with. Hooks are
/// waited for, also those with `background`: a program that is not ours cannot be asked to keep them.
pub fn assemble(places: &Places, project: Option<&Path>) -> Host {
    assemble_for(places, project, None)
}

/// The same in `tenter` itself.
pub fn assemble_program(places: &Places, project: Option<&Path>) -> Host {
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "nothing is kept there"))]
    let mut host = assemble(places, project);
    #[cfg(target_os = "linux")]
    {
        host.runtime.runner.background = Some(Box::new(crate::background::WorkerLauncher::full()));
    }
    host
}

/// Lets a user stop hooks of every kind: as long as this is true they end at once, and have failed.
pub fn set_stop_flag(runtime: &mut Runtime, stop: Arc<AtomicBool>) {
    for (executor, stop) in runtime.runner.executors.iter_mut().zip(std::iter::repeat(stop)) {
        executor.set_stop_flag(stop);
    }
}

/// The same in a process that runs on behalf of this one.
pub fn assemble_for(places: &Places, project: Option<&Path>, caller: Option<Caller>) -> Host {
    let handed_over = HandedOver::from_environment();
    let started = handed_over.as_ref().map_or_else(Instant::now, |call| call.started);
    let resolved_paths = ResolvedPaths::of(places, project);
    let places = resolved_paths.used.clone();
    let hooks = RememberedHooks { resolved_paths, reader: Some(layers::read) };
    let runtime = match handed_over.filter(HandedOver::is_foreign) {
        None => {
            let kept = hook_state(&places);
            // The first that runs a hook of its kind does, and memory knows more than the small program.
            let mut executors = vec![crate::memory::executor(&kept)];
            executors.extend(tenter_executors::all(&kept, caller));
            runtime(&places, Box::new(hooks), executors)
        }
        Some(HandedOver { build, .. }) => {
            let other = OtherBuild { build };
            let hooks = WithProblem { hooks, problem: other.unavailable_reason() };
            let executors = tenter_executors::small(&hook_state(&places), caller);
            let mut runtime = runtime(&places, Box::new(hooks), executors);
            runtime.catalog.full_binary = Some(Box::new(other));
            runtime
        }
    };
    Host { runtime, started }
}

/// The same in `tenter-hook`: what nearly every call needs, and so little of it that it starts like nothing.
/// What is not named here is not in that program; whoever needs it is left to the `tenter` beside it.
pub fn assemble_small(places: &Places, project: Option<&Path>) -> Host {
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "nothing is kept there"))]
    let mut host = assemble_small_for(places, project, None);
    #[cfg(target_os = "linux")]
    {
        host.runtime.runner.background = Some(Box::new(crate::background::WorkerLauncher::small()));
    }
    host
}

/// The same in a process that runs on behalf of this one.
pub fn assemble_small_for(places: &Places, project: Option<&Path>, caller: Option<Caller>) -> Host {
    let started = Instant::now();
    let resolved_paths = ResolvedPaths::of(places, project);
    let places = resolved_paths.used.clone();
    let hooks = RememberedHooks { resolved_paths, reader: None };
    let executors = tenter_executors::small(&hook_state(&places), caller);
    let mut runtime = runtime(&places, Box::new(hooks), executors);
    runtime.catalog.full_binary = Some(Box::new(Beside::of_process(started)));
    Host { runtime, started }
}

fn runtime(places: &Places, hooks: Box<dyn HookSource>, executors: Vec<Box<dyn HookExecutor>>) -> Runtime {
    let (trail, sessions): (Box<dyn AuditTrail>, Box<dyn SessionStore>) = match places.state() {
        Some(state) => {
            let trail = TrailFile::new(&state).hiding(redact::secret_values(std::env::vars_os()));
            (Box::new(trail), Box::new(sessions_of(&state)))
        }
        None => (Box::new(Stateless), Box::new(Stateless)),
    };
    let copies = places.state_folder.as_deref().map(copies_folder);
    let pinned = |inner| Box::new(Pinned { inner, copies: copies.clone() }) as Box<dyn HookExecutor>;
    let outer_hook = std::env::var("TENTER_RUN").ok();
    let outer_hook =
        outer_hook.map(|run| OuterHook { run, session: std::env::var("TENTER_SESSION_ID").ok() });
    Runtime {
        catalog: HookCatalog {
            source: hooks,
            facts: Arc::new(PlaceFacts),
            full_binary: None,
            is_home: places::is_home,
            working_folder: || std::env::current_dir().ok()?.into_os_string().into_string().ok(),
        },
        runner: HookRunner {
            executors: executors.into_iter().map(pinned).collect(),
            replies: match &places.state_folder {
                Some(folder) => Box::new(ReplyFolder::new(&StateFolder::new(folder.clone()))),
                None => Box::new(Stateless),
            },
            background: None,
            progress: None,
        },
        sessions: SessionService {
            store: sessions,
            tokens: tenter_contract::limits::quarter_of_bytes,
            outer_hook,
        },
        approvals: ApprovalService {
            approvers: approvers::of(places.state_folder.as_deref()),
            register: match &places.state_folder {
                Some(folder) => Box::new(ApprovalFolder::new(&StateFolder::new(folder.clone()))),
                None => Box::new(Stateless),
            },
            still_wanted: approvers::somebody_reads_stdout,
        },
        audit: AuditLog { trail },
        clock: Arc::new(SystemClock),
        deadline: None,
    }
}

/// Hooks, and something that is wrong with the installation.
struct WithProblem {
    hooks: RememberedHooks,
    problem: String,
}

impl HookSource for WithProblem {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        let problem = Message { text: format!("warning: {}", self.problem), level: Level::Warning };
        self.hooks.at(event).map(|set| set.with_problem(problem))
    }
}

fn sessions_of(state: &StateFolder) -> SessionFolders {
    SessionFolders::new(state).with_fallback(meanwhile::beside)
}

/// What hooks remember themselves, over the same folders as the runtime.
fn hook_state(places: &Places) -> HookState {
    let state = places.state_folder.clone().map(StateFolder::new);
    let sessions: Arc<dyn SessionStore> = match &state {
        Some(state) => Arc::new(sessions_of(state)),
        None => Arc::new(Stateless),
    };
    HookState { sessions, state }
}
